"""Time from the start of the server until `/ready` answers 200, including the self-test.

It is compared with a minimal program that opens a session of the published file.
"""

from __future__ import annotations

import time

from bench import speech
from bench.processes import answer, python, server
from bench.report import Bound, Row, difference
from bench.timing import alternate

REPEATS = 5
BOUND = Bound(2.0)


def measure(repeats: int) -> list[Row]:
    arguments = speech.arguments(speech.self_test())
    pairs = alternate(_ours, lambda: _theirs(arguments), repeats, warm_ups=1)
    return [difference("start to ready", pairs, "s", BOUND)]


def _ours() -> float:
    start = time.perf_counter()
    with server():
        return time.perf_counter() - start


def _theirs(arguments: list[str]) -> float:
    start = time.perf_counter()
    with python("-m", "bench.bare", *arguments) as process:
        answer(process)
        return time.perf_counter() - start
