"""The native operators as zig compiles them for the wheels, against this machine's compiler.

    python -m bench.compilers [--repeats 15] [--write]

Both libraries are compiled from the same sources: one with `$CC` or `cc`, the other with zig, for
glibc 2.28, as in the wheels; it needs the package `ziglang` (`make wheels` installs it in an
environment of its own, which is used). Two processes say the same sentence in turns, on the same
prepared model, with one thread; processor time is compared, which other load hardly changes. Zig's
may take at most 3 % more.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench import speech
from bench.command import Section, command_line, publish
from bench.processes import REPOSITORY, ChildError
from bench.report import Bound, Pairs, ratio, table
from bench.sides import Side, speaker
from bench.timing import alternate

BOUND = Bound(1.03)
REPEATS = 15
PYTHON_WITH_ZIG = REPOSITORY / ".venv/wheels/bin/python"

_BUILD = """
import platform, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import build
build.build(Path(sys.argv[2]), cc=build.zig(platform.machine()) if sys.argv[3] == "zig" else None)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    options = command_line("bench.compilers", __doc__, "pairs").parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    with tempfile.TemporaryDirectory() as folder:
        ours = compile_operators(Path(folder, "zig", "libkokoro_ops.so"), PYTHON_WITH_ZIG, "zig")
        python = Path(sys.executable)
        theirs = compile_operators(Path(folder, "cc", "libkokoro_ops.so"), python, "cc")
        pairs = measure(ours, theirs, options.repeats or REPEATS)
    name = f"synthesis, {speech.USUAL} phonemes, processor time of one thread"
    row = ratio(name, pairs, "s", BOUND)
    about = (__doc__ or "").partition("\n\n    ")[0]
    yield Section("compilers", about, table([row], "cc", "zig"), bool(row.met))


def compile_operators(library: Path, python: Path, compiler: str) -> Path:
    """Compile the operators with `zig` or `cc`.

    Raises:
        ChildError: the compiler is missing, or refuses.
    """
    if not python.exists():
        raise ChildError("zig is not installed: make wheels")
    command = [str(python), "-c", _BUILD, str(REPOSITORY / "native"), str(library), compiler]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChildError(f"{compiler}: {done.stderr.strip()}")
    return library


def measure(ours: Path, theirs: Path, repeats: int) -> Pairs:
    """Have two processes speak in turns, each with one of the libraries; return processor time.

    Raises:
        ChildError: a process failed, or the audio differs in length.
    """
    phonemes = speech.phonemes(speech.USUAL)
    with ExitStack() as stack:
        one, other = (
            stack.enter_context(
                speaker(Side(library.parent.name, f"library:{library}", {"threads": "1"}))
            )
            for library in (ours, theirs)
        )
        pairs = alternate(lambda: one.say(phonemes), lambda: other.say(phonemes), repeats, 2)
    if any(first.n_samples != second.n_samples for first, second in pairs):
        raise ChildError("the audio of both sides differs in length")
    return [(first.cpu_s, second.cpu_s) for first, second in pairs]


if __name__ == "__main__":
    sys.exit(main())
