"""Ordinals and plain numbers."""

from __future__ import annotations

import re

from service.text.normalization.figures.degrees import means_degrees
from service.text.normalization.figures.notation import (
    FIGURE_BEFORE,
    SPACE,
    WORD_AFTER,
    one_of,
)
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Agreement, Locale, Suffix
from service.text.normalization.rules import Rule

_LAST_WORD = re.compile(r"([^\W\d_]+)[ ]\Z")
_LONGEST_LABEL = 24
_LEAST_DEGREES = 40
"""`180º` alone are degrees."""
_METRES = re.compile(r"[0-9]\s?[ckdm]?[mM][23]\Z")
"""`95 m2`, whose figure is an exponent."""
_LONGEST_UNIT = 6
_HEATED = re.compile(r"\b(?:a|até|hasta)\s[1-9][0-9]º\Z")
"""`lavar a 30º`: an ordinal has its article before it."""
_NOUN_AFTER = re.compile(r"[ ](?P<noun>[^\s\d.,;:!?।]{1,30})(?:[ ](?P<next>[^\s\d.,;:!?।]{1,8}))?")


def ordinal_rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for figures with an ordinal suffix."""
    suffixes = locale.ordinal_suffixes
    apart = [written for written, suffix in suffixes.items() if suffix.apart]
    pattern = re.compile(
        rf"{FIGURE_BEFORE}(?P<value>[0-9]{{1,4}})\.?"
        rf"(?:(?P<suffix>{one_of(suffixes)})|{SPACE}(?P<apart>{one_of(apart)})){WORD_AFTER}"
    )

    def write(match: re.Match[str]) -> str | None:
        suffix = suffixes[match["suffix"] or match["apart"]]
        if match["suffix"] == "°" and means_degrees(match, locale):
            return None
        if match["suffix"] == "º" and int(match["value"]) >= _LEAST_DEGREES:
            following = _NOUN_AFTER.match(match.string, match.end())
            if following is None or following["noun"].lower() in locale.not_counted:
                return None
        if match["suffix"] == "º" and _HEATED.search(match.string, 0, match.end()):
            return None
        if suffix.agrees:
            suffix = _agreeing(match, numerals, locale)
        return numerals.ordinal(int(match["value"]), suffix)

    return (Rule(pattern, write),)


def _agreeing(match: re.Match[str], numerals: Numerals, locale: Locale) -> Suffix:
    """Return the form of an ordinal that the noun after it and its case ask for."""
    following = _NOUN_AFTER.match(match.string, match.end())
    if following is None:
        return Suffix(Agreement.MASCULINE)
    agreement = numerals.agreement(following["noun"], is_one=True)
    if agreement is Agreement.FEMININE:
        return Suffix(agreement)
    is_oblique = following["noun"] in locale.halved or following["next"] in locale.postpositions
    return Suffix(Agreement.MASCULINE, short=is_oblique)


def separation_rule() -> Rule:
    """Return the rule that puts a space between letters and a figure."""

    def write(match: re.Match[str]) -> str | None:
        is_power = _METRES.search(match.string, max(0, match.start() - _LONGEST_UNIT), match.end())
        return None if is_power else " " + match[0]

    return Rule(re.compile(r"[0-9](?<=[^\W\d_][0-9])"), write)


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for plain numbers, which come last."""
    signs = "".join(map(re.escape, locale.signs)) + "\u2010-\u2013\u2212"
    signed = re.compile(
        rf"(?<![\w.,:/)%°²³€$])(?P<sign>[{signs}]){SPACE}?(?P<number>{numerals.pattern})"
    )
    decade = re.compile(r"['’](?<!\w['’])(?P<number>[0-9]0)(?![\w'’])")
    plain = re.compile(rf"(?P<number>{numerals.pattern})(?=(?:{SPACE}(?P<noun>[^\W\d_]{{1,30}}))?)")
    rest = re.compile(r"[0-9]+")

    def write_signed(match: re.Match[str]) -> str | None:
        sign = match["sign"]
        # A dash before a space starts a list item or an aside.
        is_dash = sign not in locale.signs or sign == "-"
        if is_dash and match.start("number") > match.end("sign"):
            return None
        word = locale.signs.get(sign, locale.signs["-"])
        return f"{word} {numerals.say(numerals.parse(match['number']))}"

    def write(match: re.Match[str]) -> str:
        number = numerals.parse(match["number"])
        agreement = Agreement.ALONE
        if match["noun"] and not number.fraction:
            is_one = number.integer == "1"
            if not is_one or not _follows_label(match, locale):
                agreement = numerals.agreement(match["noun"], is_one=is_one)
        is_year = (
            len(match["number"]) == 4 and match["number"].isdigit() and number.integer[0] != "0"
        )
        said = numerals.year(number.integer) if is_year and locale.year_hundred else None
        return _apart(match, said or numerals.say(number, agreement))

    return (
        Rule(signed, write_signed),
        Rule(decade, lambda match: numerals.whole(match["number"])),
        Rule(plain, write),
        Rule(rest, lambda match: _apart(match, numerals.whole(match[0]))),
    )


def _follows_label(match: re.Match[str], locale: Locale) -> bool:
    """Tell whether the word before a number has it as its own, as in `page 1`."""
    before = _LAST_WORD.search(match.string, max(0, match.start() - _LONGEST_LABEL), match.start())
    if before is None:
        return False
    return before[1].isupper() or before[1].lower() in locale.numbered


def _apart(match: re.Match[str], words: str) -> str:
    """Return the words, with a space on each side that touches a letter."""
    text, start, end = match.string, *match.span()
    before = " " if start and _is_letter(text[start - 1]) else ""
    after = " " if end < len(text) and _is_letter(text[end]) else ""
    return before + words + after


def _is_letter(character: str) -> bool:
    return character.isalpha() or "\u0900" <= character <= "\u0963"
