"""The phonemes of a text, and which of its words they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from service.text.offset_mapping import TracedText
from service.text.scripts import is_written_solid
from service.text.vocabulary import Vocabulary, load_vocabulary


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the caller's text and its phonemes, as half-open ranges of characters.

    Attributes:
        text_start: offset in the text exactly as the caller sent it, in code points. Surrounding
            white space and punctuation are excluded.
        text_end: likewise.
        phonemes_start: offset in `Reading.phonemes`. Surrounding spaces and marks are excluded.
        phonemes_end: likewise.
        source: what its phonemes are from, such as `lexicon`; empty where that is not told.
    """

    text_start: int
    text_end: int
    phonemes_start: int
    phonemes_end: int
    source: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """The phonemes of a text, and its words if they were requested.

    Attributes:
        phonemes: symbols of the vocabulary.
        words: in order. None is empty, and none overlap in the text or in the phonemes. Every
            phoneme except spaces and marks belongs to a word. A mark belongs to a word only if one
            character or number became several words (`a.m.` from `㏂`). Silent words are left out.
        normalized: the text after text normalization; empty if the caller sent phonemes.
        unbroken: ranges of phonemes that a chunk must not split, although they may be several
            words.
        dropped: parts of the text that are not spoken, as spans of the caller's text: letters,
            numbers, symbols and marks that belong to no word. Marks that only shape a sentence,
            such as commas and quotes, are not among them.
    """

    phonemes: str
    words: tuple[Word, ...] = ()
    normalized: str = ""
    unbroken: tuple[tuple[int, int], ...] = ()
    dropped: tuple[tuple[int, int], ...] = ()


def read_phonemes(phonemes: str, vocabulary: Vocabulary | None = None) -> Reading:
    """Return phonemes that a caller sent, with white space folded, and their words.

    Words are the runs between spaces and marks. `text_start` and `text_end` are offsets in the
    phonemes as they were sent. The symbols are not checked against the vocabulary, which is that
    of Kokoro v1.0 if it is left out.
    """
    folded = TracedText(phonemes).folded()
    marks = re.escape("".join(sorted((vocabulary or load_vocabulary()).marks)))
    words = [
        Word(*folded[match.start() : match.end()].span, *match.span())
        for match in re.finditer(rf"[^\s{marks}]+", folded.text)
    ]
    return Reading(folded.text, tuple(words))


def merge(words: Iterable[Word], phonemes: str, text: TracedText) -> tuple[Word, ...]:
    """Return the words. Those that the text does not separate are joined; silent ones are dropped.

    Parts of a number or of a long word are read one by one, but have the same span in the text, or
    neither a space nor a mark between them. Chinese and Japanese words are never joined because
    they touch.

    Args:
        words: in order.
        phonemes: the phonemes that their offsets refer to.
        text: the text that they come from.
    """
    merged: list[Word] = []
    for word in words:
        last = merged[-1] if merged else None
        if last is not None and _is_one_word(last, word, phonemes, text):
            merged[-1] = Word(
                last.text_start,
                max(last.text_end, word.text_end),
                last.phonemes_start if _is_heard(last) else word.phonemes_start,
                word.phonemes_end if _is_heard(word) else last.phonemes_end,
                " + ".join(dict.fromkeys(filter(None, (last.source, word.source)))),
            )
        else:
            merged.append(word)
    return tuple(word for word in merged if _is_heard(word))


def _is_one_word(first: Word, second: Word, phonemes: str, text: TracedText) -> bool:
    if second.text_start != first.text_end:
        return second.text_start < first.text_end
    if phonemes[first.phonemes_end : second.phonemes_start].strip():
        return False
    position, _ = text.within(second.text_start, second.text_end)
    return not is_written_solid(text.text, position)


def _is_heard(word: Word) -> bool:
    return word.phonemes_end > word.phonemes_start
