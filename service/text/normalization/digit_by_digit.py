"""Read every number digit by digit, for callers that ask for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from service.text.markup.passages import Interpretation
from service.text.normalization.rules import Rule
from service.text.scripts import FIRST_IDEOGRAPHIC

# Groups of digits with signs between them: a telephone number, a date, an amount.
_NUMBER = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*(?!(?:st|nd|rd|th)\b|[ºª°])(?![0-9])")
_GROUP = re.compile(r"[0-9]+")


def _gap(neighbour: str) -> str:
    """Return the space that words need beside a letter of a script with spaces."""
    return " " if neighbour.isalpha() and neighbour < FIRST_IDEOGRAPHIC else ""


def rules(interpret: Callable[[str, Interpretation, str], str | None]) -> Sequence[Rule]:
    """Return the rule that writes numbers as their digits, with a pause between groups.

    Args:
        interpret: writes a text of a known kind, in the language.
    """

    def write(match: re.Match[str]) -> str | None:
        groups = [interpret(group, "digits", "") for group in _GROUP.findall(match[0])]
        said = ", ".join(group for group in groups if group is not None)
        text, start, end = match.string, match.start(), match.end()
        before, after = text[max(start - 1, 0) : start], text[end : end + 1]
        return f"{_gap(before)}{said}{_gap(after)}"

    return (Rule(_NUMBER, write),)
