"""Memory of the whole server, ready and self-tested, against that of a minimal program.

The minimal program imports the package and numpy, opens a session of the published file, and runs
the phonemes of the self-test once. The server may free the memory of its self-test, and the minimal
program keeps it. So in another row the server has answered a request for the same phonemes first.
Resident memory is VmRSS, and peak memory is VmHWM after these runs. Every pair has fresh processes.
"""

from __future__ import annotations

from typing import NamedTuple

from bench import speech
from bench.processes import ChildError, answer, ask, python, request, server
from bench.procfs import mebibytes
from bench.report import Bound, Row, ratio
from bench.timing import alternate

REPEATS = 5
BOUND = Bound(1.1)


class Memory(NamedTuple):
    """MiB of a process: before and after it makes speech, and the peak."""

    before: float
    after: float
    peak: float


def measure(repeats: int) -> list[Row]:
    phonemes = speech.self_test()
    arguments = speech.arguments(phonemes)
    pairs = alternate(lambda: _ours(phonemes), lambda: _theirs(arguments), repeats, warm_ups=0)
    ready = [(ours.before, theirs.after) for ours, theirs in pairs]
    loaded = [(ours.before, theirs.before) for ours, theirs in pairs]
    asked = [(ours.after, theirs.after) for ours, theirs in pairs]
    peak = [(ours.peak, theirs.peak) for ours, theirs in pairs]
    return [
        ratio("resident memory, ready", ready, "MiB", BOUND),
        ratio("the same, theirs before its run", loaded, "MiB"),
        ratio("the same, ours after a request", asked, "MiB"),
        ratio("peak memory", peak, "MiB"),
    ]


def _ours(phonemes: str) -> Memory:
    with server() as (process, port):
        before = mebibytes("VmRSS", process.pid)
        status = request(port, "POST", "/synthesize", {"phonemes": phonemes})
        if status != 200:
            raise ChildError(f"the service answered {status}")
        return Memory(before, mebibytes("VmRSS", process.pid), mebibytes("VmHWM", process.pid))


def _theirs(arguments: list[str]) -> Memory:
    with python("-m", "bench.bare", *arguments) as process:
        answer(process)
        before = mebibytes("VmRSS", process.pid)
        ask(process)
        return Memory(before, mebibytes("VmRSS", process.pid), mebibytes("VmHWM", process.pid))
