"""A matcher that tries what `re` tries, in the same order, and counts its steps."""

import re
import sys
from collections.abc import Callable
from importlib import import_module

_parser = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

_MAX_STEPS = 100_000


class TooManyStepsError(Exception):
    """The text is too long for this matcher."""


Goal = Callable[[int], bool]


class CountingMatcher:
    """Matches one pattern without shortcuts, from characters and sets up to lookarounds.

    Attributes:
        n_steps: how many parts of the pattern were tried at places of the text.
    """

    def __init__(self, pattern):
        tree = _parser.parse(pattern)
        self._flags = tree.state.flags
        self._items = list(tree)
        self.n_steps = 0
        self._text = ""

    def spans(self, text):
        """Return the matches that `re.finditer` finds."""
        self._text = text
        found = []
        start = 0
        while start <= len(text):
            self._must_advance = bool(found) and found[-1] == (start, start)
            end = self._match(start)
            if end is None:
                start += 1
                continue
            found.append((start, end))
            start = max(end, start)
        return found

    def _match(self, start):
        ends = []

        def accept(end):
            if self._must_advance and end == start:
                return False
            ends.append(end)
            return True

        return ends[0] if self._try(self._items, start, accept) else None

    def _try(self, items, at, goal):
        self.n_steps += 1
        if self.n_steps > _MAX_STEPS:
            raise TooManyStepsError
        if not items:
            return goal(at)
        (code, value), rest = items[0], items[1:]
        name = str(code)

        def then(place):
            return self._try(rest, place, goal)

        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return at < len(self._text) and self._is_in(code, value, self._text[at]) and then(at + 1)
        if name == "SUBPATTERN":
            return self._try(value[3], at, then)
        if name == "BRANCH":
            return any(self._try(part, at, then) for part in value[1])
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            return self._repeat(name == "MAX_REPEAT", *value, 0, None, at, then)
        if name in ("ASSERT", "ASSERT_NOT"):
            side, body = value
            width = 0 if side > 0 else _parser.SubPattern(_parser.State(), list(body)).getwidth()[0]
            found = at >= width and self._try(body, at - width, lambda end: side > 0 or end == at)
            return found == (name == "ASSERT") and then(at)
        if name == "AT":
            return self._is_at(str(value), at) and then(at)
        raise NotImplementedError(name)

    def _repeat(self, is_greedy, least, most, body, n, last, at, goal):
        def again():
            return (
                n < most
                and not (n >= least and at == last)
                and self._try(body, at, lambda end: self._repeat(is_greedy, least, most, body, n + 1, at, end, goal))
            )

        self.n_steps += 1
        if n < least:
            return again()
        return (again() or goal(at)) if is_greedy else (goal(at) or again())

    def _is_in(self, code, value, character):
        one = _parser.SubPattern(_parser.State(), [(code, value)])
        one.state.flags = self._flags
        compiler = import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
        key = repr((code, value))
        if key not in _compiled:
            _compiled[key] = compiler.compile(one, self._flags)
        return _compiled[key].match(character) is not None

    def _is_at(self, name, at):
        pattern = {
            "AT_BEGINNING": "^", "AT_BEGINNING_STRING": r"\A", "AT_BOUNDARY": r"\b",
            "AT_END": "$", "AT_END_STRING": r"\Z", "AT_NON_BOUNDARY": r"\B",
        }[name]  # fmt: skip
        return re.compile(pattern).match(self._text, at) is not None


_compiled = {}
