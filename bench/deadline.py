"""Work done in parts: a deadline ends a command, and the next call goes on."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

EXIT_STATUS = 3


class OutOfTimeError(Exception):
    """There is more to do than the deadline allows."""


class Deadline:
    """A time after which no new work begins."""

    def __init__(self, minutes: float) -> None:
        """Set it `minutes` from now."""
        self._at = time.monotonic() + minutes * 60

    def check(self) -> None:
        """Raise OutOfTimeError after the deadline."""
        if time.monotonic() > self._at:
            raise OutOfTimeError


def add_minutes(parser: argparse.ArgumentParser) -> None:
    """Add the option `--minutes` to a command line."""
    parser.add_argument("--minutes", type=float, default=1e6, help="leave the rest for later")


def in_parts(measure: Callable[[], int]) -> int:
    """Return the exit status of a measurement, or 3 if it ran out of time."""
    try:
        return measure()
    except OutOfTimeError:
        print("there is more to do; run this again", file=sys.stderr)
        return EXIT_STATUS
