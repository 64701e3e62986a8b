"""What a row of the table in `test_arguments.py` says, and the values that parameters refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ortffi import ElementType, Memory, SessionOptions

NAN, HUGE, THING = math.nan, 2**200, object()
X = np.ones(3, np.float32)

NO_INT = (None, "1", b"1", THING, NAN, 1.0, True, [1])
NO_NATURAL = (*NO_INT, -1, HUGE)
NO_STR = (None, 1, b"x", THING, NAN, True, ["x"])
NO_C_STRING = (*NO_STR, "a\0b")
NO_BOOL = (None, 0, 1, "yes", b"1", THING, NAN)
NO_PATH = (None, 1, True, NAN, THING, ["x"], "a\0b")
NO_MAPPING = (None, 1, "x", b"x", THING, NAN, True, ["x"], {"x"})
NO_SEQUENCE = (None, 1, "x", b"x", THING, NAN, True, {"x": 1})
NO_MEMBER = (None, "FLOAT", b"1", THING, NAN, True, 1.0, -1, HUGE, [1])
NO_BUFFER = (None, 1, "x", THING, NAN, True, ["x"])
NO_ARRAY = (None, 1, "x", b"x", THING, NAN, True, [1.0], np.float32(1), np.zeros(1, "M8[s]"))
NO_SHAPE = (None, 1, "3", b"3", THING, NAN, True, np.array([3]), [None], ["3"], [3.0], [True], [-1], [2**64, 0], [NAN])
NO_MATTER: tuple[Any, ...] = ()
"""For what never reaches C and needs no type: what is only asked whether it is true, what numpy
takes as it is."""


@dataclass(frozen=True)
class Wrong:
    """Values that a parameter refuses, or what makes them.

    Attributes:
        values: a tuple, or a function of the world that gives one.
        named: a pattern for the message where that does not hold the parameter's own name.
        optional: None is a right value.
    """

    values: Any
    named: str | None = None
    optional: bool = False

    def all(self, world):
        values = self.values(world) if callable(self.values) else self.values
        return [value for value in values if not (self.optional and value is None)]


@dataclass(frozen=True)
class Row:
    """One public call.

    Attributes:
        call: gives the function, bound to an object of the world.
        good: gives arguments that it accepts.
        wrong: by parameter.
        allowed: what it calls on the way besides what is harmless.
        works: whether the call with good arguments succeeds with any library.
        needs: a function that the library must have.
    """

    call: Callable[[Any], Callable[..., Any]]
    good: Callable[[Any], dict[str, Any]] = lambda _world: {}
    wrong: dict[str, Wrong] = field(default_factory=dict)
    allowed: frozenset[str] = frozenset()
    works: bool = True
    needs: str = "Run"


def optional(values, named=None):
    return Wrong(values, named, optional=True)


def no_options(world):
    return (
        1, "x", b"x", THING, NAN, True, SessionOptions(),
        # These own a C object too, of another kind.
        world.value, world.session, world.closed_options,
    )  # fmt: skip


RUN_OPTIONS = Wrong(no_options, "options|options is closed")
INPUTS = Wrong(
    lambda world: (
        None, 1, "x", b"x", THING, NAN, True, {"x"}, X, [X, X, X],
        {"x": None}, {"x": 1}, {"x": "x"}, {"x": THING}, {"x": X.astype(">f4")},
        {"x": world.closed_value}, {1: X}, {None: X}, {b"x": X}, {("x",): X}, {"x\0": X}, {},
        {"x": X.astype(np.float64)}, {"x": np.array(["x"])}, {"x": np.array([THING])},
    ),
    r"input|name|value is closed|\bx\b",
)  # fmt: skip
OUTPUT_NAMES = optional((1, "y", b"y", THING, NAN, True, [1], [None], [b"y"], [["y"]], ["y\0"]))
BOUND_INPUT = Wrong(
    lambda world: (*NO_ARRAY, X.astype(">f4"), X.astype(np.float64), world.closed_value, X[::2], Memory.CPU),
    "'x'|value is closed",
)
BOUND_OUTPUT = Wrong(
    lambda world: (*NO_ARRAY, X.astype(">f4"), X.astype(np.float64), world.closed_value, X[::2], world.read_only),
    "'y'|value is closed",
)
ELEMENT_TYPE = Wrong((*NO_MEMBER, ElementType.UNDEFINED, ElementType.COMPLEX64))
NAMED_ARRAYS = (*NO_MAPPING, {1: X}, {"w\0": X}, {"w": None}, {"w": [1.0]}, {"w": X.astype(">f4")})
LENGTHS = (*NO_MAPPING, {1: 1}, {"n": "1"}, {"n": True}, {"n": -1}, {"n": HUGE}, {"n": NAN})
ENTRIES = (*NO_MAPPING, {1: "x"}, {"x": 1}, {"x": None}, {"x\0": "x"}, {"x": "x\0"})
FILES = (*NO_MAPPING, {1: b""}, {"x\0": b""}, {"x": "x"}, {"x": None}, {"x": np.arange(9)[::2]})
PROVIDER_OPTIONS = (*NO_MAPPING, {1: "x"}, {"": "x"}, {"a\0": 1}, {"x": None}, {"x": THING})
