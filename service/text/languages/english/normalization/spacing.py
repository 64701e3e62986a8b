"""Bring digits into the form that all other rules expect: commas at thousands, spaces to words."""

from __future__ import annotations

import re

from service.text.languages.english.normalization import fractions
from service.text.languages.english.normalization.notation import FIRST_DIGIT
from service.text.normalization.rules import Rule

_SPACED_THOUSANDS = re.compile(
    rf"(?P<first>{FIRST_DIGIT}[0-9]{{0,2}})"
    r"(?P<rest>(?:[\u00a0\u2009\u202f][0-9]{3})+|(?:[ ][0-9]{3})*[ ]000)"
    r"(?![\w]|[.,/:-][0-9])"
)
_GROUPED = re.compile(
    r"[0-9](?<![\w.,'’][0-9])[0-9]{0,2}(?:(?:\.[0-9]{3}){2,}|(?:['’][0-9]{3})+)(?![\w.,'’]*[0-9])"
)
_LOWERED = re.compile("[₀-₉]+")
_LOWERED_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_ATTACHED = re.compile(
    rf"(?:[0-9]|{fractions.SIGN})"
    r"(?=(?!st|nd|rd|th)[A-Za-z](?:[a-z]{1,6}\.|\.[a-z]\.)|w/|vs(?!\w)|[A-Z][a-z]{2})"
)


def rules() -> tuple[Rule, ...]:
    """Return the rules for the spacing of digits."""

    def write(match: re.Match[str]) -> str | None:
        if match["first"][0] == "0":
            return None
        return match["first"] + re.sub(r"\s", ",", match["rest"])

    return (
        Rule(_LOWERED, lambda match: match[0].translate(_LOWERED_DIGITS)),
        Rule(_GROUPED, lambda match: re.sub("[.'’]", ",", match[0])),
        Rule(_SPACED_THOUSANDS, write),
        Rule(_ATTACHED, lambda match: match[0] + " "),
    )
