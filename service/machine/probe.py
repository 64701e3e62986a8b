"""Query NVIDIA's libraries in a process of its own.

An initialized driver must not be forked, a loaded library stays in memory, and an incompatible one
crashes; the service must be safe from all this.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_PROGRAMS = Path(__file__).resolve().parent / "programs"
_TIMEOUT_S = 60
"""Initializing the driver of a machine with many GPUs can take ten seconds."""


class ProbeError(Exception):
    """The process crashed, hung, or could not be started; the message says which."""


def ask(program: str, *arguments: str | Path, timeout_s: float = _TIMEOUT_S) -> Any:
    """Run one of the files in `programs`, and return its answer.

    Args:
        program: name of the file, without `.py`; it prints its answer as the last line, in JSON.
        arguments: for the program.
        timeout_s: seconds after which it is killed.

    Raises:
        ProbeError: there is no answer.
    """
    # Isolated and without site-packages: the programs need only the standard library.
    command = [sys.executable, "-I", "-S", str(_PROGRAMS / f"{program}.py"), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ProbeError(f"no answer within {timeout_s:g} s") from error
    except OSError as error:
        raise ProbeError(f"cannot start {sys.executable}: {error.strerror}") from error
    if done.returncode < 0:
        raise ProbeError(f"crashed with signal {-done.returncode}")
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError) as error:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ProbeError(last[0] if last else "no answer") from error
