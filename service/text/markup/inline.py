"""Markup between the words of plain text: `[Kokoro](/kˈOkəɹO/)`, `[word](+1)`, `[pause:1.5s]`."""

from __future__ import annotations

import re
from typing import NamedTuple

from service.errors import MarkupError
from service.text.markup.passages import Passage, Pause
from service.text.markup.stretches import stretches
from service.text.markup.values import is_blank, parse_duration, parse_phonemes, parse_stress
from service.text.offset_mapping import TracedText, concatenate
from service.text.spans import Override
from service.text.vocabulary import load_vocabulary

# A backslash before a bracket makes it text, as in Markdown.
_MARKUP = re.compile(
    r"""\[pause:(?P<length>[^\[\]\n]*)(?P<closed>\])?
      | \]\((?P<manner>[^()\n]*)\)
    """,
    re.VERBOSE | re.IGNORECASE,
)

# One digit: `[Call us](+15551234567)` is a link or a number. Word processors write minus signs.
_STRESS = re.compile(r"[-+−–]\d(?:\.\d*)?", re.ASCII)
_SIGNS = str.maketrans("−–", "--")

# Between the slashes of a path without folders, where phonemes would be: `/getting-started/`.
_PATH = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)+", re.IGNORECASE)

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")

_STRESS_MARKS = frozenset("ˈˌ")
_LETTERS_OF_LANGUAGES = frozenset("çœ")


class _Manner(NamedTuple):
    """How words in brackets are to be said."""

    phonemes: str | None = None
    stress: float = 0


def parse(text: str) -> list[Passage | Pause]:
    """Return the passages and pauses of a text with inline markup, in order.

    White space stays as it is. Passages in which nothing is seen are left out. What only looks
    like markup is text; docs/markup.md draws the line.

    Raises:
        MarkupError: the markup is wrong; the message has the position of what is wrong in it,
            where the first character is number 1.
    """
    return _Parser(text).parse() if "]" in text or "[" in text else _passages(text)


def _passages(text: str) -> list[Passage | Pause]:
    return [] if is_blank(text) else [Passage(TracedText(text))]


class _Parser:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._source = TracedText(text)
        self._items: list[Passage | Pause] = []
        # Of the passage in the making; the text up to `_done` is in it or behind it.
        self._parts: list[TracedText] = []
        self._overrides: list[Override] = []
        self._done = 0

    def parse(self) -> list[Passage | Pause]:
        for match in _MARKUP.finditer(self._text):
            if self._text[match.start() - 1 : match.start()] == "\\":
                continue
            if match["length"] is not None:
                self._pause(match)
                continue
            manner = _manner(match["manner"], match.start("manner"))
            if manner is not None:
                self._words(manner, match)
        self._take(len(self._text))
        self._end_passage()
        return self._items

    def _pause(self, match: re.Match[str]) -> None:
        start, end = match.span()
        if not match["closed"]:
            raise _error("a pause has no closing bracket", start)
        try:
            duration_s = parse_duration(match["length"])
        except ValueError as error:
            raise _error(str(error), match.start("length")) from None
        self._take(start)
        self._end_passage()
        self._items.append(Pause(duration_s, start, end))
        self._done = end

    def _words(self, manner: _Manner, match: re.Match[str]) -> None:
        """Take the words that end with the bracket of the match, and what is said about them."""
        opening = self._text.rfind("[", self._done, match.start())
        if opening > 0 and self._text[opening - 1] == "\\":
            return
        words = self._text[opening + 1 : match.start()]
        if opening < 0 or "]" in words or _PARAGRAPH.search(words):
            raise _error("no opening bracket belongs to this closing one", match.start())
        if is_blank(words):
            raise _error("there are no words in the brackets", opening)
        self._take(opening)
        self._done = opening + 1
        self._take(match.start())
        self._done = match.end()
        start = opening + 1
        if manner.phonemes is not None:
            start += len(words) - len(words.lstrip())
            end = start + len(words.strip())
            self._overrides.append(Override(start, end, phonemes=manner.phonemes))
        elif manner.stress:
            self._overrides += [
                Override(start + first, start + last, stress=manner.stress)
                for first, last in stretches(words)
            ]

    def _take(self, end: int) -> None:
        self._parts.append(self._source[self._done : end])
        self._done = end

    def _end_passage(self) -> None:
        text = concatenate(self._parts)
        if not is_blank(text.text):
            self._items.append(Passage(text, overrides=tuple(self._overrides)))
        self._parts, self._overrides = [], []


def _manner(written: str, start: int) -> _Manner | None:
    """Return what is written between parentheses, None if it is text.

    Args:
        written: all between the parentheses.
        start: where it starts in the caller's text.
    """
    kept = written.strip()
    start += written.find(kept)
    if _STRESS.fullmatch(kept):
        try:
            return _Manner(stress=parse_stress(kept.translate(_SIGNS)))
        except ValueError as error:
            raise _error(str(error), start) from None
    inner = kept[1:-1]
    is_between_slashes = len(kept) > 1 and kept[0] == kept[-1] == "/" and "/" not in inner
    if is_between_slashes and not _PATH.fullmatch(inner):
        return _Manner(phonemes=_phonemes(inner, start + 1))
    if not is_between_slashes and _lacks_slash(kept):
        raise _error("phonemes stand between two slashes", start)
    return None


def _phonemes(written: str, start: int) -> str:
    try:
        return parse_phonemes(written)
    except ValueError as error:
        symbols = load_vocabulary().symbols
        wrong = (
            index
            for index, symbol in enumerate(written)
            if symbol not in symbols and not symbol.isspace()
        )
        raise _error(str(error), start + next(wrong, 0)) from None


def _lacks_slash(written: str) -> bool:
    """Tell whether these are phonemes, one of whose slashes is missing, or both."""
    phonemes = written.strip("/")
    vocabulary = load_vocabulary()
    if not phonemes or not vocabulary.symbols.issuperset(phonemes):
        return False
    if not _STRESS_MARKS.isdisjoint(phonemes):
        return True
    is_path_without_phonemes = "/" not in written or phonemes.isascii()
    return not is_path_without_phonemes and any(
        symbol in vocabulary.sounds and not symbol.isascii()
        for symbol in set(phonemes) - _LETTERS_OF_LANGUAGES
    )


def _error(reason: str, offset: int) -> MarkupError:
    return MarkupError(f"{reason}, at position {offset + 1} of the text")
