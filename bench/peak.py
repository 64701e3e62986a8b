"""Peak memory of the server, whatever clients request.

    python -m bench.peak [requests] [length] [--side native] [--side stock] [--repeats 2] [--write]

Requests: a fresh server gets one request after another, and its peak memory (VmHWM) is taken after
each: a paragraph by the default voice; a text without punctuation; exclamations with a pause after
each; a paragraph by the slowest voice, at normal and at half speed; phonemes that are long vowels;
5,000 characters; four paragraphs at once by four voices; and Japanese, whose dictionary is loaded
only then. A whole answer is in memory until it is sent, 48 kB for each second. With the native
operators, the peak must be at most 400 MB (million bytes).

Length: for a side that has windows, a fresh server streams one text and ends. One text takes five
seconds to say. The other takes a minute and has no punctuation. Decoded in windows, the two peaks
must be within 5 % of each other, and at most 350 MB. Whole decoding has no bound.

The requests of the native side take six minutes, and its lengths two.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench import speech
from bench.command import Section, add_names, command_line, paragraph, publish
from bench.decoding import DECODINGS, sides_with_windows
from bench.kinds import minute
from bench.processes import ChildError, request
from bench.procfs import mebibytes
from bench.report import verdict
from bench.sides import Side, add_sides, chosen_sides
from bench.streams import OURS, listen_to

REPEATS = 2
TIMEOUT_S = 600.0
BOUND_MB = 400.0
BOUNDED = "native"
BOUND_IN_WINDOWS_MB = 350.0
LIKE_EACH_OTHER = 1.05
"""Largest ratio of the two lengths' peaks."""

SLOWEST = "af_nicole"
ENDLESS = (
    "and then the old man who had come down to the river that morning saw how the boat went past "
    "without a sound while everybody on the hill watched and nobody knew what to say about it "
) * 6
REQUESTS: dict[str, list[dict[str, Any]]] = {
    "a paragraph": [{"text": speech.PARAGRAPH}],
    "a text without punctuation": [{"text": ENDLESS}],
    "exclamations": [{"text": "Yes! No! " * 60, "voice": SLOWEST}],
    "the slowest voice": [{"text": speech.PARAGRAPH, "voice": SLOWEST}],
    "the same at half speed": [{"text": speech.PARAGRAPH, "voice": SLOWEST, "speed": 0.5}],
    "long vowels": [{"phonemes": "ɑːˈɔː " * 80, "voice": SLOWEST}],
    "5,000 characters": [{"text": f"{speech.PARAGRAPH} " * 8}],
    "four at once": [
        {"text": speech.PARAGRAPH, "voice": voice, "language": "en-us"}
        for voice in ("af_heart", SLOWEST, "jf_nezumi", "bm_lewis")
    ],
    "Japanese": [{"text": "今日はとてもいい天気ですね。" * 20, "voice": "jf_nezumi"}],
}


@dataclass(frozen=True)
class Streamed:
    """Peak memory of a fresh server that streamed one text.

    Attributes:
        audio_s: length of the audio.
        ready_mb: the peak when it was ready, in million bytes.
        peak_mb: the peak after the stream.
    """

    audio_s: float
    ready_mb: float
    peak_mb: float


Streams = dict[tuple[str, str], list[Streamed]]
"""By decoding and length of the text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench.peak", __doc__, "servers of each side")
    add_names(parser, "NAME", MEASUREMENTS)
    add_sides(parser, ["native", "stock"])
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    sides = chosen_sides(options)
    for name in options.names:
        yield from MEASUREMENTS[name](sides, options.repeats or REPEATS)


def _sections_of_requests(sides: Sequence[Side], repeats: int) -> Iterator[Section]:
    report, met = compare(sides, repeats)
    yield Section("peak memory", paragraph(__doc__, "requests"), report, met)


def _sections_of_length(sides: Sequence[Side], repeats: int) -> Iterator[Section]:
    for side in sides_with_windows(sides):
        report, met = table_of_lengths(measure_lengths(side, repeats))
        yield Section(
            f"peak memory: length, {side.label}", paragraph(__doc__, "length"), report, met
        )


MEASUREMENTS: dict[str, Callable[[Sequence[Side], int], Iterator[Section]]] = {
    "requests": _sections_of_requests,
    "length": _sections_of_length,
}


def compare(sides: Sequence[Side], repeats: int) -> tuple[str, bool]:
    """Return the table of peaks, and whether the bound is met.

    Raises:
        ChildError: a server ended, or refused a request.
    """
    found = {side.label: [peaks(side) for _ in range(repeats)] for side in sides}
    lines = [
        f"| peak, MB, after | {' | '.join(found)} |",
        f"|---|{'---|' * len(found)}",
    ]
    for number, name in enumerate(("start", *REQUESTS)):
        cells = [_spread([run[number] for run in runs]) for runs in found.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    met = all(max(run) <= BOUND_MB for run in found.get(BOUNDED, []))
    if BOUNDED in found:
        lines += ["", f"{BOUNDED}: at most {BOUND_MB:g} MB: {verdict(met)}."]
    return "\n".join(lines), met


def peaks(side: Side) -> list[float]:
    """Return the peak of a server in MB: when it was ready, and after each request.

    Raises:
        ChildError: it ended, or refused a request.
    """
    with side.server() as (process, port), ThreadPoolExecutor() as pool:

        def ask(body: dict[str, Any]) -> int:
            whole = {"format": "pcm", **body}
            return request(port, "POST", "/synthesize", whole, timeout_s=TIMEOUT_S)

        found = [_held_mb(process.pid)]
        for name, bodies in REQUESTS.items():
            statuses = list(pool.map(ask, bodies))
            if set(statuses) != {200}:
                raise ChildError(f"{side.label} answered {statuses} to {name}")
            found.append(_held_mb(process.pid))
        return found


def measure_lengths(side: Side, repeats: int) -> Streams:
    """Stream texts of two lengths, each in both decodings, from a fresh server each time.

    Raises:
        ChildError: a server did not become ready, or has no windows.
    """
    texts = {"five seconds": speech.MEDIUM, "a minute": minute()}
    found: Streams = {(decoding, length): [] for decoding in DECODINGS for length in texts}
    for _ in range(repeats):
        for length, text in texts.items():
            for decoding in DECODINGS:
                found[decoding, length].append(stream(side, decoding, text))
    return found


def stream(side: Side, decoding: str, text: str) -> Streamed:
    """Have a fresh server stream one text.

    Raises:
        ChildError: it did not become ready, or refused.
    """
    with side.server() as (process, port):
        ready_mb = _held_mb(process.pid)
        body = {"text": text, "stream": True, "decoding": decoding}
        (heard,) = listen_to(OURS, port, [body])
        return Streamed(heard.audio_s, ready_mb, _held_mb(process.pid))


def table_of_lengths(found: Streams) -> tuple[str, bool]:
    """Return the table, and whether windows meet both bounds.

    The last column compares a length with the first one of the same decoding.
    """
    lines = [
        "| decoding | text | audio, s | peak, MB, ready | after | against the first |",
        "|---|---|---|---|---|---|",
    ]
    of_decoding: dict[str, list[float]] = {}
    for (decoding, length), runs in found.items():
        medians = of_decoding.setdefault(decoding, [])
        medians.append(median(run.peak_mb for run in runs))
        lines.append(
            f"| {decoding} | {length} | {runs[0].audio_s:.1f} | "
            f"{_spread([run.ready_mb for run in runs])} | "
            f"{_spread([run.peak_mb for run in runs])} | {medians[-1] / medians[0]:.3f} |"
        )
    windows = of_decoding["windows"]
    alike = max(windows) <= LIKE_EACH_OTHER * min(windows)
    most_mb = max(
        run.peak_mb
        for (decoding, _), runs in found.items()
        if decoding == "windows"
        for run in runs
    )
    few = most_mb <= BOUND_IN_WINDOWS_MB
    lines += [
        "",
        f"windows: within {LIKE_EACH_OTHER - 1:.0%} of each other: {verdict(alike)}; "
        f"at most {BOUND_IN_WINDOWS_MB:g} MB: {verdict(few)}.",
    ]
    return "\n".join(lines), alike and few


def _held_mb(pid: int) -> float:
    return mebibytes("VmHWM", pid) * 2**20 / 1e6


def _spread(values: Sequence[float]) -> str:
    return f"{median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


if __name__ == "__main__":
    sys.exit(main())
