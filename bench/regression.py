"""Whether the service is as fast as before: a few ratios, compared with recorded ones.

    python -m bench.regression [--record] [--repeats N]

A ratio says how many times better the service with its defaults is than a bare session of the
onnxruntime package with the published file. Both are measured on the same machine in the same
minutes, so that its speed and its load affect both. The ratios depend on instruction sets, so
bench/recorded.json has them for each processor and instruction set of the native operators;
`KOKORO_KERNELS` chooses another. The exit status is 1 if a ratio is more than 10 %
below the recorded one, and 2 if none is recorded for this processor or a measurement failed.
`--record` replaces the ratios of this processor. Run it by hand before a release, with nothing else
running. It takes 4 minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from statistics import median

from bench import speech, streams
from bench.command import exit_status, plain_command_line, positive
from bench.processes import THREADS, ChildError
from bench.report import processor
from bench.sides import BARE, OURS, Side, pair_up, speaker

RECORDED = Path(__file__).with_name("recorded.json")
TOLERANCE = 0.10
REPEATS = {14: 9, 96: 5, 398: 3}
STREAMED_REPEATS = 5


@dataclass(frozen=True)
class Ratio:
    """One ratio; higher is better.

    Attributes:
        name: what is compared.
        value: the median over the pairs.
        spread: the minimum and the maximum over the pairs.
        date: when it was measured.
    """

    name: str
    value: float
    spread: tuple[float, float]
    date: str

    def fell(self, recorded: Ratio) -> bool:
        """Return whether it is too far below the recorded one."""
        return self.value < recorded.value * (1 - TOLERANCE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a ratio fell, 2 for a failure or if none is recorded."""
    parser = plain_command_line("bench.regression", __doc__)
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name}")
    parser.add_argument("--repeats", type=positive, help="pairs of each ratio")
    options = parser.parse_args(arguments)
    return exit_status(lambda: _is_as_fast(options))


def _is_as_fast(options: argparse.Namespace) -> bool:
    machine = f"{processor()}, {OURS['service'].kernels}, {THREADS} threads"
    known = read_recorded(RECORDED).get(machine, {})
    if not known and not options.record:
        raise ChildError(f"nothing is recorded for {machine}: use --record")
    measured = list(measure(options.repeats))
    if options.record:
        record(RECORDED, machine, measured)
    return compare(measured, known)


def measure(repeats: int | None) -> Iterator[Ratio]:
    """Measure all ratios.

    Raises:
        ChildError: a process failed.
    """
    ours = OURS["service"]
    for n_tokens, usual_repeats in REPEATS.items():
        pairs = pair_up(ours, BARE, n_tokens, repeats or usual_repeats)
        yield _ratio(
            f"speed, {n_tokens} tokens", [theirs.seconds / one.seconds for one, theirs in pairs]
        )
        yield _ratio(
            f"peak memory, {n_tokens} tokens",
            [theirs.peak_mib / one.peak_mib for one, theirs in pairs],
        )
    yield _ratio("first audio of a paragraph", _first_audio(ours, repeats))


def compare(measured: Sequence[Ratio], known: dict[str, Ratio]) -> bool:
    """Print each ratio and the recorded one; return whether none fell and none is missing."""
    fell = [
        ratio.name for ratio in measured if ratio.name in known and ratio.fell(known[ratio.name])
    ]
    gone = set(known) - {ratio.name for ratio in measured}
    print("| ratio | measured | recorded | |\n|---|---|---|---|")
    for ratio in measured:
        before = known.get(ratio.name)
        recorded = f"{before.value:.2f} on {before.date}" if before else "never"
        low, high = ratio.spread
        verdict = "**fell**" if ratio.name in fell else ""
        value = f"{ratio.value:.2f} ({low:.2f} to {high:.2f})"
        print(f"| {ratio.name} | {value} | {recorded} | {verdict} |")
    for name in sorted(gone):
        print(f"| {name} | not measured | {known[name].value:.2f} | **missing** |")
    return not fell and not gone


def read_recorded(path: Path) -> dict[str, dict[str, Ratio]]:
    """Return the recorded ratios, by machine and name."""
    if not path.exists():
        return {}
    machines = json.loads(path.read_text(encoding="utf-8"))
    return {
        machine: {
            entry["name"]: Ratio(**{**entry, "spread": tuple(entry["spread"])}) for entry in entries
        }
        for machine, entries in machines.items()
    }


def record(path: Path, machine: str, measured: Sequence[Ratio]) -> None:
    """Replace the ratios of a machine, and keep those of others."""
    machines = {name: list(ratios.values()) for name, ratios in read_recorded(path).items()}
    machines[machine] = list(measured)
    entries = {name: [asdict(ratio) for ratio in ratios] for name, ratios in machines.items()}
    path.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _first_audio(side: Side, repeats: int | None) -> list[float]:
    """Return the time of a bare run of 96 tokens divided by the time to first audio."""
    phonemes = speech.phonemes(speech.USUAL)
    ratios = []
    with side.server() as (_, port), speaker(BARE) as bare:
        for number in range((repeats or STREAMED_REPEATS) + 1):
            time.sleep(streams.SETTLE_S)
            (heard,) = streams.listen(streams.OURS, port, [speech.PARAGRAPH], stream=True)
            time.sleep(streams.SETTLE_S)
            seconds = bare.say(phonemes).seconds
            if number:  # the first round warms up
                ratios.append(seconds / heard.first_s)
    return ratios


def _ratio(name: str, values: Sequence[float]) -> Ratio:
    today = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    low, high = min(values), max(values)
    return Ratio(name, round(median(values), 3), (round(low, 3), round(high, 3)), today)


if __name__ == "__main__":
    sys.exit(main())
