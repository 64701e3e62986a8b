"""Numbers that are read digit by digit, because of the word before them."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import FIGURE_AFTER, SPACE, WORD_BEFORE
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

_DIGITS = re.compile("[0-9]+")


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for codes and flights; none if the language has no words for them."""
    if not locale.codes:
        return ()
    # A linking verb or a colon may be between the word and the code.
    code = re.compile(
        rf"(?P<word>{WORD_BEFORE}(?i:{'|'.join(locale.codes)}))"
        rf"(?P<link>(?:{SPACE}(?:{'|'.join(locale.code_links)})|{SPACE}?:)?{SPACE})"
        rf"(?P<code>[0-9]{{3,10}}(?:-[0-9]{{2,6}})?){FIGURE_AFTER}"
    )
    flight = re.compile(
        rf"(?P<word>{WORD_BEFORE}(?i:{'|'.join(locale.flights)}))"
        rf"(?P<link>{SPACE}[A-Z][A-Z0-9]{SPACE}?)(?P<code>[0-9]{{1,4}}){FIGURE_AFTER}"
    )

    def write(match: re.Match[str]) -> str:
        groups = [numerals.digits(group) for group in _DIGITS.findall(match["code"])]
        return f"{match['word']}{match['link']}{', '.join(groups)}"

    return Rule(code, write), Rule(flight, write)
