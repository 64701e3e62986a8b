"""What a document says besides its words: its marks, and what of it is ignored."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate

from service.errors import MarkupError


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that the caller has named, and wants to know the time of.

    Attributes:
        name: as the caller wrote it.
        start: offset of its element in the caller's text, in code points.
    """

    name: str
    start: int


@dataclass(frozen=True, slots=True)
class Ignored:
    """An element or attribute that has no effect, or not the one that it asks for.

    Attributes:
        element: name of the element.
        attribute: name of the attribute; empty if it is the element.
        start: offset of the first with this reason in the caller's text, in code points.
        line: its line, from 1.
        column: its column in the line, from 1.
        reason: why, and what is done instead.
        count: how many there are.
    """

    element: str
    attribute: str
    start: int
    line: int
    column: int
    reason: str
    count: int = 1

    @property
    def names(self) -> str:
        """Return the names in one line: `prosody contour`."""
        return f"{self.element} {self.attribute}".rstrip()


_MOST_TOLD = 100
"""What is told of a document one by one; all that comes after it is counted together."""
_LONGEST_NAME = 64
_OTHERS = Ignored("...", "", 0, 1, 1, "others are ignored as well")


class Notes:
    """Collects the marks of a document, and tells of what is ignored once for each reason.

    A hundred reasons are told, with 64 characters of a name, whatever the document has.

    Args:
        text: the document.
        is_strict: whether what is ignored is refused instead.

    Attributes:
        marks: in order.
        is_strict: see above.
    """

    def __init__(self, text: str, *, is_strict: bool = False) -> None:
        self.is_strict = is_strict
        self._text = text
        self._lines: list[int] | None = None
        self._ignored: dict[tuple[str, str, str], Ignored] = {}
        self.marks: list[Mark] = []

    @property
    def ignored(self) -> tuple[Ignored, ...]:
        """Return what is ignored, in the order of the document."""
        return tuple(sorted(self._ignored.values(), key=lambda one: one.start))

    def ignore(self, element: str, start: int, reason: str, *, attribute: str = "") -> None:
        """Tell of an element, or of one of its attributes.

        Args:
            element: its name.
            start: offset of the element or the attribute.
            reason: why, and what is done instead.
            attribute: name of the attribute; empty for the element.

        Raises:
            MarkupError: the mode is strict.
        """
        if self.is_strict:
            line, column = self.place(start)
            place = f"line {line}, column {column} (position {start + 1} of the text)"
            raise MarkupError(f"<{element}>: {reason}, at {place}")
        element, attribute = element[:_LONGEST_NAME], attribute[:_LONGEST_NAME]
        key = (element, attribute, reason)
        is_told = key in self._ignored or len(self._ignored) < _MOST_TOLD
        if not is_told:
            key = (_OTHERS.element, _OTHERS.attribute, _OTHERS.reason)
            element, attribute, reason = key
        known = self._ignored.get(key)
        if known is not None:
            self._ignored[key] = replace(known, count=known.count + 1)
            return
        line, column = self.place(start)
        self._ignored[key] = Ignored(element, attribute, start, line, column, reason)

    def ignore_once(self, element: str, start: int, reason: str, *, attribute: str = "") -> None:
        """Tell of a name unless that is told already; arguments as those of `ignore`."""
        key = (element[:_LONGEST_NAME], attribute[:_LONGEST_NAME], reason)
        if key not in self._ignored:
            self.ignore(element, start, reason, attribute=attribute)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, from 1."""
        if self._lines is None:
            lengths = (len(line) + 1 for line in self._text.split("\n"))
            self._lines = [0, *accumulate(lengths)]
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1
