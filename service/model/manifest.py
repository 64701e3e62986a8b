"""What a prepared model was made of, and whether it still is what was made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

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
MANIFEST = "manifest.json"

_BLOCK_BYTES = 1 << 20


class DamagedError(Exception):
    """A prepared model is not what its manifest says, or has none; the message says which."""


@dataclass(frozen=True)
class Recipe:
    """All that decides what a prepared model looks like.

    Attributes:
        source_sha256: of the model that it is made of.
        rewriting: version of the rewriting.
        variant: which operators it uses.
        onnxruntime: version of the library that optimises it and runs it; `any` for GPUs, where the
            library optimises it each time it is loaded.
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
    def key(self) -> str:
        """Return a name for the folder, different for every recipe."""
        parts = (self.variant, self.rewriting, self.onnxruntime, self.products, self.layout)
        return "-".join((self.family, *map(str, parts)))

    @property
    def family(self) -> str:
        """Return how the keys of all recipes for this source begin."""
        return self.source_sha256[:16]

    @property
    def files(self) -> tuple[str, ...]:
        """Return the names of the files that make the model up."""
        files = tuple(name for graph in GRAPHS for name in graph)
        return (*files, REFERENCE) if self.variant in GPU_VARIANTS else files

    def supersedes(self, key: str) -> bool:
        """Tell whether a key is that of an older recipe of this source, for the same purpose."""
        if not key.startswith(f"{self.family}-") or key == self.key:
            return False
        variant = key.removeprefix(f"{self.family}-").partition("-")[0]
        return variant == self.variant or not {variant, self.variant} & {*GPU_VARIANTS}


@dataclass(frozen=True)
class File:
    """Size and digest of a file."""

    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> File:
        """Read a file. Raises OSError."""
        return cls(path.stat().st_size, digest(path))


@dataclass(frozen=True)
class Manifest:
    """What lies beside a prepared model.

    Attributes:
        recipe: what it was made of.
        files: by name, those that make it up; none where it was refused.
        proof: how near it is to its source, see `service.model.parity`.
        refusal: why there is no prepared model, so that nobody tries again; None where there is.
    """

    recipe: Recipe
    files: Mapping[str, File] = field(default_factory=dict)
    proof: Mapping[str, float] = field(default_factory=dict)
    refusal: str | None = None

    def write(self, folder: Path) -> None:
        """Write it into the folder of the model. Raises OSError."""
        text = json.dumps(asdict(self), indent=1) + "\n"
        (folder / MANIFEST).write_text(text, encoding="utf-8")

    @classmethod
    def verify(cls, folder: Path, recipe: Recipe) -> Manifest:
        """Read the manifest of a folder and hold the files against it.

        Reads every byte: 0.07 s for 91 MB where the processor has instructions for SHA-256, 0.2 s
        where not, and ONNX Runtime then finds the pages in memory.

        Raises:
            DamagedError: manifest or files are not what was written.
        """
        try:
            manifest = cls._parse(json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
        except OSError as error:
            raise DamagedError(f"{MANIFEST}: {error.strerror}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DamagedError(f"{MANIFEST} cannot be read") from error
        if manifest.recipe != recipe:
            raise DamagedError(f"{MANIFEST} is of another model")
        if manifest.refusal is None and set(manifest.files) != set(recipe.files):
            raise DamagedError(f"{MANIFEST} does not name the files")
        for name, expected in manifest.files.items():
            try:
                found = File.of(folder / name)
            except OSError as error:
                raise DamagedError(f"{name}: {error.strerror}") from error
            if found != expected:
                raise DamagedError(f"{name} is not what was written")
        return manifest

    @classmethod
    def _parse(cls, written: dict[str, Any]) -> Manifest:
        files = {name: File(**entry) for name, entry in written.pop("files").items()}
        return cls(recipe=Recipe(**written.pop("recipe")), files=files, **written)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, without having it in memory at once. Raises OSError."""
    sha256 = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            sha256.update(block)
    return sha256.hexdigest()
