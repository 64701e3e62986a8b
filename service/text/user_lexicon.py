"""The user's lexicon: pronunciations that replace those of the readers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from service.errors import LexiconError
from service.text.backtracking import is_explosive
from service.text.characters import clean_text
from service.text.languages import LANGUAGES
from service.text.markup.values import parse_phonemes
from service.text.offset_mapping import TracedText, concatenate
from service.text.spans import Override

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYS = ("word", "pattern", "phonemes", "respelling", "language", "case")

# Scripts without spaces between words.
_SOLID = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
# Vowel signs and accents belong to their word, but `\w` does not match them.
_SIGNS = "\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u200c\u200d"
_TOKEN = re.compile(rf"(?P<word>(?:[^\W{_SOLID}]|[{_SIGNS}])+)|\s+|.", re.DOTALL)

_PLAIN = {ord("’"): "'", ord("‘"): "'", 0x200C: "", 0x200D: ""}

_NO_TEXT = ("", " ", "a", "0", "a b", "A.", "\n")
"""Texts in which a pattern that can match the empty string is likely to do so."""


class _Entry(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class _Edit:
    """A change to a part of the text: other words, or phonemes for the same words."""

    start: int
    end: int
    new: str | None
    phonemes: str | None = None


class UserLexicon:
    """Words and patterns with their pronunciations. Immutable. `UserLexicon()` has no entries.

    If several words match at one place, the longest one wins; of equal ones that with the longest
    language code, then the case-sensitive one. Patterns are applied after words, in their order. No
    entry changes what another one has changed.
    """

    def __init__(self) -> None:
        # Entries by the case-folded tokens of the word. The first entry of a list wins.
        self._words: Mapping[tuple[str, ...], Sequence[_Entry]] = {}
        # For each first token, the lengths of the words that start with it, longest first.
        self._lengths: Mapping[str, Sequence[int]] = {}
        self._patterns: Sequence[tuple[re.Pattern[str], _Entry]] = ()

    @classmethod
    def load(cls, path: Path) -> UserLexicon:
        """Read a lexicon from TOML; `config/lexicon.toml` documents the format.

        Raises:
            LexiconError: the file cannot be read, or an entry is invalid. The message names the
                file, the entry and the reason.
        """
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
            return cls._from_entries(_entries(document))
        except OSError as error:
            raise LexiconError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise LexiconError(f"{path}: {error}") from error

    @classmethod
    def _from_entries(cls, entries: Iterable[Mapping[str, Any]]) -> UserLexicon:
        words: dict[tuple[str, ...], list[_Entry]] = {}
        patterns: list[tuple[re.Pattern[str], _Entry]] = []
        for number, written in enumerate(entries, start=1):
            try:
                entry = _entry(written)
                if "pattern" in written:
                    patterns.append((_pattern(written, entry), entry))
                else:
                    key = tuple(map(_fold, _tokens(_clean(written["word"]))))
                    same = words.setdefault(key, [])
                    if any(
                        (e.language, e.spelling) == (entry.language, entry.spelling) for e in same
                    ):
                        raise ValueError("an earlier entry has the same word and language")
                    same.append(entry)
            except ValueError as error:
                name = written.get("word", written.get("pattern"))
                named = f"entry {number}" if name is None else f"entry {number} ({name!r})"
                raise ValueError(f"{named}: {error}") from None
        lexicon = cls()
        for same in words.values():
            same.sort(key=lambda e: (len(e.language), e.spelling is not None), reverse=True)
        lexicon._words = words
        lexicon._lengths = _lengths(words)
        lexicon._patterns = tuple(patterns)
        return lexicon

    def apply(
        self, text: TracedText, language: str, fixed: Sequence[tuple[int, int]] = ()
    ) -> tuple[TracedText, tuple[Override, ...]]:
        """Return the text after all respellings, and an override for each word with phonemes.

        Args:
            text: cleaned text.
            language: code of one of `LANGUAGES`.
            fixed: spans of the caller's text that must not change.
        """
        if not self._words and not self._patterns:
            return text, ()
        taken = bytearray(len(text))
        for span in fixed:
            start, end = text.within(*span)
            taken[start:end] = b"\1" * (end - start)
        edits: list[_Edit] = []
        for edit in (*self._said_words(text.text, language), *self._matches(text.text, language)):
            if not any(taken[edit.start : edit.end]):
                taken[edit.start : edit.end] = b"\1" * (edit.end - edit.start)
                edits.append(edit)
        edits.sort(key=lambda edit: edit.start)
        return _rewritten(text, edits), _overrides(text, edits)

    def _said_words(self, text: str, language: str) -> Iterator[_Edit]:
        if not self._words:
            return
        tokens = list(_TOKEN.finditer(text))
        folded = [_fold(token[0]) for token in tokens]
        position = 0
        while position < len(tokens):
            end = position + 1
            for length in self._lengths.get(folded[position], ()):
                found = tokens[position : position + length]
                entry = self._entry(tuple(folded[position : position + length]), found, language)
                if entry is not None and _is_apart(tokens, position, position + length):
                    yield _Edit(found[0].start(), found[-1].end(), entry.respelling, entry.phonemes)
                    end = position + length
                    break
            position = end

    def _entry(
        self, key: tuple[str, ...], found: Sequence[re.Match[str]], language: str
    ) -> _Entry | None:
        """Return the entry for a word, given its tokens case-folded and as written."""
        for entry in self._words.get(key, ()):
            if entry.is_for(language) and _is_spelled(found, entry):
                return entry
        return None

    def _matches(self, text: str, language: str) -> Iterator[_Edit]:
        for pattern, entry in self._patterns:
            if not entry.is_for(language):
                continue
            for match in pattern.finditer(text):
                new = None if entry.respelling is None else match.expand(entry.respelling)
                # A template may refer only to groups that did not match, and so be empty.
                if match[0].strip() and (new is None or new.strip()):
                    yield _Edit(*match.span(), new, entry.phonemes)


def _rewritten(text: TracedText, edits: Iterable[_Edit]) -> TracedText:
    parts: list[TracedText] = []
    done = 0
    for edit in edits:
        if edit.new is not None:
            parts += [text[done : edit.start], text[edit.start : edit.end].rewritten(edit.new)]
            done = edit.end
    return concatenate([*parts, text[done:]]) if parts else text


def _overrides(text: TracedText, edits: Iterable[_Edit]) -> tuple[Override, ...]:
    overrides: list[Override] = []
    for edit in edits:
        span = text[edit.start : edit.end].span
        # In replaced text, such as an alias, a word has no span of its own.
        if edit.phonemes is not None and text.within(*span) == (edit.start, edit.end):
            overrides.append(Override(*span, phonemes=edit.phonemes))
    return tuple(overrides)


def _is_spelled(tokens: Iterable[re.Match[str]], entry: _Entry) -> bool:
    if entry.spelling is None:
        return True
    return tuple(_plain(token[0]) for token in tokens) == entry.spelling


def _is_apart(tokens: Sequence[re.Match[str]], start: int, end: int) -> bool:
    """Tell whether the match is not part of a longer word: `.NET` is not in `ASP.NET`."""
    before = start > 0 and tokens[start - 1]["word"] is not None
    after = end < len(tokens) and tokens[end]["word"] is not None
    return not (before and _is_sign(tokens[start])) and not (after and _is_sign(tokens[end - 1]))


def _is_sign(token: re.Match[str]) -> bool:
    return token["word"] is None and not token[0].isalnum()


def _tokens(text: str) -> list[str]:
    return [match[0] for match in _TOKEN.finditer(text)]


def _plain(token: str) -> str:
    """Return a token with apostrophes, joiners and spaces in one spelling.

    White space with a paragraph break cannot be inside a word.
    """
    if token.isspace():
        return " " if token.count("\n") < 2 else token
    return token.translate(_PLAIN)


def _fold(token: str) -> str:
    return _plain(token).casefold()


def _clean(text: str) -> str:
    return clean_text(TracedText(text), keep_joiners=True).text.strip()


def _lengths(words: Iterable[tuple[str, ...]]) -> dict[str, list[int]]:
    lengths: dict[str, set[int]] = {}
    for key in words:
        lengths.setdefault(key[0], set()).add(len(key))
    return {first: sorted(known, reverse=True) for first, known in lengths.items()}


def _entries(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    unknown = set(document) - {"entry"}
    if unknown:
        raise ValueError(f"unknown {', '.join(sorted(unknown))}: only [[entry]] is allowed")
    entries = document.get("entry", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("entry is not an array of tables: write [[entry]]")
    return entries


def _entry(written: Mapping[str, Any]) -> _Entry:
    for key, value in written.items():
        if key not in _KEYS:
            raise ValueError(f"unknown key {key!r}; known: {', '.join(_KEYS)}")
        if key == "case":
            if not isinstance(value, bool):
                raise ValueError(f"{key} must be true or false")
        elif not isinstance(value, str):
            raise ValueError(f"{key} must be a string")
        elif not _clean(value):
            raise ValueError(f"{key} is empty")
    if ("word" in written) == ("pattern" in written):
        raise ValueError("it must have either word or pattern")
    if ("phonemes" in written) == ("respelling" in written):
        raise ValueError("it must have either phonemes or respelling")
    spelling = None
    if "word" in written and written.get("case", False):
        spelling = tuple(map(_plain, _tokens(_clean(written["word"]))))
    phonemes = parse_phonemes(written["phonemes"]) if "phonemes" in written else None
    language = _language(written.get("language", ""))
    return _Entry(phonemes, written.get("respelling"), language, spelling)


def _language(written: str) -> str:
    code = written.strip().lower().replace("_", "-")
    if code and not any(f"{known}-".startswith(f"{code}-") for known in LANGUAGES):
        raise ValueError(f"unknown language {written!r}; known: {', '.join(LANGUAGES)}, and en, pt")
    return code


def _pattern(written: Mapping[str, Any], entry: _Entry) -> re.Pattern[str]:
    source = written["pattern"]
    if is_explosive(source):
        raise ValueError(
            "a repeated group contains a repetition or alternatives, which may take "
            "exponential time"
        )
    try:
        pattern = re.compile(source, 0 if written.get("case", False) else re.IGNORECASE)
        if entry.respelling is not None:
            # Fails for a template with groups that are not there, whether or not it matches.
            pattern.sub(entry.respelling, "")
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"bad pattern: {error}") from None
    if any(not match[0] for text in _NO_TEXT for match in pattern.finditer(text)):
        raise ValueError("the pattern matches the empty text")
    return pattern
