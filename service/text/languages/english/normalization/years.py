"""Years, decades, centuries and eras."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_before,
    word_after,
    word_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers, plural
from service.text.normalization.rules import Rule

_DECADE = re.compile(rf"(?P<year>{FIRST_DIGIT}[0-9]{{2}}0)['’]?s(?!\w)")
_SHORT_DECADE = re.compile(r"['’‘](?P<decade>[0-9]0)s(?!\w)")
_PLAIN_DECADE = re.compile(rf"(?P<decade>{FIRST_DIGIT}0)s(?!\w)")
_SHORT_YEAR = re.compile(r"['’‘](?P<year>[0-9]{2})(?![\w'’]|[.,][0-9])(?<![\w][^\w][0-9]{2})")
_ERA_AFTER = re.compile(
    rf"(?P<year>{FIRST_DIGIT}[0-9]{{0,3}})(?:[ ]?[-–][ ]?(?P<last>[0-9]{{1,4}}))?"
    r"(?=[ ]?(?:BCE?|CE|AD|B\.C\.|A\.D\.)(?!\w))"
)
_ERA_BEFORE = re.compile(r"(?P<era>A(?<!\wA)(?:D|\.D\.))[ ](?P<year>[0-9]{1,4})(?![\w,.]?[0-9])")
_RANGE = re.compile(
    rf"(?P<first>{FIRST_DIGIT}[0-9]{{3}})(?P<s>s?)(?:[ ]?[–—][ ]?|-)(?P<last>[0-9]{{4}}|[0-9]{{2}})"
    r"(?P<last_s>s?)(?![\w%°]|[-/.,:]?[0-9])"
)
_YEAR = re.compile(rf"(?P<year>{FIRST_DIGIT}[0-9]{{3}})(?!\w|[.,:/-]?[0-9]|[%°$€£])")

_BEFORE_YEAR = word_set(
    "in since by until till circa around before after during early late mid year summer "
    "spring autumn fall winter christmas january february march april may june july august "
    "september october november december class born died established founded"
)
# Counted nouns: a number before one is not a year.
_COUNTED = word_set(
    "people men women children students employees workers soldiers troops members users "
    "visitors years months weeks days hours minutes seconds miles feet meters metres "
    "kilometers kilometres yards acres pounds dollars euros cents tons tonnes grams kilograms "
    "kilos calories words characters pages copies units items times points degrees votes "
    "seats homes houses rooms jobs books songs steps different other more or"
)
_OF_YEAR = re.compile(
    r"\b(?:war|act|treaty|revolution|crisis|battle|census|congress|constitution|summer"
    r"|winter|spring"
    r"|autumn|fall|class|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|fire|flood|earthquake|panic) of \Z",
    re.IGNORECASE,
)
_FIRST_LIKELY, _FIRST_POSSIBLE, _LAST_POSSIBLE = 1900, 1000, 2099


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for years."""

    def decade(match: re.Match[str]) -> str:
        return plural(numbers.year(match["year"]))

    def short_decade(match: re.Match[str]) -> str | None:
        if match["decade"] == "00":
            return "two thousands"
        return plural(numbers.cardinal(match["decade"])) if match["decade"] != "10" else "tens"

    def plain_decade(match: re.Match[str]) -> str | None:
        return None if match["decade"] == "00" else short_decade(match)

    def short_year(match: re.Match[str]) -> str | None:
        year = match["year"]
        return f"oh {numbers.cardinal(year[1])}" if year[0] == "0" else numbers.cardinal(year)

    def era_after(match: re.Match[str]) -> str:
        words = numbers.year(match["year"])
        return f"{words} to {numbers.year(match['last'])}" if match["last"] else words

    def era_before(match: re.Match[str]) -> str:
        return f"{match['era']} {numbers.year(match['year'])}"

    def year_range(match: re.Match[str]) -> str | None:
        first, last = match["first"], match["last"]
        if not _is_possible(first) or not (match["s"] == match["last_s"] or match["last_s"]):
            return None
        if len(last) == 4:
            if not _is_possible(last) or int(first) > int(last):
                return None
            words = numbers.year(last)
        else:
            # `1939-45`, but not months as in `2024-03` or `1999-12`.
            if int(last) <= int(first[2:]):
                return None
            words = short_year_words(last)
        if match["last_s"]:
            words = plural(words)
        start = numbers.year(first)
        return f"{plural(start) if match['s'] else start} to {words}"

    def short_year_words(last: str) -> str:
        return f"oh {numbers.cardinal(last[1])}" if last[0] == "0" else numbers.cardinal(last)

    def year(match: re.Match[str]) -> str | None:
        digits = match["year"]
        if not _is_possible(digits) or word_after(match).lower() in _COUNTED:
            return None
        if int(digits) >= _FIRST_LIKELY:
            return numbers.year(digits)
        before = text_before(match)
        is_year = (
            word_before(match).lower() in _BEFORE_YEAR
            or before.endswith("(")
            or _OF_YEAR.search(before) is not None
        )
        return numbers.year(digits) if is_year else None

    return (
        Rule(_RANGE, year_range),
        Rule(_DECADE, decade),
        Rule(_SHORT_DECADE, short_decade),
        Rule(_PLAIN_DECADE, plain_decade),
        Rule(_ERA_AFTER, era_after),
        Rule(_ERA_BEFORE, era_before),
        Rule(_YEAR, year),
        Rule(_SHORT_YEAR, short_year),
    )


def _is_possible(year: str) -> bool:
    return _FIRST_POSSIBLE <= int(year) <= _LAST_POSSIBLE
