"""Time to first audio, and interruptions of playback, over HTTP.

    python -m bench.first_audio [sides] [windows] [--side published] [--side service]
                                [--repeats N] [--write]

Sides: `POST /synthesize` streams a short text of 15 characters, a sentence of 99 and a paragraph of
600 as raw samples, to one client alone and to four that send their requests at the same time. The
servers of all sides run all the time and take turns, round by round. First audio is the time from
the request to the first bytes of audio. A player that starts at the first bytes and plays in real
time runs dry when it has no audio left in the middle of a text; the table shows the longest such
gap. With one client no gap may exceed 5 ms, which is inaudible. With four clients, gaps depend on
whether the machine synthesizes four times faster than real time.

Windows: a server of each side that has windows streams texts of seven kinds, each decoded in
windows and whole, in turns; see `bench.kinds`. Four clients that send their requests at the same
time request four different texts of a kind. First audio and gaps are measured as for the sides. The
least reserve is the least audio that a player had left when more arrived. For each kind and one
client, the median first audio in windows must be at most 0.35 s, and the player must never run dry;
for four clients, the median must be at most four times that. The bounds are for two idle cores.

The defaults take 30 minutes if the published model is one of the sides, and 6 without it. The
windows of a side take 15 more.
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
"""Answers for each length and number of clients; four clients need a quarter of the rounds."""

ROUNDS = 3
"""Answers to each text of a kind, for each decoding and number of clients."""

AUDIBLE_S = 0.005
SOON_S = {n_clients: 0.35 * n_clients for n_clients in CLIENTS}
"""Bound of the median first audio, decoded in windows, by number of clients."""

Found = dict[tuple[str, str, int], list[Heard]]
"""By side or decoding, text or kind, and number of clients."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
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
    report, met = table_of_sides(sides, measure(sides, repeats))
    yield Section("first audio", paragraph(__doc__, "sides"), report, met)


def _sections_of_windows(sides: Sequence[Side], repeats: int | None) -> Iterator[Section]:
    for side in sides_with_windows(sides):
        report, met = table_of_windows(measure_windows(side, kinds(), repeats or ROUNDS))
        about = paragraph(__doc__, "windows")
        yield Section(f"first audio: windows, {side.label}", about, report, met)


MEASUREMENTS: dict[str, Callable[[Sequence[Side], int | None], Iterator[Section]]] = {
    "sides": _sections_of_sides,
    "windows": _sections_of_windows,
}


def measure(sides: Sequence[Side], repeats: int | None) -> Found:
    """Stream from all sides in turns.

    Raises:
        ChildError: a server did not become ready, or refused a request.
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
    """Stream from a side, decoded in windows and whole in turns.

    Args:
        side: the side whose server runs.
        texts: by kind, as `kinds` returns them.
        rounds: how often each text is requested.

    Raises:
        ChildError: the server did not become ready, or has no windows.
    """
    found: Found = {}
    with side.server() as (_, port):

        def listen(bodies: Sequence[Body], decoding: str, n_clients: int) -> list[Heard]:
            asked = [{**body, "stream": True, "decoding": decoding} for body in bodies]
            return streams.listen_to(streams.OURS, port, asked, n_clients=n_clients)

        warming = [*texts[FOREIGN], *(bodies[0] for bodies in texts.values())]
        for decoding in DECODINGS:  # loads the G2P of all languages, and grows arenas
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


def table_of_sides(sides: Sequence[Side], found: Found) -> tuple[str, bool]:
    """Return the table, and whether no single client of a prepared model ran dry."""
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


def table_of_windows(found: Found) -> tuple[str, bool]:
    """Return the table, and whether windows meet the bounds of first audio and gaps."""
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
