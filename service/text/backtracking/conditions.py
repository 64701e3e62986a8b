"""Say when a regular expression can go on to a place, by the characters before and after it."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple


class Condition(NamedTuple):
    """When a move is possible, by the characters before and after it, as bits.

    Attributes:
        before: of the character before the place where the move is; one bit is the text's edge.
        after: of the character after it.
        surely_before: as `before`, where nothing else can prevent the move.
        surely_after: as `after`.
    """

    before: int
    after: int
    surely_before: int
    surely_after: int

    def __and__(self, other: Condition) -> Condition:
        return Condition(*(a & b for a, b in zip(self, other, strict=True)))


Ways = dict[Condition, int]
"""Conditions, each with the number of ways, at most 2, that are possible under it."""


class Move(NamedTuple):
    """A move to a place.

    Attributes:
        place: number of the place that consumes the next character.
        condition: when it is possible.
        is_limited: whether it repeats something that repeats a limited number of times.
        n_ways: 2 if there are several ways.
    """

    place: int
    condition: Condition
    is_limited: bool
    n_ways: int


def ways_under(condition: Condition) -> Ways:
    """Return the one way that a condition leaves open, or none if it is never met."""
    return {condition: 1} if condition.before and condition.after else {}


def either(a: Ways, b: Ways) -> Ways:
    """Return the ways of two alternatives."""
    return {key: min(2, a.get(key, 0) + b.get(key, 0)) for key in {**a, **b}}


def both(a: Ways, b: Ways) -> Ways:
    """Return the ways in which one thing follows another at the same place of the text."""
    done: Ways = {}
    for (one, n), (other, m) in product(a.items(), b.items()):
        condition = one & other
        if condition.before and condition.after:
            done[condition] = min(2, done.get(condition, 0) + n * m)
    return done
