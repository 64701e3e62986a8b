"""Bound the work of `re` with a pattern, by how ambiguous the pattern's automaton is.

`re` tries one way to match after the other and remembers none, so its work is the number of paths
through the automaton, from every place where a search may begin. With a limited number of paths to
each end, work is linear. Where a path may leave one loop for another at any place in a run of the
same characters (`\\s*\\s*x`, or the search itself and then `\\w+x`), work grows by a power of the
length for each such pair. Where a loop has two paths for the same characters (`(a+)+x`), it grows
exponentially. There is no other case: A. Weber and H. Seidl, "On the degree of ambiguity of finite
automata", 1991. C. Allauzen, M. Mohri and A. Rastogi, "General algorithms for testing the ambiguity
of finite automata", 2008, find both with products of the automaton.

A place from which a match is certain ends the attempt, so each character has one such path at most:
`\\s+` is linear although `\\s+x` is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product
from typing import Any, Literal, NamedTuple, TypeVar

from service.text.backtracking.automaton import Automaton, TooLargeError, automaton
from service.text.backtracking.conditions import Move

__all__ = ["Growth", "TooLargeError", "Use", "growth"]

Use = Literal["search", "match", "fullmatch"]

_SPINE = -1
"""The place of a search before it begins, or of a match up to where it is certain."""


class Growth(NamedTuple):
    """How the work of a pattern grows with the length of the text.

    Attributes:
        exponent: 0 if it does not grow, 1 if in proportion, 2 if with the square, and so on;
            infinite if exponentially.
        pump: a character whose repetition shows it; empty below 2.
    """

    exponent: float
    pump: str


def growth(pattern: re.Pattern[Any], use: Use = "search", *, bounded: bool = True) -> Growth:
    """Return an upper bound of the growth of a pattern's work.

    Args:
        pattern: a compiled pattern.
        use: how it is used. `search` stands for `sub`, `split`, `findall` and `finditer` too, each
            over a whole text.
        bounded: whether limits of repetitions count. If not, `{0,80}` is as `*`, which tells
            whether the limit is all that keeps the work small.

    Raises:
        TooLargeError: it would be too much to analyze.
    """
    built = automaton(pattern, whole=use == "fullmatch", bounded=bounded)
    return _Ambiguity(built, searches=use == "search").growth()


State = tuple[int, int]
"""A place and the kind of the last character."""

Node = TypeVar("Node", bound=Hashable)


class _Ambiguity:
    """Finds the degree of ambiguity of one automaton."""

    def __init__(self, built: Automaton, *, searches: bool) -> None:
        self._built = built
        self._searches = searches
        self._certain = _certain(built) if self._has_loops() else []
        self._known: dict[State, dict[int, dict[int, int]]] = {}
        self._reached: dict[int, frozenset[int]] = {}

    def growth(self) -> Growth:
        loops = self._loops() if self._certain else []
        if not loops:
            return Growth(1 if self._searches or self._certain else 0, "")
        for loop in loops:
            if self._is_manifold(loop):
                return Growth(math.inf, self._name(loop))
        spine = self._spine()
        if spine:
            loops.insert(0, spine)
        degrees = [0] * len(loops)
        for number, loop in enumerate(loops):
            for earlier, other in enumerate(loops[:number]):
                if self._leads(other, loop):
                    more = degrees[earlier] + self._are_parallel(other, loop)
                    degrees[number] = max(degrees[number], more)
        top = max(degrees)
        return Growth(1 + top, self._name(loops[degrees.index(top)]) if top else "")

    def _has_loops(self) -> bool:
        moves = self._built.moves

        def following(place: int) -> Iterator[int]:
            return (move.place for move in moves[place] if not move.is_limited)

        components = _components(range(len(moves)), following)
        return any(len(part) > 1 or part[0] in following(part[0]) for part in components)

    def _name(self, loop: frozenset[State]) -> str:
        return self._built.names[min(symbol for _, symbol in loop)]

    def _spine(self) -> frozenset[State]:
        """Return the states at which, one a character, paths begin."""
        every = self._built.all if self._searches else 0
        for certain in self._certain:
            every |= certain
        return frozenset((_SPINE, symbol) for symbol in _bits(every))

    def _loops(self) -> list[frozenset[State]]:
        """Return the sets of states that may be passed any number of times, in order."""
        built = self._built
        states = [
            (place, symbol)
            for place, symbols in enumerate(built.sets)
            for symbol in _bits(symbols & ~self._certain[place])
        ]

        def following(state: State) -> Iterator[State]:
            for move in built.moves[state[0]]:
                if not move.is_limited:
                    yield from self._arrivals(move, state[1])

        components = _components(states, following)
        loops = [
            frozenset(component)
            for component in components
            if len(component) > 1 or component[0] in following(component[0])
        ]
        return loops[::-1]

    def _arrivals(self, move: Move, symbol: int) -> Iterator[State]:
        """Yield the states in which a move ends after a character of a kind, unless certain."""
        if move.condition.before >> symbol & 1:
            place = move.place
            symbols = move.condition.after & self._built.sets[place] & ~self._certain[place]
            for following in _bits(symbols):
                yield place, following

    def _following(self, state: State) -> dict[int, dict[int, int]]:
        """Return, for each next character, the places that it leads to, with the ways to each."""
        known = self._known.get(state)
        if known is not None:
            return known
        place, symbol = state
        found: dict[int, dict[int, int]] = {}
        for move in self._starting(symbol) if place == _SPINE else self._built.moves[place]:
            for to, following in self._arrivals(move, symbol):
                places = found.setdefault(following, {})
                places[to] = min(2, places.get(to, 0) + move.n_ways)
        if place == _SPINE:
            for _, following in self._spine():
                found.setdefault(following, {})[_SPINE] = 1
        self._known[state] = found
        return found

    def _starting(self, symbol: int) -> Iterator[Move]:
        if self._searches:
            yield from self._built.firsts
        for place, certain in enumerate(self._certain):
            if certain >> symbol & 1:
                yield from self._built.moves[place]

    def _reach(self, place: int) -> frozenset[int]:
        """Return the places that may follow a place sooner or later."""
        if place not in self._reached:
            found: set[int] = set()
            left = [place]
            while left:
                for move in self._built.moves[left.pop()]:
                    if move.place not in found:
                        found.add(move.place)
                        left.append(move.place)
            self._reached[place] = frozenset(found)
        return self._reached[place]

    def _leads(self, one: frozenset[State], other: frozenset[State]) -> bool:
        first, second = next(iter(one))[0], next(iter(other))[0]
        return first == _SPINE or second in self._reach(first)

    def _is_manifold(self, loop: frozenset[State]) -> bool:
        """Tell whether there are two paths for the same characters around a loop."""

        def following(pair: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
            a, b, symbol = pair
            others = self._following((b, symbol))
            for after, places in self._following((a, symbol)).items():
                for one, two in product(places, others.get(after, ())):
                    if (one, after) in loop and (two, after) in loop:
                        yield one, two, after

        for state in loop:
            for after, places in self._following(state).items():
                if any(n > 1 and (place, after) in loop for place, n in places.items()):
                    return True
        starts = [(place, place, symbol) for place, symbol in loop]
        return any(
            any(a == b for a, b, _ in found) and any(a != b for a, b, _ in found)
            for found in _components(starts, following)
        )

    def _are_parallel(self, one: frozenset[State], other: frozenset[State]) -> bool:
        """Tell whether the same characters lead around two loops and from the first to the second.

        Then a path may change to the second loop after each round.
        """
        firsts, seconds = {p for p, _ in one}, {p for p, _ in other}
        symbols = {symbol for _, symbol in one} & {symbol for _, symbol in other}
        between = {
            place: place in seconds or not seconds.isdisjoint(self._reach(place))
            for place in range(len(self._built.sets))
        }
        between[_SPINE] = True

        def following(node: tuple[int, int, int, int]) -> Iterator[tuple[int, int, int, int]]:
            first, middle, second, symbol = node
            if middle == second and first in firsts and (first, symbol) in one:
                yield first, first, second, symbol
            around = self._following((first, symbol))
            across = self._following((middle, symbol))
            for after, places in self._following((second, symbol)).items():
                if after not in symbols:
                    continue
                for a, m, b in product(around.get(after, ()), across.get(after, ()), places):
                    if (a, after) in one and (b, after) in other and between[m]:
                        yield a, m, b, after

        starts = [
            (first, first, second, symbol)
            for (first, symbol), second in product(one, seconds)
            if (second, symbol) in other
        ]
        for found in _components(starts, following):
            if len(found) > 1:
                nodes = set(found)
                for first, middle, second, symbol in found:
                    if middle == second and (first, first, second, symbol) in nodes:
                        return True
        return False


def _certain(built: Automaton) -> list[int]:
    """Return for each place the kinds of characters after which a match is certain.

    It is if, whatever follows, the expression has matched or has a way on to such a place: then the
    search tries nothing else before the match, and goes on behind it.
    """
    places = zip(built.sets, built.aside, strict=True)
    certain = [0 if aside else symbols for symbols, aside in places]
    befores: list[set[int]] = [set() for _ in built.sets]
    for place, moves in enumerate(built.moves):
        for move in moves:
            befores[move.place].add(place)
    left = set(range(len(certain)))
    while left:
        place = left.pop()
        for symbol in _bits(certain[place]):
            covered = 0
            for end in built.ends[place]:
                if end.surely_before >> symbol & 1:
                    covered |= end.surely_after
            for move in built.moves[place]:
                if move.condition.surely_before >> symbol & 1:
                    covered |= move.condition.surely_after & certain[move.place]
            if covered != built.all:
                certain[place] &= ~(1 << symbol)
                left |= befores[place]
    return certain


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _components(
    starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]
) -> list[list[Node]]:
    """Return the strongly connected components that can be reached, the last ones first.

    R. Tarjan, "Depth-first search and linear graph algorithms", 1972.
    """
    numbers: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    open_nodes: list[Node] = []
    is_open: set[Node] = set()
    components: list[list[Node]] = []
    for start in starts:
        if start in numbers:
            continue
        numbers[start] = lowest[start] = len(numbers)
        open_nodes.append(start)
        is_open.add(start)
        way = [(start, iter(following(start)))]
        while way:
            node, ahead = way[-1]
            for after in ahead:
                if after not in numbers:
                    numbers[after] = lowest[after] = len(numbers)
                    open_nodes.append(after)
                    is_open.add(after)
                    way.append((after, iter(following(after))))
                    break
                if after in is_open:
                    lowest[node] = min(lowest[node], numbers[after])
            else:
                way.pop()
                if way:
                    lowest[way[-1][0]] = min(lowest[way[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    component: list[Node] = []
                    while not component or component[-1] != node:
                        component.append(open_nodes.pop())
                        is_open.remove(component[-1])
                    components.append(component)
    return components
