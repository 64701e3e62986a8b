"""The text as the parser gets it, and the way back from the parser's bytes to our characters.

The parser is never asked to read a sign in another way than CommonMark does. Where a reader knows
better (`shields`), it does not see the sign: it gets a character that is in no text, has no meaning
in Markdown and counts as a letter beside signs of emphasis, or nothing at all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

TEXT = "\ufdd0"
"""Stands for a sign that is text."""
NOTHING = ""
"""Stands for a sign that is a mark, although CommonMark would make it text."""
FORMULA = "$"
"""Stands for the signs around a formula of LaTeX, `\\(` and `\\[`."""
_OWN = "\ufdd1"
"""Stands for the caller's characters that look like ours."""

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_OTHER_LINE_ENDS = {ord(end): "\n" for end in "\r\x0b\x0c\x85\u2028\u2029"}
# The parser refuses the halves of surrogate pairs and passes zeros on.
_UNFIT = re.compile("[\x00\ufdd0\ud800-\udfff]")
_FITTING = {
    0: "\ufffd",
    ord(TEXT): _OWN,
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}
_HAS_PART = bytes(code < 0x80 or code >= 0xC0 for code in range(256))


class Edit(NamedTuple):
    """Characters that the parser does not see.

    Attributes:
        start: offset in the plain text.
        end: likewise; equal to `start` to put a sign between two characters.
        sign: what the parser sees in the place of each of them, or between them.
    """

    start: int
    end: int
    sign: str


def plain(text: str) -> tuple[str, Sequence[int]]:
    """Return a text with `\\n` at the ends of all lines, and where that stands for `\\r\\n`.

    A vertical tab, a form feed, NEL and Unicode's separators end lines too, as they do in every
    editor.
    """
    if _LINE_ENDS.search(text) is None:
        return text, ()
    crs: list[int] = []
    at = text.find("\r\n")
    while at >= 0:
        crs.append(at - len(crs))
        at = text.find("\r\n", at + 2)
    return text.replace("\r\n", "\n").translate(_OTHER_LINE_ENDS), crs


class Source:
    """A plain text with the edits for the parser.

    Args:
        text: the plain text.
        edits: what the parser does not see, in any order. Of those that overlap the first counts.
        start: where the parser begins; everything before is not its business.

    Attributes:
        text: as above.
        start: as above.
        shown: the same, of the same length, with the signs that the parser sees.
        parsed: what the parser gets: `shown` from `start` on, without what it does not see and with
            what is put in between.
        cuts: the offsets before which the parser does not see some characters.
    """

    def __init__(self, text: str, edits: Sequence[Edit] = (), start: int = 0) -> None:
        self.text = text
        self.start = start
        self.cuts: set[int] = set()
        shown = text
        if _UNFIT.search(text) is not None:
            shown = text.translate(_FITTING)
        # From which offset in `parsed` on the text goes on with which of its own; bytes count as
        # characters here.
        self._there: list[int] = [0]
        self._here: list[int] = [start]
        self.shown, self.parsed = self._edited(shown, sorted(edits))
        encoded = self.parsed.encode()
        self._counts: list[int] | None = None
        if len(encoded) != len(self.parsed):
            self._counts = list(accumulate(encoded.translate(_HAS_PART), initial=0))
        self.is_plain = self._counts is None and len(self._here) == 1 and not start
        """Whether the parser's offsets are those of the text."""

    def _edited(self, shown: str, edits: Sequence[Edit]) -> tuple[str, str]:
        if not edits:
            return shown, shown[self.start :]
        same = [shown[: self.start]]
        parsed: list[str] = []
        done, length = self.start, 0
        for start, end, sign in edits:
            if start < done:
                continue
            kept = shown[done:start]
            length += len(kept)
            same.append(kept)
            parsed.append(kept)
            if sign and start < end:
                kept = sign * (end - start)
                length += len(kept)
                same.append(kept)
                parsed.append(kept)
            else:
                length += len(sign)
                same.append(shown[start:end])
                parsed.append(sign)
                self._there.append(length)
                self._here.append(end)
                if not sign:
                    self.cuts.add(end)
            done = end
        rest = shown[done:]
        return "".join((*same, rest)), "".join((*parsed, rest))

    def place(self, at: int) -> int:
        """Return the offset in the text for one of the parser's, which are bytes of `parsed`."""
        if self._counts is not None:
            at = self._counts[at]
        index = bisect_right(self._there, at) - 1
        return self._here[index] + at - self._there[index]
