"""Cut text into slices that espeak-ng reads completely.

espeak-ng silently drops what exceeds its fixed tables: phonemes of a clause after about 1,000,
phonemes of a word after about 200 (27 digits, 19 spelled letters), and single letters after the
third in `x x x x`. It cuts clauses at 800 bytes, even inside words. The only sign in its answer is
a length close to that of the table. It also crashes on some words, most of which change to another
script after a hyphen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from service.errors import InvalidTextError, UnknownSymbolError
from service.text.offset_mapping import TracedText

# A third of espeak-ng's 800 bytes, for letters of three bytes.
_MAX_CHARACTERS = 250
# Half the size of the tables, in IPA characters. A phoneme has one or more of them.
_MAX_CLAUSE_IPA = 500
_MAX_WORD_IPA = 110

# Digits that are read one by one anyway, and overflow a word: numbers above quintillions, or many
# decimals. Each becomes its own word, except the first one, which stays with `3.` or `x`.
_LONG_NUMBER = re.compile(r"(?:(?<=\d[.,])\d{13,}|\d{19,})")
# Longer chains of numbers (1.2.3.4...) are one word to espeak-ng.
_LONG_CHAIN = re.compile(r"(?<!\d)(?:\d+[.,:]){12,}\d*")
_REPEATED_LETTER = re.compile(r"(?<!\S)([^\W\d_])(?:\s+\1){3,}(?!\S)", re.IGNORECASE)


class Slice(NamedTuple):
    """Words that were read at once, and their IPA."""

    text: TracedText
    ipa: str


def read_in_slices(
    text: TracedText, read: Callable[[str], str], *, strict: bool = True
) -> list[Slice]:
    """Return the text in slices with their IPA, each so small that `read` drops nothing.

    `text` has no line breaks. Slices end at white space wherever possible. A word is cut only if it
    overflows alone, or if `read` refuses it. A refused word is cut after a hyphen or another sign
    inside; without one, the error is raised, or if `strict` is false the word is left out. Silent
    slices are left out.

    Args:
        text: the words.
        read: returns the IPA of a text. Refuses it with InvalidTextError if espeak-ng cannot read
            it, with UnknownSymbolError if Kokoro cannot say it.
        strict: see above.
    """
    text = text.sub(_LONG_NUMBER, lambda match: " ".join(match[0]))
    text = text.sub(_LONG_CHAIN, lambda match: " ".join(re.findall(r"\d+[.,:]?", match[0])))
    slices: list[Slice] = []
    # A stack, not recursion: the depth depends on the caller's text.
    pending = [text]
    while pending:
        part = pending.pop().stripped()
        if not part:
            continue
        halves = _halve(part) if len(part) > _MAX_CHARACTERS else _split_repetition(part)
        if halves is None:
            try:
                answer = read(part.text)
            except (InvalidTextError, UnknownSymbolError):
                halves = _halve_at_joint(part)
                if halves is None:
                    if strict:
                        raise
                    continue
            else:
                halves = _halve(part) if _may_be_cut(answer) else None
                if halves is None:
                    if answer:
                        slices.append(Slice(part, answer))
                    continue
        pending.extend(reversed(halves))
    return slices


def _may_be_cut(ipa: str) -> bool:
    return len(ipa) > _MAX_CLAUSE_IPA or any(len(word) > _MAX_WORD_IPA for word in ipa.split(" "))


def _split_repetition(part: TracedText) -> tuple[TracedText, TracedText] | None:
    """Cut a run of more than three equal single letters after the third one."""
    match = _REPEATED_LETTER.search(part.text)
    if match is None:
        return None
    # Three such letters are read completely.
    cut = match.start() + len("".join(re.findall(r"\S\s+", match[0])[:3]))
    return part[:cut], part[cut:]


def _halve(part: TracedText) -> tuple[TracedText, TracedText] | None:
    """Cut at the white space nearest the middle, or inside the only word; None for one letter.

    A combining mark stays with its letter.
    """
    return _halve_at(part, _spaces(part) or _starts_of_letters(part))


def _halve_at_joint(part: TracedText) -> tuple[TracedText, TracedText] | None:
    """Cut at the white space nearest the middle, or after a sign inside the only word."""
    joints = [
        position
        for position in _starts_of_letters(part)
        if unicodedata.category(part.text[position - 1])[0] in "PS"
    ]
    return _halve_at(part, _spaces(part) or joints)


def _spaces(part: TracedText) -> list[int]:
    return [match.start() for match in re.finditer(r"\s", part.text)]


def _starts_of_letters(part: TracedText) -> list[int]:
    return [
        position
        for position in range(1, len(part))
        if not unicodedata.category(part.text[position]).startswith("M")
    ]


def _halve_at(part: TracedText, cuts: list[int]) -> tuple[TracedText, TracedText] | None:
    """Cut at the position nearest the middle; None if there are no positions."""
    if not cuts:
        return None
    cut = min(cuts, key=lambda position: abs(position - len(part) // 2))
    return part[:cut], part[cut:]
