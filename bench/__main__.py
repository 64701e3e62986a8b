"""Command line: measure, print a table, and fail if a bound is missed."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from bench import ffi, imports, memory, startup, synthesis
from bench.processes import ChildError
from bench.report import Row, circumstances, table, write_section

MEASUREMENTS: dict[str, ModuleType] = {
    "ffi": ffi,
    "synthesis": synthesis,
    "memory": memory,
    "import": imports,
    "startup": startup,
}
RESULTS = Path(__file__).with_name("RESULTS.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a bound is missed, 2 if a measurement failed."""
    options = _parser().parse_args(arguments)
    for name in list(os.environ):  # both sides run with defaults, and keep their bytecode
        if name.startswith("KOKORO_") or name == "PYTHONDONTWRITEBYTECODE":
            del os.environ[name]
    for signal_number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: end the children first
        signal.signal(signal_number, signal.default_int_handler)
    try:
        rows = _measure(options.names or list(MEASUREMENTS), options.repeats, options.write)
    except KeyboardInterrupt:
        return 130
    except ChildError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 1 if any(row.met is False for row in rows) else 0


def _measure(names: Sequence[str], repeats: int | None, write: bool) -> list[Row]:
    print(circumstances(), flush=True)
    rows: list[Row] = []
    for name in names:
        module = MEASUREMENTS[name]
        print(f"measuring {name}", file=sys.stderr, flush=True)
        found: list[Row] = module.measure(repeats or module.REPEATS)
        rows += found
        if write:
            description = (module.__doc__ or "").strip()
            body = f"{description}\n\n{circumstances()}\n\n{table(found)}"
            write_section(RESULTS, name, body)
    print(f"\n{table(rows)}")
    return rows


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure against the onnxruntime Python package."
    )
    known = ", ".join(MEASUREMENTS)
    parser.add_argument(
        "names", nargs="*", type=_name, metavar="NAME", help=f"{known}; all by default"
    )
    parser.add_argument("--repeats", type=_positive, help="pairs of each measurement")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {RESULTS.name}")
    return parser


def _name(text: str) -> str:
    # Not `choices`: argparse holds an empty list of names against them too.
    if text not in MEASUREMENTS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(MEASUREMENTS)}")
    return text


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
