"""The command line of `bench.gpu`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from bench import gpu
from bench.command import Section, add_names, command_line, publish
from bench.gpu.measurements import measure
from bench.gpu.presence import gpu_and_libraries, lack_of_gpu
from bench.gpu.setup import Extent, Setup
from bench.processes import ChildError
from bench.report import note
from bench.variants import prepared_for_gpus
from service.machine import Machine
from service.model.prepared import GPU_VARIANTS
from service.settings import Settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 without a GPU or if a process failed."""
    parser = command_line("bench.gpu", gpu.__doc__, "pairs of each measurement")
    add_names(parser, "PRECISION", GPU_VARIANTS)
    options = parser.parse_args(arguments)
    lack = lack_of_gpu()
    if lack:
        note(f"bench: {lack}")
        return 2
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    extent = Extent().limited(options.repeats)
    setup, where = Setup(), gpu_and_libraries(Machine())
    folders = prepared_for_gpus(Settings())
    for precision in options.names:
        if precision not in folders:
            raise ChildError(f"the model fails its parity check in {precision}: prepare says why")
        report, met = measure(setup, precision, folders[precision], extent)
        yield Section(f"gpu, {precision}", gpu.__doc__ or "", f"{where}\n\n{report}", met)


if __name__ == "__main__":
    sys.exit(main())
