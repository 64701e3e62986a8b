"""The most memory that the server ever holds, whatever it is asked for.

    python -m bench.peak [--side native] [--side stock] [--repeats 2] [--write]

A fresh server is asked for one thing after another, and what it has held at most (VmHWM) is taken
after each: a paragraph by the usual voice; a text without a stop; cries, each with a pause after
it; a paragraph by the slowest voice, at usual and at half speed; phonemes that are long drawn
vowels; 5,000 characters; four paragraphs at once by four voices; and Japanese, whose dictionary is
only then loaded. A whole answer is in memory until it is sent, 48 kB for each second. It must stay
at or under 400 MB (million bytes) with the native operators. Six minutes for the native side.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from bench import speech
from bench.command import Section, command_line, publish
from bench.processes import ChildError, request
from bench.procfs import mebibytes
from bench.sides import Side, add_sides, chosen_sides

REPEATS = 2
TIMEOUT_S = 600.0
BOUND_MB = 400.0
BOUNDED = "native"

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if there was more than there may be, 2 after a failure."""
    parser = command_line("bench.peak", __doc__, "servers of each side")
    add_sides(parser, ["native", "stock"])
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    sides = chosen_sides(options)
    report, met = compare(sides, options.repeats or REPEATS)
    yield Section("peak memory", __doc__ or "", report, met)


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
        lines += ["", f"{BOUNDED}: at most {BOUND_MB:g} MB: {'yes' if met else '**no**'}."]
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


def _held_mb(pid: int) -> float:
    return mebibytes("VmHWM", pid) * 2**20 / 1e6


def _spread(values: Sequence[float]) -> str:
    return f"{median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


if __name__ == "__main__":
    sys.exit(main())
