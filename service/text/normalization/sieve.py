"""Find the patterns that may match a text, by short strings of which each needs one.

A text is searched by hundreds of patterns, and hardly any matches. What a pattern needs follows
from the parts that no match lacks: every match of `\\bcf\\.(?!\\w)` has `cf.`, every one of
`(?:Mr|Mrs)[ ]` has `Mr ` or `rs `. So one look at the pairs and triples of a text's characters
leaves few patterns to try.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import add
from typing import Any

from service.text.backtracking.character_sets import Item, parser

_DIGIT, _SPACE = "0", " "
_SPACES = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_FOLDED = str.maketrans(dict.fromkeys(_SPACES, _SPACE) | dict.fromkeys(string.digits, _DIGIT))
_OTHER_SPACES = re.compile(r"[^\S\x00-\x7f]")
_OTHER_DIGITS = re.compile(r"[^\D\x00-\x7f]")
_LAST_ASCII = 0x7F
_WIDEST = 64
"""Characters of a class that are not ASCII: one with more may be any character."""

_LONGEST = 3
"""Characters of a string that is looked for: with more the sets of strings would be greater."""
_WIDE = 12
"""Characters of a class that says more by itself than beside others."""
_MOST = 400
"""Strings of one pattern. Those of two arbitrary letters are more, and in most texts."""

_ORDER = "etaoinshrdlucmfwypvbgkjqxz"
_SHARES = {
    **{letter: 0.12 / (1 + rank / 2) for rank, letter in enumerate(_ORDER)},
    **dict.fromkeys(string.ascii_uppercase, 0.004),
    **dict.fromkeys(",.", 0.01),
    _SPACE: 0.17,
    _DIGIT: 0.02,
}
"""Roughly how many of the characters of English are this one."""
_RARE, _RARE_BEYOND_ASCII = 0.001, 0.01

_CASELESS_EXTRA = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
"""Characters that are not ASCII and stand for a letter too, where case does not count."""
_CATEGORIES = {
    parser.CATEGORY_DIGIT: frozenset((_DIGIT,)),
    parser.CATEGORY_SPACE: frozenset((_SPACE,)),
}
_REPEATS = frozenset(
    getattr(parser, name)
    for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
    if hasattr(parser, name)
)
_ATOMIC = getattr(parser, "ATOMIC_GROUP", None)

Strings = frozenset[str]
Needed = tuple[Strings, ...]
_NOTHING: Strings = frozenset(("",))
_NONE: Strings = frozenset()


class Sieve:
    """Tells which of some patterns may match a text.

    Args:
        patterns: of text, not of bytes.
    """

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._always: list[int] = []
        self._by_string: dict[str, list[int]] = {}
        self._too: list[Strings] = []
        for number, pattern in enumerate(patterns):
            first, *others = needed_by(pattern) or [_NONE]
            if not first:
                self._always.append(number)
            for each in first:
                self._by_string.setdefault(each, []).append(number)
            self._too.append(_NONE.union(*others))
        self._strings = _NONE.union(self._by_string, *self._too)

    def candidates(self, text: str) -> list[int]:
        """Return the indexes of patterns that may match anywhere in a text, in order."""
        folded = _folded(text)
        pairs = list(map(add, folded, folded[1:]))
        present = self._strings.intersection((*folded, *pairs, *map(add, pairs, folded[2:])))
        found = set(self._always)
        for part in present:
            found.update(self._by_string.get(part, ()))
        too = self._too
        return sorted(
            number for number in found if not too[number] or not present.isdisjoint(too[number])
        )


@cache
def needed_by(pattern: re.Pattern[str]) -> Needed:
    """Return strings that a text with a match has: one of the first set, and one of the second.

    They are of texts in which every digit is `0` and every white space is a space.
    """
    parsed = parser.parse(pattern.pattern, pattern.flags)
    return _sequence(parsed, bool(pattern.flags & re.IGNORECASE))[1]


def _folded(text: str) -> str:
    if not text.isascii():
        text = _OTHER_DIGITS.sub(_DIGIT, _OTHER_SPACES.sub(_SPACE, text))
    return text.translate(_FOLDED)


@cache
def _share(part: str) -> float:
    share = 1.0
    for character in part:
        share *= _SHARES.get(character, _RARE if character.isascii() else _RARE_BEYOND_ASCII)
    return share


@cache
def _rarest(written: str) -> str:
    """Return the part of a string that fewest texts have."""
    if len(written) <= _LONGEST:
        return written
    parts = (written[at : at + _LONGEST] for at in range(len(written) - _LONGEST + 1))
    return min(parts, key=_share)


def _rarer(*sets: Strings) -> Needed:
    """Return the two sets of strings that fewest texts have one of, the rarer one first."""
    found = dict.fromkeys(filter(None, sets))
    if len(found) < 2:
        return tuple(found)
    return tuple(sorted(found, key=lambda needed: sum(map(_share, needed))))[:2]


def _product(one: Strings, other: Strings) -> Strings | None:
    if len(one) * len(other) > _MOST:
        return None
    return frozenset(first + second for first in one for second in other)


# Each of the following returns what a part of a pattern matches, None if that is not one of a few
# strings, and what a match of it needs.


def _sequence(items: Sequence[Item], is_caseless: bool) -> tuple[Strings | None, Needed]:
    items = getattr(items, "data", items)  # it is slow to ask a part of a pattern for its items
    if not is_caseless and all(operation is parser.LITERAL for operation, _ in items):
        written = _folded("".join([chr(value) for _, value in items]))
        return frozenset((written,)), (frozenset((_rarest(written),)),) if written else ()
    run: Strings = _NOTHING  # what the last parts match, which touch each other
    is_all = True  # whether these are all parts
    found: list[Strings] = []
    for operation, value in _unrolled(items):
        if operation is parser.AT or operation is parser.ASSERT_NOT:
            continue
        if operation is parser.ASSERT:
            found += _sequence(value[1], is_caseless)[1]
            continue
        matched, needed = _part(operation, value, is_caseless)
        is_wide = operation is parser.IN and matched is not None and len(matched) > _WIDE
        joined = None if matched is None or is_wide else _product(run, matched)
        if joined is None:
            found += (_rarest_of(run), *needed)
            is_all = False
            found.append(_rarest_of(matched or _NOTHING))
            if matched is not None and not is_wide:
                joined = _product(frozenset(one[1 - _LONGEST :] for one in run), matched)
                joined = matched if joined is None else joined
        run = _NOTHING if joined is None else joined
    return (run if is_all else None), _rarer(*found, _rarest_of(run))


def _rarest_of(run: Strings) -> Strings:
    return _NONE if "" in run else frozenset(map(_rarest, run))


def _unrolled(items: Iterable[Item]) -> Iterator[tuple[Any, Any]]:
    """Yield the items with repetitions written out; None stands for any number of them."""
    for operation, value in items:
        if operation not in _REPEATS or value[:2] == (0, 1):
            yield operation, value
            continue
        least, most, repeated = value
        one = parser.SUBPATTERN, (None, 0, 0, repeated)
        for _ in range(min(least, _LONGEST)):
            yield one
        if least != most or least > _LONGEST:
            yield None, None
            if least:
                yield one


def _part(operation: Any, value: Any, is_caseless: bool) -> tuple[Strings | None, Needed]:
    if operation is parser.LITERAL:
        return _symbols(value, value, is_caseless), ()
    if operation is parser.IN:
        return _class(tuple(value), is_caseless), ()
    if operation is parser.SUBPATTERN:
        _, added, removed, inside = value
        is_on = is_caseless or bool(added & re.IGNORECASE)
        return _sequence(inside, is_on and not removed & re.IGNORECASE)
    if operation is _ATOMIC:
        return _sequence(value, is_caseless)
    if operation is parser.BRANCH:
        return _branch(value[1], is_caseless)
    if operation in _REPEATS:  # once or not at all
        matched, _ = _sequence(value[2], is_caseless)
        return None if matched is None else matched | _NOTHING, ()
    return None, ()


def _branch(
    alternatives: Iterable[Sequence[Item]], is_caseless: bool
) -> tuple[Strings | None, Needed]:
    found = [_sequence(items, is_caseless) for items in alternatives]
    matched = _NONE.union(*(one or _NONE for one, _ in found))
    is_few = len(matched) <= _MOST and all(one is not None for one, _ in found)
    unions = [_NONE.union(*sets) for sets in zip(*(needed for _, needed in found), strict=False)]
    return (matched if is_few else None), _rarer(*(one for one in unions if len(one) <= _MOST))


@cache
def _class(items: tuple[Item, ...], is_caseless: bool) -> Strings | None:
    """Return the characters of a class, None if it may be any."""
    found: set[str] = set()
    for operation, value in items:
        if operation in (parser.LITERAL, parser.RANGE):
            first, last = value if operation is parser.RANGE else (value, value)
            symbols = _symbols(first, last, is_caseless)
            if symbols is None:
                return None
            found |= symbols
        elif operation is parser.CATEGORY and value in _CATEGORIES:
            found |= _CATEGORIES[value]
        else:
            return None
    return frozenset(found)


@cache
def _symbols(first: int, last: int, is_caseless: bool) -> Strings | None:
    """Return what stands for the characters with some code points, None if they are many."""
    if last > _LAST_ASCII and (is_caseless or last - max(first, _LAST_ASCII) > _WIDEST):
        return None
    found = {chr(code) for code in range(first, last + 1)}
    if is_caseless:
        found |= {each.swapcase() for each in found}
        found.update(*(_CASELESS_EXTRA.get(each, "") for each in sorted(found)))
    return frozenset(map(_folded, found))
