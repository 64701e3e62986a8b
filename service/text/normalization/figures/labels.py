"""Labels made of several figures: episodes, added minutes, sections of codes, instalments."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import SPACE, WORD_BEFORE, one_of
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

_EPISODE = re.compile(
    rf"{WORD_BEFORE}(?P<mark>[ST])(?P<season>[0-9]{{1,2}})[ :.]?(?:E|Ep?\.?{SPACE}?)"
    r"(?P<episode>[0-9]{1,3})(?!\w|[.,:][0-9])"
)
# Of a bank account, in groups of four.
_ACCOUNT = re.compile(
    rf"{WORD_BEFORE}[A-Z]{{2}}[0-9]{{2}}(?:{SPACE}[A-Z0-9]{{4}}){{2,7}}(?:{SPACE}[A-Z0-9]{{1,3}})?(?![\w])"
)
_MONTHLY = r"/[a-zA-Zà-ÿ]{1,8}"
_PRIME = "['’′]"


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for labels, which come before those for sums and dates."""
    found: list[Rule] = []
    plus, times = (f" {locale.operators[sign]} " for sign in "+x")

    if locale.episode:

        def write_episode(match: re.Match[str]) -> str:
            season, episode = (numerals.whole(str(int(match[n]))) for n in ("season", "episode"))
            return locale.episode.format(season=season, episode=episode)

        found.append(Rule(_EPISODE, write_episode))

    # Only halves of a game and of extra time have added minutes.
    added = re.compile(
        rf"(?<![\w.,+/-])(?P<minute>45|90|105|120)"
        rf"(?P<suffix>{one_of(locale.ordinal_suffixes)}|{_PRIME}|\.)?\+(?P<added>[0-9]{{1,2}})"
        rf"{_PRIME}?(?![\w+=]|[.,][0-9])"
    )

    def write_added(match: re.Match[str]) -> str | None:
        suffix = locale.ordinal_suffixes.get(match["suffix"] or "")
        if suffix is not None:
            minute = numerals.ordinal(int(match["minute"]), suffix)
        else:
            minute = numerals.whole(match["minute"])
        return minute and f"{minute}{plus}{numerals.whole(match['added'])}"

    instalments = re.compile(
        rf"(?P<amount>[0-9]{SPACE}?(?:{one_of(locale.currencies)})(?:{_MONTHLY})?)"
        rf"{SPACE}?[x×]{SPACE}?(?=[0-9])"
    )
    portions = re.compile(
        rf"(?P<n>(?<![\w.,:/-])[0-9]{{1,3}}){SPACE}?[x×]{SPACE}?"
        rf"(?=(?:{one_of(locale.currencies)}{SPACE}?)[0-9]|[0-9.,]{{1,9}}{SPACE}?{one_of(locale.currencies)}(?!\w))"
    )

    def write_account(match: re.Match[str]) -> str:
        groups = (
            " ".join(numerals.digits(one) if one.isdigit() else one for one in group)
            for group in match[0].split()
        )
        return ", ".join(groups)

    found += [
        Rule(_ACCOUNT, write_account),
        Rule(portions, lambda match: match["n"] + times),
        Rule(added, write_added),
        Rule(instalments, lambda match: match["amount"] + times),
    ]
    if locale.hyphen:
        section = re.compile(
            rf"(?:(?<![\w.])(?P<letter>[LRDA])(?:\.{SPACE}?|(?=[0-9]{{3}}))"
            rf"|(?P<before>{WORD_BEFORE}(?i:art\.|articles?){SPACE}))"
            r"(?P<number>[0-9]{1,4}(?:-[0-9]{1,3}){1,3})(?![\w-]|[.,][0-9])"
        )

        def write_section(match: re.Match[str]) -> str | None:
            parts = [int(part) for part in match["number"].split("-")]
            if len(parts) == 2 and parts[0] < parts[1]:
                return None  # a range
            said = f" {locale.hyphen} ".join(numerals.whole(str(part)) for part in parts)
            letter = match["letter"]
            return f"{letter} {said}" if letter else match["before"] + said

        found.append(Rule(section, write_section))
    return tuple(found)


def pace_rule(locale: Locale) -> Rule:
    """Return the rule for a pace, `5'15"/km`, which would be an address."""
    per = locale.per_words.get("km") or f"{locale.per} {locale.units['km'].one}"
    return Rule(re.compile(r"/(?<=[0-9][\"”″'’′]/)km(?![\w/])"), lambda match: f" {per}")
