"""Sixty words as callers send them alone, and ways to have a voice say them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bench.renderings import Case
from service.model.kokoro import SAMPLE_RATE_HZ
from service.speech.timing import word_times
from service.text import Word

COMMANDS = (
    "yes", "no", "okay", "stop", "go", "hello", "hi", "bye", "thanks", "please", "help", "wait",
    "sorry", "sure", "maybe", "done", "ready", "next", "back", "left", "right", "up", "down", "on",
    "off", "start", "open", "close", "play", "pause", "cancel", "save",
)  # fmt: skip
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve")  # fmt: skip
LETTERS = ("A", "B", "F", "H", "J", "K", "L", "M", "O", "Q", "S", "U", "W", "X", "Y")
WORDS = (*COMMANDS, *NUMBERS, *LETTERS)
KINDS = {"words": COMMANDS, "numbers": NUMBERS, "letters": LETTERS}

_GAP = " .,:;…"
_FADE = int(0.005 * SAMPLE_RATE_HZ)
_AT_ONCE = int(0.01 * SAMPLE_RATE_HZ)


@dataclass(frozen=True)
class Way:
    """A way to say a word.

    Attributes:
        name: its name in tables.
        row: tokens of the style's row; None for the row of the phonemes' own length.
        lead: marks before the word, as phonemes; they are a pause.
        before: text before the word.
        after: text after it.
        mark: what follows the word; None for what follows it in the text.
    """

    name: str
    row: int | None = None
    lead: str = ""
    before: str = ""
    after: str = ""
    mark: str | None = None


@dataclass(frozen=True)
class Said:
    """A word in the phonemes that are said.

    Attributes:
        word: one of WORDS.
        case: what is said.
        start: offset of the word's phonemes.
        end: offset of what follows them.
    """

    word: str
    case: Case
    start: int
    end: int


def text_of(word: str) -> str:
    """Return a word as callers send it: numbers and letters alone, others as a sentence."""
    if word in NUMBERS:
        return str(NUMBERS.index(word))
    if word in LETTERS:
        return word
    return "OK." if word == "okay" else f"{word.capitalize()}."


def say_in(way: Way, word: str, voice: str, read: Callable[[str], str]) -> Said:
    """Return what a voice says, read by its language's front end."""
    text = text_of(word)
    alone = read(text)
    phonemes = alone.rstrip(".")
    mark = alone[len(phonemes) :] if way.mark is None else way.mark
    start = f"{read(way.before)} " if way.before else way.lead
    end = f" {read(way.after)}" if way.after else ""
    case = Case(f"{way.before} {text} {way.after}", f"{start}{phonemes}{mark}{end}", voice)
    return Said(word, case, len(start), len(start) + len(phonemes))


def words_of(voices: Sequence[str], every: int) -> Iterator[tuple[str, str]]:
    """Yield a voice and a word; each voice says every n-th word, neighbours different ones."""
    for number, voice in enumerate(voices):
        for word in WORDS[number % every :: every]:
            yield voice, word


def bounds(said: Said, n_samples: int, durations: Sequence[int]) -> tuple[int, int]:
    """Return the samples at which the word is cut out: midway between it and its neighbours."""
    phonemes = said.case.phonemes
    before = len(phonemes[: said.start].rstrip(_GAP))
    after = len(phonemes) - len(phonemes[said.end :].lstrip(_GAP))
    spans = [
        (start, end)
        for start, end in ((0, before), (said.start, said.end), (after, len(phonemes)))
        if start < end
    ]
    words = [Word(0, 0, start, end) for start, end in spans]
    times = word_times(words, phonemes, np.asarray(durations), 0, (0, n_samples))
    middles = [
        round((one.end_s + other.start_s) / 2 * SAMPLE_RATE_HZ) for one, other in pairwise(times)
    ]
    edges = [0, *middles, n_samples]
    place = spans.index((said.start, said.end))
    return edges[place], edges[place + 1]


def cut(said: Said, samples: np.ndarray, durations: Sequence[int]) -> np.ndarray:
    """Return the word's samples, with short fades where it is cut out."""
    start, end = bounds(said, samples.size, durations)
    part = np.array(samples[start:end], np.float32)
    fade = np.linspace(0, 1, _FADE, dtype=np.float32)
    if start > 0:
        part[:_FADE] *= fade
    if end < samples.size:
        part[-_FADE:] *= fade[::-1]
    return part


def level_at_cuts_db(said: Said, samples: np.ndarray, durations: Sequence[int]) -> float:
    """Return the level where the word is cut out, in dB of the loudest 10 ms of the recording.

    Of two cuts, the louder one counts. Not a number if there is none.
    """
    cuts = [place for place in bounds(said, samples.size, durations) if 0 < place < samples.size]
    if not cuts:
        return float("nan")
    powers = np.convolve(samples.astype(np.float64) ** 2, np.full(_AT_ONCE, 1 / _AT_ONCE), "same")
    return float(10 * np.log10(powers[cuts].max() / powers.max() + 1e-12))


def frames_of(said: Said, durations: Sequence[int]) -> int:
    """Return the frames of the word's phonemes."""
    return int(sum(durations[1 + said.start : 1 + said.end]))
