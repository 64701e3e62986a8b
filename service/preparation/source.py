"""A model file as somebody published it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from service.model.prepared import ModelFile, unreadable
from service.preparation import assembly
from service.preparation.assembly import FILE_NAME, SHA256, SIZE_BYTES, assemble
from service.preparation.manifest import digest

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
        return SHA256 if self.published else self._digest()

    def _digest(self) -> str:
        try:
            return digest(self.path)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def file_as_it_is(self, detail: str, progress: Progress) -> ModelFile:
        """Return the file, to be opened as it is; the published one is put into the cache for it.

        Args:
            detail: why it is used as it is, for people.
            progress: called with a line where something takes long.

        Raises:
            ModelError: it cannot be had.
        """
        if not self.published:
            return ModelFile(self.path, self.sha256(), detail)
        if not (self.path.is_file() and self.path.stat().st_size == SIZE_BYTES):
            assemble(self.path, progress)
        elif self._digest() != SHA256:
            progress(f"{FILE_NAME} in the cache is damaged; making it anew")
            assemble(self.path, progress)
        return ModelFile(self.path, SHA256, detail)

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
