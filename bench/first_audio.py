"""When sound starts, and whether it ever breaks off, over HTTP.

    python -m bench.first_audio [sides] [windows] [--side published] [--side service]
                                [--repeats N] [--write]

Sides: a short text of 15 characters, a sentence of 99 and a paragraph of 600 are streamed as raw
samples by `POST /synthesize`, by one client alone and by four who ask at the same moment. All
sides' servers are up all the time and take turns, round by round. Seconds are those from asking to
the first bytes of audio. Dry is the longest time that a player would have waited for more in the
middle of a text, if it had started with the first bytes and played at the speed of life; with one
client it must not happen (beyond 5 ms, which no ear notices), with four it depends on whether the
machine speaks four times as fast as people do.

Windows: a server of each side that has windows streams texts of seven kinds, each decoded in
windows and whole, in turns; see `bench.kinds`. Four clients who ask at the same moment ask for four
different texts of a kind. Seconds and dry are as above; the least reserve is the audio that a
player still had when more came, at the worst moment of all. For each kind, windows must start
within 0.35 s at p50 for one client, and never leave it dry; within four times that for four. The
bounds are for two cores with nothing else to do.

The defaults take 30 minutes where the published model is one of the sides, 6 without it, and 15
more for the windows of a side.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from bench import speech, streams
from bench.command import Section, add_names, command_line, paragraph, publish
from bench.decoding import DECODINGS, sides_with_windows
from bench.kinds import FOREIGN, Body, kinds
from bench.report import note, quantile, verdict
from bench.sides import Side, add_sides, chosen_sides
from bench.streams import Heard

TEXTS = {"short": speech.SHORT, "sentence": speech.MEDIUM, "paragraph": speech.PARAGRAPH}
CLIENTS = (1, 4)
REPEATS = {"short": 20, "sentence": 20, "paragraph": 8}
"""Answers of each length and number of clients; four clients need a quarter of the rounds."""

ROUNDS = 3
"""Answers to each text of a kind, by each decoding and number of clients."""

AUDIBLE_S = 0.005
SOON_S = {n_clients: 0.35 * n_clients for n_clients in CLIENTS}
"""To the first audio at p50, decoded in windows."""

Found = dict[tuple[str, str, int], list[Heard]]
"""By the label of the side or the decoding, the text or the kind, and the number of clients."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a bound is missed, 2 after a failure."""
    parser = command_line("bench.first_audio", __doc__, "answers to each text")
    add_names(parser, "NAME", MEASUREMENTS)
    add_sides(parser, ["published", "service"])
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    sides = chosen_sides(options)
    for name in options.names:
        yield from MEASUREMENTS[name](sides, options.repeats)


def _sections_of_sides(sides: Sequence[Side], repeats: int | None) -> Iterator[Section]:
    report, met = tell(sides, measure(sides, repeats))
    yield Section("first audio", paragraph(__doc__, "sides"), report, met)


def _sections_of_windows(sides: Sequence[Side], repeats: int | None) -> Iterator[Section]:
    for side in sides_with_windows(sides):
        report, met = tell_windows(measure_windows(side, kinds(), repeats or ROUNDS))
        about = paragraph(__doc__, "windows")
        yield Section(f"first audio: windows, {side.label}", about, report, met)


MEASUREMENTS: dict[str, Callable[[Sequence[Side], int | None], Iterator[Section]]] = {
    "sides": _sections_of_sides,
    "windows": _sections_of_windows,
}


def measure(sides: Sequence[Side], repeats: int | None) -> Found:
    """Listen to all sides in turns.

    Raises:
        ChildError: a server did not get ready, or refused something.
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
                note(f"{name}, {n_clients} clients")
                for number in range(max(1, n_rounds // n_clients)):
                    for side, port in pairs if number % 2 else reversed(pairs):
                        time.sleep(streams.SETTLE_S)
                        heard = streams.listen(
                            streams.OURS, port, [text] * n_clients, stream=True, n_clients=n_clients
                        )
                        found.setdefault((side.label, name, n_clients), []).extend(heard)
    return found


def measure_windows(side: Side, texts: Mapping[str, Sequence[Body]], rounds: int) -> Found:
    """Listen to a side, decoded in windows and whole in turns.

    Args:
        side: whose server it is.
        texts: of each kind, as `kinds` returns them.
        rounds: how often each text is asked for.

    Raises:
        ChildError: the server did not get ready, or has no windows.
    """
    found: Found = {}
    with side.server() as (_, port):

        def listen(bodies: Sequence[Body], decoding: str, n_clients: int) -> list[Heard]:
            asked = [{**body, "stream": True, "decoding": decoding} for body in bodies]
            return streams.listen_to(streams.OURS, port, asked, n_clients=n_clients)

        warming = [*texts[FOREIGN], *(bodies[0] for bodies in texts.values())]
        for decoding in DECODINGS:  # all readers are loaded then, and arenas grown
            listen(warming, decoding, 1)
        for kind, bodies in texts.items():
            for n_clients in CLIENTS:
                note(f"{side.label}: {kind}, {n_clients} clients")
                groups = [bodies[at : at + n_clients] for at in range(0, len(bodies), n_clients)]
                for number, group in enumerate(groups * rounds):
                    for decoding in DECODINGS if number % 2 else reversed(DECODINGS):
                        time.sleep(streams.SETTLE_S)
                        heard = listen(group, decoding, n_clients)
                        found.setdefault((decoding, kind, n_clients), []).extend(heard)
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


def tell_windows(found: Found) -> tuple[str, bool]:
    """Return the table, and whether windows start as soon as they must and leave nobody dry."""
    lines = [
        "| texts | clients | decoding | first audio: p50 / p95, s | longest audio, s | times dry | "
        "longest dry, s | least reserve, s | met? |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    all_met = True
    for (decoding, kind, n_clients), heard in found.items():
        first = [answer.first_s for answer in heard]
        gap_s = max(answer.gap_s for answer in heard)
        reserve_s = min(answer.reserve_s for answer in heard)
        met_cell = ""
        if decoding == "windows":
            met = quantile(first, 0.5) <= SOON_S[n_clients] and (n_clients > 1 or gap_s == 0)
            all_met &= met
            met_cell = verdict(met)
        lines.append(
            f"| {kind} | {n_clients} | {decoding} | {quantile(first, 0.5):.3f} / "
            f"{quantile(first, 0.95):.3f} | {max(answer.audio_s for answer in heard):.1f} | "
            f"{sum(answer.gap_s > 0 for answer in heard)} of {len(heard)} | {gap_s:.3f} | "
            f"{'all at once' if math.isinf(reserve_s) else f'{reserve_s:.2f}'} | {met_cell} |"
        )
    return "\n".join(lines), all_met


if __name__ == "__main__":
    sys.exit(main())
