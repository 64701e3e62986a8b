"""Tables that compare the sound of windows with that of whole decoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import mean

import numpy as np

from bench import hearing
from bench.likeness import Likeness, jump_ratios, percentiles
from bench.processes import ChildError
from bench.quality import listener, resampled_interval
from bench.renderings import Case, Renderings
from bench.report import Bound, Row, note, table
from bench.windows.ways import PUBLISHED, WHOLE, WINDOWS
from service.model.kokoro import SAMPLE_RATE_HZ
from service.model.prepared import Variant
from service.speech.windows import FADE_SAMPLES

ROUNDED: tuple[Variant, ...] = ("native", "stock")
"""Sides that round as the published model does, and so must have its durations."""
MOST_DISTANCE = Bound(5.3)
MOST_CHANGE_DB = 1.2
MOST_WORDS = Bound(0.5)
"""In percentage points."""
Likenesses = dict[Case, Likeness]


def compare(side: Variant, cases: Sequence[Case], renderings: Renderings) -> tuple[str, bool]:
    """Return the tables of a side, and whether every bound is met.

    Raises:
        OutOfTimeError: the deadline passed before all words were recognized.
        ChildError: no two recordings are of the same length, or all are silent.
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


def _likeness(label: str, cases: Sequence[Case], renderings: Renderings) -> Likenesses:
    """Return the likeness of each rendering that is as long as the whole one."""
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
            note(f"{label}: other durations: {case.voice}: {case.text}")
        same[label] = len(cases) - len(others)
    seconds = [renderings.samples(WHOLE, case).size / SAMPLE_RATE_HZ for case in cases]
    spread = f"{min(seconds):.1f} to {max(seconds):.1f} s"
    name = f"equal durations, {len(cases)} texts of {spread}"
    bounded = (WINDOWS, PUBLISHED) if side in ROUNDED else (WINDOWS,)
    return Row(
        name, f"{same[WINDOWS]}", f"{same[PUBLISHED]}", "",
        "all" if PUBLISHED in bounded else "all in windows",
        all(same[label] == len(cases) for label in bounded),
    )  # fmt: skip


def _distance_rows(likeness: dict[str, Likenesses]) -> Iterator[Row]:
    found = {
        label: np.array([one.distance_db for one in ones.values()])
        for label, ones in likeness.items()
    }
    views: list[tuple[str, Callable[[np.ndarray], float], Bound | None]] = [
        ("mean", lambda values: float(values.mean()), MOST_DISTANCE),
        ("95th percentile", lambda values: float(np.quantile(values, 0.95)), None),
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
    def in_db(values: Sequence[float]) -> str:
        return " / ".join(f"{value:+.2f}" for value in values) + " dB"

    all_voices = {label: percentiles(ones.values()) for label, ones in likeness.items()}
    met = -MOST_CHANGE_DB <= all_voices[WINDOWS][0] <= all_voices[WINDOWS][2] <= MOST_CHANGE_DB
    yield Row(
        "change of loudness, 5th / 50th / 95th percentile", in_db(all_voices[WINDOWS]),
        in_db(all_voices[PUBLISHED]), "", f"-{MOST_CHANGE_DB} to +{MOST_CHANGE_DB} dB", met,
    )  # fmt: skip
    worst = {}
    for label, ones in likeness.items():
        by_voice = _by_voice(ones)
        found = {voice: percentiles(by_voice[voice]) for voice in by_voice}
        voice = max(found, key=lambda name: max(-found[name][0], found[name][2]))
        worst[label] = f"{voice}: {in_db(found[voice])}"
    yield Row(
        "the same, for the voice with the largest change",
        worst[WINDOWS],
        worst[PUBLISHED],
        "",
        "",
        None,
    )


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
        raise ChildError("there are no seams: every text is too short for windows")
    large = {label: (found > 1).any(axis=1) for label, found in switched.items()}
    ours = int((large[WINDOWS] & ~large[WHOLE]).sum())
    yield Row(
        f"seams, of {n_seams}, with a large jump where windows are switched",
        f"{large[WINDOWS].sum()}", f"{large[WHOLE].sum()}", f"{ours} in windows alone", "0 alone",
        ours == 0,
    )  # fmt: skip
    yield Row(
        "the largest of these jumps, relative to what is large", f"{switched[WINDOWS].max():.2f}",
        f"{switched[WHOLE].max():.2f}", "", "", None,
    )  # fmt: skip
    yield Row(
        f"seams with a large jump anywhere in the fade of {2 * FADE_SAMPLES} samples",
        f"{(faded[WINDOWS] > 1).sum()}", f"{(faded[WHOLE] > 1).sum()}", "", "", None,
    )  # fmt: skip


def _word_row(cases: Sequence[Case], wrong: dict[str, list[int]]) -> Row:
    n_words = sum(len(hearing.words(case.text)) for case in cases)
    differences = [a - b for a, b in zip(wrong[WINDOWS], wrong[WHOLE], strict=True)]
    low, high = resampled_interval(differences, n_words)
    more = 100 * sum(differences) / n_words
    ours, theirs = (f"{sum(wrong[label]) / n_words:.2%}" for label in (WINDOWS, WHOLE))
    return Row(
        f"misheard words, of {n_words}", ours, theirs,
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
        "change of loudness, 5th / 50th / 95th percentile, dB | words misheard, windows / whole |",
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
