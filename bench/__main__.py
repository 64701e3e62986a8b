"""Against the onnxruntime Python package: ortffi, a synthesis, memory, import, start-up.

    python -m bench [ffi] [synthesis] [memory] [import] [startup] [--repeats N] [--write]

Without names, all are measured, in 3 minutes. Each has its own number of pairs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

from bench import ffi, imports, memory, startup, synthesis
from bench.command import Section, add_names, command_line, publish
from bench.report import Row, note, table

MEASUREMENTS: dict[str, ModuleType] = {
    "ffi": ffi,
    "synthesis": synthesis,
    "memory": memory,
    "import": imports,
    "startup": startup,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench", __doc__, "pairs of each measurement")
    add_names(parser, "NAME", MEASUREMENTS)
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    for name in options.names:
        module = MEASUREMENTS[name]
        note(f"measuring {name}")
        rows: list[Row] = module.measure(options.repeats or module.REPEATS)
        met = all(row.met is not False for row in rows)
        yield Section(name, module.__doc__ or "", table(rows), met)


if __name__ == "__main__":
    sys.exit(main())
