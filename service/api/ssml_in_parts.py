"""SSML that comes in parts: documents, and the text around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.errors import TextTooLongError
from service.text import opens_ssml

_OPENING = re.compile(
    r"<(?:(?P<comment>!--)|(?P<data>!\[CDATA\[)|(?P<end>/?)(?:\w{1,40}:)?speak(?=[\s/>]))",
    re.IGNORECASE,
)
"""What decides where a document ends."""

_BEGUN = re.compile(r"<\w{1,40}(?::(?:s(?:p(?:e(?:ak?)?)?)?)?)?")
"""The beginning of `<ssml:speak`."""

_LONGEST = 60
"""Characters of which an opening has fewer."""

_OPENINGS = ("<?xml ", "<speak ", "<speak>")


class SsmlInParts:
    """Finds documents of SSML in a text that comes in parts.

    A document begins where the text does, or behind another document or a flush. It is complete at
    the end of its `speak`, however it is cut; those of Google have others inside.

    Args:
        max_length: characters of a document.
    """

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._held = ""
        self._is_inside_text = False
        self._searched = self._depth = self._step = 0
        self._awaited = ""  # what ends the comment, the data or the tag that is open

    @property
    def n_waiting(self) -> int:
        """Return how many characters wait for the rest of a document."""
        return len(self._held)

    def add(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield what can be said now: pieces of text, and whole documents, which are true.

        Raises:
            TextTooLongError: a document is too long.
        """
        self._held += text
        while self._held:
            if self._is_inside_text:
                yield self._take(len(self._held)), False
            elif opens_ssml(self._held):
                end = self._end()
                if not end:
                    break
                yield self._take(end), True
            elif _may_open(self._held):
                break
            else:
                self._is_inside_text = True
        if len(self._held) > self._max_length:
            self._take(len(self._held))
            raise TextTooLongError(f"a document has more than {self._max_length} characters")

    def rest(self) -> Iterator[tuple[str, bool]]:
        """Yield what waits, at a flush or at the end of the text; a document begins behind it."""
        self._is_inside_text = False
        if self._held:
            is_document = opens_ssml(self._held)
            yield self._take(len(self._held)), is_document

    def _take(self, end: int) -> str:
        taken, self._held = self._held[:end], self._held[end:]
        self._searched = self._depth = 0
        self._awaited = ""
        return taken

    def _end(self) -> int:
        """Return where the document ends; 0 if it is not complete. Goes on from the last call."""
        while True:
            if not self._awaited:
                match = _OPENING.search(self._held, self._searched)
                if match is None:
                    self._searched = max(self._searched, len(self._held) - _LONGEST)
                    return 0
                self._searched = match.end()
                self._awaited = "-->" if match["comment"] else "]]>" if match["data"] else ">"
                self._step = -1 if match["end"] else 1
            end = self._held.find(self._awaited, self._searched)
            if end < 0:
                self._searched = max(self._searched, len(self._held) - len(self._awaited) + 1)
                return 0
            is_tag = self._awaited == ">"
            self._searched, self._awaited = end + len(self._awaited), ""
            if is_tag and self._held[end - 1] != "/":
                self._depth += self._step
            if is_tag and self._depth <= 0:
                return self._searched


def _may_open(text: str) -> bool:
    """Tell whether a text could begin as a document, once more of it is there."""
    start = text.lstrip().removeprefix("\ufeff").lstrip()
    is_begun = any(opening.startswith(start) for opening in _OPENINGS)
    return is_begun or _BEGUN.fullmatch(start) is not None
