"""Speech decoded in windows against the same speech decoded whole: its sound, and what it costs.

    python -m bench.windows [sound] [compute] [--side native] [--side stock] [--side float32]
                            [--sentences 8] [--voices NAME,...] [--minutes 10] [--repeats N]
                            [--write]

Side: the model as it is prepared in one way, which decodes whole and in windows, on the processor:
`native` with our own operators, the default; `stock` with ONNX Runtime's alone; `float32` for GPUs,
with a mask, in runs of as many frames as one of the buckets or a multiple of the last, as there.

Sound: English sentences of tests/data/reading/agreement.tsv, put together so that their lengths are
spread evenly over 3 to 30 seconds (at most 500 tokens), 8 for each of 16 voices. Each is said three
times: whole and in windows by the side, with the short first window of a stream; and whole by the
published model. How far the published model's sound is from that of the side's whole is the floor:
two renderings of the whole are so far apart by rounding alone. Distance is
`service.model.parity.log_spectral_distance`, in which silence counts fully: down to 120 dB below
the loudest bin. Loudness is the root mean square of 2,400 samples, and its change is looked at in
every 60th sample after the first window where the whole one's is above 0.02. Jumps are |x[n] - x[n
- 1]|, and they are large above the 99.9th percentile of the jumps of the same sentence away from
its seams. The whole rendering, which has no seams, has its jumps looked at in the very same places.
Windows are switched where a fade begins, in its middle and where it ends. Words are pocketsphinx's,
see `bench.hearing`, and the 95 % are of resamplings of sentences.

Compute: pieces of 5, 9 and 20 seconds, said in windows, with encoder and statistics, and whole, in
alternation in one process; the ratio is the median of the pairs.

Met is: all durations those of the whole, and, but for float32, of the published model, which rounds
more than that and has a few others; a mean distance of at most 5.3 dB; a change of loudness between
-1.2 and +1.2 dB from the 5th to the 95th percentile of all voices together; no large jump where
windows are switched but where the whole rendering has one too; at most 0.5 points more words heard
wrong; at most 15 % more computing for 20 seconds.

With `--write` the tables go into RESULTS.md, and three seams of the native side into
docs/seams.svg: of all that are in sound, not in pauses, the one around which both renderings are
most alike, the median, and the one around which they are least.

Renderings and what was heard are kept under build/bench/windows, so the work can be done in parts:
`--minutes` ends after so long with exit status 3, and the next call goes on. What another model,
another way of decoding or other statistics have said is thrown away; what the published model has
said serves all sides. On two cores sound takes 45 minutes, most of it for the published model and
for listening, and compute 2.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np

import service.model.statistics
import service.speech.windows
from bench import hearing, speech
from bench.command import Section, add_names, command_line, paragraph, positive, publish
from bench.likeness import LOUD, Likeness, jump_ratios, percentiles, running_level
from bench.processes import REPOSITORY, THREADS, ChildError, alternate
from bench.quality import listener, resampled_interval
from bench.reading import front_end_reader, sentences_of
from bench.renderings import Case, Renderings, add_minutes, in_parts
from bench.report import Bound, Row, ratio, table
from bench.speaker import identity, save
from bench.spectrogram import Column, spectrograms
from bench.variants import add_variants, chosen_variants, opened
from service.loading import STATISTICS, load_voices
from service.model import Model, SplitModel
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.model.parity import log_spectral_distance
from service.model.prepared import Variant
from service.resources import resource
from service.settings import Settings
from service.speech import VoiceLibrary
from service.speech.windows import FADE_SAMPLES, say_in_windows, windows_of
from service.text import Espeak, load_vocabulary

STORE = REPOSITORY / "build" / "bench" / "windows"
PICTURE = REPOSITORY / "docs" / "seams.svg"

VOICES = ("af_heart", "af_bella", "am_michael", "am_puck", "bf_emma", "bm_george", "am_adam",
          "af_nicole", "af_sarah", "af_nova", "af_aoede", "af_kore", "am_fenrir", "am_echo",
          "bf_isabella", "bm_fable")  # fmt: skip
N_SENTENCES = 8
SHORTEST_S, LONGEST_S, MOST_TOKENS = 3.0, 30.0, 500
WHOLE, WINDOWS, PUBLISHED = "whole", "windows", "published"

DRAWN: Variant = "native"
"""The side whose seams are in the docs, and whose sections are named after no side."""

ROUNDED: tuple[Variant, ...] = ("native", "stock")
"""Sides that round as the published model does, and so must have its durations."""

MOST_DISTANCE = Bound(5.3)
MOST_CHANGE_DB = 1.2
MOST_WORDS = Bound(0.5)
"""Points: hundredths of the words."""

SEEN_S = 1.0
"""Of the picture of a seam."""

PIECES_S = (5, 9, 20)
MOST_COMPUTE = {20: Bound(1.15)}
REPEATS = 9
SPEED = 1.0


class Said(NamedTuple):
    """Samples, frames of each token, and the samples in the middle of each fade."""

    samples: np.ndarray
    durations: np.ndarray | None
    seams: list[int]


Say = Callable[[Sequence[int], np.ndarray], Said]
"""Says token ids in a style."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a bound is missed, 2 after a failure, 3 if more is to do."""
    parser = command_line("bench.windows", __doc__, "pairs of each length")
    add_names(parser, "NAME", MEASUREMENTS)
    add_variants(parser)
    add_minutes(parser)
    parser.add_argument(
        "--sentences", type=positive, default=N_SENTENCES, help="for each of the voices"
    )
    parser.add_argument("--voices", default=",".join(VOICES))
    options = parser.parse_args(arguments)
    return in_parts(lambda: publish(_sections(options), write=options.write))


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    for side in chosen_variants(options):
        for name in options.names:
            report, met = MEASUREMENTS[name](side, options)
            about = f"{paragraph(__doc__, 'side')}\n\n{paragraph(__doc__, name)}"
            yield Section(f"windows: {name_of(name, side)}", about, report, met)


def name_of(label: str, side: Variant) -> str:
    """Return the name of something of a side; what is of the native one has its label alone."""
    return label if side == DRAWN else f"{label} of {side}"


def renderings_of(side: Variant, store: Path, minutes: float) -> Renderings:
    """Return what a side has said; the published model's renderings are those of all sides."""
    names = {label: name_of(label, side) for label in (WHOLE, WINDOWS)}
    return Renderings.of_minutes(store, minutes, names)


def measure_sound(side: Variant, options: argparse.Namespace) -> tuple[str, bool]:
    """Return the tables of a side's sound, and whether it is near enough; draw seams if asked to.

    Raises:
        OutOfTimeError: there is more to render or to hear than there is time for.
        ChildError: there are no windows here.
    """
    cases = sentences(options.voices.split(","), options.sentences)
    renderings = renderings_of(side, STORE, options.minutes)
    render(side, cases, renderings)
    report, met = compare(side, cases, renderings)
    if options.write and side == DRAWN:
        PICTURE.write_text(draw_seams(cases, renderings), encoding="utf-8")
    return report, met


def measure_compute(side: Variant, options: argparse.Namespace) -> tuple[str, bool]:
    """Return the table of what windows cost a side, and whether that is little enough.

    Raises:
        ChildError: there are no windows here.
    """
    voice = _voices().resolve(VOICES[0])
    rows = []
    with opened(side, Settings(threads=THREADS)) as model:
        sayings = (in_windows(model), whole(model))
        for seconds in PIECES_S:
            token_ids = load_vocabulary().token_ids(speech.phonemes(n_tokens(seconds, VOICES[0])))
            style = _voices().style(voice, len(token_ids))
            ours, theirs = (_timed(say, token_ids, style) for say in sayings)
            pairs = alternate(ours, theirs, options.repeats or REPEATS, warm_ups=1)
            frames = model.encode(token_ids, style, SPEED).n_frames
            name = (
                f"{len(token_ids)} tokens, {frames * SAMPLES_PER_FRAME / SAMPLE_RATE_HZ:.1f} s, "
                f"{len(list(windows_of(frames, soon=True)))} windows"
            )
            rows.append(ratio(name, pairs, "s", MOST_COMPUTE.get(seconds)))
    return table(rows, WHOLE, WINDOWS), all(row.met is not False for row in rows)


MEASUREMENTS: dict[str, Callable[[Variant, argparse.Namespace], tuple[str, bool]]] = {
    "sound": measure_sound,
    "compute": measure_compute,
}


def lengths_s(count: int) -> list[float]:
    """Return so many lengths, spread evenly from the shortest to the longest, both included."""
    return [float(length) for length in np.linspace(SHORTEST_S, LONGEST_S, count)]


def sentences(voices: Sequence[str], count: int) -> list[Case]:
    """Return so many sentences for each voice, in its language.

    The lengths are dealt out to the voices in turn, so that each voice has short and long ones.

    Raises:
        ChildError: nobody knows a voice's language.
    """
    espeak, cases = Espeak(), []
    read = cache(lambda language: _read(front_end_reader(espeak, language), language))
    pools = {}
    for name in voices:
        language = _voices().resolve(name).language
        if language is None:
            raise ChildError(f"nobody knows the language of {name}")
        pools[name] = random.Random(name).sample(read(language), len(read(language)))
    for number, length_s in enumerate(lengths_s(count * len(voices))):
        voice = voices[number % len(voices)]
        text, phonemes = put_together(pools[voice], n_tokens(length_s, voice))
        cases.append(Case(text, phonemes, voice))
    return cases


def n_tokens(length_s: float, voice: str) -> int:
    """Return how many tokens a voice says in so many seconds, or the most that it is given.

    Its pace is that of pieces of some seconds. The longer a piece, the quicker it is said: in 3 to
    27 seconds 8 voices were quicker by 4 to 12 % (a line was fitted by eye).
    """
    quicker = 1.03 + length_s / 300
    return min(MOST_TOKENS, round(length_s * _voices().resolve(voice).pace * quicker))


def put_together(pool: list[tuple[str, str]], n_tokens: int) -> tuple[str, str]:
    """Take sentences out of a pool that are so many tokens together, or a few fewer.

    Args:
        pool: texts and phonemes, each of which is a token.
        n_tokens: wanted, spaces between sentences included.

    Raises:
        ValueError: the pool is empty, or no sentence is short enough.
    """
    longest = max(len(phonemes) for _, phonemes in pool)
    taken: list[tuple[str, str]] = []
    left = n_tokens
    while left > 2 * longest:
        taken.append(pool.pop())
        left -= len(taken[-1][1]) + 1
    # The rest is two sentences or one, whichever fits best.
    nearest = _nearest(pool, left)
    for pair in nearest:
        pool.remove(pair)
    if not (taken or nearest):
        raise ValueError(f"no sentence is of {n_tokens} tokens or fewer")
    texts, phonemes = zip(*taken, *nearest, strict=True)
    return " ".join(texts), " ".join(phonemes)


def _nearest(pool: Sequence[tuple[str, str]], n_tokens: int) -> list[tuple[str, str]]:
    """Return the one or two of a pool that are nearest below a number of tokens; none of none."""
    by_length = {len(pair[1]): pair for pair in pool}
    choices = [(length,) for length in by_length if length <= n_tokens]
    choices += [pair for pair in combinations(by_length, 2) if sum(pair) + 1 <= n_tokens]
    return [by_length[length] for length in max(choices, key=sum, default=())]


def _read(read: Callable[[str], str], language: str) -> list[tuple[str, str]]:
    """Return the sentences of a language and their phonemes, all of which the model knows."""
    known = load_vocabulary()
    pairs = ((text, read(text)) for text in sentences_of(language))
    return [pair for pair in pairs if len(known.token_ids(pair[1])) == len(pair[1])]


def render(side: Variant, cases: Sequence[Case], renderings: Renderings) -> None:
    """Have said, in all three ways, what a side or the published model has not said yet.

    Raises:
        OutOfTimeError: the deadline came first.
        ChildError: there are no windows here.
    """
    with opened(side, Settings(threads=THREADS)) as model:
        name = ", ".join(identity(model))
        renderings.fill(WHOLE, name, cases, _writer(whole(model)))
        name += f", decoding {_digest(*_DECODING, resource('voices') / STATISTICS)}"
        renderings.fill(WINDOWS, name, cases, _writer(in_windows(model)))
    with opened(None, Settings(threads=THREADS)) as model:
        renderings.fill(PUBLISHED, ", ".join(identity(model)), cases, _writer(whole(model)))


_DECODING = [
    Path(str(module.__file__)) for module in (service.speech.windows, service.model.statistics)
]
"""What decides how windows sound, beside the model."""


def whole(model: Model) -> Say:
    """Return what says a piece at once."""

    def say(token_ids: Sequence[int], style: np.ndarray) -> Said:
        said = model.infer(token_ids, style, SPEED)
        return Said(said.samples, said.durations, [])

    return say


def in_windows(model: Model) -> Say:
    """Return what says a piece in the windows of a stream.

    Raises:
        ChildError: this model is not to be had in windows.
    """
    if not isinstance(model, SplitModel) or model.statistics is None:
        raise ChildError(f"no windows are to be had here: the model is {model.prepared.detail}")
    statistics = model.statistics

    def say(token_ids: Sequence[int], style: np.ndarray) -> Said:
        if not statistics.covers(style):
            raise ChildError("the statistics of one of the voices are not known")
        sounds = list(
            say_in_windows(model, token_ids, style, SPEED, None, statistics=statistics, soon=True)
        )
        samples = np.concatenate([sound.samples for sound in sounds])
        return Said(samples, sounds[-1].durations, [sound.seam for sound in sounds[1:]])

    return say


def _writer(say: Say) -> Callable[[Case, Path], Sequence[int]]:
    def write(case: Case, path: Path) -> Sequence[int]:
        token_ids = load_vocabulary().token_ids(case.phonemes)
        style = _voices().style(_voices().resolve(case.voice), len(token_ids))
        said = say(token_ids, style)
        durations = [] if said.durations is None else [int(n) for n in said.durations]
        save(path, said.samples, durations, said.seams)
        return durations

    return write


def _timed(say: Say, token_ids: Sequence[int], style: np.ndarray) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter()
        say(token_ids, style)
        return time.perf_counter() - start

    return run


def compare(side: Variant, cases: Sequence[Case], renderings: Renderings) -> tuple[str, bool]:
    """Return the tables of what was said, and whether every bound of a side is met.

    Raises:
        OutOfTimeError: there is more to hear than there is time for.
        ChildError: no two recordings are of the same length, or there is nothing to be heard.
    """
    likeness = {label: _likeness(label, cases, renderings) for label in (WINDOWS, PUBLISHED)}
    if not all(likeness.values()):
        raise ChildError("no two recordings are of the same length")
    listen = listener(renderings)
    wrong = {label: listen(label, cases) for label in (WINDOWS, WHOLE)}
    against_floor = [
        _duration_row(side, cases, renderings),
        *_distance_rows(likeness),
        *_loudness_rows(likeness),
    ]
    against_whole = [*_jump_rows(cases, renderings), _word_row(cases, wrong)]
    report = "\n\n".join(
        [
            table(against_floor, "published, against whole", "windows, against whole"),
            table(against_whole, WHOLE, WINDOWS),
            _voice_table(cases, renderings, likeness, wrong),
        ]
    )
    return report, all(row.met is not False for row in (*against_floor, *against_whole))


Likenesses = dict[Case, Likeness]


def _likeness(label: str, cases: Sequence[Case], renderings: Renderings) -> Likenesses:
    """Return those of all renderings that are as long as the whole one's."""
    found = {}
    for case in cases:
        right, other = (renderings.samples(one, case) for one in (WHOLE, label))
        if right.size == other.size:
            starts = [*renderings.seams(WINDOWS, case), 0]
            found[case] = Likeness.of(right, other, starts[0])
    return found


def _duration_row(side: Variant, cases: Sequence[Case], renderings: Renderings) -> Row:
    same = {}
    for label in (WINDOWS, PUBLISHED):
        others = [
            case
            for case in cases
            if renderings.durations(label, case) != renderings.durations(WHOLE, case)
            or renderings.samples(label, case).size != renderings.samples(WHOLE, case).size
        ]
        for case in others:
            print(f"{label}: other durations: {case.voice}: {case.text}", file=sys.stderr)
        same[label] = len(cases) - len(others)
    seconds = [renderings.samples(WHOLE, case).size / SAMPLE_RATE_HZ for case in cases]
    spread = f"{min(seconds):.1f} to {max(seconds):.1f} s"
    name = f"durations the same, {len(cases)} sentences of {spread}"
    bounded = (WINDOWS, PUBLISHED) if side in ROUNDED else (WINDOWS,)
    return Row(
        name, f"{same[WINDOWS]}", f"{same[PUBLISHED]}", "",
        "all" if PUBLISHED in bounded else "all of windows",
        all(same[label] == len(cases) for label in bounded),
    )  # fmt: skip


def _distance_rows(likeness: dict[str, Likenesses]) -> Iterator[Row]:
    found = {
        label: np.array([one.distance_db for one in ones.values()])
        for label, ones in likeness.items()
    }
    views: list[tuple[str, Callable[[np.ndarray], float], Bound | None]] = [
        ("mean", lambda values: float(values.mean()), MOST_DISTANCE),
        ("95 % are below", lambda values: float(np.quantile(values, 0.95)), None),
        ("largest", lambda values: float(values.max()), None),
    ]
    for name, view, bound in views:
        ours, theirs = view(found[WINDOWS]), view(found[PUBLISHED])
        yield Row(
            f"log-spectral distance: {name}", f"{ours:.2f} dB", f"{theirs:.2f} dB",
            f"{ours - theirs:+.2f} dB", f"{bound} dB" if bound else "",
            bound.is_met(ours) if bound else None,
        )  # fmt: skip


def _loudness_rows(likeness: dict[str, Likenesses]) -> Iterator[Row]:
    def told(values: Sequence[float]) -> str:
        return " / ".join(f"{value:+.2f}" for value in values) + " dB"

    all_voices = {label: percentiles(ones.values()) for label, ones in likeness.items()}
    met = -MOST_CHANGE_DB <= all_voices[WINDOWS][0] <= all_voices[WINDOWS][2] <= MOST_CHANGE_DB
    yield Row(
        "change of loudness, 5th / 50th / 95th percentile", told(all_voices[WINDOWS]),
        told(all_voices[PUBLISHED]), "", f"-{MOST_CHANGE_DB} to +{MOST_CHANGE_DB} dB", met,
    )  # fmt: skip
    worst = {}
    for label, ones in likeness.items():
        by_voice = _by_voice(ones)
        found = {voice: percentiles(by_voice[voice]) for voice in by_voice}
        voice = max(found, key=lambda name: max(-found[name][0], found[name][2]))
        worst[label] = f"{voice}: {told(found[voice])}"
    yield Row("the same of the voice with the most", worst[WINDOWS], worst[PUBLISHED], "", "", None)


def _jump_rows(cases: Sequence[Case], renderings: Renderings) -> Iterator[Row]:
    switched, faded = {}, {}
    for label in (WINDOWS, WHOLE):
        found = [
            jump_ratios(renderings.samples(label, case), renderings.seams(WINDOWS, case))
            for case in cases
        ]
        switched[label] = np.concatenate([one for one, _ in found])
        faded[label] = np.concatenate([one for _, one in found])
    n_seams = len(faded[WINDOWS])
    if not n_seams:
        raise ChildError("there are no seams: every sentence is too short for windows")
    large = {label: (found > 1).any(axis=1) for label, found in switched.items()}
    ours = int((large[WINDOWS] & ~large[WHOLE]).sum())
    yield Row(
        f"seams of {n_seams} with a large jump where windows are switched",
        f"{large[WINDOWS].sum()}", f"{large[WHOLE].sum()}", f"{ours} of windows alone", "0 alone",
        ours == 0,
    )  # fmt: skip
    yield Row(
        "the largest of these jumps, of what is large", f"{switched[WINDOWS].max():.2f}",
        f"{switched[WHOLE].max():.2f}", "", "", None,
    )  # fmt: skip
    yield Row(
        f"with a large jump anywhere in the fade of {2 * FADE_SAMPLES} samples",
        f"{(faded[WINDOWS] > 1).sum()}", f"{(faded[WHOLE] > 1).sum()}", "", "", None,
    )  # fmt: skip


def _word_row(cases: Sequence[Case], wrong: dict[str, list[int]]) -> Row:
    n_words = sum(len(hearing.words(case.text)) for case in cases)
    differences = [a - b for a, b in zip(wrong[WINDOWS], wrong[WHOLE], strict=True)]
    low, high = resampled_interval(differences, n_words)
    more = 100 * sum(differences) / n_words
    ours, theirs = (f"{sum(wrong[label]) / n_words:.2%}" for label in (WINDOWS, WHOLE))
    return Row(
        f"words of {n_words} heard wrong", ours, theirs,
        f"**{more:+.2f} points** (95 %: {100 * low:+.2f} to {100 * high:+.2f})",
        f"{MOST_WORDS} points", MOST_WORDS.is_met(more),
    )  # fmt: skip


def _voice_table(
    cases: Sequence[Case],
    renderings: Renderings,
    likeness: dict[str, Likenesses],
    wrong: dict[str, list[int]],
) -> str:
    lines = [
        "| voice | audio, s | distance, dB | published: distance, dB | "
        "change of loudness, 5th / 50th / 95th percentile, dB | words wrong, windows / whole |",
        "|---|---|---|---|---|---|",
    ]
    ours, theirs = (_by_voice(likeness[label]) for label in (WINDOWS, PUBLISHED))
    for voice in dict.fromkeys(case.voice for case in cases):
        own = [number for number, case in enumerate(cases) if case.voice == voice]
        samples = sum(renderings.samples(WHOLE, cases[number]).size for number in own)
        distances = (
            f"{mean(one.distance_db for one in ones[voice]):.2f}" if voice in ones else ""
            for ones in (ours, theirs)
        )
        changes = (
            " / ".join(f"{value:+.2f}" for value in percentiles(ours[voice]))
            if voice in ours
            else ""
        )
        words = " / ".join(
            str(sum(wrong[label][number] for number in own)) for label in (WINDOWS, WHOLE)
        )
        lines.append(
            f"| {voice} | {samples / SAMPLE_RATE_HZ:.0f} | {' | '.join(distances)} | {changes} | "
            f"{words} |"
        )
    return "\n".join(lines)


def _by_voice(likenesses: Likenesses) -> dict[str, list[Likeness]]:
    found: dict[str, list[Likeness]] = {}
    for case, one in likenesses.items():
        found.setdefault(case.voice, []).append(one)
    return found


def draw_seams(cases: Sequence[Case], renderings: Renderings) -> str:
    """Return a picture of three seams: where both are most alike, the median, and least alike.

    Seams in pauses are left out, for there is nothing to be seen.

    Raises:
        ChildError: none is left.
    """
    found = []
    for case in cases:
        recordings = [renderings.samples(label, case) for label in (WINDOWS, WHOLE)]
        for seam in renderings.seams(WINDOWS, case):
            seen = [stretch(samples, seam) for samples in recordings]
            full = seen[0].size == seen[1].size == int(SEEN_S * SAMPLE_RATE_HZ)
            if full and running_level(seen[1])[seen[1].size // 2] > LOUD:
                found.append((log_spectral_distance(seen[1], seen[0]), case, seam))
    if not found:
        raise ChildError("no seam is in the middle of sound")
    found.sort(key=lambda one: one[0])
    columns = []
    for name, number in (("most", 0), ("median", len(found) // 2), ("least", -1)):
        distance, case, seam = found[number]
        alike = f"{name}: " if name == "median" else f"{name} alike: "
        columns.append(
            Column(
                f"{alike}{case.voice}, {seam / SAMPLE_RATE_HZ:.2f} s, {distance:.1f} dB apart",
                [stretch(renderings.samples(label, case), seam) for label in (WINDOWS, WHOLE)],
                SEEN_S / 2,
            )
        )
    title = f"A second around three of {len(found)} seams that are in sound, not in pauses"
    return spectrograms(title, (WINDOWS, WHOLE), columns)


def stretch(samples: np.ndarray, seam: int) -> np.ndarray:
    """Return the second around a seam, or as much of it as there is."""
    half = int(SEEN_S * SAMPLE_RATE_HZ) // 2
    return samples[max(0, seam - half) : seam + half]


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _voices() -> VoiceLibrary:
    return load_voices(Settings())
