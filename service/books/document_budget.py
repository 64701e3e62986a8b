"""What reading a document may cost: a small file can hold an enormous one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from service.books.ledger import Ledger
from service.errors import InvalidBookError

MAX_BYTES = 64 << 20
"""Of text and markup in a document, unpacked and without pictures. Two million words have 12 MB,
with the markup of a careless converter 40."""

MAX_BYTES_OF_FB2 = 128 << 20
"""Its pictures are among its text, in Base64."""

MAX_BYTES_OF_DOCX = 128 << 20
MAX_ELEMENTS_OF_DOCX = 4_000_000
"""Word writes up to 50 bytes and an element for each word, most of them about its looks."""

MAX_ELEMENTS = 1_000_000
"""Of a document; a line of a text is one. Paragraphs take up to 40 µs each."""

MAX_CHAPTERS = 10_000

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class Document:
    """A document that is to be read.

    Attributes:
        path: of its file.
        name: as whoever has it read knows it; messages have it.
        ledger: counts what of it is read.
    """

    path: Path
    name: str
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def stem(self) -> str:
        """Return the title of a document that has none: its name without the ending."""
        ending = self.path.suffix
        is_there = ending and self.name.lower().endswith(ending.lower())
        stem = self.name[: -len(ending)] if is_there else self.name
        return stem.removesuffix(".fb2") if ending.lower() == ".zip" else stem


class Budget:
    """What is left of the bytes and elements that a document may have, all its parts together.

    Args:
        name: of the document, for messages.
        n_bytes: of text and markup, unpacked.
        n_elements: or lines.
        ledger: of the document; None for one of its own.

    Attributes:
        ledger: counts what of the document is read.
        n_dropped: characters that were dropped, as no text has them.
    """

    def __init__(
        self,
        name: str,
        n_bytes: int = MAX_BYTES,
        n_elements: int = MAX_ELEMENTS,
        ledger: Ledger | None = None,
    ) -> None:
        self.name = name
        self.ledger = Ledger() if ledger is None else ledger
        self.n_dropped = 0
        self._n_bytes = self._bytes_left = n_bytes
        self._n_elements = self._elements_left = n_elements

    def read(self, path: Path) -> bytes:
        """Return the content of a file, which it pays for.

        Raises:
            InvalidBookError: it is too large.
            OSError: it cannot be read.
        """
        content = bytearray()
        with path.open("rb") as file:
            # Python takes memory for as much as is asked for, however short the file is.
            while block := file.read(_BLOCK_BYTES):
                content += block
                self.check_bytes(len(content))
        self.take_bytes(len(content))
        return bytes(content)

    def take_bytes(self, count: int) -> None:
        """Take what was unpacked. Raises InvalidBookError if it is too much."""
        self.check_bytes(count)
        self._bytes_left -= count

    def check_bytes(self, count: int) -> None:
        """Raise InvalidBookError if so much is more than what is left."""
        if count > self._bytes_left:
            raise InvalidBookError(
                f"{self.name} has more than {self._n_bytes >> 20} MB of text and markup, unpacked"
            )

    def take_elements(self, count: int) -> None:
        """Take elements or lines. Raises InvalidBookError if they are too many."""
        self._elements_left -= count
        if self._elements_left < 0:
            raise InvalidBookError(
                f"{self.name} has more than {self._n_elements:,} elements or lines"
            )

    def take_lines(self, text: str) -> None:
        """Take the lines of a text. Raises InvalidBookError if they are too many."""
        self.take_elements(text.count("\n"))

    def drop(self, count: int) -> None:
        """Count characters that were dropped."""
        self.n_dropped += count
