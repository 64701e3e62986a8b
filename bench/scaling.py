"""How a side scales with the length of a text, with threads, and with clients.

    python -m bench.scaling [length] [threads] [clients] [workers] [--side published]
                            [--side service] [--repeats N] [--write]

Length: phonemes of 10 to 500 tokens, in mixed order, with one process for each side. Time must grow
linearly with the audio. A line is fitted with the least squared relative errors. The table shows
its slope (seconds per second of audio), its intercept, and the largest deviation from it, overall
and from 150 tokens on.

Threads: 96 tokens with 1 thread up to one for each core, each in a process of its own.

Clients: 1, 2, 4 and 8 clients send requests to a server without a break: the short texts of
`bench.load` in all its formats, whole and streamed. The table shows seconds of audio per second,
CPU seconds of the server per second of audio, and its memory: resident (VmRSS), the same with pages
that are mapped several times counted once (Pss), and the peak so far (VmHWM). The servers of the
sides take turns.

Workers: the same requests by 8 clients, to servers with 1, 2, 4 ... workers, up to one for each
core. The workers of a server share its threads, and map the same file of weights.

If the published model is one of the sides, length takes 12 minutes, threads 3, clients 8 and
workers 4. Without it they take a quarter of that.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

import numpy as np

from bench import speech
from bench.command import Section, add_names, command_line, paragraph, publish
from bench.load.clients import run_all
from bench.load.speech_requests import SHORT, SpeechRequest
from bench.processes import THREADS
from bench.procfs import cpu_s, mebibytes
from bench.report import verdict
from bench.sides import Side, Spoken, add_sides, chosen_sides, speaker
from bench.streams import BYTES_PER_S

LENGTHS = (10, 20, 40, 70, 100, 150, 200, 260, 320, 380, 440, 500)
CLIENTS = (1, 2, 4, 8)
MANY = 8
"""Clients that keep all workers busy."""

REPEATS = {"length": 3, "threads": 5, "clients": 3, "workers": 5}
STRAIGHT = 0.15
"""Largest relative deviation from the line that counts as linear."""

_LONG = 150
"""Number of tokens from which a text counts as long."""


@dataclass(frozen=True)
class Line:
    """Seconds of a run by seconds of audio: `start_s + slope * audio_s`."""

    start_s: float
    slope: float

    def deviation(self, audio_s: float, seconds: float) -> float:
        """Return the relative deviation of a measurement from the line."""
        return seconds / (self.start_s + self.slope * audio_s) - 1


def fit(points: Sequence[tuple[float, float]]) -> Line:
    """Fit a line to pairs of audio and compute seconds, by least squares of relative errors."""
    audio_s, seconds = np.array(points).T
    # np.polyfit weighs the residuals before it squares them.
    slope, start_s = np.polyfit(audio_s, seconds, 1, w=1 / seconds)
    return Line(float(start_s), float(slope))


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if time does not grow linearly, 2 for a failure."""
    parser = command_line("bench.scaling", __doc__, "rounds of each measurement")
    add_names(parser, "NAME", MEASUREMENTS)
    add_sides(parser, ["published", "service"])
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    sides = chosen_sides(options)
    for name in options.names:
        lines, met = MEASUREMENTS[name](sides, options.repeats or REPEATS[name])
        yield Section(f"scaling: {name}", paragraph(__doc__, name), "\n".join(lines), met)


def measure_length(sides: Sequence[Side], repeats: int) -> tuple[list[str], bool]:
    """Return the table of times by length, and whether all but the published are straight."""
    found: dict[tuple[str, int], list[Spoken]] = {}
    with ExitStack() as stack:
        speakers = [(side, stack.enter_context(speaker(side))) for side in sides]
        for number in range(repeats + 1):
            lengths = random.Random(number).sample(LENGTHS, len(LENGTHS))
            for n_tokens in lengths:
                phonemes = speech.phonemes(n_tokens)
                for side, found_speaker in speakers:
                    said = found_speaker.say(phonemes)
                    if number:  # the first round warms up
                        found.setdefault((side.label, n_tokens), []).append(said)
    lines = [
        f"| tokens | audio, s | {' | '.join(f'{side.label}, s' for side in sides)} | "
        f"{' | '.join(f'{side.label}: deviation' for side in sides)} |",
        f"|---|---|{'---|' * (2 * len(sides))}",
    ]
    fits = {}
    for side in sides:
        points = [
            (said[0].audio_s, median(one.seconds for one in said))
            for (label, _), said in found.items()
            if label == side.label
        ]
        fits[side.label] = fit(points)
    worst = dict.fromkeys(fits, 0.0)
    worst_long = dict.fromkeys(fits, 0.0)
    for n_tokens in LENGTHS:
        audio_s = found[sides[0].label, n_tokens][0].audio_s
        seconds = {
            side.label: median(one.seconds for one in found[side.label, n_tokens]) for side in sides
        }
        off = {label: fits[label].deviation(audio_s, value) for label, value in seconds.items()}
        for label, value in off.items():
            worst[label] = max(worst[label], abs(value))
            if n_tokens >= _LONG:
                worst_long[label] = max(worst_long[label], abs(value))
        lines.append(
            f"| {n_tokens} | {audio_s:.2f} | "
            f"{' | '.join(f'{value:.3f}' for value in seconds.values())} | "
            f"{' | '.join(f'{value:+.1%}' for value in off.values())} |"
        )
    lines += [
        "",
        "| | slope, s per s of audio | intercept, s | largest deviation | "
        "from 150 tokens on | met? |",
        "|---|---|---|---|---|---|",
    ]
    met = True
    for label, line in fits.items():
        holds = worst_long[label] <= STRAIGHT
        met &= holds or label == "published"
        lines.append(
            f"| {label} | {line.slope:.4f} | {line.start_s:.3f} | {worst[label]:.1%} | "
            f"{worst_long[label]:.1%} | {verdict(holds)} |"
        )
    return lines, met


def measure_threads(sides: Sequence[Side], repeats: int) -> tuple[list[str], bool]:
    """Return the table of times by threads."""
    phonemes = speech.phonemes(speech.USUAL)
    lines = [
        "| threads | side | a run, s | real-time factor | against one thread | "
        "CPU seconds per second of audio |",
        "|---|---|---|---|---|---|",
    ]
    counts = range(1, THREADS + 1)
    found: dict[tuple[str, int], list[Spoken]] = {}
    with ExitStack() as stack:
        speakers = [
            (side, n_threads, stack.enter_context(speaker(side, n_threads)))
            for side in sides
            for n_threads in counts
        ]
        for number in range(repeats + 1):
            for side, n_threads, found_speaker in speakers:
                said = found_speaker.say(phonemes)
                if number:
                    found.setdefault((side.label, n_threads), []).append(said)
    for (label, n_threads), said in found.items():
        seconds = median(one.seconds for one in said)
        alone = median(one.seconds for one in found[label, 1])
        cpu_s = median(one.cpu_s for one in said)
        audio_s = said[0].audio_s
        lines.append(
            f"| {n_threads} | {label} | {seconds:.3f} | {seconds / audio_s:.3f} | "
            f"{alone / seconds:.2f} times | {cpu_s / audio_s:.3f} |"
        )
    return lines, True


def measure_clients(sides: Sequence[Side], repeats: int) -> tuple[list[str], bool]:
    """Return the table of throughput by clients."""
    return _throughput(sides, repeats, CLIENTS), True


def measure_workers(sides: Sequence[Side], repeats: int) -> tuple[list[str], bool]:
    """Return the table of throughput by workers."""
    counts = [1 << n for n in range(THREADS.bit_length())]
    several = [side.with_setting("workers", str(count)) for side in sides for count in counts]
    return _throughput(several, repeats, [MANY]), True


def _throughput(sides: Sequence[Side], repeats: int, clients: Sequence[int]) -> list[str]:
    lines = [
        "| clients | side | seconds of audio per second | against the first side | "
        "CPU seconds per second of audio | resident, MiB | mapped pages once, MiB | "
        "peak so far, MiB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    with ExitStack() as stack:
        servers = []
        for side in sides:
            process, port = stack.enter_context(side.server())
            servers.append((side.label, process.pid, f"http://127.0.0.1:{port}"))
        audio_s = {}
        for label, _, url in servers:
            audio_s[label] = _audio_s(url)
            run_all(url, MANY, SHORT)  # warm-up
        for n_clients in clients:
            speeds: dict[str, list[float]] = {}
            cpu: dict[str, list[float]] = {}
            for number in range(repeats):
                for label, pid, url in servers if number % 2 else reversed(servers):
                    before = cpu_s(pid)
                    result = run_all(url, n_clients, SHORT)
                    made = sum(audio_s[label][one.request.text] for one in result.outcomes)
                    speeds.setdefault(label, []).append(made / result.seconds)
                    cpu.setdefault(label, []).append((cpu_s(pid) - before) / made)
            first = median(speeds[servers[0][0]])
            for label, pid, _ in servers:
                speed = median(speeds[label])
                memory = (mebibytes(name, pid) for name in ("VmRSS", "Pss", "VmHWM"))
                lines.append(
                    f"| {n_clients} | {label} | {speed:.2f} ({min(speeds[label]):.2f} to "
                    f"{max(speeds[label]):.2f}) | {speed / first:.2f} times | "
                    f"{median(cpu[label]):.3f} | {' | '.join(f'{size:.0f}' for size in memory)} |"
                )
    return lines


Measure = Callable[[Sequence[Side], int], tuple[list[str], bool]]

MEASUREMENTS: dict[str, Measure] = {
    "length": measure_length,
    "threads": measure_threads,
    "clients": measure_clients,
    "workers": measure_workers,
}


def _audio_s(url: str) -> dict[str, float]:
    """Return the length of each short text's audio."""
    texts = {request.text for request in SHORT}
    result = run_all(url, 1, [SpeechRequest(text, "pcm", False) for text in texts])
    return {outcome.request.text: len(outcome.content) / BYTES_PER_S for outcome in result.outcomes}


if __name__ == "__main__":
    sys.exit(main())
