"""Pairs of numbers that only the words beside them tell apart: ratios, verses, dates, lengths."""

from __future__ import annotations

import re

from service.text.normalization.date_parts import is_day
from service.text.normalization.figures.dates import Calendar
from service.text.normalization.figures.notation import (
    DASH,
    FIGURE_AFTER,
    FIGURE_BEFORE,
    SPACE,
    WORD_BEFORE,
    one_of,
)
from service.text.normalization.figures.numbers import Number, Numerals
from service.text.normalization.locale import Locale, Noun
from service.text.normalization.rules import Rule

_REACH = 40
_ASPECTS = frozenset({"16:9", "4:3", "3:2", "21:9"})
_FRACTION_AFTER = re.compile(rf"{SPACE}(?:de|d[eu]s?|d'|d’|di|del|dell|delle|dos|das|do|da)\b")
_NAME_BEFORE = re.compile(r"\b[A-ZÀ-Þ][\w-]+\s\Z")
_WORD = re.compile(rf"{SPACE}([^\W\d_]+)")
_LAST_YEAR = "2100"
_OPENING_QUOTE = re.compile(r"(?<!\w)['’′]")
_PRIMES = "(?:''|’’|′′|[\"″”])"


def _after(words: tuple[str, ...]) -> str:
    """Return a pattern of these words and a space, as a group `before`."""
    return rf"(?P<before>{WORD_BEFORE}(?i:{'|'.join(words)})(?:{SPACE}|(?<=['’])))"


def early_rules(locale: Locale, numerals: Numerals, calendar: Calendar) -> tuple[Rule, ...]:
    """Return the rules that come before those for dates."""
    found: list[Rule] = []
    if locale.date_before:
        day = r"(?P<day>[0-3]?[0-9])(?:[º°](?=/))?/(?P<month>1[0-2]|0?[1-9])"
        names = locale.weekday_abbreviations
        before = (*locale.date_before, rf"{one_of(names)}\.?,?")
        pattern = re.compile(rf"{_after(before)}{day}(?![\w/%]|[.,/-][0-9])")
        days = re.compile(
            rf"{_after(locale.date_before)}(?P<first>[0-3]?[0-9])/(?P<last>[0-3]?[0-9])"
            rf"(?={SPACE}(?:de{SPACE})?(?:{'|'.join(locale.months)})\b)"
        )

        def write_day(match: re.Match[str]) -> str | None:
            day, month = int(match["day"]), int(match["month"])
            if not is_day(month, day) or _FRACTION_AFTER.match(match.string, match.end()):
                return None
            said = calendar.say_day(month, day)
            return said and match["before"] + said

        def write_days(match: re.Match[str]) -> str:
            first, last = (numerals.whole(match[name]) for name in ("first", "last"))
            return f"{match['before']}{first}{locale.and_word and ' ' + locale.and_word} {last}"

        until = re.compile(
            rf"{FIGURE_BEFORE}(?P<day>[0-3]?[0-9])/(?P<month>1[0-2]|0?[1-9])"
            rf"(?P<joint>{SPACE}(?:a|al|à|au|até){SPACE})"
            r"(?P<last_day>[0-3]?[0-9])/(?P<last_month>1[0-2]|0?[1-9])(?![\w/%]|[.,/-][0-9])"
        )

        def write_until(match: re.Match[str]) -> str | None:
            days = [
                calendar.say_day(int(match[f"{last}month"]), int(match[f"{last}day"]))
                for last in ("", "last_")
            ]
            return None if None in days else f"{days[0]}{match['joint']}{days[1]}"

        found += [Rule(until, write_until), Rule(days, write_days), Rule(pattern, write_day)]
        found.append(
            Rule(
                re.compile(
                    rf"(?P<before>){FIGURE_BEFORE}(?P<day>1)[º°]/(?P<month>1[0-2]|0?[1-9])(?![\w/])"
                ),
                write_day,
            )
        )
    if locale.ratio:
        by = locale.by or locale.operators["x"]
        sides = re.compile(rf"(?P<unit>[0-9]{SPACE}?(?:mm|cm|km|m)){SPACE}?[x×]{SPACE}?(?=[0-9])")
        hours = re.compile(
            rf"(?P<hour>{FIGURE_BEFORE}[0-9]{{1,2}}{SPACE}?h){SPACE}?{DASH}{SPACE}?(?=[0-9]{{1,2}}{SPACE}?h)"
        )
        found.append(Rule(sides, lambda match: f"{match['unit']} {by} "))
        found.append(Rule(hours, lambda match: f"{match['hour']} {locale.range_word} "))
        measures = [*locale.currencies, *locale.magnitudes, *locale.units]
        number = re.compile(
            rf"(?<![\w.,:/+-])(?P<first>[0-9]{{3,4}})-(?P<second>[0-9]{{4}})(?![\w%°/:-]|[.,][0-9]"
            rf"|{SPACE}?(?:{one_of(measures)})(?!\w))"
        )

        def write_number(match: re.Match[str]) -> str | None:
            first, second = match["first"], match["second"]
            counted = _WORD.match(match.string, match.end())
            if counted is not None and counted[1].lower() not in locale.not_counted:
                return None
            is_rising = len(first) == len(second) and first < second
            if is_rising and (second <= _LAST_YEAR or first[-1] == second[-1] == "0"):
                return None
            return f"{numerals.digits(first)}, {numerals.digits(second)}"

        found.append(Rule(number, write_number))
    if locale.per_words:
        per = re.compile(rf"/(?<=[\w€$£%²³]/)(?P<per>{one_of(locale.per_words)})(?![\w/²³])")
        counted = "|".join(
            (one_of(locale.units), one_of(locale.currencies), "[x×]", "[^\\W\\d_]{3,20}")
        )
        amount = re.compile(
            rf"[0-9]{SPACE}?(?P<unit>{counted})\Z|{one_of(locale.currencies)}{SPACE}?[0-9.,]{{1,12}}\Z"
        )

        def write_per(match: re.Match[str]) -> str | None:
            before = amount.search(match.string[max(0, match.start() - _REACH) : match.start()])
            if before is None or f"{before['unit']}{match[0]}" in locale.units:
                return None
            return f" {locale.per_words[match['per']]}"

        found.append(Rule(per, write_per))
    if locale.slash_year:
        law = re.compile(
            rf"{FIGURE_BEFORE}(?P<number>(?!0)(?:{numerals.pattern}))/(?P<year>(?:1[89]|20)[0-9]{{2}}|(?<=[0-9][.][0-9]{{3}}/)[0-9]{{2}}){FIGURE_AFTER}"
        )

        month_before = re.compile(
            r"\b(?:(?P<article>(?i:le|el|del))"
            r"|(?i:entro|em|até|desde|dal|depuis|dès|avant|fin|val\.:?|validade:?))\s\Z"
        )

        def write_law(match: re.Match[str]) -> str | None:
            month, start = match["number"], match.start()
            is_month = month.isdecimal() and 0 < int(month) <= len(locale.months)
            before = month_before.search(match.string, max(0, start - _REACH), start)
            if is_month and before is not None:
                if before["article"]:
                    return f"{numerals.whole(month)} {numerals.year(match['year'])}"
                link = f" {locale.date_link} " if locale.date_link else " "
                return f"{locale.months[int(month) - 1]}{link}{numerals.year(match['year'])}"
            number = numerals.say(numerals.parse(match["number"]))
            return f"{number} {locale.slash_year} {numerals.year(match['year'])}"

        found.append(Rule(law, write_law))
    if locale.pressure[0]:
        pressure = re.compile(
            rf"(?P<before>{WORD_BEFORE}(?i:{locale.pressure[0]})\b[^\n.!?0-9]{{0,24}})"
            rf"(?P<high>[0-9]{{1,3}}){SPACE}?[/x×]{SPACE}?(?P<low>[0-9]{{1,3}}){FIGURE_AFTER}"
            rf"(?:{SPACE}?(?P<unit>mm{SPACE}?Hg)(?!\w))?"
        )

        def write_pressure(match: re.Match[str]) -> str:
            said = [numerals.whole(match["high"]), locale.pressure[1], numerals.whole(match["low"])]
            if match["unit"] and "mmHg" in locale.units:
                said.append(locale.units["mmHg"].many)
            return match["before"] + " ".join(filter(None, said))

        found.append(Rule(pressure, write_pressure))
    sets = re.compile(
        r"(?<![\w.,:/-])(?P<row>[0-7][/-][0-7](?:\([0-9]{1,2}\))?"
        r"(?:[,;]?[ ][0-7][/-][0-7](?:\([0-9]{1,2}\))?){1,4})(?![\w/-]|[.,:][0-9])"
    )

    def write_sets(match: re.Match[str]) -> str | None:
        scores = re.findall("[0-7][/-][0-7]", match[0])
        if not all(max(score[0], score[2]) in "67" for score in scores[:-1]):
            return None  # sets end with six or seven games
        return re.sub("([0-7])[/-]([0-7])", r"\1 \2", match[0])

    found.append(Rule(sets, write_sets))
    numbered = re.compile(
        rf"(?P<before>{WORD_BEFORE}(?i:n\.?[°ºo]|nr\.?|nº|n°|núm(?:ero|\.)|numéro|numero|nummer){SPACE}?)"
        r"(?P<first>[0-9]{2,8})[-/](?P<last>[0-9]{1,3}\.[0-9]{3}|[0-9]{1,8})(?![\w/-]|[.,][0-9])"
    )

    def write_numbered(match: re.Match[str]) -> str | None:
        first, last = match["first"], match["last"].replace(".", "")
        if locale.slash_year and "/" in match[0] and len(last) == 4 and last[0] in "12":
            return None  # of that year
        said = numerals.digits(last) if last[0] == "0" else numerals.whole(last)
        joint = f" {locale.hyphen} " if locale.hyphen and "-" in match[0] else ", "
        return f"{match['before']}{numerals.whole(first)}{joint}{said}"

    found.append(Rule(numbered, write_numbered))
    if locale.every_hours:
        every = re.compile(
            rf"{FIGURE_BEFORE}(?P<n>[0-9]{{1,2}})/(?P=n){SPACE}?h(?:s|oras?)?(?![\w/])"
        )
        each = re.compile(
            rf"{WORD_BEFORE}c/{SPACE}?(?P<n>[0-9]{{1,2}}){SPACE}?h(?:s|oras?)?(?![\w/])"
        )
        found.append(
            Rule(every, lambda match: locale.every_hours.format(n=numerals.whole(match["n"])))
        )
        found.append(
            Rule(each, lambda match: f"cada {numerals.count(Number(match['n']), locale.hour)}")
        )
    season = re.compile(
        rf"{FIGURE_BEFORE}(?P<century>[12][0-9])(?P<year>[0-9]{{2}})(?:{DASH}|/)(?P<last>[0-9]{{2}})(?![\w-]|[.,/:][0-9])"
    )

    def write_season(match: re.Match[str]) -> str | None:
        if int(match["last"]) <= int(match["year"]) or (
            int(match["last"]) < 13 and int(match["year"]) + 1 != int(match["last"])
        ):
            return None
        first, last = match["century"] + match["year"], match["century"] + match["last"]
        return f"{numerals.year(first)} {locale.range_word} {numerals.year(last)}"

    return (*found, Rule(season, write_season)) if locale.ratio else tuple(found)


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules that come before those for times."""
    if not locale.ratio:
        return ()
    ratio = re.compile(
        rf"{FIGURE_BEFORE}(?P<first>[0-9]{{1,6}}):(?P<second>(?:{numerals.pattern})){FIGURE_AFTER}(?!:)"
    )
    cue = re.compile(rf"\b(?i:{'|'.join(locale.ratio_words)})\b[^\n.!?]{{0,30}}\Z")
    verse = re.compile(
        rf"(?P<before>{WORD_BEFORE}(?:{'|'.join(locale.verses)}){SPACE})"
        rf"(?P<chapter>[0-9]{{1,3}}):(?P<verse>[0-9]{{1,3}}){FIGURE_AFTER}"
    )

    def write_ratio(match: re.Match[str]) -> str | None:
        first, second = match["first"], match["second"]
        before = match.string[max(0, match.start() - _REACH) : match.start()]
        if (
            not cue.search(before)
            and (len(second) > 1 or first[0] == "0")
            and not int(first) > 24
            and match[0] not in _ASPECTS
        ):
            return None
        if match[0] in _ASPECTS and locale.aspects:
            noun = locale.denominators[int(second)]
            return numerals.count(Number(first), noun)
        joint = locale.by if match[0] in _ASPECTS and locale.by else locale.ratio
        return f"{numerals.whole(first)} {joint} {numerals.say(numerals.parse(second))}"

    def write_verse(match: re.Match[str]) -> str:
        return (
            f"{match['before']}{numerals.whole(match['chapter'])} {numerals.whole(match['verse'])}"
        )

    return (
        Rule(verse, write_verse),
        Rule(ratio, write_ratio),
        *_length_rules(locale, numerals),
        *_range_rules(locale, numerals),
    )


def _length_rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for lengths of time."""

    def joined(first: str, last: str) -> str:
        return " ".join(filter(None, (first, locale.and_word, last)))

    def counted(digits: str, noun: Noun) -> str:
        return numerals.count(Number(str(int(digits))), noun)

    hours = re.compile(
        rf"{FIGURE_BEFORE}(?P<hours>[0-9]{{1,3}}){SPACE}?(?:h|hs|hrs?|horas?|heures?|or[ae]){SPACE}?(?:e|y|et)?{SPACE}?"
        rf"(?P<minutes>[0-5]?[0-9]){SPACE}?(?:min(?:utos?|uti|uto|utes?)?|mn|['’′])(?![\w'’′])"
        rf"(?:\.(?={SPACE}[a-z]))?"
    )
    short = re.compile(
        rf"{_after(locale.duration_words)}(?P<hours>[0-9]{{1,3}}){SPACE}?(?:h|:){SPACE}?(?P<minutes>[0-5][0-9])(?![\w:]|[.,][0-9])"
    )
    full = re.compile(
        rf"{_after(locale.duration_words)}(?P<hours>[0-9]{{1,2}}):(?P<minutes>[0-5][0-9]):(?P<seconds>[0-5][0-9])(?![\w:]|[.,][0-9])"
    )
    primes = re.compile(
        rf"{FIGURE_BEFORE}(?P<minutes>[0-9]{{1,3}})['’′]{SPACE}?(?P<seconds>[0-5][0-9]){_PRIMES}(?![\w'’])"
    )
    hundredths = re.compile(
        rf"{FIGURE_BEFORE}(?P<seconds>[0-9]{{1,2}}){_PRIMES}(?P<parts>[0-9]{{1,2}})(?![\w'’])"
    )

    def write_hours(match: re.Match[str]) -> str:
        return joined(
            counted(match["hours"], locale.hour), counted(match["minutes"], locale.minute)
        )

    def write_short(match: re.Match[str]) -> str:
        minutes = int(match["minutes"])
        said = counted(match["hours"], locale.hour)
        if minutes:
            said = joined(said, counted(match["minutes"], locale.minute))
        return match["before"] + said

    def write_full(match: re.Match[str]) -> str:
        parts = [counted(match["hours"], locale.hour), counted(match["minutes"], locale.minute)]
        return match["before"] + joined(" ".join(parts), counted(match["seconds"], locale.second))

    def write_primes(match: re.Match[str]) -> str | None:
        if int(match["seconds"]) < 12 and match["seconds"][0] != "0":
            return None  # feet and inches
        minutes = counted(match["minutes"], locale.minute)
        return joined(minutes, counted(match["seconds"], locale.second))

    def write_hundredths(match: re.Match[str]) -> str:
        seconds = counted(match["seconds"], locale.second)
        return joined(seconds, numerals.whole(match["parts"]))

    minutes = re.compile(
        rf"(?P<article>(?i:al|all['’]|nell['’]|minuto|del|dell['’]){SPACE}?)?{FIGURE_BEFORE}(?P<minutes>[0-9]{{1,3}})['’′](?![\w'’′\"])"
    )

    def write_minutes(match: re.Match[str]) -> str | None:
        text = match.string
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.end() - 1]
        sign = match[0][-1]
        if "‘" in line or any(one[0] == sign for one in _OPENING_QUOTE.findall(line)):
            return None
        article = match["article"] or ""
        if locale.powers_are_ordinals and article:
            said = numerals.ordinal(int(match["minutes"]), locale.ordinal_suffixes["º"])
            return said and article + said
        if article.strip() == locale.minute.one:
            return f"{article}{numerals.whole(match['minutes'])}"
        return article + counted(match["minutes"], locale.minute)

    return (
        Rule(hours, write_hours),
        Rule(full, write_full),
        Rule(short, write_short),
        Rule(hundredths, write_hundredths),
        Rule(primes, write_primes),
        Rule(minutes, write_minutes),
    )


def _range_rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for ranges and scores that have another word inside, or none."""
    found: list[Rule] = []
    match_ = re.compile(
        rf"(?<=[a-zà-ÿ]{SPACE})(?P<one>[0-9]{{1,2}}){SPACE}?[x×]{SPACE}?(?P<other>[0-9]{{1,2}})(?={SPACE}[A-ZÀ-Þ][a-zà-ÿ])"
    )

    def write_match(match: re.Match[str]) -> str | None:
        if not _NAME_BEFORE.search(match.string, max(0, match.start() - _REACH), match.start()):
            return None
        one, other = numerals.whole(match["one"]), numerals.whole(match["other"])
        return f"{one} {locale.range_word} {other}"

    found.append(Rule(match_, write_match))
    if locale.between[0]:
        between = re.compile(
            rf"(?P<before>{WORD_BEFORE}(?i:{locale.between[0]}){SPACE})(?P<low>{numerals.pattern})"
            rf"{SPACE}?{DASH}{SPACE}?(?={numerals.pattern}(?!-))"
        )

        def write_between(match: re.Match[str]) -> str:
            low = numerals.say(numerals.parse(match["low"]))
            return f"{match['before']}{low} {locale.between[1]} "

        found.append(Rule(between, write_between))
    if locale.set_words:
        cue = re.compile(rf"\b(?i:{'|'.join(locale.set_words)})\b")
        score = re.compile(r"(?<![\w.,:/-])(?P<one>[0-7])[-/](?P<other>[0-7])(?![\w/-]|[.,:][0-9])")

        def write_score(match: re.Match[str]) -> str | None:
            around = match.string[max(0, match.start() - 2 * _REACH) : match.end() + _REACH]
            if not cue.search(around):
                return None
            return f"{numerals.whole(match['one'])} {numerals.whole(match['other'])}"

        found.append(Rule(score, write_score))
    return tuple(found)
