"""The most memory that the server ever holds, whatever it is asked for.

    python -m bench.peak [requests] [length] [--side native] [--side stock] [--repeats 2] [--write]

Requests: a fresh server is asked for one thing after another, and what it has held at most (VmHWM)
is taken after each: a paragraph by the usual voice; a text without a stop; cries, each with a pause
after it; a paragraph by the slowest voice, at usual and at half speed; phonemes that are long drawn
vowels; 5,000 characters; four paragraphs at once by four voices; and Japanese, whose dictionary is
only then loaded. A whole answer is in memory until it is sent, 48 kB for each second. It must stay
at or under 400 MB (million bytes) with the native operators.

Length: a server of a side that has windows streams one text and ends; the next one streams another.
One text is said in five seconds, one in a minute and has no marks. Decoded in windows, what the two
servers have held at most must be within 5 % of each other, and at or under 350 MB; decoded whole
stands beside it.

Six minutes for the requests of the native side, two for its lengths.
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
"""The greater of the two lengths' peaks against the lesser, at most."""

SLOWEST = "af_nicole"
ENDLESS = (
    "and then the old man who had come down to the river that morning saw how the boat went past "
    "without a sound while everybody on the hill watched and nobody knew what to say about it "
) * 6
ASKED: dict[str, list[dict[str, Any]]] = {
    "a paragraph": [{"text": speech.PARAGRAPH}],
    "a text without a stop": [{"text": ENDLESS}],
    "cries": [{"text": "Yes! No! " * 60, "voice": SLOWEST}],
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
    """What a fresh server has held at most for one text.

    Attributes:
        audio_s: length of the audio.
        ready_mb: held at most when it was ready, in million bytes.
        peak_mb: likewise when it had streamed.
    """

    audio_s: float
    ready_mb: float
    peak_mb: float


Streams = dict[tuple[str, str], list[Streamed]]
"""By the decoding and the length of the text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if there was more than there may be, 2 after a failure."""
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
        report, met = tell_lengths(measure_lengths(side, repeats))
        yield Section(
            f"peak memory: length, {side.label}", paragraph(__doc__, "length"), report, met
        )


MEASUREMENTS: dict[str, Callable[[Sequence[Side], int], Iterator[Section]]] = {
    "requests": _sections_of_requests,
    "length": _sections_of_length,
}


def compare(sides: Sequence[Side], repeats: int) -> tuple[str, bool]:
    """Return the table of peaks, and whether the bounded side is within its bound.

    Raises:
        ChildError: a server ended, or refused something.
    """
    found = {side.label: [peaks(side) for _ in range(repeats)] for side in sides}
    lines = [
        f"| MB held at most, after | {' | '.join(found)} |",
        f"|---|{'---|' * len(found)}",
    ]
    for number, name in enumerate(("being ready", *ASKED)):
        cells = [_spread([run[number] for run in runs]) for runs in found.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    met = all(max(run) <= BOUND_MB for run in found.get(BOUNDED, []))
    if BOUNDED in found:
        lines += ["", f"{BOUNDED}: at most {BOUND_MB:g} MB: {verdict(met)}."]
    return "\n".join(lines), met


def peaks(side: Side) -> list[float]:
    """Return the MB that a server has held at most: when it was ready, and after each request.

    Raises:
        ChildError: it ended, or refused something.
    """
    with side.server() as (process, port), ThreadPoolExecutor() as pool:

        def ask(body: dict[str, Any]) -> int:
            whole = {"format": "pcm", **body}
            return request(port, "POST", "/synthesize", whole, timeout_s=TIMEOUT_S)

        found = [_held_mb(process.pid)]
        for name, bodies in ASKED.items():
            statuses = list(pool.map(ask, bodies))
            if set(statuses) != {200}:
                raise ChildError(f"{side.label} answered {statuses} to {name}")
            found.append(_held_mb(process.pid))
        return found


def measure_lengths(side: Side, repeats: int) -> Streams:
    """Stream texts of two lengths, each decoding of each by a fresh server.

    Raises:
        ChildError: a server did not get ready, or has no windows.
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
        ChildError: it did not get ready, or refused.
    """
    with side.server() as (process, port):
        ready_mb = _held_mb(process.pid)
        body = {"text": text, "stream": True, "decoding": decoding}
        (heard,) = listen_to(OURS, port, [body])
        return Streamed(heard.audio_s, ready_mb, _held_mb(process.pid))


def tell_lengths(found: Streams) -> tuple[str, bool]:
    """Return the table, and whether windows hold as much for each length, and no more than may be.

    Each decoding is held to its first length.
    """
    lines = [
        "| decoding | text | audio, s | MB held at most, ready | after | against the first |",
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
