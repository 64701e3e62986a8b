"""Measures with signs: feet and inches, dimensions, bounds."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import (
    FIGURE_AFTER,
    FIGURE_BEFORE,
    SPACE,
    WORD_AFTER,
    one_of,
)
from service.text.normalization.figures.numbers import Number, Numerals
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

# Two primes are what cleaning makes of a double one.
_FEET = re.compile(
    rf"{FIGURE_BEFORE}(?P<feet>[0-9]{{1,2}})['′’]{SPACE}?(?P<inches>[0-9]{{1,2}})"
    r"(?:\"|″|”|''|′′|(?=[.,;:!?)]|\s|\Z))(?!\w)"
)
_FEET_ALONE = re.compile(rf"{FIGURE_BEFORE}(?P<feet>[0-9]{{1,2}})['′](?=[ .,;:!?)।]|\Z)")
_INCHES = re.compile(
    rf"{FIGURE_BEFORE}(?P<inches>[0-9]{{1,3}}(?:[.,][0-9])?)(?P<sign>[\"″”]|′′)(?!\w)"
)
_NAME_BEFORE = re.compile(r"[^\W\d_][,;:]?\s[A-ZÀ-ÖØ-Þ]\w+\s\Z")
_LONGEST_NAME = 40
_RELAY = re.compile(rf"4{SPACE}?[x×]{SPACE}?[1-9]00{SPACE}?m(?!\w)")
_SIDE_AFTER = re.compile(
    rf"[0-9.,]{{1,9}}(?:{SPACE}?[x×]|{SPACE}?(?:[cdkmµ]?m(?![^\W\d])|in|ft|p[ix]\w{{0,6}}|पि|मी|से|[\"″”'′’]))"
)
"""After the sign between the sides of something; other amounts are multiplied: `2 x 500 g`."""
_MOST_INCHES = 11
"""Of a length in feet."""


def rules(locale: Locale, numerals: Numerals, units: str) -> tuple[Rule, ...]:
    """Return the rules for these measures.

    Args:
        locale: of the language.
        numerals: of the language.
        units: pattern of the units after a dimension.
    """
    number = numerals.pattern
    dimension = re.compile(
        rf"{FIGURE_BEFORE}(?P<number>{number}){SPACE}?[x×]{SPACE}?"
        rf"(?={number}(?:{SPACE}?[x×]{SPACE}?{number})?{SPACE}?(?:{units}|p[ií]xe\w+|पिक्सेल)(?![\w²³]))"
    )
    resolution = re.compile(
        rf"{FIGURE_BEFORE}(?P<number>[0-9]{{3,4}}){SPACE}?[x×]{SPACE}?(?=[0-9]{{3,4}}{FIGURE_AFTER})"
    )
    bound = re.compile(
        rf"(?<![\w)\]<>=]{SPACE})(?<![\w)\]<>=])(?P<sign>[<>≤≥]){SPACE}?"
        rf"(?=(?:{one_of(locale.currencies)}{SPACE}?)?[0-9])"
        rf"|(?<=[^\W\d_]{{2}}{SPACE})(?P<after>[<>≤≥]){SPACE}?"
        rf"(?=(?:{one_of(locale.currencies)}{SPACE}?)?[0-9])"
    )

    def write_feet(match: re.Match[str]) -> str | None:
        if int(match["inches"]) > _MOST_INCHES:
            return None
        feet = numerals.count(Number(match["feet"]), locale.foot)
        return f"{feet} {numerals.count(Number(match['inches']), locale.inch)}"

    def write_inches(match: re.Match[str]) -> str | None:
        if match["sign"] not in ("″", "′′") and _is_quoted(match):
            return None
        return numerals.count(numerals.parse(match["inches"]), locale.inch)

    def write_feet_alone(match: re.Match[str]) -> str | None:
        quotes = re.findall(r"(?<!\w)'|'(?!\w)", match.string[: match.end()])
        if len(quotes) > 1 and match[0].endswith("'"):
            return None
        return numerals.count(Number(match["feet"]), locale.foot)

    def write_dimension(match: re.Match[str]) -> str:
        said = numerals.say(numerals.parse(match["number"]))
        if _RELAY.match(match.string, match.start()) or (
            match.re is dimension and not _SIDE_AFTER.match(match.string, match.end())
        ):
            return f"{said} {locale.operators['x']} "
        return f"{said} {locale.by or locale.operators['x']} "

    amount = (
        rf"(?:{one_of(locale.currencies)}{SPACE}?)?-?{number}"
        rf"(?:{SPACE}?{one_of(locale.magnitudes)}{WORD_AFTER})?"
        rf"(?:{SPACE}?(?:{one_of(locale.percent)}|(?:{units}|{one_of(locale.halved)}"
        rf"|{one_of(locale.currencies)}){WORD_AFTER}|['′\"]))?"
    )
    bound_around = re.compile(
        rf"(?<![\w)\]<>=])(?<![0-9)\]]{SPACE})(?P<sign>{one_of(locale.bounds_after)}){SPACE}?"
        rf"(?P<amount>{amount})"
    )

    def write_around(match: re.Match[str]) -> str:
        return f"{match['amount']} {locale.bounds_after[match['sign']]}"

    def write_bound(match: re.Match[str]) -> str | None:
        sign = match["sign"] or match["after"]
        return f"{locale.signs[sign]} " if sign in locale.signs else None

    return (
        *((Rule(bound_around, write_around),) if locale.bounds_after else ()),
        Rule(_FEET, write_feet),
        *((Rule(_FEET_ALONE, write_feet_alone),) if locale.feet_alone else ()),
        Rule(_INCHES, write_inches),
        Rule(dimension, write_dimension),
        Rule(resolution, write_dimension),
        *_instalment_rules(locale, numerals),
        *_score_rules(locale, numerals),
        Rule(bound, write_bound),
    )


def _instalment_rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    times = locale.times
    if times is None:
        return ()
    pattern = re.compile(rf"{FIGURE_BEFORE}(?P<number>{numerals.pattern})[x×](?!\w|{SPACE}?[0-9(])")

    def write(match: re.Match[str]) -> str | None:
        # `Fortran 9x` has versions; a name at the start of a sentence may be a noun: `Zoom 9x`.
        before = match.string[max(0, match.start() - _LONGEST_NAME) : match.start()]
        if _NAME_BEFORE.search(before):
            return None
        return numerals.count(numerals.parse(match["number"]), times)

    return (Rule(pattern, write),)


def _score_rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    if not locale.scores:
        return ()
    pattern = re.compile(
        rf"(?P<before>\b(?i:{'|'.join(locale.scores)})\b[^\n.;:!?0-9]{{0,40}}{SPACE})"
        rf"(?P<first>[0-9]{{1,2}}){SPACE}?[x×]{SPACE}?(?P<second>[0-9]{{1,2}})(?![\w²³])"
    )

    def write(match: re.Match[str]) -> str:
        first, second = numerals.whole(match["first"]), numerals.whole(match["second"])
        return f"{match['before']}{first} {locale.range_word} {second}"

    return (Rule(pattern, write),)


def _is_quoted(match: re.Match[str]) -> bool:
    """Tell whether the sign closes a quotation that began in the same line."""
    line = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.end("inches")]
    sign = match["sign"]
    return line.count("“") > line.count("”") if sign == "”" else line.count('"') % 2 == 1
