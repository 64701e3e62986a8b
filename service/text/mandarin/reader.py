"""Read Mandarin Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from service.text.characters import is_meaningful
from service.text.mandarin.pronunciation import Pronunciation
from service.text.mandarin.segmenter import Segmenter
from service.text.offset_mapping import TracedText
from service.text.reader import SILENT, Fragment, Reader, pronounced, stressed, unreadable
from service.text.reading import Word
from service.text.spans import Span

# Digits that text normalization has left; each is read alone.
_DIGITS = {ord(digit): han for digit, han in zip("0123456789", "零一二三四五六七八九", strict=True)}

_LANGUAGE = "Mandarin Chinese"

_WORDS_KEPT = 4096

# Words of one character that are usually particles, pronounced like 的. After these words (`^` is
# the start of a clause) they are not: there the dictionary is right with its readings for "ground"
# and "must".
_PARTICLES = {
    "地": frozenset("^这那块片的份是在本土亩种"),
    "得": frozenset("^我你您他她它们谁咱就也还都不必总可只非又"),
}

# In words that the dictionary lacks, the last character is read alone, and these two wrongly: as
# "to grow" and "only", where they mean "long" and count animals.
_LAST_CHARACTER = re.compile(
    "(?<=[最很太较更多越米])长$|(?<=[一二三四五六七八九十百千两几这那每])只$"
)
_SOUNDS_LIKE = {"长": "常", "只": "支"}


# 还 is hái, "still", or huán, "to give back". It is huán if nothing follows that could still be the
# case, after a negation of the act, and before something that is owed.
_GIVEN_BACK = "环"
_NOT_DONE = frozenset({"没", "没有", "未", "不"})
_DONE = frozenset({"了", "过", "完", "掉"})
_OWED = frozenset(
    {"钱", "书", "账", "帐", "债", "款", "贷", "贷款", "房贷", "欠款", "借款", "本金", "利息"}
    | {"车", "礼", "人情", "东西", "图书"}
)
_WHOM = frozenset(
    {"我", "你", "您", "他", "她", "它", "咱", "我们", "你们", "他们", "她们", "咱们", "人家"}
)


class MandarinReader(Reader):
    """Reads Chinese characters, simplified or traditional, word by word."""

    def __init__(self) -> None:
        self._segmenter = Segmenter()
        self._say = lru_cache(_WORDS_KEPT)(Pronunciation().phonemes)

    def check(self, text: TracedText) -> None:
        """Refuse letters and signs without a reading in Chinese."""
        text = text.translate(_DIGITS)
        for character in dict.fromkeys(text.text):
            if is_meaningful(character) and self._say(character) is None:
                raise unreadable(text, character, _LANGUAGE)

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
        last = "^"
        cut = self._segmenter.words(text.text)
        for place, word in enumerate(cut):
            end = start + len(word)
            sound = _disambiguated(last, word, cut[place + 1 : place + 3])
            phonemes = self._phonemes(text[start:end], sound)
            last = word
            if phonemes:
                length += bool(said)
                words.append(Word(*text[start:end].span, length, length + len(phonemes)))
                said.append(phonemes)
                length += len(phonemes)
            start = end
        return Fragment(" ".join(said), tuple(words)) if said else SILENT

    def _phonemes(self, text: TracedText, word: str) -> str:
        """Return the phonemes of a text as one word; empty for silent signs."""
        phonemes = self._say(word)
        if phonemes is not None:
            return phonemes
        said: list[str] = []
        for character in word:
            phonemes = self._say(character)
            if phonemes is None and is_meaningful(character):
                raise unreadable(text, character, _LANGUAGE)
            said.append(phonemes or "")
        return "".join(said)


def _disambiguated(last: str, word: str, following: Sequence[str]) -> str:
    """Return a word that sounds as this one does here; `following` has up to two words."""
    if word == "还":
        return _GIVEN_BACK if _gives_back(last, following) else word
    exceptions = _PARTICLES.get(word)
    if exceptions is not None:
        return word if last[-1] in exceptions else "的"
    return _LAST_CHARACTER.sub(lambda match: _SOUNDS_LIKE[match[0]], word)


def _gives_back(last: str, following: Sequence[str]) -> bool:
    """Tell whether 还 means "to give back" between these words."""
    if last in _NOT_DONE or not following:
        return True
    if following[0] in _WHOM:
        return following[1:] == [] or following[1] in _OWED
    if following[0] in _DONE:
        return list(following) != ["了", "得"]  # how could that be
    return following[0] in _OWED
