"""Chains of numbers: versions, IP addresses, lists without spaces."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import WORD_AFTER
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

_START = r"[0-9](?<![0-9.,][0-9])"
_CHAIN = re.compile(rf"(?:(?P<version>[vV])(?<!\w[vV])\.?[ ]?)?{_START}[0-9]*(?:[.,][0-9]+){{2,}}")
_VERSION = re.compile(rf"[vV](?<!\w[vV])\.?[ ]?[0-9]+(?:[.,][0-9]+)?{WORD_AFTER}(?![.,][0-9])")
_HYPHENS = re.compile(
    r"[0-9](?<![\w.,:/+-][0-9])[0-9]{0,3}(?:-[0-9]{1,4}){2,}(?![\w]|[-.,:/][0-9])"
)
_PART = re.compile(r"[0-9]+|[.,]")


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for numbers joined by several marks."""
    number = re.compile(numerals.pattern)

    def say(text: str, *, is_version: bool) -> str:
        words = f"{locale.version_word} " if is_version else ""
        for part in _PART.findall(text):
            if part == ".":
                words += f" {locale.points['.']} "
            elif part == ",":
                words += ", "
            else:
                words += numerals.whole(part)
        return words

    def write(match: re.Match[str]) -> str | None:
        if match["version"] is None and number.fullmatch(match[0]):
            return None
        return say(match[0], is_version=match["version"] is not None)

    def write_hyphens(match: re.Match[str]) -> str:
        groups = match[0].split("-")
        if any(len(group) > 2 for group in groups):
            return ", ".join(numerals.digits(group) for group in groups)
        return " ".join(numerals.whole(group) for group in groups)

    return (
        Rule(_CHAIN, write),
        Rule(_VERSION, lambda match: say(match[0], is_version=True)),
        Rule(_HYPHENS, write_hyphens),
    )
