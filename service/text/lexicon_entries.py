"""Entries of a lexicon, as files and requests write them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from service.errors import LanguageUnavailableError, ServiceError
from service.text.backtracking import TooLargeError, growth
from service.text.characters import check_text, clean_text
from service.text.languages import LANGUAGES, find_language
from service.text.markup.values import is_blank, parse_phonemes, quote
from service.text.offset_mapping import TracedText

MAX_WORDS = 64
MAX_WORD_LENGTH = 64
MAX_PRONUNCIATION_LENGTH = 128
"""Limits of the lexicon of a request: entries, characters of a word and of how it is said."""

_KEYS = ("word", "pattern", "phonemes", "respelling", "language", "case")

# Scripts without spaces between words.
_SOLID = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
# Vowel signs and accents belong to their word, but `\w` does not match them.
_SIGNS = "\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u200c\u200d"
TOKEN = re.compile(rf"(?P<word>(?:[^\W{_SOLID}]|[{_SIGNS}])+)|\s+|.", re.DOTALL)

_PLAIN = {ord("’"): "'", ord("‘"): "'", 0x200C: "", 0x200D: ""}

_MOST_GROWTH = 2
"""Work may grow with the square of a block's length."""

_PHONEMES = re.compile(r"/([^/]*)/")

_NO_TEXT = ("", " ", "a", "0", "a b", "A.", "\n")
"""Texts in which a pattern that can match the empty string is likely to do so."""


class Entry(NamedTuple):
    """An entry of the lexicon.

    Attributes:
        phonemes: symbols of the vocabulary; None if the entry has a respelling.
        respelling: the text to read instead. For a pattern, a template of `re`.
        language: a code or the first part of one; empty for every language.
        spelling: tokens of the word in the case they must have; None if case does not matter.
    """

    phonemes: str | None
    respelling: str | None
    language: str
    spelling: tuple[str, ...] | None

    def is_for(self, language: str) -> bool:
        """Tell whether the entry applies to the language with this code."""
        return not self.language or f"{language}-".startswith(f"{self.language}-")


def _tokens(text: str) -> list[str]:
    return [match[0] for match in TOKEN.finditer(text)]


def plain(token: str) -> str:
    """Return a token with apostrophes, joiners and spaces in one spelling.

    White space with a paragraph break cannot be inside a word.
    """
    if token.isspace():
        return " " if token.count("\n") < 2 else token
    return token.translate(_PLAIN)


def fold(token: str) -> str:
    """Return a token as words are compared: plain, and without case."""
    return plain(token).casefold()


def key_of(written: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the case-folded tokens of the word of an entry."""
    return tuple(map(fold, _tokens(_clean(written["word"]))))


def _clean(text: str) -> str:
    return clean_text(TracedText(text), keep_joiners=True).text.strip()


def entries_of(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the entries of a file.

    Raises:
        ValueError: it has something else.
    """
    unknown = set(document) - {"entry"}
    if unknown:
        raise ValueError(f"unknown {', '.join(sorted(unknown))}: only [[entry]] is allowed")
    entries = document.get("entry", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("entry is not an array of tables: write [[entry]]")
    return entries


def entry_of_word(word: str, said: str) -> dict[str, str]:
    """Return the entry of a file that stands for a word of a request.

    Args:
        word: what to look for.
        said: the text to read instead, or phonemes between slashes.

    Raises:
        ValueError: one of them is too long, or has control characters or lone surrogates.
    """
    for text, limit in ((word, MAX_WORD_LENGTH), (said, MAX_PRONUNCIATION_LENGTH)):
        if len(text) > limit:
            raise ValueError(f"{quote(text)} has {len(text)} characters; the limit is {limit}")
        try:
            check_text(text)
        except ServiceError as error:
            raise ValueError(f"{quote(word)}: {error.message}") from None
    phonemes = _PHONEMES.fullmatch(said.strip())
    if phonemes is None:
        return {"word": word, "respelling": said}
    return {"word": word, "phonemes": phonemes[1]}


def read_entry(written: Mapping[str, Any]) -> Entry:
    """Check an entry and return it.

    Raises:
        ValueError: it is not an entry; the message says why.
    """
    for key, value in written.items():
        if key not in _KEYS:
            raise ValueError(f"unknown key {key!r}; known: {', '.join(_KEYS)}")
        if key == "case":
            if not isinstance(value, bool):
                raise ValueError(f"{key} must be true or false")
        elif not isinstance(value, str):
            raise ValueError(f"{key} must be a string")
        elif is_blank(value):
            raise ValueError(f"{key} is empty")
    if ("word" in written) == ("pattern" in written):
        raise ValueError("it must have either word or pattern")
    if ("phonemes" in written) == ("respelling" in written):
        raise ValueError("it must have either phonemes or respelling")
    spelling = None
    if "word" in written and written.get("case", False):
        spelling = tuple(map(plain, _tokens(_clean(written["word"]))))
    phonemes = parse_phonemes(written["phonemes"]) if "phonemes" in written else None
    language = _language(written.get("language", ""))
    return Entry(phonemes, written.get("respelling"), language, spelling)


def _language(written: str) -> str:
    code = written.strip().lower().replace("_", "-")
    if not code or any(f"{known}-".startswith(f"{code}-") for known in LANGUAGES):
        return code
    try:
        return find_language(code).code
    except LanguageUnavailableError as error:
        raise ValueError(f"{error}, and en, pt") from None


def read_pattern(written: Mapping[str, Any], entry: Entry) -> re.Pattern[str]:
    """Return the pattern of an entry that has one.

    Raises:
        ValueError: it is malformed, matches the empty text, or may take a long time.
    """
    try:
        pattern = re.compile(written["pattern"], 0 if written.get("case", False) else re.IGNORECASE)
        if entry.respelling is not None:
            # Fails for a template with groups that are not there, whether or not it matches.
            pattern.sub(entry.respelling, "")
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"bad pattern: {error}") from None
    if any(not match[0] for text in _NO_TEXT for match in pattern.finditer(text)):
        raise ValueError("the pattern matches the empty text")
    _check_work(pattern)
    return pattern


def _check_work(pattern: re.Pattern[str]) -> None:
    """Refuse a pattern that would take long with a block of some thousand characters.

    The square of that many steps takes some hundredths of a second; the cube takes ten.
    """
    try:
        exponent = growth(pattern).exponent
        # A repetition of a limited repetition, `(a{1,99}){1,9}`, is as bad as one without limits.
        unlimited = growth(pattern, bounded=False).exponent
    except TooLargeError as error:
        raise ValueError(f"the pattern is {error}") from None
    if unlimited == math.inf:
        raise ValueError(
            "the pattern repeats what matches the same text in several ways, which may take "
            "exponential time"
        )
    if exponent > _MOST_GROWTH or unlimited > _MOST_GROWTH + 1:
        raise ValueError(
            "several repetitions in the pattern match the same characters, which may take time "
            "that grows with the cube of the text's length"
        )
