"""Timing two sides in turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def seconds(action: Callable[[], object]) -> float:
    """Return how many seconds an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def alternate(
    ours: Callable[[], T], theirs: Callable[[], T], repeats: int, warm_ups: int
) -> list[tuple[T, T]]:
    """Measure both sides in turn, `repeats` times after the warm-ups.

    The sides take turns at going first, so that other load on the machine affects both alike.
    """
    pairs = []
    for number in range(warm_ups + repeats):
        if number % 2:
            second = theirs()
            pair = (ours(), second)
        else:
            first = ours()
            pair = (first, theirs())
        pairs.append(pair)
    return pairs[warm_ups:]
