"""How close a run comes to the limit of the processor, and where its time goes.

    python -m bench.limits [--side published] [--side stock] [--side native] [--tokens 96] [--write]

The limit: a C compiler (`$CC` or `cc`) compiles bench/byte_operations.c, which measures the most
exact 8-bit multiply-adds per second for each instruction set of this processor, with as many
threads as a run has. `KOKORO_KERNELS` chooses the instruction set of the native operators; runs are
then compared with the limit of that. What a run reaches comes from ONNX Runtime's profile: the
multiplications and additions of all 8-bit convolutions and matrix products, computed from the
shapes in the profile, divided by the time of their nodes. Our native operators do several steps in
one node (normalization, Snake, quantization, addition), so their time covers more than products.
Residual blocks multiply in pairs of rows, with six tenths of the multiplications that are counted
here, so a share of the limit may be more than 100 %.
Time outside of nodes is spent by ONNX Runtime itself and by profiling.

With `--write` the tables go into RESULTS.md and the pictures into docs/: milliseconds per second of
audio, by part of the model and by kind of operator. It takes 1 minute.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench.command import KERNELS, Section, command_line, positive, publish
from bench.picture import stacked_bars
from bench.processes import REPOSITORY, THREADS, ChildError
from bench.profiling import CLASSES, PARTS, Node, Run, profile
from bench.sides import add_sides, chosen_sides

SOURCE = Path(__file__).with_name("byte_operations.c")
PICTURES = REPOSITORY / "docs"
OUTSIDE = "outside of nodes"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 2 for a failure."""
    parser = command_line("bench.limits", __doc__)
    parser.add_argument("--tokens", type=positive, default=96)
    parser.add_argument("--repeats", type=positive, default=5, help="runs; the median is shown")
    add_sides(parser, ["published", "stock", "native"])
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    peaks = measure_peaks(THREADS)
    runs = {
        side.label: profile(side, options.tokens, options.repeats) for side in chosen_sides(options)
    }
    tables = [_peak_table(peaks), _run_table(runs, peaks)]
    tables += [_share_table(title, layers, find, runs) for title, layers, find in _VIEWS]
    yield Section("limits", __doc__ or "", "\n\n".join(tables))
    if options.write:
        for title, layers, find in _VIEWS:
            file = PICTURES / f"speed-by-{title.partition(' ')[0]}.svg"
            file.write_text(_picture(title, layers, find, runs), encoding="utf-8")


def measure_peaks(threads: int) -> dict[str, float]:
    """Return operations per second by instruction set, the best one first.

    Raises:
        ChildError: there is no C compiler, or the program failed.
    """
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise ChildError("a C compiler is needed to measure the limit: set CC")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "byte_operations"
        try:
            subprocess.run(
                [compiler, "-O2", "-pthread", str(SOURCE), "-o", str(program)], check=True
            )
            output = subprocess.run(
                [str(program), str(threads)], check=True, stdout=subprocess.PIPE, text=True
            ).stdout
        except subprocess.CalledProcessError as error:
            raise ChildError(f"{SOURCE.name}: {error}") from error
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in
            output.splitlines())}  # fmt: skip


def limit_of(peaks: Mapping[str, float], kernels: str | None) -> float:
    """Return the limit of the kernels that were chosen, or else the highest.

    Raises:
        ChildError: this processor has none of that name.
    """
    if kernels is None:
        return max(peaks.values())
    for name, value in peaks.items():
        if name.partition(":")[0] == kernels:
            return value
    raise ChildError(f"{KERNELS}={kernels}: its limit was not measured here")


def _peak_table(peaks: Mapping[str, float]) -> str:
    rows = []
    for name, value in peaks.items():
        kernels, _, instructions = name.partition(": ")
        rows.append(f"| {kernels} | {instructions} | {value / 1e9:.0f} |")
    head = (
        f"| instruction set, {THREADS} threads | quickest exact instructions | "
        "most byte operations, 10^9 per second |"
    )
    return "\n".join([head, "|---|---|---|", *rows])


def _run_table(runs: Mapping[str, Run], peaks: Mapping[str, float]) -> str:
    best = limit_of(peaks, os.environ.get(KERNELS))
    lines = [
        "| | a run, ms | real-time factor | byte products, ms | share of the run | "
        "10^9 operations | 10^9 per second | share of the limit |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for label, run in runs.items():
        products = [node for node in run.nodes if node.multiplications]
        seconds = sum(node.seconds for node in products)
        operations = 2 * sum(node.multiplications for node in products)
        lines.append(
            f"| {label} | {run.seconds * 1e3:.0f} | {run.seconds / run.audio_s:.3f} | "
            f"{seconds * 1e3:.0f} | {seconds / run.seconds:.0%} | {operations / 1e9:.1f} | "
            f"{operations / seconds / 1e9:.0f} | {operations / seconds / best:.0%} |"
        )
    return "\n".join(lines)


Find = Callable[[Node], str]

_VIEWS: tuple[tuple[str, tuple[str, ...], Find], ...] = (
    ("part of the model", (*PARTS, OUTSIDE), lambda node: node.part),
    ("operator", (*CLASSES, "other", OUTSIDE), lambda node: node.kind),
)


def _bar(run: Run, find: Find) -> dict[str, float]:
    """Return milliseconds per second of audio by layer."""
    bar: dict[str, float] = {}
    for node in run.nodes:
        bar[find(node)] = bar.get(find(node), 0.0) + node.seconds
    bar[OUTSIDE] = max(0.0, run.seconds - sum(bar.values()))
    return {layer: seconds / run.audio_s * 1e3 for layer, seconds in bar.items()}


def _share_table(title: str, layers: Sequence[str], find: Find, runs: Mapping[str, Run]) -> str:
    bars = {label: _bar(run, find) for label, run in runs.items()}
    lines = [
        f"| {title}, ms per second of audio | {' | '.join(bars)} |",
        f"|---|{'---|' * len(bars)}",
    ]
    for layer in layers:
        cells = [f"{bar.get(layer, 0.0):.1f}" for bar in bars.values()]
        lines.append(f"| {layer} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _picture(title: str, layers: Sequence[str], find: Find, runs: Mapping[str, Run]) -> str:
    bars = {label: _bar(run, find) for label, run in runs.items()}
    return stacked_bars(
        f"Where the time goes, by {title}", "milliseconds per second of audio", bars, layers
    )


if __name__ == "__main__":
    sys.exit(main())
