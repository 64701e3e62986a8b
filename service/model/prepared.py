"""Models on disk, ready to be opened: the file format that build time and run time share."""

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
"""Variants of a prepared model. For CPUs: with native operators, or only with ONNX Runtime's. For
GPUs: in float32, or with the decoder in float16."""

Precision = Literal["float32", "float16"]
"""Variants for GPUs."""

GPU_VARIANTS: tuple[Precision, ...] = ("float32", "float16")


class GraphFiles(NamedTuple):
    """File names of a graph."""

    graph: str
    weights: str


ENCODER = GraphFiles("encoder.onnx", "encoder.bin")
DECODER = GraphFiles("decoder.onnx", "decoder.bin")
GRAPHS = (ENCODER, DECODER)
"""The graphs of a prepared model."""

REFERENCE = "reference.npz"
"""Recorded audio of the CPU, in variants for GPUs; see `service.model.reference`."""


@dataclass(frozen=True)
class CacheKey:
    """Everything that decides what a prepared model is.

    Attributes:
        source_sha256: of its source.
        rewriting: version of the rewriting.
        variant: the operators that it uses.
        onnxruntime: version of the library that optimizes and runs it; `any` for GPUs, where the
            library optimizes it at every start.
        layout: for `native`, number of the layout of its weights; 0 for other variants.
    """

    source_sha256: str
    rewriting: int
    variant: Variant
    onnxruntime: str
    layout: int = 0

    @property
    def name(self) -> str:
        """Return the name of its folder, unique for every key."""
        parts = (self.variant, self.rewriting, self.onnxruntime, self.layout)
        return "-".join((self.family, *map(str, parts)))

    @property
    def family(self) -> str:
        """Return the common prefix of the names of all keys of this source."""
        return self.source_sha256[:16]

    @property
    def files(self) -> tuple[str, ...]:
        """Return the names of the model's files."""
        files = tuple(name for graph in GRAPHS for name in graph)
        return (*files, REFERENCE) if self.variant in GPU_VARIANTS else files

    def supersedes(self, name: str) -> bool:
        """Tell whether a name is that of another key of this source, for the same purpose."""
        if not name.startswith(f"{self.family}-") or name == self.name:
            return False
        variant = name.removeprefix(f"{self.family}-").partition("-")[0]
        return variant == self.variant or not {variant, self.variant} & {*GPU_VARIANTS}


@dataclass(frozen=True)
class PreparedModel:
    """A prepared model on disk: split in an encoder and a decoder, each with its weights.

    Attributes:
        source_name: name of its source file.
        folder: the folder of its files, see `CacheKey.files`.
        key: its cache key.
        detail: how it was made, for the log.
        operators: library of the native operators, if it uses them.
        kernels: the instruction set that they use, such as `avx512-vnni`.
    """

    source_name: str
    folder: Path
    key: CacheKey
    detail: str
    operators: Path | None = None
    kernels: str | None = None

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of its source."""
        return self.key.source_sha256

    @property
    def variant(self) -> Variant:
        """Return its variant."""
        return self.key.variant

    @property
    def place(self) -> Path:
        """Return where it is: its folder."""
        return self.folder

    def reference(self) -> Reference:
        """Return its audio on the CPU, for variants for GPUs. Raises NoReferenceError."""
        return Reference.read(self.folder / REFERENCE)


@dataclass(frozen=True)
class ModelFile:
    """A model file that is used as it is: a whole model.

    Attributes:
        path: the file.
        sha256: of the file.
        detail: why it is used as it is, for the log.
        said: its audio on the CPU, if it is to run on a GPU.
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
        """Return the folder of its external tensors."""
        return self.path.resolve().parent

    @property
    def place(self) -> Path:
        """Return where it is: the file."""
        return self.path

    def reference(self) -> Reference:
        """Return its audio on the CPU; see `said`."""
        if self.said is None:
            raise ValueError(f"{self.source_name} has no reference")
        return self.said

    def read(self) -> bytearray:
        """Return the content, with durations as an output. Only one copy is in memory at a time.

        Raises:
            ModelError: it cannot be read, or has changed.
        """
        try:
            with open(self.path, "rb") as file:
                content = bytearray(os.fstat(file.fileno()).st_size)
                n_read = file.readinto(content)
        except OSError as error:
            raise unreadable(self.path, error) from error
        if n_read != len(content) or hashlib.sha256(content).hexdigest() != self.sha256:
            raise ModelError(f"the model file {self.path} has changed; start the service again")
        if durations.is_computed(content):
            content += durations.output_declaration()
        return content


ModelOnDisk = PreparedModel | ModelFile
"""What `service.model.open` opens."""


def unreadable(path: Path, error: OSError) -> ModelError:
    """Return the error for a model file that cannot be read."""
    return ModelError(f"the model file {path} cannot be read: {error.strerror}")
