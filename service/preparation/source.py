"""A model file as somebody published it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from service.errors import ModelError
from service.model import durations
from service.model.manifest import digest
from service.preparation import assembly
from service.preparation.assembly import FILE_NAME, SHA256, SIZE_BYTES, assemble

Progress = Callable[[str], None]
"""Called with a line where something takes long."""


@dataclass(frozen=True)
class Source:
    """A model file as somebody published it.

    Attributes:
        path: the file.
        published: whether it is the published model that `assemble` writes; it is then verified,
            and made where it is missing or damaged.
    """

    path: Path
    published: bool

    def sha256(self) -> str:
        """Return the digest; of the published model without reading it. Raises ModelError."""
        if self.published:
            return SHA256
        try:
            return digest(self.path)
        except OSError as error:
            raise _unreadable(self.path, error) from error

    def read(self, progress: Progress) -> tuple[bytearray, str]:
        """Return the file, durations declared an output, and its digest.

        The published one is put into the cache for it.

        Raises:
            ModelError: it cannot be had.
        """
        if self.published and not (self.path.is_file() and self.path.stat().st_size == SIZE_BYTES):
            assemble(self.path, progress)
        model, sha256 = _read(self.path)
        if self.published and sha256 != SHA256:
            progress(f"{FILE_NAME} in the cache is damaged; making it anew")
            assemble(self.path, progress)
            model, sha256 = _read(self.path)
        if durations.is_computed(model):
            model += durations.output_declaration()
        return model, sha256

    def file(self, folder: Path) -> Path:
        """Return a file with the model, which may be in a folder that goes afterwards.

        The published model is not put into the cache for this: nobody needs it there once it is
        prepared, and its parts are still installed.

        Raises:
            ModelError: it cannot be had.
        """
        if not self.published or assembly.is_published(self.path):
            return self.path
        path = folder / FILE_NAME
        assemble(path, lambda line: None)  # half a second, and a path that soon goes
        return path


def _unreadable(path: Path, error: OSError) -> ModelError:
    return ModelError(f"the model file {path} cannot be read: {error.strerror}")


def _read(path: Path) -> tuple[bytearray, str]:
    """Return a file and its sha256. Never two copies of it at once: it is 92 MB or more."""
    try:
        with open(path, "rb") as file:
            model = bytearray(os.fstat(file.fileno()).st_size)
            n_read = file.readinto(model)
    except OSError as error:
        raise _unreadable(path, error) from error
    if n_read != len(model):
        raise ModelError(f"the model file {path} changed while it was read; start again")
    return model, hashlib.sha256(model).hexdigest()
