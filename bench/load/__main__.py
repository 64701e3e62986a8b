"""The command line of `bench.load`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from bench import load
from bench.command import Section, command_line, positive, publish
from bench.load.many_clients import measure
from bench.load.readers import readers
from bench.load.soak import STEPS, soak


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a bound is missed, 2 if a measurement failed."""
    parser = command_line("bench.load", load.__doc__)
    parser.add_argument("--repeats", type=positive, default=5, help="pairs for throughput")
    parser.add_argument("--soak", type=positive, metavar="N", help="send N requests instead")
    parser.add_argument(
        "--readers", type=positive, metavar="N", help="phonemize for N clients instead"
    )
    options = parser.parse_args(arguments)
    if options.soak and options.soak < STEPS:
        parser.error(f"--soak takes at least {STEPS}")
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    if options.readers:
        (name, about), (lines, met) = ("readers", readers.__doc__), readers(options.readers)
    elif options.soak:
        (name, about), (lines, met) = ("soak", soak.__doc__), soak(options.soak)
    else:
        (name, about), (lines, met) = ("load", load.__doc__), measure(options.repeats)
    yield Section(name, about or "", "\n".join(lines), met)


if __name__ == "__main__":
    sys.exit(main())
