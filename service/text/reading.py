"""What a text sounds like, and which of its words each sound belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from service.text.offset_mapping import TracedText
from service.text.scripts import is_written_solid
from service.text.vocabulary import load_vocabulary


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the caller's text and its phonemes, as half-open ranges of characters.

    Attributes:
        text_start: offset in the text exactly as the caller sent it, in code points.
        text_end: likewise; surrounding white space and punctuation are outside.
        phonemes_start: offset in `Reading.phonemes`.
        phonemes_end: likewise; surrounding spaces and marks are outside.
    """

    text_start: int
    text_end: int
    phonemes_start: int
    phonemes_end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The phonemes of a text, and its words if they were asked for.

    Attributes:
        phonemes: symbols of the vocabulary.
        words: in order, none empty, none overlapping in the text or in the phonemes. Every phoneme
            that is neither a space nor a mark belongs to one; a mark belongs to none, unless it
            is inside what a single character or number became (`a.m.` from `㏂`). What is not
            heard is not there.
        normalized: the text as it is read, in words; empty for phonemes that a caller sent.
        unbroken: ranges of phonemes that belong together though they may be several words.
    """

    phonemes: str
    words: tuple[Word, ...] = ()
    normalized: str = ""
    unbroken: tuple[tuple[int, int], ...] = ()


def read_phonemes(phonemes: str) -> Reading:
    """Return the phonemes that a caller sent, white space folded, and the words among them.

    Words are the runs between spaces and marks; `text_start` and `text_end` are offsets in the
    phonemes as they were sent. Whether the vocabulary has them is not looked at.
    """
    folded = TracedText(phonemes).folded()
    marks = re.escape("".join(sorted(load_vocabulary().marks)))
    words = [
        Word(*folded[match.start() : match.end()].span, *match.span())
        for match in re.finditer(rf"[^\s{marks}]+", folded.text)
    ]
    return Reading(folded.text, tuple(words))


def merge(words: Iterable[Word], phonemes: str, text: TracedText) -> tuple[Word, ...]:
    """Return the words, with those joined that the text does not tell apart, without the unheard.

    Parts of one number or of one long word are read apart, but have the same place in the text, or
    nothing is between them there: no space, no mark. Words of Chinese and Japanese may touch.

    Args:
        words: in order.
        phonemes: what their offsets of phonemes are in.
        text: the text that they are of.
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
