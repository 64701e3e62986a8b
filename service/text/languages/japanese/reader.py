"""Read Japanese."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from service.text.characters import is_meaningful
from service.text.languages.japanese.analyzer import MAX_CHARACTERS, PAUSE, Analyzer
from service.text.languages.japanese.kana import phonemes_of
from service.text.languages.japanese.morpheme import Morpheme
from service.text.mixed import BorrowingReader
from service.text.offset_mapping import TracedText
from service.text.reader import Fragment, indexes, pronounced, stressed, unreadable
from service.text.reading import Word
from service.text.spans import Span

_LANGUAGE = "Japanese"

# Part of speech of letters that are not in Open JTalk's dictionary.
_FILLER = "フィラー"
_EMOTICON = "顔文字"

_COPULAS = ("です", "だ")
_JOINED_PARTICLES = ("て", "で", "ば", "ちゃ", "じゃ", "たり", "だり")

_WORDS_KEPT = 4096


class _Part(NamedTuple):
    """Words that are analysed at once: a span or a part of one.

    Attributes:
        position: index of the span.
        text: the words, or the stand-in for a mark.
        is_heard: whether they are read, or only serve as context.
    """

    position: int
    text: TracedText
    is_heard: bool


class JapaneseReader(BorrowingReader):
    """Reads Japanese, and words in Latin letters that the dictionary has.

    Args:
        strict: whether a word that cannot be read is refused.
    """

    def __init__(self, *, strict: bool = False) -> None:
        super().__init__(_LANGUAGE, strict=strict)
        self._analyzer = Analyzer()
        self._readable: dict[str, bool] = {}
        self._knows = lru_cache(_WORDS_KEPT)(self._knows_anew)

    def skipped(self, text: TracedText) -> list[int]:
        """Return the indexes of letters and signs that Open JTalk would skip, in order."""
        characters = list(filter(is_meaningful, dict.fromkeys(text.text)))
        unknown = [character for character in characters if character not in self._readable]
        for start in range(0, len(unknown), MAX_CHARACTERS // 2):
            batch = unknown[start : start + MAX_CHARACTERS // 2]
            heard = self._analyzer.heard_alone(batch)
            self._readable.update((character, character in heard) for character in batch)
        silent = {character for character in characters if not self._readable[character]}
        return indexes(text.text, silent) if silent else []

    def knows(self, word: str) -> bool:
        """Tell whether a word in Latin letters is in the dictionary, or in capitals."""
        return self._knows(word)

    def read(self, spans: Sequence[Span]) -> list[Fragment]:
        """Return the fragment of each span, with its words."""
        builders = [_Builder(strict=self.strict) for _ in spans]
        for parts in _chunks(_parts(spans)):
            for part, morphemes in self._analyze(parts):
                if part.is_heard:
                    builders[part.position].add(part.text, morphemes)
        return [_fragment(span, builder) for span, builder in zip(spans, builders, strict=True)]

    def _analyze(self, parts: Sequence[_Part]) -> Iterator[tuple[_Part, list[Morpheme]]]:
        """Yield each part with its morphemes. Their offsets refer to the part."""
        found = self._analyzer.analyze("".join(part.text.text for part in parts))
        start = position = 0
        cut: list[tuple[_Part, list[Morpheme]]] = []
        for part in parts:
            end = start + len(part.text)
            inside: list[Morpheme] = []
            while position < len(found) and found[position].end <= end:
                morpheme = found[position]
                inside.append(
                    morpheme._replace(start=morpheme.start - start, end=morpheme.end - start)
                )
                position += 1
            if position < len(found) and found[position].start < end:
                # The dictionary has a word across two parts, but the caller wants them separate.
                for alone in parts:
                    yield alone, self._analyzer.analyze(alone.text.text)
                return
            cut.append((part, inside))
            start = end
        yield from cut

    def _knows_anew(self, word: str) -> bool:
        if len(word) > MAX_CHARACTERS:
            return False
        found = self._analyzer.analyze(word)
        is_spelled = any(morpheme.pos == _FILLER for morpheme in found)
        return (word.isupper() or not is_spelled) and all(
            morpheme.pronunciation for morpheme in found if word[morpheme.start].isalnum()
        )


def _parts(spans: Sequence[Span]) -> Iterator[_Part]:
    for index, span in enumerate(spans):
        if span.is_mark:
            yield _Part(index, span.text.rewritten(PAUSE), False)
            continue
        is_heard = span.override is None or span.override.phonemes is None
        for start in range(0, len(span.text), MAX_CHARACTERS):
            yield _Part(index, span.text[start : start + MAX_CHARACTERS], is_heard)


def _chunks(parts: Iterator[_Part]) -> Iterator[list[_Part]]:
    """Yield groups of parts, each small enough to analyse at once."""
    chunk: list[_Part] = []
    length = 0
    for part in parts:
        if length + len(part.text) > MAX_CHARACTERS:
            yield chunk
            chunk, length = [], 0
        chunk.append(part)
        length += len(part.text)
    if chunk:
        yield chunk


def _fragment(span: Span, builder: _Builder) -> Fragment:
    if span.is_mark:
        return Fragment(span.text.text)
    if span.override is None:
        return builder.fragment
    if span.override.phonemes is not None:
        return pronounced(span, span.override)
    return stressed(builder.fragment, span.override)


def _attaches(last: Morpheme, morpheme: Morpheme) -> bool:
    """Tell whether a morpheme belongs to one word with the morpheme before it.

    Roughly as in cutlet: endings are joined, particles stand alone.
    """
    if morpheme.pos == "助動詞":
        return last.pos != "名詞" and morpheme.lemma not in _COPULAS
    if morpheme.pos == "助詞":
        return morpheme.kind == "接続助詞" and morpheme.lemma in _JOINED_PARTICLES
    if last.pos in ("接頭詞", "接頭辞"):
        return True
    return morpheme.kind == "接尾" or (last.kind == morpheme.kind == "数" and morpheme.continues)


class _Builder:
    """Builds a fragment."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self._phonemes = ""
        self._words: list[Word] = []

    def add(self, text: TracedText, morphemes: Sequence[Morpheme]) -> None:
        """Add the words of a text. Raises InvalidTextError if one is silent, and that is strict."""
        if self._strict:
            _refuse_silence(text, morphemes)
        for word in _words(morphemes):
            phonemes = phonemes_of("".join(morpheme.pronunciation for morpheme in word))
            if not phonemes:
                continue
            # The sign of a double consonant belongs to the next morpheme.
            if self._phonemes and not self._phonemes.endswith("ʔ") and phonemes[0] != "ʔ":
                self._phonemes += " "
            start = len(self._phonemes)
            self._phonemes += phonemes
            place = text[word[0].start : word[-1].end]
            # Open JTalk may not know the position of a word, or include the space before it.
            place = place.stripped() or place or text
            self._words.append(Word(*place.span, start, len(self._phonemes)))

    @property
    def fragment(self) -> Fragment:
        return Fragment(self._phonemes, tuple(self._words))


def _words(morphemes: Sequence[Morpheme]) -> Iterator[list[Morpheme]]:
    word: list[Morpheme] = []
    for morpheme in morphemes:
        if not morpheme.pronunciation:
            if word:
                yield word
            word = []
            continue
        if word and not _attaches(word[-1], morpheme):
            yield word
            word = []
        word.append(morpheme)
    if word:
        yield word


def _refuse_silence(text: TracedText, morphemes: Sequence[Morpheme]) -> None:
    """Raise InvalidTextError if a morpheme with meaningful characters is silent."""
    for morpheme in morphemes:
        if morpheme.pronunciation or morpheme.kind == _EMOTICON:
            continue
        for index in range(morpheme.start, morpheme.end):
            if is_meaningful(text.text[index]):
                raise unreadable(text, index, _LANGUAGE)
