"""Letters and numbers that count the items of a list, figures and clauses."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import text_before
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

# Before a space, a small `a` would be read as the article.
_FIRST = re.compile(r"(?m:^)(?P<indent>[ \t]*)a(?=(?P<sign>[.)])[ \t])")
# The letters of units too: `3d)` is no time, and `Figure 5g` has no mass.
_NUMBER_AND_LETTER = re.compile(
    r"(?P<number>[0-9](?<![\w.,:/$£€#+-][0-9])[0-9]?)(?P<letter>[a-z])(?=(?P<end>\)|\.[ \t])?)"
    r"(?![\w'’°%/-])(?![ ](?:long|wide|high|tall|deep|thick|away|ago|later)(?!\w))"
)
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:[Ff]igures?|[Ss]ections?|[Qq]uestions?|[Ee]xercises?|[Ee]xamples?|[Ii]tems?"
    r"|[Cc]lauses?|[Pp]aragraphs?|[Aa]rticles?|[Aa]ppendix|[Ee]quations?|[Pp]roblems?|Steps?"
    r"|Parts?|Tables?|Rules?|Tasks?|Points?|Notes?|Schedule|Annex|see|cf\.)[ ]|§[ ]?)\Z"
)
_ABBREVIATION = re.compile(r"\b(?P<label>[Ff]igs?|[Ee]qs?)\.[ ]?(?=[0-9]{1,2}[a-z](?![\w'’°%/-]))")
_LABELS = {"fig": "figure", "figs": "figures", "eq": "equation", "eqs": "equations"}


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for the first of items that letters count, and for `2b)`."""

    def numbered(match: re.Match[str]) -> str | None:
        before, end = text_before(match), match["end"] or ""
        is_item = (
            _LABEL_BEFORE.search(before) is not None
            or (end == ")" and before.rfind("(") <= before.rfind(")"))
            or (end != "" and not before.rpartition("\n")[2].strip())
        )
        if not is_item:
            return None
        return f"{numbers.cardinal(match['number'])} {match['letter'].upper()}"

    return (
        Rule(_FIRST, _first),
        Rule(_ABBREVIATION, _label),
        Rule(_NUMBER_AND_LETTER, numbered),
    )


def _first(match: re.Match[str]) -> str | None:
    second = re.compile(rf"(?m:^)[ \t]*b{re.escape(match['sign'])}[ \t]")
    return f"{match['indent']}A" if second.search(match.string, match.end()) else None


def _label(match: re.Match[str]) -> str:
    name = _LABELS[match["label"].lower()]
    return f"{name.capitalize() if match['label'][0].isupper() else name} "
