"""The two ways to decode a chunk, and the sides that can do both."""

from __future__ import annotations

from collections.abc import Sequence

from bench.processes import ChildError
from bench.report import note
from bench.sides import Side

DECODINGS = ("windows", "whole")
"""As requests name them; the service refuses one that it does not have."""


def sides_with_windows(sides: Sequence[Side]) -> list[Side]:
    """Return the sides whose model may be split, and print the others.

    Raises:
        ChildError: no side has a split model.
    """
    able = [side for side in sides if side.variant in ("native", "any")]
    for side in sides:
        if side not in able:
            note(f"{side.label} has no windows")
    if not able:
        raise ChildError("no side has windows: name --side native or --side service")
    return able
