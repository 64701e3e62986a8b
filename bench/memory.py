"""Resident memory of the whole server, ready and self-tested, against a bare program's.

The bare program imports the package and numpy, has a session of the published file, and has run
what the self-test runs once. The server may give its self-test's memory back, which the bare
program keeps; so another row has the server answer a request for the same phonemes first.
Resident is VmRSS; peak is VmHWM, up to the end of these runs; fresh processes for every pair.
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
    """MiB of a process: before it is asked for speech, afterwards, and at most."""

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
