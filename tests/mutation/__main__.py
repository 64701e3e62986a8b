"""Plant each fault in a copy of the tree, and run the tests on it until one fails.

    python -m tests.mutation [NAME ...]     those whose names hold a NAME; all by default

The tests near a fault come first, those of `make test` before those of `make test-all`. Only where
they pass does everything run. Prints a table; the exit status is 1 where a fault goes unnoticed.
Takes half an hour on two cores.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.mutation.faults import FAULTS

REPOSITORY = Path(__file__).resolve().parents[2]
QUICK = "not thorough and not slow and not cluster"
EVERY = "not slow and not cluster"
OWN_TESTS = "tests/mutation"
"""What looks whether every fault can be planted would notice any that has been."""
_PASSED, _FAILED, _INTERRUPTED, _NONE_CHOSEN = 0, 1, 2, 5
"""Statuses of pytest. Workers that stop after a failure are interrupted."""


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a part of a fault's name")
    names = parser.parse_args(arguments).names
    faults = [fault for fault in FAULTS if not names or any(name in fault.name for name in names)]
    print("| fault | file | make test | make test-all |\n|---|---|---|---|", flush=True)
    n_quick = n_all = 0
    for fault in faults:
        with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
            tree = Path(folder) / "tree"
            copy_tree(tree)
            plant(fault, tree)
            quick, noticed = notice(fault, tree)
        n_quick += quick
        n_all += noticed
        told = " | ".join("noticed" if found else "**unnoticed**" for found in (quick, noticed))
        print(f"| {fault.name} | {fault.path} | {told} |", flush=True)
    print(f"\n`make test` notices {n_quick} of {len(faults)}, `make test-all` {n_all}.")
    return int(n_all < len(faults))


def copy_tree(tree):
    """Copy what git knows and does not ignore; of `.venv` everything is shared but new models."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        source = REPOSITORY / name
        if source.is_file():  # git still lists what was deleted
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, tree / name)
    shutil.copytree(REPOSITORY / "native" / "build", tree / "native" / "build")
    for folder in (".venv", ".venv/prepared"):
        (tree / folder).mkdir()
        for entry in (REPOSITORY / folder).glob("*"):
            if entry.name != "prepared":
                (tree / folder / entry.name).symlink_to(entry)


def plant(fault, tree):
    (tree / fault.path).write_text(fault.planted(tree), encoding="utf-8")
    if fault.path.startswith("native/"):
        subprocess.run([sys.executable, "native/build.py"], cwd=tree, check=True)


def notice(fault, tree):
    """Tell whether `make test` and `make test-all` notice a fault that is planted in a tree."""
    if fails(tree, QUICK, fault.near):
        return True, True
    nearby = fails(tree, EVERY, fault.near)
    if fails(tree, QUICK):
        return True, True
    return False, nearby or fails(tree, EVERY)


def fails(tree, marks, paths=()):
    jobs = [] if paths else ["-n", str(os.cpu_count() or 1)]
    # The tree's own modules come before those that are installed.
    ran = subprocess.run(
        [*(sys.executable, "-m", "pytest", "-q", "-x", *jobs, "-m", marks), f"--ignore={OWN_TESTS}", *paths],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    stopped = ran.returncode == _INTERRUPTED and "stopping after 1 failures" in ran.stdout
    if not stopped and ran.returncode not in (_PASSED, _FAILED, _NONE_CHOSEN):
        raise RuntimeError(f"pytest ended with {ran.returncode}:\n{ran.stdout[-2_000:]}")
    return stopped or ran.returncode == _FAILED


if __name__ == "__main__":
    sys.exit(main())
