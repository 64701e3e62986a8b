"""The source of a prepared model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from service.errors import ModelError
from service.model.prepared import ModelFile, unreadable
from service.preparation import assembly
from service.preparation.assembly import FILE_NAME, SHA256, SIZE_BYTES, assemble
from service.preparation.manifest import digest

Progress = Callable[[str], None]
"""Called with a line where something takes long."""


@dataclass(frozen=True)
class Source:
    """A model file before preparation.

    Attributes:
        path: the file.
        published: whether it is the published model, which `assemble` writes if the file is
            missing or damaged.
        expected: SHA-256 that its record tells; None if it tells none.
    """

    path: Path
    published: bool
    expected: str | None = None

    def sha256(self) -> str:
        """Return the SHA-256; that of the published model is known.

        Raises:
            ModelError: the file is missing, or is not the one that its record tells of.
        """
        if self.published:
            return SHA256
        found = self._digest()
        if self.expected not in (None, found):
            raise ModelError(f"{self.path} is damaged: its SHA-256 is not that of its record")
        return found

    def _digest(self) -> str:
        try:
            return digest(self.path)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def file_as_it_is(self, detail: str, progress: Progress) -> ModelFile:
        """Return the file to open it as it is; the published one is written to the cache first.

        Args:
            detail: why it is used as it is, for the log.
            progress: called with a line where something takes long.

        Raises:
            ModelError: it is missing or damaged.
        """
        if not self.published:
            return ModelFile(self.path, self.sha256(), detail)
        if not (self.path.is_file() and self.path.stat().st_size == SIZE_BYTES):
            assemble(self.path, progress)
        elif self._digest() != SHA256:
            progress(f"{FILE_NAME} in the cache is damaged; writing it again")
            assemble(self.path, progress)
        return ModelFile(self.path, SHA256, detail)

    def file(self, folder: Path) -> Path:
        """Return a file with the model, possibly in a temporary folder.

        The published model is not written to the cache: nobody needs it there once it is prepared,
        and the packages with its parts stay installed.

        Raises:
            ModelError: it is missing or damaged.
        """
        if not self.published or assembly.is_published(self.path):
            return self.path
        path = folder / FILE_NAME
        assemble(path, lambda line: None)  # takes half a second, and the path is temporary
        return path
