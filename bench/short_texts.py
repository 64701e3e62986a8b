"""Whether very short texts sound as the same words do inside a sentence.

    python -m bench.short_texts [--every 5] [--minutes 10] [--write]

A text such as "Yes.", "3" or "A" has 2 to 9 tokens, and the voice's style is the row of that
number. Here 60 words (32 everyday ones, the numbers 0 to 12, 15 letters) are said alone by all 28
English voices: each voice says every fifth word, so each word has 5 or 6 voices. Words are sent
with a full stop, numbers and letters without.

Ways: with the row of their own length; with rows of longer texts; with a full stop after numbers
and letters too; after an ellipsis ("… yes."); last in a phrase ("She said: yes.") and first ("Yes.
That is all."), cut out in the middle of the pause by the durations. Each is compared with the same
word of the same voice inside two sentences, cut out in the middle between it and its neighbours.

Misheard: pocketsphinx has a grammar of these 60 words, alone. All that it hears has the same level
and 30 ms of silence around it, and it forgets what it heard before. The interval is the middle 95 %
of resamplings of both voices and words. Louder: the root mean square of speech, without silence.
Higher: the median pitch. Pitch range: from its 10th to its 90th percentile; pitches are those of
the YIN algorithm. Length: that of the word's phonemes by the durations, relative to that in the
sentences. These four are medians over words and voices, with quartiles. Cut in sound: the share of
words that are cut out where the level of 10 ms is less than 30 dB below the loudest, so that a
listener hears a part of the neighbour or misses a part of the word.

Found on 2026-11-24: words alone are misheard twice as often as inside sentences, and take twice as
long. No other row, full stop or pause makes a difference beyond chance. Phrases halve the words
misheard, and their intervals exclude zero. But three quarters of their words cannot be cut out
cleanly by the durations, since voices often make no silence there, and the median pitch is 3
semitones off, which that of words alone is not. So the service keeps the row of a text's own
length, and says very short texts alone.

Renderings are kept under build/bench/short_texts. `--minutes` stops after that time with exit
status 3, and the next call goes on. All of it takes 20 minutes on one core.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from bench import speech
from bench.closed_list import ClosedList
from bench.command import Section, command_line, positive, publish
from bench.deadline import Deadline, add_minutes, in_parts
from bench.isolated_words import (
    COMMANDS,
    KINDS,
    LETTERS,
    NUMBERS,
    Said,
    Way,
    cut,
    frames_of,
    level_at_cuts_db,
    say_in,
    words_of,
)
from bench.processes import REPOSITORY
from bench.prosody import active_level_db, pitch_range, pitches_hz, semitones, without_silence
from bench.reading import front_end_reader
from bench.renderings import Case, Renderings
from bench.report import note
from bench.speaker import identity, save
from service.loading import load_model, load_runtime
from service.settings import Settings
from service.text import Espeak, load_vocabulary

STORE = REPOSITORY / "build" / "bench" / "short_texts"
EVERY = 5

OWN = Way("row of its own length")
WAYS = (
    OWN,
    Way("row of 10 tokens", 10),
    Way("row of 20", 20),
    Way("row of 40", 40),
    Way("row of 80", 80),
    Way("own row, full stop", mark="."),
    Way("own row, after a pause", lead="… ", mark="."),
    Way("last in a phrase", before="She said:", mark="."),
    Way("first in a phrase", after="That is all.", mark="."),
)
SENTENCES = (
    Way("sentence 1", before="They told me that", after="was the answer.", mark=""),
    Way("sentence 2", before="The sign said", after="on it this morning.", mark=""),
)

SOUND_DB = -30.0
"""A cut at a higher level, relative to the loudest, is inside a sound."""

Pairs = Sequence[tuple[str, str]]
"""Voices and words."""


@dataclass(frozen=True)
class Measured:
    """How one word sounds.

    Attributes:
        wrong: whether it is misheard; a mean over the two sentences.
        level_db: of its speech.
        pitch_hz: its median pitch; not a number if it has none.
        pitch_range: in semitones; likewise.
        n_frames: of its phonemes.
        cut_db: level where it is cut out; not a number if it is not.
    """

    wrong: float
    level_db: float
    pitch_hz: float
    pitch_range: float
    n_frames: float
    cut_db: float = float("nan")


Found = Mapping[str, Sequence[Measured]]
"""By way, in the order of the pairs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 2 for a failure, 3 if more is left to do."""
    parser = command_line("bench.short_texts", __doc__)
    add_minutes(parser)
    parser.add_argument(
        "--every", type=positive, default=EVERY, help="each voice says every n-th word"
    )
    options = parser.parse_args(arguments)
    return in_parts(lambda: publish(_sections(options), write=options.write))


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    pairs = list(words_of(english_voices(), options.every))
    renderings = Renderings(STORE, Deadline(options.minutes))
    ways = (*WAYS, *SENTENCES)
    said = _phonemes(pairs, ways)
    _render(renderings, ways, said)
    found = _measure(renderings, pairs, ways, said)
    yield Section("short texts", __doc__ or "", report(pairs, found))


def english_voices() -> list[str]:
    """Return the names of the voices that were trained on English."""
    voices = speech.voices().voices
    return [voice.name for voice in voices if (voice.language or "").startswith("en-")]


def _phonemes(pairs: Pairs, ways: Sequence[Way]) -> dict[str, list[Said]]:
    """Return what is said, by the name of the way."""
    espeak = Espeak()
    readers = {language: cache(front_end_reader(espeak, language)) for language in ENGLISH}
    return {
        way.name: [
            say_in(way, word, voice, readers[speech.language_of(voice)]) for voice, word in pairs
        ]
        for way in ways
    }


ENGLISH = ("en-us", "en-gb")


def _render(
    renderings: Renderings, ways: Sequence[Way], said: Mapping[str, Sequence[Said]]
) -> None:
    """Have the model of the service say what it has not said yet."""
    settings, voices, known = Settings(), speech.voices(), load_vocabulary()
    with closing(load_model(settings, load_runtime(settings), note)) as model:
        told = ", ".join(identity(model))

        def say_with(row: int | None) -> Callable[[Case, Path], Sequence[int]]:
            def say(case: Case, path: Path) -> Sequence[int]:
                token_ids = known.token_ids(case.phonemes)
                style = voices.style(voices.resolve(case.voice), row or len(token_ids))
                inference = model.infer(token_ids, style, 1.0)
                durations = [] if inference.durations is None else list(inference.durations)
                pcm = np.clip(np.rint(inference.samples * 32767), -32768, 32767).astype(np.int16)
                save(path, pcm, durations)
                return durations

            return say

        for way in ways:
            cases = list(dict.fromkeys(one.case for one in said[way.name]))
            renderings.fill(way.name, told, cases, say_with(way.row))


def _measure(
    renderings: Renderings,
    pairs: Pairs,
    ways: Sequence[Way],
    said: Mapping[str, Sequence[Said]],
) -> Found:
    """Measure every rendering; of the sentences, the means."""
    listener = ClosedList([*COMMANDS, *NUMBERS], LETTERS)
    found: dict[str, list[Measured]] = {way.name: [] for way in ways}
    for number, (voice, _) in enumerate(pairs):
        if not number or voice != pairs[number - 1][0]:
            note(f"listening to {voice}")
        for way in ways:
            one = said[way.name][number]
            durations = renderings.durations(way.name, one.case)
            whole = renderings.samples(way.name, one.case)
            part = without_silence(cut(one, whole, durations))
            pitches = pitches_hz(part)
            found[way.name].append(
                Measured(
                    float(listener.hear(part) != one.word),
                    active_level_db(part),
                    float(np.median(pitches)) if pitches.size else float("nan"),
                    pitch_range(pitches),
                    frames_of(one, durations),
                    level_at_cuts_db(one, whole, durations),
                )
            )
    return found


def report(pairs: Pairs, found: Found) -> str:
    """Return the tables."""
    sentences = [found[way.name] for way in SENTENCES]
    inside = [_mean(both) for both in zip(*sentences, strict=True)]
    lines = [
        f"| way | misheard, of {len(pairs)} | word error rate | more than with its own row (95 %) "
        "| louder, dB | higher, semitones | pitch range, semitones | length | cut in sound |",
        "|---|---|---|---|---|---|---|---|---|",
        _line("inside a sentence", pairs, inside, found[OWN.name], inside),
    ]
    lines += [_line(way.name, pairs, found[way.name], found[OWN.name], inside) for way in WAYS]
    kinds = list(KINDS)
    by_kind = [
        f"| misheard | {' | '.join(kinds)} |",
        f"|---|{'---|' * len(kinds)}",
        *(
            f"| {name} | {' | '.join(_of_kind(kind, pairs, measured) for kind in kinds)} |"
            for name, measured in (
                ("inside a sentence", inside),
                *((way.name, found[way.name]) for way in WAYS),
            )
        ),
    ]
    return "\n".join(lines) + "\n\n" + "\n".join(by_kind)


def _line(
    name: str,
    pairs: Pairs,
    measured: Sequence[Measured],
    own: Sequence[Measured],
    inside: Sequence[Measured],
) -> str:
    wrong = np.array([one.wrong for one in measured])
    more = wrong - np.array([one.wrong for one in own])
    low, high = resampled_interval(more, pairs)
    both = list(zip(measured, inside, strict=True))
    cells = [
        name,
        f"{wrong.sum():g}",
        f"{wrong.mean():.3f}",
        f"{more.mean():+.3f} ({low:+.3f} to {high:+.3f})" if measured is not own else "",
    ]
    if measured is inside:
        cells += ["", "", _quartiles([one.pitch_range for one in inside], ".1f"), ""]
    else:
        cells += [
            _quartiles([one.level_db - other.level_db for one, other in both], "+.1f"),
            _quartiles([semitones(one.pitch_hz / other.pitch_hz) for one, other in both], "+.1f"),
            _quartiles([one.pitch_range for one in measured], ".1f"),
            _quartiles([one.n_frames / other.n_frames for one, other in both], ".2f"),
        ]
    cuts = [one.cut_db for one in measured if not np.isnan(one.cut_db)]
    cells.append(f"{sum(db > SOUND_DB for db in cuts) / len(cuts):.2f}" if cuts else "")
    return f"| {' | '.join(cells)} |"


def _of_kind(kind: str, pairs: Pairs, measured: Sequence[Measured]) -> str:
    wrong = [
        one.wrong for one, (_, word) in zip(measured, pairs, strict=True) if word in KINDS[kind]
    ]
    return f"{sum(wrong):g} of {len(wrong)}"


def resampled_interval(values: np.ndarray, pairs: Pairs) -> tuple[float, float]:
    """Return the middle 95 % of means, with voices and words each drawn anew.

    Args:
        values: float [n].
        pairs: the voice and the word of each.
    """
    generator = np.random.default_rng(0)
    weights = np.ones((2000, len(pairs)))
    for names in zip(*pairs, strict=True):
        known, places = np.unique(names, return_inverse=True)
        drawn = generator.multinomial(known.size, np.full(known.size, 1 / known.size), 2000)
        weights *= drawn[:, places]
    sums = weights.sum(axis=1)
    means = (weights @ values)[sums > 0] / sums[sums > 0]
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def _mean(several: Sequence[Measured]) -> Measured:
    """Return the mean of several measurements, of pitches only where there are any."""

    def mean(values: Sequence[float]) -> float:
        present = [value for value in values if not np.isnan(value)]
        return float(np.mean(present)) if present else float("nan")

    return Measured(
        mean([one.wrong for one in several]),
        mean([one.level_db for one in several]),
        mean([one.pitch_hz for one in several]),
        mean([one.pitch_range for one in several]),
        mean([one.n_frames for one in several]),
        mean([one.cut_db for one in several]),
    )


def _quartiles(values: Sequence[float], form: str) -> str:
    low, middle, high = np.nanquantile(values, (0.25, 0.5, 0.75))
    return f"{middle:{form}} ({low:{form}} to {high:{form}})"


if __name__ == "__main__":
    sys.exit(main())
