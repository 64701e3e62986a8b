"""Plain numbers, which remain after all other rules."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_ORDINAL = re.compile(
    r"(?P<number>[0-9](?<![\w.][0-9])[0-9]*(?:,[0-9]{3})*)"
    r"(?:st|nd|rd|th|ST|ND|RD|TH|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ)(?P<many>s?)(?!\w)"
)
_FRACTION_ALONE = re.compile(r"\.(?<![\w.)]\.)(?P<digits>[0-9]+)(?![.]?\w)")
_NUMBER = re.compile(
    r"(?P<number>[0-9](?<![\w.,][0-9])[0-9]*(?:,[0-9]{3})*(?:\.[0-9]+)?)(?![0-9]|[.,][0-9]|[^\W_])"
)
_DIGITS = re.compile(r"[0-9]+(?:,[0-9]{3}(?![0-9]))*")


def ordinal_rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for ordinals."""

    def write(match: re.Match[str]) -> str:
        return numbers.ordinal(match["number"]) + match["many"]

    return (Rule(_ORDINAL, write),)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for all remaining digits."""

    def digits(match: re.Match[str]) -> str:
        before = match.string[match.start() - 1 : match.start()]
        after = match.string[match.end() : match.end() + 1]
        words = numbers.cardinal(match[0])
        return (" " if before.isalnum() else "") + words + (" " if after.isalnum() else "")

    return (
        Rule(_FRACTION_ALONE, lambda match: f"point {numbers.spelled(match['digits'])}"),
        Rule(_NUMBER, lambda match: numbers.decimal(match["number"])),
        Rule(_DIGITS, digits),
    )
