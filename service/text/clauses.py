"""Cut streamed text into clauses, each as soon as its end is certain."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from service.text.punctuation import ends_sentence

FIRST_LENGTH = 25
"""Characters after which a comma may end the first clause: some 1.5 s of speech, which starts
soon."""

MIN_LENGTH = 60
"""Characters after which a comma may end a later clause. Shorter clauses lose the sentence's
melody."""

MAX_LENGTH = 250
"""Characters of the longest clause: as many as `service.text.espeak.slices` reads at once."""

_CLOSING = "”’»›)\\]}」』】》〕）"

# A run of marks, with the quotes and brackets that close after it. `solid` marks end a clause
# whatever follows. The others do so only before white space: not in 3.14, 19:30 or example.com.
_BREAK = re.compile(
    rf"""
    (?P<line>[\n\r\x0b\x0c\x85\u2028\u2029])
  | (?P<sentence>[.!?…؟۔‽]+)[{_CLOSING}"']*
  | (?P<solid_sentence>[。！？।॥]+)[{_CLOSING}]*
  | (?P<phrase>[,;:،؛–]+)[{_CLOSING}"']*
  | (?P<solid_phrase>[、，；：]+[{_CLOSING}]*|—+)
    """,
    re.VERBOSE,
)
# Markup that is, or may be, still open: `[pause:1.5s` or `[Kokoro](/kˈOkə`.
_OPEN_MARKUP = re.compile(r"\[[^\[\]\n]*(?:\]\([^()\n]*)?\Z")
# `1.` alone is the number of a list item and belongs to that item.
_ITEM_NUMBER = re.compile(r"\s*[(\[]?\d{1,3}\.")
_SPACE_AFTER_WORD = re.compile(r"(?<=\S)\s")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a text that can be spoken before the rest is known.

    Attributes:
        text: its characters, with the white space before it. May be blank, or marks only.
        start: its offset in all text added so far, in code points.
    """

    text: str
    start: int


class ClauseBuffer:
    """Collects text and returns it in clauses, which joined are the same text.

    A clause ends at a line break or after a sentence. It ends at a comma, semicolon, colon or dash
    if it has `min_length` characters by then, or `first_length` if it is the first one after
    construction, `flush` or `clear`. It ends before white space if it would otherwise be longer
    than `max_length`. It never ends inside a number, an abbreviation or an address, nor inside a
    word, markup or bracket that is shorter than `max_length`. The clauses depend only on the whole
    text, not on how it was split between calls of `add`.
    """

    def __init__(
        self,
        *,
        first_length: int = FIRST_LENGTH,
        min_length: int = MIN_LENGTH,
        max_length: int = MAX_LENGTH,
    ) -> None:
        self._first_length = first_length
        self._min_length = min_length
        self._max_length = max_length
        self._text = ""
        self._start = 0
        self._is_first = True

    @property
    def pending(self) -> int:
        """Return the number of characters that are not in a clause yet, at most `max_length`."""
        return len(self._text)

    def add(self, text: str) -> list[Clause]:
        """Add text and return the clauses that it completes."""
        self._text += text
        return self._take(is_final=False)

    def flush(self) -> list[Clause]:
        """Return the remaining text in clauses, as if the text ended here."""
        clauses = self._take(is_final=True)
        self._is_first = True
        return clauses

    def clear(self) -> None:
        """Discard the remaining text. Offsets continue after it."""
        self._start += len(self._text)
        self._text = ""
        self._is_first = True

    def _take(self, *, is_final: bool) -> list[Clause]:
        clauses: list[Clause] = []
        taken = 0
        while taken < len(self._text):
            length = self._length(self._text[taken : taken + self._max_length + 1], is_final)
            if length is None:
                break
            clauses.append(Clause(self._text[taken : taken + length], self._start + taken))
            taken += length
            self._is_first = False
        self._text = self._text[taken:]
        self._start += taken
        return clauses

    def _length(self, text: str, is_final: bool) -> int | None:
        """Return the length of the first clause of the text, None if it may continue.

        The text is at most one character longer than the longest clause. Later text has no
        influence.
        """
        is_full = len(text) > self._max_length
        minimum = self._first_length if self._is_first else self._min_length
        said = _first_said(text)
        for match in _BREAK.finditer(text):
            if match.start() <= said:
                continue
            if match.lastgroup == "line":
                return match.start()
            end = match.end()
            if end == len(text) and not is_final:
                # The run of marks, a number or an address may continue.
                break
            ends = self._ends(match, minimum, is_whole=is_full or is_final)
            if ends is None:
                return None
            if ends:
                return end
        if is_full:
            return self._forced(text)
        return len(text) if is_final else None

    def _ends(self, match: re.Match[str], minimum: int, *, is_whole: bool) -> bool | None:
        """Tell whether a run of marks ends a clause; None if more text is needed to decide."""
        text, end, kind = match.string, match.end(), match.lastgroup or ""
        if not kind.startswith("solid") and not text[end : end + 1].isspace() and end < len(text):
            return False
        if _OPEN_MARKUP.search(text, 0, end):
            return False
        if kind.endswith("phrase"):
            return len(text[:end].strip()) >= minimum
        if match[kind] == ".":
            if _ITEM_NUMBER.fullmatch(text, 0, match.end(kind)):
                return False
            return ends_sentence(text, match.end(kind), is_whole=is_whole)
        return True

    def _forced(self, text: str) -> int:
        """Return the length of a clause that has to end without a mark."""
        spaces = [match.start() for match in _SPACE_AFTER_WORD.finditer(text)]
        outside = [space for space in spaces if not _OPEN_MARKUP.search(text, 0, space)]
        if spaces:
            return (outside or spaces)[-1]
        for length in range(self._max_length, 0, -1):
            # Letters keep their accents, and emoji their parts.
            if unicodedata.category(text[length])[0] != "M" and "\u200d" not in (
                text[length - 1],
                text[length],
            ):
                return length
        return self._max_length


def _first_said(text: str) -> int:
    """Return the position of the first character that is neither a mark nor white space."""
    said = (i for i, character in enumerate(text) if unicodedata.category(character)[0] in "LNS")
    return next(said, len(text))
