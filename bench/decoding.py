"""The two ways in which a piece becomes sound, and the sides that have both."""

from __future__ import annotations

from collections.abc import Sequence

from bench.processes import ChildError
from bench.report import note
from bench.sides import Side

DECODINGS = ("windows", "whole")
"""As requests name them: one that cannot be had is refused, never changed for the other."""


def sides_with_windows(sides: Sequence[Side]) -> list[Side]:
    """Return those whose model may be split, and name the others.

    Raises:
        ChildError: there are none.
    """
    able = [side for side in sides if side.variant in ("native", "any")]
    for side in sides:
        if side not in able:
            note(f"{side.label} has no windows")
    if not able:
        raise ChildError("no side has windows: name --side native or --side service")
    return able
