"""Letters and numbers that count the items of a list."""

from __future__ import annotations

import re

from service.text.normalization.rules import Rule

# Before a space, a small `a` would be read as the article.
_FIRST = re.compile(r"(?m:^)(?P<indent>[ \t]*)a(?=(?P<sign>[.)])[ \t])")


def rules() -> tuple[Rule, ...]:
    """Return the rule for the first of items that letters count."""
    return (Rule(_FIRST, _first),)


def _first(match: re.Match[str]) -> str | None:
    second = re.compile(rf"(?m:^)[ \t]*b{re.escape(match['sign'])}[ \t]")
    return f"{match['indent']}A" if second.search(match.string, match.end()) else None
