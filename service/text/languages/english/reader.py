"""Read English: words in the lexicon by their part of speech, other words with espeak-ng."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from service.text.espeak.reader import EspeakReader
from service.text.languages.english.capitals import calm
from service.text.languages.english.heteronyms import find_pronunciations, find_sense
from service.text.languages.english.homographs import SOUNDS, Homographs, tag_of
from service.text.languages.english.lexicon import Lexicon
from service.text.languages.english.names import Names
from service.text.languages.english.tagger import tag
from service.text.languages.english.tokens import Next, Token
from service.text.offset_mapping import TracedText
from service.text.reader import Fragment, Reader, stressed
from service.text.reading import Word
from service.text.spans import Span

Tagger = Callable[[Sequence[str], Sequence[bool]], Sequence[str]]
"""Returns the Penn Treebank tag of each word and mark of a text.

Its arguments are the words, and whether a space follows each.
"""

# Parts of words that have their own part of speech.
_PARTS = re.compile(r" |-+|[^ -]+")
# A word that may be a name, and an ending of it.
_NAME = re.compile(r"([A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*[a-zà-öø-ÿā-ž][^\W\d_]*)('s|’s)?")
_DIGIT = re.compile(r"\d")

# Characters that people write in place of an apostrophe.
_APOSTROPHE = re.compile(r"(?<=[A-Za-z])[`´ʹʼ′](?=[A-Za-z])")

# Number of unknown words that are kept, because texts repeat them.
_GUESSES_KEPT = 4096


class _Part(NamedTuple):
    """A part of a span's text.

    Attributes:
        span: index of the span.
        text: never empty.
        spaced: whether white space follows.
        phonemes: its phonemes, if they are known already.
        source: what they are from, or what chose among the lexicon's; see `Word.source`.
    """

    span: int
    text: TracedText
    spaced: bool
    phonemes: str | None
    source: str = ""


class EnglishReader(Reader):
    """Reads English as misaki does. The English voices were trained with misaki.

    Args:
        british: whether to read British or American English.
        espeak: reads words that the lexicon lacks, in the same variety.
        tagger: the part-of-speech tagger; by default our own rules.
    """

    def __init__(
        self, *, british: bool, espeak: EspeakReader, tagger: Tagger | None = None
    ) -> None:
        super().__init__(espeak.language, strict=espeak.strict)
        self._british = british
        self._espeak = espeak
        self._tag: Tagger = tagger or (lambda words, spaced: tag(words))
        self._guess = lru_cache(_GUESSES_KEPT)(espeak.read_word)
        self._lexicon = Lexicon(british=british, guess=self._guess)
        self._homographs = Homographs.load()
        self._sources = lru_cache(_GUESSES_KEPT)(self._lexicon.source)
        self._names = Names(british=british, phonemize=espeak.read_as)

    def skipped(self, text: TracedText) -> list[int]:
        """Return the indexes of meaningful characters that espeak-ng would skip, in order."""
        return self._espeak.skipped(text)

    def read(self, spans: Sequence[Span]) -> list[Fragment]:
        """Return the fragment of each span, with its words."""
        parts = list(self._parts(spans))
        words = calm([part.text.text for part in parts], self._lexicon.has)
        tags = list(self._tag(words, [part.spaced for part in parts]))
        given = {index for index, part in enumerate(parts) if spans[part.span].tag is not None}
        for index in given:
            tags[index] = spans[parts[index].span].tag or tags[index]
        found = find_pronunciations(words, tags, british=self._british)
        chosen: dict[int, str] = {}
        for index in range(len(words)):
            decision = None if index in given else self._homographs.choose(words, index)
            if decision is None:
                continue
            chosen[index] = f"homograph {decision.reading} {decision.score:.1f}"
            if decision.reading in SOUNDS:
                found[index] = SOUNDS[decision.reading][self._british]
            else:
                found.pop(index, None)
                tags[index] = tag_of(decision.reading, tags[index])
        for index, phonemes in found.items():
            if parts[index].phonemes is None and index not in given:
                source = chosen.get(index, "context")
                parts[index] = parts[index]._replace(phonemes=phonemes, source=source)
        for index in given:
            sense = find_sense(words[index], tags[index], british=self._british)
            if parts[index].phonemes is None and sense is not None:
                parts[index] = parts[index]._replace(phonemes=sense)
        tokens = [Token(word, tag) for word, tag in zip(words, tags, strict=True)]
        for index in range(len(words)):
            if parts[index].phonemes is None and index not in given:
                name, source = self._foreign_name(tokens, index) or (None, chosen.get(index, ""))
                parts[index] = parts[index]._replace(phonemes=name, source=source)
        builders = [_Builder() for _ in spans]
        for first, last, phonemes in self._pronounce(parts, tokens):
            start, end = parts[first].text.span[0], parts[last - 1].text.span[1]
            builder = builders[parts[first].span]
            source = parts[first].source
            if not source:
                source = self._sources(tuple(tokens[first:last]))
            builder.add(phonemes, start, end, spaced=parts[last - 1].spaced, source=source)
        return [
            _finished(builder.fragment, span) for builder, span in zip(builders, spans, strict=True)
        ]

    def _foreign_name(self, tokens: Sequence[Token], index: int) -> tuple[str, str] | None:
        """Return the phonemes and the source of a name of another language, None for others."""
        match = _NAME.fullmatch(tokens[index].text)
        if match is None or self._lexicon.knows(tokens[index]):
            return None
        beside = (tokens[k].text for k in (index - 1, index + 1) if 0 <= k < len(tokens))
        found = self._names.say(match[1], tuple(word for word in beside if _NAME.fullmatch(word)))
        if found is None:
            return None
        said = self._lexicon.attach(found[0], "s") if match[2] else found[0]
        return said, f"name {found[1]}"

    def _parts(self, spans: Sequence[Span]) -> Iterator[_Part]:
        """Yield the parts of the spans: words cut at their hyphens, marks, words with overrides."""
        for index, span in enumerate(spans):
            joins = index + 1 < len(spans) and spans[index + 1].joined
            spaced = span.is_mark or not joins
            phonemes = span.text.text if span.is_mark else None
            if span.override is not None:
                phonemes = span.override.phonemes
            if phonemes is not None:
                text = span.text if span.is_mark else span.text.rewritten(span.text.text)
                yield _Part(index, text, spaced, phonemes, "" if span.is_mark else "caller")
                continue
            parts = span.text.sub(_APOSTROPHE, lambda match: "'").matches(_PARTS)
            for part, following in zip(parts, [*parts[1:], None], strict=True):
                if part.text != " ":
                    ends = spaced if following is None else following.text == " "
                    apart = self._read_apart(part.text)
                    yield _Part(index, part, ends, apart, "" if apart is None else "espeak-ng")

    def _read_apart(self, text: str) -> str | None:
        """Return the phonemes of text that the lexicon's rules do not cover."""
        return self._guess(text) if _DIGIT.search(text) else None

    def _pronounce(
        self, parts: Sequence[_Part], tokens: Sequence[Token]
    ) -> list[tuple[int, int, str]]:
        """Return first part, end part and phonemes of each word."""
        said: list[tuple[int, int, str]] = []
        following = Next()
        # From the end: `the` depends on what comes after it.
        for first, last in reversed(list(_words(parts))):
            part = parts[first]
            phonemes = part.phonemes
            if phonemes is None and first and tokens[first].text in _ENDINGS:
                phonemes = self._ending(parts[first - 1], tokens[first].text)
            if phonemes is None:
                phonemes = self._lexicon.pronounce(tuple(tokens[first:last]), following)
            text = tokens[first].text if last == first + 1 else ""
            following = self._lexicon.before(text, phonemes, following)
            said.append((first, last, phonemes))
        return said[::-1]

    def _ending(self, before: _Part, ending: str) -> str | None:
        """Return the phonemes of an ending such as `'s` after a word with an override."""
        if before.spaced or not before.phonemes:
            return None
        if ending in _INFLECTIONS:
            attached = self._lexicon.attach(before.phonemes, _INFLECTIONS[ending])
            # The word itself does not change, not even to a flapped t: its phonemes are the
            # caller's.
            return attached[len(before.phonemes) :]
        vowel = self._lexicon.before("", before.phonemes[-1], Next(False)).vowel
        return _ENDINGS[ending] if vowel else "ə" + _ENDINGS[ending]


_INFLECTIONS = {"'s": "s", "'d": "ed"}
_ENDINGS = {"'s": "z", "'d": "d", "'ll": "l", "'ve": "v", "'re": "ɹ", "'m": "m"}
"""Endings, and their phonemes after a vowel."""


def _finished(fragment: Fragment, span: Span) -> Fragment:
    """Return the fragment of a span. A mark has no words."""
    if span.is_mark:
        return Fragment(fragment.phonemes)
    return fragment if span.override is None else stressed(fragment, span.override)


def _words(parts: Sequence[_Part]) -> Iterator[tuple[int, int]]:
    """Yield first part and end part of each word."""
    first = 0
    for index, part in enumerate(parts):
        following = parts[index + 1] if index + 1 < len(parts) else None
        apart = part.spaced or part.phonemes is not None
        if apart or following is None or following.phonemes is not None:
            yield first, index + 1
            first = index + 1


class _Builder:
    """Builds a fragment."""

    def __init__(self) -> None:
        self._phonemes = ""
        self._words: list[Word] = []
        self._spaced = False

    def add(
        self, phonemes: str, text_start: int, text_end: int, *, spaced: bool, source: str
    ) -> None:
        """Add a word. `spaced` tells whether white space follows it."""
        if self._spaced and self._phonemes and phonemes:
            self._phonemes += " "
        start = len(self._phonemes)
        self._phonemes += phonemes
        self._words.append(Word(text_start, text_end, start, len(self._phonemes), source))
        self._spaced = spaced or (self._spaced and not phonemes)

    @property
    def fragment(self) -> Fragment:
        return Fragment(self._phonemes, tuple(self._words))
