"""The user's lexicon: pronunciations that replace those of the readers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from service.errors import InvalidLexiconError, LexiconError
from service.text.lexicon_entries import (
    MAX_WORDS,
    TOKEN,
    Entry,
    entries_of,
    entry_of_word,
    fold,
    key_of,
    plain,
    read_entry,
    read_pattern,
)
from service.text.offset_mapping import TracedText, concatenate
from service.text.spans import Override

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class _Edit:
    """A change to a part of the text: other words, or phonemes for the same words."""

    start: int
    end: int
    new: str | None
    phonemes: str | None = None


@dataclass(frozen=True, slots=True)
class _Layer:
    """The entries of one source.

    Attributes:
        words: entries by the case-folded tokens of the word. The first entry of a list wins.
        lengths: for each first token, the lengths of the words that start with it, longest first.
        patterns: in their order.
    """

    words: Mapping[tuple[str, ...], Sequence[Entry]]
    lengths: Mapping[str, Sequence[int]]
    patterns: Sequence[tuple[re.Pattern[str], Entry]]


class UserLexicon:
    """Words and patterns with their pronunciations. Immutable. `UserLexicon()` has no entries.

    If several words match at one place, the longest one wins; of equal ones that with the longest
    language code, then the case-sensitive one. Patterns are applied after words, in their order. No
    entry changes what another one has changed.
    """

    def __init__(self) -> None:
        self._layers: tuple[_Layer, ...] = ()  # the first to change a place wins

    @classmethod
    def load(cls, path: Path) -> UserLexicon:
        """Read a lexicon from TOML; `config/lexicon.toml` documents the format.

        Raises:
            LexiconError: the file cannot be read, or an entry is invalid. The message names the
                file, the entry and the reason.
        """
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
            return cls._from_entries(entries_of(document))
        except OSError as error:
            raise LexiconError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise LexiconError(f"{path}: {error}") from error

    @classmethod
    def of_words(cls, words: Mapping[str, str]) -> UserLexicon:
        """Make the lexicon of a request.

        Args:
            words: for each word the text to read instead, or its phonemes between slashes. Both
                are as in a file. At most `MAX_WORDS`, in any case and every language.

        Raises:
            InvalidLexiconError: there are too many, or one is invalid or too long. The message
                names the word and the reason.
        """
        if len(words) > MAX_WORDS:
            raise InvalidLexiconError(
                f"the lexicon has {len(words)} words; the limit is {MAX_WORDS}"
            )
        try:
            return cls._from_entries([entry_of_word(word, said) for word, said in words.items()])
        except ValueError as error:
            raise InvalidLexiconError(f"the lexicon: {error}") from error

    @classmethod
    def _from_entries(cls, entries: Iterable[Mapping[str, Any]]) -> UserLexicon:
        words: dict[tuple[str, ...], list[Entry]] = {}
        patterns: list[tuple[re.Pattern[str], Entry]] = []
        for number, written in enumerate(entries, start=1):
            try:
                entry = read_entry(written)
                if "pattern" in written:
                    patterns.append((read_pattern(written, entry), entry))
                else:
                    same = words.setdefault(key_of(written), [])
                    if any(
                        (e.language, e.spelling) == (entry.language, entry.spelling) for e in same
                    ):
                        raise ValueError("an earlier entry has the same word and language")
                    same.append(entry)
            except ValueError as error:
                name = written.get("word", written.get("pattern"))
                named = f"entry {number}" if name is None else f"entry {number} ({name!r})"
                raise ValueError(f"{named}: {error}") from None
        for same in words.values():
            same.sort(key=lambda e: (len(e.language), e.spelling is not None), reverse=True)
        lexicon = cls()
        if words or patterns:
            lexicon._layers = (_Layer(words, _lengths(words), tuple(patterns)),)
        return lexicon

    def over(self, below: UserLexicon) -> UserLexicon:
        """Return this lexicon laid over another one, whose entries apply where these do not.

        Nothing is copied.
        """
        both = UserLexicon()
        both._layers = self._layers + below._layers
        return both

    @property
    def respellings(self) -> Iterator[str]:
        """Yield what is read instead of words."""
        for layer in self._layers:
            for entry in chain.from_iterable(layer.words.values()):
                if entry.respelling is not None:
                    yield entry.respelling

    def apply(
        self, text: TracedText, language: str, fixed: Sequence[tuple[int, int]] = ()
    ) -> tuple[TracedText, tuple[Override, ...]]:
        """Return the text after all respellings, and an override for each word with phonemes.

        Args:
            text: cleaned text.
            language: code of one of `LANGUAGES`.
            fixed: spans of the caller's text that must not change.
        """
        if not self._layers:
            return text, ()
        taken = bytearray(len(text))
        for span in fixed:
            start, end = text.within(*span)
            taken[start:end] = b"\1" * (end - start)
        edits: list[_Edit] = []
        for edit in self._edits(text.text, language):
            if not any(taken[edit.start : edit.end]):
                taken[edit.start : edit.end] = b"\1" * (edit.end - edit.start)
                edits.append(edit)
        edits.sort(key=lambda edit: edit.start)
        return _rewritten(text, edits), _overrides(text, edits)

    def _edits(self, text: str, language: str) -> Iterator[_Edit]:
        """Yield all edits, those that win first."""
        tokens: list[re.Match[str]] = []
        if any(layer.words for layer in self._layers):
            tokens = list(TOKEN.finditer(text))
        folded = [fold(token[0]) for token in tokens]
        for layer in self._layers:
            yield from _said_words(layer, tokens, folded, language)
            yield from _matches(layer, text, language)


def _said_words(
    layer: _Layer, tokens: Sequence[re.Match[str]], folded: Sequence[str], language: str
) -> Iterator[_Edit]:
    """Yield the edits for the words of a layer, given the text's tokens, also case-folded."""
    position = 0
    while layer.words and position < len(tokens):
        end = position + 1
        for length in layer.lengths.get(folded[position], ()):
            found = tokens[position : position + length]
            entry = _find(layer, tuple(folded[position : position + length]), found, language)
            if entry is not None and _is_apart(tokens, position, position + length):
                yield _Edit(found[0].start(), found[-1].end(), entry.respelling, entry.phonemes)
                end = position + length
                break
        position = end


def _find(
    layer: _Layer, key: tuple[str, ...], found: Sequence[re.Match[str]], language: str
) -> Entry | None:
    """Return the entry for a word, given its tokens case-folded and as written."""
    for entry in layer.words.get(key, ()):
        if entry.is_for(language) and _is_spelled(found, entry):
            return entry
    return None


def _matches(layer: _Layer, text: str, language: str) -> Iterator[_Edit]:
    for pattern, entry in layer.patterns:
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


def _is_spelled(tokens: Iterable[re.Match[str]], entry: Entry) -> bool:
    if entry.spelling is None:
        return True
    return tuple(plain(token[0]) for token in tokens) == entry.spelling


def _is_apart(tokens: Sequence[re.Match[str]], start: int, end: int) -> bool:
    """Tell whether the match is not part of a longer word: `.NET` is not in `ASP.NET`."""
    before = start > 0 and tokens[start - 1]["word"] is not None
    after = end < len(tokens) and tokens[end]["word"] is not None
    return not (before and _is_sign(tokens[start])) and not (after and _is_sign(tokens[end - 1]))


def _is_sign(token: re.Match[str]) -> bool:
    return token["word"] is None and not token[0].isalnum()


def _lengths(words: Iterable[tuple[str, ...]]) -> dict[str, list[int]]:
    lengths: dict[str, set[int]] = {}
    for key in words:
        lengths.setdefault(key[0], set()).add(len(key))
    return {first: sorted(known, reverse=True) for first, known in lengths.items()}
