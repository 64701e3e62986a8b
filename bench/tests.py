"""What the tests cost here, beside another checkout of the project.

    python -m bench.tests CHECKOUT [--target test] [--repeats N] [--write]

Each round runs a target of `make` in this checkout and in the other, where it has run before, so
that nothing is prepared or compiled any more. Processor time is that of the whole machine, since
not all servers are children of who starts them: nothing else may run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from bench.command import Section, command_line, publish
from bench.processes import ChildError
from bench.procfs import machine_cpu_s
from bench.report import ratio, table

HERE = Path(__file__).resolve().parents[1]
COUNTS = re.compile(r"(\d+) passed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0, or 2 for a failure."""
    parser = command_line("bench.tests", __doc__, "rounds, 1 by default")
    parser.add_argument("other", type=Path, metavar="CHECKOUT", help="to compare with")
    parser.add_argument("--target", default="test", help="of make; test by default")
    options = parser.parse_args(arguments)
    sections = _sections(options.other.resolve(), options.target, options.repeats or 1)
    return publish(sections, write=options.write)


def _sections(other: Path, target: str, rounds: int) -> Iterator[Section]:
    runs = [(_run(HERE, target), _run(other, target)) for _ in range(rounds)]
    rows = [
        ratio(name, [(here[at], there[at]) for here, there in runs], "min")
        for at, name in enumerate(("processor time", "time"))
    ]
    report = table(rows, commit(other), commit(HERE))
    *_, ((*_, n_here), (*_, n_there)) = runs
    report += f"\n\n{n_here} tests passed here, {n_there} there."
    yield Section(f"tests: make {target}", (__doc__ or "").split("\n\n", 2)[2], report)


def _run(checkout: Path, target: str) -> tuple[float, float, int]:
    """Return processor time and time in minutes, and how many tests have passed."""
    used, started = machine_cpu_s(), time.monotonic()
    command = ["make", "--no-print-directory", target]
    with TemporaryFile("w+") as output:  # and no pipe, which a server that is left would hold open
        done = subprocess.run(
            command, cwd=checkout, stdout=output, stderr=subprocess.STDOUT, check=False
        )
        output.seek(0)
        told = output.read()
    if done.returncode:
        raise ChildError(f"make {target} in {checkout.name} failed: {told[-2000:]}")
    passed = sum(map(int, COUNTS.findall(told)))
    return (machine_cpu_s() - used) / 60, (time.monotonic() - started) / 60, passed


def commit(checkout: Path) -> str:
    """Return the short name of the commit of a checkout."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
