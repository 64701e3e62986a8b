"""Whether a rewritten model speaks as the published one does: durations, spectra, misheard words.

    python -m bench.quality [--side stock] [--side native] [--minutes 10] [--write]

Durations: each of the 54 voices says 8 sentences in its language. Every token must have as many
frames as in the published model.

Sound: 6 voices say 60 English sentences, every tenth of tests/data/reading/agreement.tsv, and their
durations must be equal too. Mel distance is the mean difference of two renderings' levels in dB,
over 80 mel bands and frames of 1,024 samples every 256. Levels more than 60 dB below the loudest
one of the published rendering count as 60 dB below. Equal durations give recordings of equal
length, so frames are compared in order. The floor is the mel distance between the published model
and itself with a style that is 0.001 % off. Rounding alone has this effect, since the scale of a
quantized tensor comes from its extremes. pocketsphinx recognizes words, see `bench.hearing`. What
counts is how many more words it mishears than in the published renderings, with the middle 95 % of
resamplings.

Bounds: all durations are equal. The median mel distance is at most 1.5 times that of the floor, and
no voice exceeds twice its own floor. The word error rate does not rise significantly: the lower end
of the 95 % interval is not above zero.

Renderings, distances and recognized words are kept under build/bench/quality, so the work can be
done in parts: `--minutes` stops after that time with exit status 3, and the next call goes on.
Renderings of another model, library or rewriting are deleted. On two cores, the published model
takes 30 minutes, its floor 25, stock 12 and native 6; recognition takes 10 for each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from statistics import mean, median

import numpy as np

from bench import hearing, speech
from bench.command import Section, command_line, positive, publish
from bench.deadline import Deadline, add_minutes, in_parts
from bench.processes import REPOSITORY, ChildError
from bench.reading import front_end_reader, sentences_of
from bench.renderings import (
    DISTANCES,
    FLOOR,
    REFERENCE,
    Case,
    Renderings,
)
from bench.report import note, verdict
from bench.sides import OURS, Side, add_sides, chosen_sides
from service.model.kokoro import SAMPLE_RATE_HZ
from service.text import Espeak, load_vocabulary

STORE = REPOSITORY / "build" / "bench" / "quality"

N_SENTENCES = 8
N_HEARD = 60
VOICES = ("af_heart", "af_bella", "am_michael", "am_puck", "bf_emma", "bm_george")
NUDGE = 1e-5
MOST_OF_FLOOR = 1.5
MOST_OF_A_VOICES_FLOOR = 2.0

FRAME, HOP, BANDS = 1024, 256, 80
RANGE_DB = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure, 3 if more is left to do."""
    parser = command_line("bench.quality", __doc__)
    add_minutes(parser)
    parser.add_argument(
        "--sentences", type=positive, default=N_SENTENCES, help="sentences for each voice"
    )
    parser.add_argument("--heard", type=positive, default=N_HEARD, help="sentences to recognize")
    parser.add_argument("--voices", default=",".join(VOICES), help="voices to recognize")
    add_sides(parser, ["stock", "native"])
    options = parser.parse_args(arguments)
    return in_parts(lambda: publish(_sections(options), write=options.write))


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    sides = [side for side in chosen_sides(options) if side.label != REFERENCE]
    spoken = list(duration_cases(options.sentences))
    heard = list(sound_cases(options.heard, options.voices.split(",")))
    renderings = Renderings(STORE, Deadline(options.minutes))
    report, met = compare(sides, spoken, heard, renderings)
    yield Section("quality", __doc__ or "", report, met)


def compare(
    sides: Sequence[Side], spoken: Sequence[Case], heard: Sequence[Case], renderings: Renderings
) -> tuple[str, bool]:
    """Return the tables, and whether every bound is met.

    Raises:
        OutOfTimeError: the deadline passed before all was rendered and recognized.
        ChildError: a side is not available here.
    """
    published = OURS[REFERENCE]
    for side in (published, *sides):
        renderings.render(side, [*spoken, *heard])
    renderings.render(published, heard, NUDGE)
    labels = [side.label for side in sides]
    durations, all_same = _compare_durations(labels, spoken, heard, renderings)
    sound, as_good = _compare_sound(labels, heard, renderings)
    return f"{durations}\n\n{sound}", all_same and as_good


def _compare_durations(
    labels: Sequence[str], spoken: Sequence[Case], heard: Sequence[Case], renderings: Renderings
) -> tuple[str, bool]:
    n_voices = len({case.voice for case in spoken})
    lines = [
        f"| equal durations | {n_voices} voices, {len(spoken)} sentences | "
        f"{len(heard)} to recognize | met? |",
        "|---|---|---|---|",
    ]
    met = True
    for label in labels:
        different = [
            [
                case
                for case in cases
                if renderings.durations(label, case) != renderings.durations(REFERENCE, case)
            ]
            for cases in (spoken, heard)
        ]
        for case in (*different[0], *different[1]):
            note(f"{label}: other durations: {case.voice}: {case.text}")
        holds = not any(different)
        met &= holds
        same = [len(spoken) - len(different[0]), len(heard) - len(different[1])]
        lines.append(f"| {label} | {same[0]} | {same[1]} | {verdict(holds)} |")
    return "\n".join(lines), met


def _compare_sound(
    labels: Sequence[str], heard: Sequence[Case], renderings: Renderings
) -> tuple[str, bool]:
    listen = listener(renderings)
    wrong = {label: listen(label, heard) for label in (REFERENCE, FLOOR, *labels)}
    distances = {label: _distances(label, heard, renderings) for label in (FLOOR, *labels)}
    n_words = sum(len(hearing.words(case.text)) for case in heard)
    rate = sum(wrong[REFERENCE]) / n_words
    lines = [
        "| | mel distance, dB: median | 95th percentile | "
        "largest of a voice, relative to its floor | "
        f"misheard, of {n_words} words | word error rate | more than published (95 %) | met? |",
        "|---|---|---|---|---|---|---|---|",
        f"| {REFERENCE} | | | | {sum(wrong[REFERENCE])} | {rate:.4f} | | |",
    ]
    met = True
    floor = _by_voice(distances[FLOOR], heard)
    usual = median(_present(distances[FLOOR]))
    for label, found in distances.items():
        present = _present(found)
        own = _by_voice(found, heard)
        largest = max(own[voice] / floor[voice] for voice in own)
        low, high = _interval(wrong[label], wrong[REFERENCE], n_words)
        rate = sum(wrong[label]) / n_words
        more = rate - sum(wrong[REFERENCE]) / n_words
        met_cell = ""
        if label != FLOOR:
            holds = (
                len(present) == len(heard)
                and median(present) <= MOST_OF_FLOOR * usual
                and largest <= MOST_OF_A_VOICES_FLOOR
                and low <= 0
            )
            met &= holds
            met_cell = verdict(holds)
        lines.append(
            f"| {label} | {median(present):.2f} | {np.quantile(present, 0.95):.2f} | "
            f"{largest:.2f} | {sum(wrong[label])} | {rate:.4f} | "
            f"{more:+.4f} ({low:+.4f} to {high:+.4f}) | {met_cell} |"
        )
    return "\n".join(lines), met


def duration_cases(n_sentences: int) -> Iterator[Case]:
    """Yield sentences for every voice, in its language.

    Raises:
        ChildError: a language has too few sentences.
    """
    espeak = Espeak()
    read_in = cache(partial(_sentences, espeak, n_sentences))
    for voice in speech.voices().voices:
        for text, phonemes in read_in(speech.language_of(voice.name)):
            yield Case(text, phonemes, voice.name)


def _sentences(espeak: Espeak, count: int, language: str) -> list[tuple[str, str]]:
    """Return sentences of 5 to 120 tokens, with their phonemes."""
    read, known = front_end_reader(espeak, language), load_vocabulary()
    read_texts = ((text, read(text)) for text in sentences_of(language))
    fitting = (pair for pair in read_texts if 5 <= len(known.token_ids(pair[1])) <= 120)
    found = list(islice(fitting, count))
    if len(found) < count:
        raise ChildError(f"there are only {len(found)} sentences for {language}")
    return found


def sound_cases(n_sentences: int, voices: Sequence[str]) -> Iterator[Case]:
    """Yield American sentences for some voices."""
    for text, phonemes in hearing.read_cases(n_sentences):
        for voice in voices:
            yield Case(text, phonemes["ours"], voice)


def mel_levels(samples: np.ndarray) -> np.ndarray:
    """Return levels in dB, float32 [frames, bands], of samples [n] at 24 kHz."""
    n_frames = 1 + max(0, samples.size - FRAME) // HOP
    padded = np.pad(samples, (0, max(0, FRAME - samples.size)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP][:n_frames]
    power = np.abs(np.fft.rfft(frames * _window(), axis=1)) ** 2
    return np.asarray(10 * np.log10(power @ _filters() + 1e-10), np.float32)


def mel_distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return the mean difference in dB of two recordings; the first is the reference.

    Raises:
        ValueError: their lengths differ.
    """
    if one.size != other.size:
        raise ValueError(f"{one.size} samples and {other.size}")
    right, levels = mel_levels(one), mel_levels(other)
    lowest = right.max() - RANGE_DB
    difference = np.abs(np.maximum(right, lowest) - np.maximum(levels, lowest))
    return float(difference.mean())


def resampled_interval(differences: Sequence[int], n_words: int) -> tuple[float, float]:
    """Return the middle 95 % of the sums of resampled differences, per word."""
    generator = np.random.default_rng(0)
    values = np.asarray(differences)
    picked = generator.integers(0, values.size, (2000, values.size))
    sums = values[picked].sum(axis=1) / n_words
    return float(np.quantile(sums, 0.025)), float(np.quantile(sums, 0.975))


def _interval(wrong: Sequence[int], right: Sequence[int], n_words: int) -> tuple[float, float]:
    return resampled_interval([a - b for a, b in zip(wrong, right, strict=True)], n_words)


def _distances(label: str, cases: Sequence[Case], renderings: Renderings) -> list[float | None]:
    """Return distances to the published rendering; None where lengths differ."""

    def find(case: Case) -> float | None:
        one = renderings.samples(REFERENCE, case)
        other = renderings.samples(label, case)
        return mel_distance(one, other) if one.size == other.size else None

    found: list[float | None] = renderings.keep(label, DISTANCES, cases, find)
    return found


def _present(distances: Sequence[float | None]) -> list[float]:
    """Return the distances that could be measured.

    Raises:
        ChildError: none could be measured.
    """
    found = [distance for distance in distances if distance is not None]
    if not found:
        raise ChildError("no two recordings are of the same length")
    return found


def _by_voice(distances: Sequence[float | None], cases: Sequence[Case]) -> dict[str, float]:
    """Return the mean distance of each voice; infinity if none could be measured."""
    found: dict[str, list[float]] = {case.voice: [] for case in cases}
    for distance, case in zip(distances, cases, strict=True):
        if distance is not None:
            found[case.voice].append(distance)
    return {voice: mean(values or [np.inf]) for voice, values in found.items()}


def listener(renderings: Renderings) -> Callable[[str, Sequence[Case]], list[int]]:
    """Return a function that counts the misheard words of each case."""
    decoder = hearing.recognizer()

    def listen(label: str, cases: Sequence[Case]) -> list[int]:
        def find(case: Case) -> int:
            heard = hearing.hear(decoder, renderings.samples(label, case))
            return hearing.n_errors(hearing.words(case.text), heard)

        note(f"listening to {label}")
        counted: list[int] = renderings.keep(label, "words", cases, find)
        return counted

    return listen


@cache
def _window() -> np.ndarray:
    return np.hanning(FRAME).astype(np.float32)


@cache
def _filters() -> np.ndarray:
    """Return triangular filters of equal width on the mel scale, [FRAME / 2 + 1, BANDS]."""

    def mel(hz: float) -> float:
        return 2595 * float(np.log10(1 + hz / 700))

    corners_mel = np.linspace(0, mel(SAMPLE_RATE_HZ / 2), BANDS + 2)
    corners = 700 * (10 ** (corners_mel / 2595) - 1)
    bins = np.arange(FRAME // 2 + 1) * SAMPLE_RATE_HZ / FRAME
    rising = (bins[:, None] - corners[:-2]) / np.diff(corners)[:-1]
    falling = (corners[2:] - bins[:, None]) / np.diff(corners)[1:]
    return np.maximum(0, np.minimum(rising, falling))


if __name__ == "__main__":
    sys.exit(main())
