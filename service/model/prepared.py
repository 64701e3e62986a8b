"""A model on disk that is ready to be opened: the file format that preparing and serving share."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from service.errors import ModelError
from service.model import durations
from service.model.reference import Reference

Variant = Literal["native", "stock", "float32", "float16"]
"""Of a prepared model. For the processor: with operators of our own, or with ONNX Runtime's only.
For GPUs: in floats, or with the decoder in halves."""

Precision = Literal["float32", "float16"]
"""Of variants for GPUs."""

GPU_VARIANTS: tuple[Precision, ...] = ("float32", "float16")


class GraphFiles(NamedTuple):
    """Names of the files of a graph."""

    graph: str
    weights: str


ENCODER = GraphFiles("encoder.onnx", "encoder.bin")
DECODER = GraphFiles("decoder.onnx", "decoder.bin")
GRAPHS = (ENCODER, DECODER)
"""Of a prepared model."""

REFERENCE = "reference.npz"
"""Of variants for GPUs: what the model says on the processor, see `service.model.reference`."""


@dataclass(frozen=True)
class CacheKey:
    """All that decides what a prepared model looks like.

    Attributes:
        source_sha256: of the model that it is made of.
        rewriting: version of the rewriting.
        variant: which operators it uses.
        onnxruntime: version of the library that optimizes it and runs it; `any` for GPUs, where the
            library optimizes it each time it is loaded.
        products: of a stock variant, how the processor multiplies bytes, see `integer_products`;
            `any` for others, which are right on every processor.
        layout: of a native variant, version of the layout of its weights; 0 for others.
    """

    source_sha256: str
    rewriting: int
    variant: Variant
    onnxruntime: str
    products: str
    layout: int = 0

    @property
    def name(self) -> str:
        """Return a name for the folder, different for every key."""
        parts = (self.variant, self.rewriting, self.onnxruntime, self.products, self.layout)
        return "-".join((self.family, *map(str, parts)))

    @property
    def family(self) -> str:
        """Return how the names of all keys for this source begin."""
        return self.source_sha256[:16]

    @property
    def files(self) -> tuple[str, ...]:
        """Return the names of the files that make the model up."""
        files = tuple(name for graph in GRAPHS for name in graph)
        return (*files, REFERENCE) if self.variant in GPU_VARIANTS else files

    def supersedes(self, name: str) -> bool:
        """Tell whether a name is that of an older key of this source, for the same purpose."""
        if not name.startswith(f"{self.family}-") or name == self.name:
            return False
        variant = name.removeprefix(f"{self.family}-").partition("-")[0]
        return variant == self.variant or not {variant, self.variant} & {*GPU_VARIANTS}


@dataclass(frozen=True)
class PreparedModel:
    """A prepared model on disk: split in an encoder and a decoder, each with its weights.

    Attributes:
        source_name: name of the model file that it is made of.
        folder: with its files, see `CacheKey.files`.
        key: what it is made of.
        detail: how it was made, for people.
        operators: library of our own operators, where it uses them.
        kernels: the instruction set of these operators, such as `avx512-vnni`.
    """

    source_name: str
    folder: Path
    key: CacheKey
    detail: str
    operators: Path | None = None
    kernels: str | None = None

    @property
    def sha256(self) -> str:
        """Return the digest of the model file that it is made of."""
        return self.key.source_sha256

    @property
    def variant(self) -> Variant:
        """Return which operators it uses."""
        return self.key.variant

    @property
    def place(self) -> Path:
        """Return where it is: its folder."""
        return self.folder

    def reference(self) -> Reference:
        """Return what it says on the processor, of variants for GPUs. Raises NoReferenceError."""
        return Reference.read(self.folder / REFERENCE)


@dataclass(frozen=True)
class ModelFile:
    """A model file that is used as it is: a whole model, with the name of its file.

    Attributes:
        path: the file.
        sha256: its digest.
        detail: why it is used as it is, for people.
        said: what it says on the processor, where it shall run on a GPU.
    """

    path: Path
    sha256: str
    detail: str
    said: Reference | None = None

    variant: ClassVar[None] = None
    kernels: ClassVar[None] = None

    @property
    def source_name(self) -> str:
        """Return the file's name."""
        return self.path.name

    @property
    def folder(self) -> Path:
        """Return the folder where tensors are that the model keeps in other files."""
        return self.path.resolve().parent

    @property
    def place(self) -> Path:
        """Return where it is: the file."""
        return self.path

    def reference(self) -> Reference:
        """Return what it says on the processor; see `said`."""
        if self.said is None:
            raise ValueError(f"{self.source_name} was not asked what it says on the processor")
        return self.said

    def read(self) -> bytearray:
        """Return the content, durations declared an output. Never two copies of it at once.

        Raises:
            ModelError: it cannot be read, or is another file than it was.
        """
        try:
            with open(self.path, "rb") as file:
                content = bytearray(os.fstat(file.fileno()).st_size)
                n_read = file.readinto(content)
        except OSError as error:
            raise unreadable(self.path, error) from error
        if n_read != len(content) or hashlib.sha256(content).hexdigest() != self.sha256:
            raise ModelError(f"the model file {self.path} changed while it was read; start again")
        if durations.is_computed(content):
            content += durations.output_declaration()
        return content


ModelOnDisk = PreparedModel | ModelFile
"""What `service.model.open` opens."""


def unreadable(path: Path, error: OSError) -> ModelError:
    """Return what to raise of a model file that cannot be read."""
    return ModelError(f"the model file {path} cannot be read: {error.strerror}")
