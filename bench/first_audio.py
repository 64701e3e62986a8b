"""When sound starts, and whether it ever breaks off: texts of three lengths, over HTTP.

    python -m bench.first_audio [--side published] [--side service] [--repeats 20] [--write]

A short text of 15 characters, a sentence of 99 and a paragraph of 600 are streamed as raw samples
by `POST /synthesize`, by one client alone and by four who ask at the same moment. All sides'
servers are up all the time and take turns, round by round. Seconds are those from asking to the
first bytes of audio. Dry is the longest time that a player would have waited for more in the middle
of a text, if it had started with the first bytes and played at the speed of life; with one client
it must not happen (beyond 5 ms, which no ear notices), with four it depends on whether the machine
speaks four times as fast as people do.

The defaults take 30 minutes where the published model is one of the sides, 6 without it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from bench import speech, streams
from bench.command import Section, command_line, publish
from bench.load import quantile
from bench.sides import Side, add_sides, chosen_sides
from bench.streams import Heard

TEXTS = {"short": speech.SHORT, "sentence": speech.MEDIUM, "paragraph": speech.PARAGRAPH}
CLIENTS = (1, 4)
REPEATS = {"short": 20, "sentence": 20, "paragraph": 8}
"""Answers of each length and number of clients; four clients need a quarter of the rounds."""

AUDIBLE_S = 0.005

_SETTLE_S = 0.3

Found = dict[tuple[str, str, int], list[Heard]]
"""By the label of the side, the name of the text, and the number of clients."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a player ran dry that was alone, 2 after a failure."""
    parser = command_line("bench.first_audio", __doc__, "answers of each length and side")
    add_sides(parser, ["published", "service"])
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    sides = chosen_sides(options)
    report, met = tell(sides, measure(sides, options.repeats))
    yield Section("first audio", __doc__ or "", report, met)


def measure(sides: Sequence[Side], repeats: int | None) -> Found:
    """Listen to all sides in turns.

    Raises:
        ChildError: a server did not get ready.
    """
    found: Found = {}
    with ExitStack() as stack:
        ports = [stack.enter_context(side.server())[1] for side in sides]
        pairs = list(zip(sides, ports, strict=True))
        for _, port in pairs:
            streams.listen(streams.OURS, port, list(TEXTS.values()), stream=True)  # warm-up
        for name, text in TEXTS.items():
            n_rounds = repeats or REPEATS[name]
            for n_clients in CLIENTS:
                print(f"{name}, {n_clients} clients", file=sys.stderr, flush=True)
                for number in range(max(1, n_rounds // n_clients)):
                    for side, port in pairs if number % 2 else reversed(pairs):
                        time.sleep(_SETTLE_S)
                        heard = streams.listen(
                            streams.OURS, port, [text] * n_clients, stream=True, n_clients=n_clients
                        )
                        found.setdefault((side.label, name, n_clients), []).extend(heard)
    return found


def tell(sides: Sequence[Side], found: Found) -> tuple[str, bool]:
    """Return the table, and whether no player that was alone ran dry, but of the published side."""
    lines = [
        "| text | clients | side | first audio: p50 / p95, s | against the first side | "
        "whole: p50, s | audio, s | times dry | longest dry, s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    met = True
    for (label, name, n_clients), heard in sorted(
        found.items(), key=lambda item: (list(TEXTS).index(item[0][1]), item[0][2])
    ):
        first = [answer.first_s for answer in heard]
        reference = [answer.first_s for answer in found[sides[0].label, name, n_clients]]
        n_dry = sum(answer.gap_s > AUDIBLE_S for answer in heard)
        if n_clients == 1 and label != "published":
            met &= n_dry == 0
        times = quantile(reference, 0.5) / quantile(first, 0.5)
        lines.append(
            f"| {name} | {n_clients} | {label} | {quantile(first, 0.5):.2f} / "
            f"{quantile(first, 0.95):.2f} | {times:.2f} times sooner | "
            f"{quantile([answer.whole_s for answer in heard], 0.5):.2f} | {heard[0].audio_s:.1f} | "
            f"{n_dry} of {len(heard)} | {max(answer.gap_s for answer in heard):.2f} |"
        )
    return "\n".join(lines), met


if __name__ == "__main__":
    sys.exit(main())
