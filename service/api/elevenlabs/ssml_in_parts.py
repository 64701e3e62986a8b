"""SSML that comes in parts: documents, and the text around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.errors import TextTooLongError
from service.text import opens_ssml

_END = re.compile(r"</(?:\w{1,40}:)?speak\s{0,20}>")
_OPENINGS = ("<?xml ", "<speak ", "<speak>")
_LONGEST_END = 100
"""Characters of which the end of a document has fewer."""


class SsmlInParts:
    """Finds documents of SSML in a text that comes in parts.

    A document begins where the text does, or behind another document or a flush. It is complete at
    its `</speak>`, however it is cut.

    Args:
        max_length: characters of a document.
    """

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._held = ""
        self._is_inside_text = False

    @property
    def is_waiting(self) -> bool:
        """Tell whether something of a document is there already."""
        return bool(self._held)

    def add(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield what can be said now: pieces of text, and whole documents, which are true.

        Raises:
            TextTooLongError: a document is too long.
        """
        searched = max(0, len(self._held) - _LONGEST_END)
        self._held += text
        while self._held:
            if self._is_inside_text:
                yield self._take(len(self._held)), False
            elif opens_ssml(self._held):
                end = _END.search(self._held, searched)
                searched = 0
                if end is None:
                    break
                yield self._take(end.end()), True
            elif _may_open(self._held):
                break
            else:
                self._is_inside_text = True
        if len(self._held) > self._max_length:
            self._held = ""
            raise TextTooLongError(f"a document has more than {self._max_length} characters")

    def rest(self) -> Iterator[tuple[str, bool]]:
        """Yield what waits, at a flush or at the end of the text; a document begins behind it."""
        self._is_inside_text = False
        if self._held:
            is_document = opens_ssml(self._held)
            yield self._take(len(self._held)), is_document

    def _take(self, end: int) -> str:
        taken, self._held = self._held[:end], self._held[end:]
        return taken


def _may_open(text: str) -> bool:
    """Tell whether a text could begin as a document, once more of it is there."""
    start = text.lstrip().removeprefix("\ufeff").lstrip()
    return any(opening.startswith(start) for opening in _OPENINGS)
