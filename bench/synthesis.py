"""Time of a synthesis: one sentence, one voice, as many threads as cores.

Ours is all of `Kokoro.infer`: inputs made, audio and durations computed, both checked. Theirs is a
bare run of the published file. Each side has a process of its own and waits while the other works.
"""

from __future__ import annotations

import time

from bench import speech
from bench.processes import THREADS, ChildError, Process, alternate, answer, ask, python
from bench.report import Bound, Row, ratio

REPEATS = 15
BOUND = Bound(1.02)

_SETTLE_S = 0.2
"""Threads of ONNX Runtime spin for some 0.1 s after a run; the next run shall not meet them."""


def measure(repeats: int) -> list[Row]:
    phonemes = speech.phonemes(speech.USUAL)
    arguments = speech.arguments(phonemes)
    with (
        python("-m", "bench.ours", *arguments) as ours,
        python("-m", "bench.bare", *arguments) as theirs,
    ):
        answer(ours)
        answer(theirs)
        runs = alternate(lambda: _run(ours), lambda: _run(theirs), repeats, warm_ups=2)
    if any(our_size != their_size for (_, our_size), (_, their_size) in runs):
        raise ChildError("both sides must make audio of the same length")
    pairs = [(our_time, their_time) for (our_time, _), (their_time, _) in runs]
    return [ratio(f"synthesis, {len(phonemes)} phonemes, {THREADS} threads", pairs, "s", BOUND)]


def _run(process: Process) -> tuple[float, int]:
    time.sleep(_SETTLE_S)
    seconds, n_samples = ask(process).split()
    return float(seconds), int(n_samples)
