"""Time of a synthesis: one sentence, one voice, one thread for each core.

Ours is all of `Model.infer`: it makes the inputs, runs the model, and checks audio and durations.
Theirs is a bare run of the published file. Each side has a process of its own and waits while the
other works.
"""

from __future__ import annotations

from bench import speech
from bench.processes import THREADS
from bench.report import Bound, Row, ratio
from bench.sides import BARE, OURS, pair_up

REPEATS = 15
BOUND = Bound(1.02)


def measure(repeats: int) -> list[Row]:
    runs = pair_up(OURS["service"], BARE, speech.USUAL, repeats)
    pairs = [(ours.seconds, theirs.seconds) for ours, theirs in runs]
    name = f"synthesis, {speech.USUAL} phonemes, {THREADS} threads"
    return [ratio(name, pairs, "s", BOUND)]
