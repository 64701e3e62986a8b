"""Read Mandarin Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from service.text.characters import is_meaningful
from service.text.languages.mandarin.polyphones import CHANGING, changed_tone, sounds
from service.text.languages.mandarin.pronunciation import Pronunciation
from service.text.languages.mandarin.segmenter import Segmenter
from service.text.offset_mapping import TracedText
from service.text.reader import (
    SILENT,
    Fragment,
    Reader,
    indexes,
    pronounced,
    stressed,
    unreadable,
)
from service.text.reading import Word
from service.text.spans import Span

# Digits that text normalization has left; each is read alone.
_DIGITS = {ord(digit): han for digit, han in zip("0123456789", "零一二三四五六七八九", strict=True)}

_LANGUAGE = "Mandarin Chinese"

_WORDS_KEPT = 4096


class MandarinReader(Reader):
    """Reads Chinese characters, simplified or traditional, word by word.

    Args:
        strict: whether a character that cannot be read is refused.
        in_bopomofo: see `Pronunciation`.
    """

    def __init__(self, *, strict: bool = False, in_bopomofo: bool = False) -> None:
        super().__init__(_LANGUAGE, strict=strict)
        self._segmenter = Segmenter()
        self._pronunciation = Pronunciation(in_bopomofo=in_bopomofo)
        self._pinyin = lru_cache(_WORDS_KEPT)(self._pronunciation.pinyin)
        self._say = lru_cache(_WORDS_KEPT)(self._pronunciation.phonemes)

    def skipped(self, text: TracedText) -> list[int]:
        """Return the indexes of letters and signs without a reading in Chinese, in order."""
        plain = text.text.translate(_DIGITS)
        silent = {
            character
            for character in dict.fromkeys(plain)
            if is_meaningful(character) and self._say(character) is None
        }
        return indexes(plain, silent) if silent else []

    def read(self, spans: Sequence[Span]) -> list[Fragment]:
        """Return the fragment of each span, with its words."""
        return [self._read_span(span) for span in spans]

    def _read_span(self, span: Span) -> Fragment:
        if span.is_mark:
            return Fragment(span.text.text)
        if span.override is None:
            return self._read_words(span.text)
        if span.override.phonemes is not None:
            return pronounced(span, span.override)
        return stressed(self._read_words(span.text), span.override)

    def _read_words(self, text: TracedText) -> Fragment:
        text = text.translate(_DIGITS)
        said: list[str] = []
        words: list[Word] = []
        start = length = 0
        cut = list(self._segmenter.words(text.text))
        told = [
            (
                *sounds(cut, place, is_known=self._pronunciation.is_known(word)),
                *self._changed_tones(cut, place),
            )
            for place, word in enumerate(cut)
        ]
        for word, heard in zip(cut, self._pronunciation.connected(cut, told), strict=True):
            end = start + len(word)
            phonemes = self._phonemes(text[start:end], heard)
            if phonemes:
                length += bool(said)
                words.append(Word(*text[start:end].span, length, length + len(phonemes)))
                said.append(phonemes)
                length += len(phonemes)
            start = end
        joint = self._pronunciation.joint
        return Fragment(joint.join(said), tuple(words)) if said else SILENT

    def _changed_tones(self, cut: Sequence[str], place: int) -> list[tuple[int, str]]:
        """Return offset and pinyin of each 一 and 不 whose tone the next syllable changes."""
        word = cut[place]
        found: list[tuple[int, str]] = []
        for offset, character in enumerate(word):
            if character not in CHANGING:
                continue
            following = word[offset + 1 :] or (cut[place + 1] if place + 1 < len(cut) else "")
            before = "".join(cut[max(0, place - 2) : place]) + word[:offset]
            if following and (pinyin := self._pinyin(following)):
                changed = changed_tone(character, before, following, pinyin[0][-1:])
                if changed:
                    found.append((offset, changed))
        return found

    def _phonemes(self, text: TracedText, sounds: tuple[tuple[int, str], ...]) -> str:
        """Return the phonemes of a text as one word; empty for silent signs."""
        word = text.text
        phonemes = self._say(word, sounds)
        if phonemes is not None:
            return phonemes
        said: list[str] = []
        for index, character in enumerate(word):
            phonemes = self._say(character)
            if phonemes is None and self.strict and is_meaningful(character):
                raise unreadable(text, index, _LANGUAGE)
            said.append(phonemes or "")
        return "".join(said)
