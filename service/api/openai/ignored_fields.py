"""The fields of a request that have no effect: named, so that whoever sends them can find out."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST_NAMES = 16
_LONGEST_NAME = 48
_UNPRINTED = re.compile(r"[^A-Za-z0-9_.\-]")


def name_fields(names: Sequence[str]) -> str:
    """Return names in one line, for a header and the log; bounded, whatever the names are.

    Letters and digits of ASCII, `_`, `.` and `-` stay, and everything else becomes `?`. At most 16
    names are given, each with at most 48 characters; `...` stands for the others.
    """
    shown = [_UNPRINTED.sub("?", name[:_LONGEST_NAME]) or "?" for name in names[:_MOST_NAMES]]
    return ", ".join([*shown, "..."] if len(names) > _MOST_NAMES else shown)
