"""Labels made of several figures: episodes, added minutes, sections of codes, instalments."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import SPACE, WORD_BEFORE, one_of
from service.text.normalization.figures.numbers import Number, Numerals
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
_SERIES = re.compile(r"(?<![\w.,:/-])(?P<season>[1-9][0-9]?)x(?P<episode>0[1-9])(?![\w.,])")
_LAP = re.compile(
    r"(?<![\w.,:])(?P<minutes>[0-9]{1,2}):(?P<seconds>[0-5][0-9])[.,](?P<parts>[0-9]{2,3})(?![\w:])"
)
# Thousands of seconds are not written with a plus.
_GAP = re.compile(rf"(?<![\w.,+])\+(?P<seconds>[0-9]{{1,2}})\.(?P<parts>[0-9]{{3}}){SPACE}?s(?!\w)")
_OFFER = re.compile(r"(?<![\w.,])(?P<take>[0-9]{1,2})X(?P<pay>[0-9]{1,2})(?![\w.,/])")
_MARK = re.compile(r"(?<![\w.,:+/-])(?P<mark>[1-9]|10)(?P<sign>[+-])(?=\s(?:in|en|em)\s[^\W\d])")
# Of a person: eight figures and a letter, or with strokes.
_PERSONAL = re.compile(
    r"(?<![\w/-])(?:[0-9]{8}-?[A-Z]|[0-9]{2}/[0-9]{6,8}/[0-9]{2}|[0-9]{2,3}/[0-9]{3,4}/[0-9]{4,5})(?![\w/-])"
)
# Of parcels, taxpayers and the like: letters and figures in one.
_SERIAL = re.compile(
    r"(?<![\w./@#-])(?=[A-Z0-9]{0,24}[A-Z])(?=[A-Z]{0,9}[0-9])[A-Z0-9]{9,25}(?![\w@-])"
)
_CHOICE = re.compile(
    rf"(?<![\w.,/-])(?P<low>[0-9]{{1,3}})/(?P<high>[1-9][0-9]{{1,3}}){SPACE}?(?=(?P<unit>h|GB|Go|TB|To)(?!\w))"
)
_LEAST_FIGURES = 5
_LEAST_WAIT = 12
"""Hours of a wait, as in `24/48 h`; `1/2 h` is a fraction."""
_AND_MORE = re.compile(r"(?<=[\w€$%)]\s)\+(?=\s[^\W\d_]{2})")
_PRIME = "['’′]"


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for labels, which come before those for sums and dates."""
    found: list[Rule] = []
    plus, times = (f" {locale.operators[sign]} " for sign in "+x")

    if locale.episode:

        def write_episode(match: re.Match[str]) -> str:
            season, episode = (numerals.whole(str(int(match[n]))) for n in ("season", "episode"))
            return locale.episode.format(season=season, episode=episode)

        found += [Rule(_EPISODE, write_episode), Rule(_SERIES, write_episode)]

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

    money = one_of(locale.currencies)
    instalments = re.compile(
        rf"(?P<amount>(?:[0-9]{SPACE}?{money}|{money}{SPACE}?[0-9.,]{{1,12}})(?:{_MONTHLY})?)"
        rf"{SPACE}?[x×]{SPACE}?(?=[0-9])"
    )
    portions = re.compile(
        rf"(?P<n>(?<![\w.,:/-])[0-9]{{1,3}}){SPACE}?[x×]{SPACE}?"
        rf"(?={money}{SPACE}?[0-9]|[0-9.,]{{1,9}}{SPACE}?{money}(?!\w))"
    )

    def write_account(match: re.Match[str]) -> str:
        groups = (
            " ".join(numerals.digits(one) if one.isdigit() else one for one in group)
            for group in match[0].split()
        )
        return ", ".join(groups)

    worth = re.compile(rf"(?<=[0-9]){SPACE}?={SPACE}?(?={money}{SPACE}?[0-9])")

    def write_lap(match: re.Match[str]) -> str:
        minutes = numerals.count(Number(match["minutes"]), locale.minute)
        seconds = numerals.count(
            Number(match["seconds"], match["parts"], locale.decimal_mark), locale.second
        )
        return " ".join(filter(None, (minutes, locale.and_word, seconds)))

    def write_gap(match: re.Match[str]) -> str:
        return plus.lstrip() + numerals.count(
            Number(match["seconds"], match["parts"], locale.decimal_mark), locale.second
        )

    def write_offer(match: re.Match[str]) -> str:
        joint = locale.by or locale.operators["x"]
        return f"{numerals.whole(match['take'])} {joint} {numerals.whole(match['pay'])}"

    def write_mark(match: re.Match[str]) -> str:
        return f"{numerals.whole(match['mark'])} {locale.operators[match['sign']]}"

    def write_parts(match: re.Match[str]) -> str:
        parts = re.findall("[0-9]+|[A-Z]", match[0])
        return ", ".join(numerals.digits(one) if one.isdigit() else one for one in parts)

    def write_serial(match: re.Match[str]) -> str | None:
        parts = re.findall("[0-9]+|[A-Z]", match[0])
        if sum(map(len, filter(str.isdigit, parts))) < _LEAST_FIGURES:
            return None
        return " ".join(numerals.digits(one) if one.isdigit() else one for one in parts)

    def write_choice(match: re.Match[str]) -> str | None:
        low, high = int(match["low"]), int(match["high"])
        if low >= high or (match["unit"] == "h" and low < _LEAST_WAIT):
            return None
        joint = f" {locale.range_word} " if match["unit"] == "h" else " "
        return f"{numerals.whole(str(low))}{joint}{high} "

    found += [
        Rule(_SERIAL, write_serial),
        Rule(_CHOICE, write_choice),
        Rule(worth, lambda match: f" {locale.operators['=']} "),
        Rule(_LAP, write_lap),
        Rule(_GAP, write_gap),
        Rule(_OFFER, write_offer),
        Rule(_MARK, write_mark),
        Rule(_PERSONAL, write_parts),
        Rule(_AND_MORE, lambda match: locale.operators["+"]),
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


def pace_rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for paces, `5'15"/km` and `5:15/km`, which would be addresses and times."""
    per = locale.per_words.get("km") or f"{locale.per} {locale.units['km'].one}"
    pace = re.compile(
        rf"(?<![\w.,:])(?P<minutes>[0-9]{{1,2}}):(?P<seconds>[0-5][0-9])(?:{SPACE}?min)?/km(?![\w/])"
    )

    def write(match: re.Match[str]) -> str:
        told = [
            numerals.count(Number(str(int(match[name]))), noun)
            for name, noun in (("minutes", locale.minute), ("seconds", locale.second))
        ]
        told.insert(1, locale.and_word)
        return " ".join(filter(None, (*told, per)))

    return (
        Rule(re.compile(r"/(?<=[0-9][\"”″'’′]/)km(?![\w/])"), lambda match: f" {per}"),
        Rule(pace, write),
    )
