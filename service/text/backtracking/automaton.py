"""The automaton of a regular expression: its places, and which may follow which.

It is Glushkov's: a place for each single character of the expression, no empty moves. What `re`
looks at without consuming it (`\\b`, `(?<!x)`, `(?=x)`) is a condition on the character before or
after a move, as far as one character decides; beyond that, a move counts as possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from service.text.backtracking.character_sets import Item, Runs, parser, runs_of, symbols
from service.text.backtracking.conditions import Condition, Move, Ways, both, either, ways_under

_SETS = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})

MANY = 100
"""A character that repeats at most so often repeats a limited number of times."""

_UNROLLED = 12
"""A group that repeats at most so often is written out."""

_MAX_PLACES = 10_000
_MAX_MOVES = 300_000


@dataclass(slots=True)
class Automaton:
    """Places and moves.

    Attributes:
        n_symbols: number of kinds of characters, those that the expression does not tell apart.
            Bit `n_symbols` stands for the text's edge.
        names: a character of each kind.
        sets: for each place, the characters that it consumes.
        aside: for each place, whether it is part of a lookahead.
        firsts: the moves at the beginning.
        moves: for each place, the moves after it.
        ends: for each place, the conditions under which the expression has matched after it.
    """

    n_symbols: int
    names: list[str]
    sets: list[int] = field(default_factory=list)
    aside: list[bool] = field(default_factory=list)
    firsts: list[Move] = field(default_factory=list)
    moves: list[list[Move]] = field(default_factory=list)
    ends: list[list[Condition]] = field(default_factory=list)

    @property
    def edge(self) -> int:
        """Return the bit of the text's edge."""
        return 1 << self.n_symbols

    @property
    def all(self) -> int:
        """Return the bits of all characters and of the edge."""
        return (2 << self.n_symbols) - 1


class TooLargeError(ValueError):
    """The expression has too many places, or too many moves between them."""


def automaton(pattern: re.Pattern[Any], *, whole: bool, bounded: bool) -> Automaton:
    """Return the automaton of a pattern.

    Args:
        pattern: a compiled pattern.
        whole: whether it must match up to the end of the text, as by `fullmatch`.
        bounded: whether limits of repetitions count; if not, `{1,5}` is as `+`.

    Raises:
        TooLargeError: it has more than ten thousand places.
    """
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    items = list(tree)
    if whole:
        items.append((parser.AT, parser.AT_END_STRING))
    return _Builder(items, tree.state.flags, isinstance(pattern.pattern, bytes), bounded).build()


class _Fragment(NamedTuple):
    """A part of an expression.

    Attributes:
        empty: how it matches without consuming anything.
        firsts: the places where it may begin.
        lasts: the places where it may end.
    """

    empty: Ways
    firsts: dict[int, Ways]
    lasts: dict[int, Ways]


class _Builder:
    """Builds one automaton from a parsed expression."""

    def __init__(self, items: Sequence[Item], flags: int, is_bytes: bool, bounded: bool) -> None:
        self._items = items
        self._flags = flags
        self._bounded = bounded
        self._is_bytes = is_bytes
        self._groups: dict[int, tuple[Sequence[Item], int]] = {}
        word = runs_of((parser.IN, ((parser.CATEGORY, parser.CATEGORY_WORD),)), flags, is_bytes)
        line = ((10, 11),)
        sets = dict.fromkeys([word, line, *self._sets(items, flags)])
        self._masks, names = symbols(sets, is_bytes)
        self._word, self._line = self._masks[word], self._masks[line]
        self._automaton = Automaton(len(names), names)
        self._all, self._edge = self._automaton.all, self._automaton.edge
        self._always = Condition(self._all, self._all, self._all, self._all)
        self._never_surely = Condition(self._all, self._all, 0, 0)
        self._moves: list[dict[tuple[int, Condition, bool], int]] = []
        self._n_moves = 0
        self._depth_aside = 0

    def build(self) -> Automaton:
        built = self._automaton
        whole = self._sequence(self._items, self._flags)
        built.firsts = [
            Move(place, condition, False, n)
            for place, ways in whole.firsts.items()
            for condition, n in ways.items()
        ]
        for place, moves in enumerate(self._moves):
            built.moves.append(
                [Move(to, when, limited, n) for (to, when, limited), n in moves.items()]
            )
            built.ends.append(list(whole.lasts.get(place, {})))
        return built

    def _sets(self, items: Iterable[Item], flags: int) -> Iterator[Runs]:
        """Yield the sets of characters in an expression, and remember its groups."""
        for code, value in items:
            name = str(code)
            if name in _SETS:
                yield runs_of((code, value), flags, self._is_bytes)
            elif name == "SUBPATTERN":
                inner = (flags | value[1]) & ~value[2]
                if value[0] is not None:
                    self._groups[value[0]] = (value[3], inner)
                yield from self._sets(value[3], inner)
            else:
                for part in _parts(name, value):
                    yield from self._sets(part, flags)

    def _set(self, item: Item, flags: int) -> int:
        return self._masks[runs_of(item, flags, self._is_bytes)]

    def _sequence(self, items: Sequence[Item], flags: int) -> _Fragment:
        done = _Fragment({self._always: 1}, {}, {})
        for item in self._ordered(items, flags):
            done = self._joined(done, self._fragment(item, flags))
        return done

    def _ordered(self, items: Sequence[Item], flags: int) -> list[Item]:
        """Return items with `x(?<!yx)` as `(?<!y)x`, which is decided by one character."""
        done: list[Item] = []
        for item in items:
            place = len(done)
            while place and str(done[place - 1][0]).startswith("ASSERT"):
                place -= 1
            before = done[place - 1] if place else None
            is_behind = str(item[0]).startswith("ASSERT") and item[1][0] < 0
            body: Sequence[Item] = list(item[1][1]) if is_behind else []
            if before is not None and str(before[0]) in _SETS and len(body) > 1:
                same, last = self._set(before, flags), body[-1]
                if str(last[0]) in _SETS and not same & ~self._set(last, flags):
                    done.insert(place - 1, (item[0], (-1, body[:-1])))
                    continue
            done.append(item)
        return done

    def _joined(self, a: _Fragment, b: _Fragment) -> _Fragment:
        self._link(a.lasts, b.firsts, self._always)
        firsts, lasts = dict(a.firsts), dict(b.lasts)
        if a.empty:
            for place, ways in b.firsts.items():
                firsts[place] = either(firsts.get(place, {}), both(a.empty, ways))
        if b.empty:
            for place, ways in a.lasts.items():
                lasts[place] = either(lasts.get(place, {}), both(ways, b.empty))
        return _Fragment(both(a.empty, b.empty), firsts, lasts)

    def _link(
        self,
        lasts: dict[int, Ways],
        firsts: dict[int, Ways],
        when: Condition,
        n_ways: int = 1,
        *,
        is_limited: bool = False,
    ) -> None:
        self._n_moves += len(lasts) * len(firsts)
        if self._n_moves > _MAX_MOVES:
            raise TooLargeError("one whose repetitions may be combined in too many ways")
        for (place, ways), (to, others) in product(lasts.items(), firsts.items()):
            for condition, n in both(both(ways, others), {when: n_ways}).items():
                if condition.before & self._automaton.sets[place] and condition.after:
                    key = (to, condition, is_limited)
                    self._moves[place][key] = min(2, self._moves[place].get(key, 0) + n)

    def _fragment(self, item: Item, flags: int) -> _Fragment:
        code, value = item
        name = str(code)
        if name in _SETS:
            return self._place(self._set(item, flags))
        if name == "SUBPATTERN":
            return self._sequence(value[3], (flags | value[1]) & ~value[2])
        if name == "BRANCH":
            return self._either(self._sequence(part, flags) for part in value[1])
        if name in _REPEATS:
            least, most, part = value
            done = self._repeated(least, most, part, flags)
            return self._unsure(done) if name == "POSSESSIVE_REPEAT" else done
        if name == "ATOMIC_GROUP":
            return self._unsure(self._sequence(value, flags))
        if name in ("ASSERT", "ASSERT_NOT"):
            side, part = value
            return self._looking(name == "ASSERT", side, part, flags)
        if name == "AT":
            return _Fragment(self._at(str(value), flags), {}, {})
        if name == "GROUPREF":  # the same text as the group's is one that the group may match
            items, inner = self._groups[value]
            return self._unsure(self._sequence(items, inner))
        if name == "GROUPREF_EXISTS":
            parts = [self._sequence(part or (), flags) for part in value[1:]]
            return self._unsure(self._either(parts))
        raise NotImplementedError(name)

    def _place(self, characters: int) -> _Fragment:
        built = self._automaton
        place = len(built.sets)
        if place >= _MAX_PLACES:
            raise TooLargeError(f"one of more than {_MAX_PLACES} characters")
        built.sets.append(characters)
        built.aside.append(self._depth_aside > 0)
        self._moves.append({})
        return _Fragment({}, {place: {self._always: 1}}, {place: {self._always: 1}})

    def _either(self, parts: Iterable[_Fragment]) -> _Fragment:
        empty: Ways = {}
        firsts: dict[int, Ways] = {}
        lasts: dict[int, Ways] = {}
        for part in parts:
            empty = either(empty, part.empty)
            firsts |= part.firsts
            lasts |= part.lasts
        return _Fragment(empty, firsts, lasts)

    def _repeated(self, least: int, most: int, body: Sequence[Item], flags: int) -> _Fragment:
        if most == 0:
            return _Fragment({self._always: 1}, {}, {})
        if most == 1:
            done = self._sequence(body, flags)
            return done if least else self._optional(done)
        is_one = len(body) == 1 and str(body[0][0]) in _SETS
        is_endless = most is parser.MAXREPEAT or not self._bounded
        if not is_endless and (most > MANY if is_one else most > _UNROLLED):
            is_endless = True
        n_before = max(0, least - 1) if most is parser.MAXREPEAT and least <= _UNROLLED else 0
        if not is_endless and not is_one:
            return self._unrolled(least, most, body, flags)
        done = _Fragment({self._always: 1}, {}, {})
        for _ in range(n_before):
            done = self._joined(done, self._sequence(body, flags))
        loop = self._sequence(body, flags)
        exact = most is parser.MAXREPEAT and n_before >= least - 1
        when = self._always if exact else self._never_surely
        # Which rounds consume nothing is open, except that `re` leaves an endless loop after one.
        n_ways = 2 if loop.empty and not exact else 1
        self._link(loop.lasts, loop.firsts, when, n_ways, is_limited=not is_endless)
        twice = either({self._always: 1}, loop.empty)
        loop = loop._replace(lasts={p: both(ways, twice) for p, ways in loop.lasts.items()})
        if not exact and least > 1:
            loop = self._unsure(loop)
        done = self._joined(done, loop)
        return done if least else self._optional(done)

    def _unrolled(self, least: int, most: int, body: Sequence[Item], flags: int) -> _Fragment:
        done = _Fragment({self._always: 1}, {}, {})
        for n in range(most, 0, -1):
            done = self._joined(self._sequence(body, flags), done)
            if n > least:
                done = self._optional(done)
        return done

    def _optional(self, part: _Fragment) -> _Fragment:
        return part._replace(empty=either(part.empty, {self._always: 1}))

    def _unsure(self, part: _Fragment) -> _Fragment:
        """Return a fragment that may fail although its characters are there."""
        unsure: Ways = {self._never_surely: 1}
        return part._replace(
            empty=both(part.empty, unsure),
            firsts={place: both(ways, unsure) for place, ways in part.firsts.items()},
            lasts={place: both(ways, unsure) for place, ways in part.lasts.items()},
        )

    def _looking(self, wanted: bool, side: int, body: Sequence[Item], flags: int) -> _Fragment:
        may, surely = self._seen(list(body), side, flags)
        if not wanted:
            may, surely = self._all & ~surely, self._all & ~may
        if side < 0:
            return _Fragment(ways_under(Condition(may, self._all, surely, self._all)), {}, {})
        # The way into the lookahead ends there. What follows begins anew.
        self._depth_aside += 1
        aside = self._sequence(body, flags)
        self._depth_aside -= 1
        return _Fragment(ways_under(Condition(self._all, may, self._all, surely)), aside.firsts, {})

    def _seen(self, items: Sequence[Item], side: int, flags: int) -> tuple[int, int]:
        """Return next characters with which items may match and with which they surely do."""
        if not items:
            return self._all, self._all
        (code, value), rest = (items[0], items[1:]) if side > 0 else (items[-1], items[:-1])
        name = str(code)
        after = [*rest] if side > 0 else rest
        if name in _SETS:
            mask = self._set((code, value), flags)
            return mask, mask if self._seen(after, side, flags)[1] == self._all else 0
        if name == "SUBPATTERN":
            inner = (flags | value[1]) & ~value[2]
            if inner != flags:
                return self._seen(value[3], side, inner)[0] if not rest else self._all, 0
            return self._seen(_beside(value[3], rest, side), side, flags)
        if name == "BRANCH":
            both = [self._seen(_beside(part, rest, side), side, flags) for part in value[1]]
            return _union(both)
        if name in _REPEATS and value[0] <= 1:
            once = self._seen(_beside(value[2], rest, side), side, flags)
            often = self._seen(value[2], side, flags)[0] if value[1] > 1 else 0
            none = (0, 0) if value[0] else self._seen(rest, side, flags)
            may, surely = _union([once, none])
            return may | often, surely
        if name in _REPEATS:
            return self._seen(value[2], side, flags)[0], 0
        if name == "AT" and not rest:
            looked = [(c.before, c.surely_before) if side < 0 else (c.after, c.surely_after)
                      for c in self._at(str(value), flags)]  # fmt: skip
            may, surely = _union(looked)
            return may, 0 if "BOUNDARY" in str(value) else surely
        return self._all, 0

    def _at(self, name: str, flags: int) -> Ways:
        everywhere, edge, lines = self._all, self._edge, bool(flags & re.MULTILINE)
        if name in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            before = edge | self._line if lines and name == "AT_BEGINNING" else edge
            return ways_under(Condition(before, everywhere, before, everywhere))
        if name in ("AT_END", "AT_END_STRING"):
            surely = edge | self._line if lines and name == "AT_END" else edge
            may = edge | self._line if name == "AT_END" else edge
            return ways_under(Condition(everywhere, may, everywhere, surely))
        word, others = self._word, everywhere & ~self._word
        pairs = ((word, others), (others, word))
        if name == "AT_NON_BOUNDARY":
            pairs = ((word, word), (others, others))
        return {Condition(a, b, a, b): 1 for a, b in pairs if a and b}


def _beside(part: Sequence[Item], rest: Sequence[Item], side: int) -> list[Item]:
    return [*part, *rest] if side > 0 else [*rest, *part]


def _union(seen: Iterable[tuple[int, int]]) -> tuple[int, int]:
    may = surely = 0
    for a, b in seen:
        may, surely = may | a, surely | b
    return may, surely


def _parts(name: str, value: Any) -> Iterator[Sequence[Item]]:
    """Yield the expressions inside one that is neither a character nor a group."""
    if name == "BRANCH":
        yield from value[1]
    elif name in _REPEATS:
        yield value[2]
    elif name in ("ASSERT", "ASSERT_NOT"):
        yield value[1]
    elif name == "ATOMIC_GROUP":
        yield value
    elif name == "GROUPREF_EXISTS":
        yield from (part for part in value[1:] if part is not None)
