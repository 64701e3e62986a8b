"""Times of day and lengths of time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    DIGITS,
    clock,
    counted,
    join,
    letters,
    two_digits,
)
from service.text.lattice.grammar import Grammar, Place, Reading

TIME = Grammar(
    "time",
    prior={"half": 2.0, "letter": 0.5, "plain": 1.0, "": 0.5},
    domains="transit home",
    before="at by until till from around about before after since to @ between past",
    after="am pm a p est edt et pt gmt utc cet pst on tonight tomorrow today sharp",
)
DURATION = Grammar(
    "duration",
    prior={"": 0.0},
    domains="sports music code",
    before="in took time lasted ran runtime record length finished pace split of lasts",
    after="remaining left long lap mark",
)
_M = r"(?:\.\s?m|m|(?-i:(?<=P) M|(?<=p) m))\b"
"""Behind its letter. `11p M` is a Monday."""
_HALF = rf"(?P<half>[ap])(?P<dot>(?=\.))?{_M}\.?"


def _half(letter: str) -> str:
    return f"{letter.lower()}.m."


@TIME.at(
    DIGITS,
    rf"(?<![\w:.])(?P<hour>[01]?[0-9])(?:[:.](?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?)?\s?{_HALF}",
    re.IGNORECASE,
)
def half_of_day(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if int(match["hour"]) > 12:
        return
    said = clock(at.numbers, match["hour"], match["minute"])
    if match["second"]:
        said += f" and {counted(at.numbers, str(int(match['second'])), 'second')}"
    words = f"{said} {_half(match['half'])}"
    facts = (
        "minutes" if match["minute"] else "hour",
        "dots" if match["dot"] is not None else "no dots",
    )
    after = at.token_after(match.end())
    ends = match[0].endswith(".")
    yield Reading("half", words, (*facts, "edge" if after is None else ""))
    if ends:
        yield Reading("half", words.removesuffix("."), (*facts, "stop left"), match.end() - 1)


@TIME.at(
    DIGITS,
    r"(?<![\w:.$€£])(?P<hour>1?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?(?P<half>[ap])(?!\w)",
    re.IGNORECASE,
)
def letter(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if 1 <= int(match["hour"]) <= 12:
        facts = (
            "minutes" if match["minute"] else "hour",
            "upper" if match["half"].isupper() else "lower",
        )
        yield Reading(
            "letter",
            f"{clock(at.numbers, match['hour'], match['minute'])} {_half(match['half'])}",
            facts,
        )


@TIME.at(DIGITS, r"(?<![\w:.])(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])(?![\w:]|\.[0-9])")
def of_day(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    hour, minute = match["hour"], match["minute"]
    zero = hour[0] == "0" and len(hour) == 2
    facts = (
        "zero" if zero else "",
        "24" if int(hour) > 12 else "12",
        "full" if minute == "00" else "",
        f"{len(hour)} digits",
    )
    plain = clock(at.numbers, hour, minute)
    cardinal = at.numbers.cardinal
    if minute == "00":
        if 1 <= int(hour) <= 12:
            yield Reading("o'clock", f"{plain} o'clock", facts)
        yield Reading("hundred", f"{cardinal(str(int(hour)))} hundred", facts)
        yield Reading("bare", plain, facts)
        if zero:
            yield Reading(
                "oh hundred", f"{'oh' if int(hour) else 'zero'} {cardinal(hour[1])} hundred", facts
            )
    else:
        yield Reading("plain", plain, facts)
        if zero:
            lead = f"oh {cardinal(hour[1])}" if int(hour) else "zero zero"
            tail = two_digits(at.numbers, minute)
            yield Reading("oh", f"{lead} {tail}", facts)
            yield Reading("zero", f"{lead.replace('oh', 'zero')} {tail}", facts)
            if not int(hour):
                yield Reading("midnight", f"twelve {tail}", facts)


@TIME.at(":", r"(?<![\w:]):(?P<minute>[0-5][0-9])(?![\w:])")
def past_each_hour(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `at :05 and :35`."""
    minute = match["minute"]
    is_full = minute == "00"
    said = "the top of the hour" if is_full else two_digits(at.numbers, minute)
    yield Reading("past hour", said)


@DURATION.at(DIGITS, r"(?<![\w:.])(?P<minutes>[1-9][0-9]?):00(?![\w:]|\.[0-9])")
def full_minutes(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a timer."""
    beyond = "beyond clock" if int(match["minutes"]) > 24 else "clock"
    timed = "timer" if at.before() in _TIMED or at.before(2) in _TIMED else "other"
    words = counted(at.numbers, match["minutes"], "minute")
    yield Reading("full", words, (beyond, f"{beyond} {timed}"))


_TIMED = frozenset("timer timers stopwatch countdown set remaining left intervals".split())


@TIME.at(
    DIGITS,
    r"(?<![\w:.])(?P<hour>[0-9]{1,2}):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9])(?:[.,](?P<part>[0-9]+))?(?![\w:])",
)
def with_seconds(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    hour, minute, second, part = match["hour"], match["minute"], match["second"], match["part"]
    facts = (
        "zero" if hour[0] == "0" else "",
        "part" if part else "",
        f"{len(hour)} digits",
        "late" if int(hour) > 12 else "early",
    )
    cardinal = at.numbers.cardinal

    def two(digits: str, zero: str) -> str:
        if digits[0] == "0" and len(digits) == 2:
            return f"{zero} {zero if digits[1] == '0' else cardinal(digits[1])}"
        return str(cardinal(digits))

    tail = f" point {at.numbers.spelled(part)}" if part else ""
    yield Reading(
        "seconds",
        f"{clock(at.numbers, hour, minute if int(minute) else None)} {'' if int(minute) else 'oh oh '}{two(second, 'oh')}{tail}",
        facts,
    )
    yield Reading(
        "digits", f"{two(hour, 'zero')} {two(minute, 'zero')} {two(second, 'zero')}{tail}", facts
    )
    yield Reading(
        "oh digits", f"{two(hour, 'oh')} {two(minute, 'oh')} {two(second, 'oh')}{tail}", facts
    )
    yield Reading(
        "and seconds",
        f"{clock(at.numbers, hour, minute)} and {counted(at.numbers, str(int(second)), 'second')}",
        facts,
    )
    yield Reading("stamp", "", facts)


@DURATION.at(
    DIGITS,
    r"(?<![\w:.])(?P<hour>[0-9]{1,2}):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9])(?:\.(?P<part>[0-9]+))?(?![\w:])",
)
def hours(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = [
        counted(at.numbers, str(int(match[name])), name)
        for name in ("hour", "minute", "second")
        if int(match[name])
    ]
    if match["part"]:
        parts = parts[:2] if int(match["second"]) else parts
        parts.append(
            f"{at.numbers.decimal(str(int(match['second'])) + '.' + match['part'])} seconds"
        )
    if parts:
        facts = (
            "hours",
            "zero" if match["hour"][0] == "0" else "",
            f"{len(match['hour'])} digits",
            "part" if match["part"] else "",
        )
        yield Reading("clock", " ".join(parts), facts)
        if len(parts) > 1:
            yield Reading("and", " ".join(parts[:-1]) + f" and {parts[-1]}", facts)


@DURATION.at(
    DIGITS,
    r"(?<![\w:.])(?P<minute>[0-9]{1,3}):(?P<second>[0-5][0-9])(?:\.(?P<part>[0-9]+))?(?![\w:])",
)
def minutes(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    minute, second, part = match["minute"], match["second"], match["part"]
    facts = (
        "minutes",
        "part" if part else "",
        "beyond clock" if int(minute) > 24 else "",
        "zero" if minute[0] == "0" else "",
        f"{len(minute)} digits",
    )
    said = counted(at.numbers, str(int(minute)), "minute") if int(minute) else ""
    seconds = ""
    if part:
        seconds = f"{at.numbers.decimal(str(int(second)) + '.' + part)} seconds"
    elif int(second):
        seconds = counted(at.numbers, str(int(second)), "second")
    words = join(said, seconds)
    if words:
        yield Reading("clock", words, facts)
        if said and seconds:
            yield Reading("and", f"{said} and {seconds}", facts)
    tail = f" point {at.numbers.spelled(part)}" if part else ""
    low = two_digits(at.numbers, second)
    yield Reading("race", f"{at.numbers.cardinal(str(int(minute)))} {low}{tail}", facts)


_UNITS = {
    "d": "day", "day": "day", "days": "day", "h": "hour", "hr": "hour", "hrs": "hour", "m": "minute",
    "min": "minute", "mins": "minute", "s": "second", "sec": "second", "secs": "second",
    "ms": "millisecond", "w": "week", "wk": "week", "wks": "week", "y": "year", "yr": "year",
    "yrs": "year", "mo": "month", "mos": "month",
}  # fmt: skip
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_PART = re.compile(rf"(?P<number>[0-9]+(?:\.[0-9]+)?)\s?(?P<unit>{_UNIT})")


@DURATION.at(
    DIGITS,
    rf"(?<![\w.])(?:[0-9]+(?:\.[0-9]+)?\s?(?:{_UNIT})(?![A-Za-z])[,]?\s?){{1,3}}[0-9]+(?:\.[0-9]+)?\s?(?:{_UNIT})(?!\w)",
)
def parts(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    said = [
        counted(at.numbers, part["number"], _UNITS[part["unit"]])
        for part in _PART.finditer(match[0])
    ]
    spaced = "spaced" if " " in match[0] else "solid"
    yield Reading("parts", " ".join(said), (spaced,))


@DURATION.at(DIGITS, r"(?<!\w)(?P<hours>[0-9]{1,2})h(?P<minutes>[0-9]{2})(?!\w)")
def hours_and_minutes(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    said = counted(at.numbers, match["hours"], "hour")
    yield Reading(
        "parts", f"{said} {counted(at.numbers, str(int(match['minutes'])), 'minute')}", ("h",)
    )


@TIME.at(
    "012",
    r"(?<![\w:.,])(?P<hour>[01][0-9]|2[0-3])(?P<minute>[0-5][0-9])(?P<tail>\s?(?:hrs|hours|h)\b)?(?![\w,][0-9])(?![0-9])(?!\w)",
)
def military(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    hour, minute = match["hour"], match["minute"]
    cardinal = at.numbers.cardinal
    lead = f"zero {cardinal(hour[1])}" if hour[0] == "0" else cardinal(hour)
    low = (
        "hundred"
        if minute == "00"
        else f"zero {cardinal(minute[1])}"
        if minute[0] == "0"
        else cardinal(minute)
    )
    zone = at.after(match.end()) in ("z", "utc", "gmt", "est", "edt", "pst", "local")
    facts = (
        "zero" if hour[0] == "0" else "",
        "zone" if zone else "",
        "hours" if match["tail"] else "",
        "full" if minute == "00" else "",
    )
    tail = " hours" if match["tail"] else ""
    yield Reading("military", f"{lead} {low}{tail}", facts)
    if "zero" in lead:
        yield Reading("military oh", f"{lead} {low}{tail}".replace("zero", "oh"), facts)


@TIME.at(
    DIGITS,
    r"(?<![\w:./])(?P<east>1[0-2]|[1-9])(?P<half>:30)?/(?P<central>1[0-2]|[1-9])(?P=half)?c(?!\w)",
)
def eastern_and_central(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `9/8c`, as television in America announces it."""
    east, central = match["east"], match["central"]
    if (int(east) - int(central)) % 12 == 1:
        half = " thirty" if match["half"] else ""
        words = [at.numbers.cardinal(hour) + half for hour in (east, central)]
        yield Reading("central", f"{words[0]}, {words[1]} central")


@TIME.at(
    DIGITS,
    r"(?<![\w:./$€£-])(?P<one>[0-9]{1,2})(?::(?P<minute>[0-5][0-9]))?\s?(?P<half>[ap](?:\.?m\.?)?\.?)?\s?(?P<dash>[-–—])\s?"
    rf"(?P<other>[0-9]{{1,2}})(?::(?P<last>[0-5][0-9]))?\s?(?P<end>[ap](?:{_M}\.?|(?!\w)))?(?![\w:]|/[0-9])",
    re.IGNORECASE,
)
def span(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not (1 <= int(match["one"]) <= 24 and 1 <= int(match["other"]) <= 24):
        return
    if not (match["half"] or match["end"] or match["minute"] or match["last"]):
        return
    said = clock(at.numbers, match["one"], match["minute"])
    if match["half"]:
        said += f" {_half(match['half'][0])}"
    said += f" to {clock(at.numbers, match['other'], match['last'])}"
    if match["end"]:
        said += f" {_half(match['end'][0])}"
    facts = (
        f"halves {bool(match['half'])} {bool(match['end'])}",
        f"minutes {bool(match['minute'])} {bool(match['last'])}",
    )
    yield Reading("range", said, facts)
    if match[0].endswith("."):
        yield Reading("range", said.removesuffix("."), (*facts, "stop left"), match.end() - 1)


@TIME.at(
    "nmNM",
    r"(?<!\w)(?P<name>noon|midnight)\s?[-–—]\s?(?P<hour>1?[0-9])(?::(?P<minute>[0-5][0-9]))?"
    r"(?:\s?(?P<half>[ap])(?:\.?m\.?)?)?(?!\w)",
    re.IGNORECASE,
    words=("noon", "midnight"),
)
def from_noon(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `noon-6`."""
    said = f"{match['name']} to {clock(at.numbers, match['hour'], match['minute'])}"
    yield Reading("from noon", f"{said} {_half(match['half'])}" if match["half"] else said)


ZONE = Grammar("zone", prior={"": 0.5, "after time": 2.5})


@ZONE.at(
    "UG",
    r"(?<!\w)(?P<name>UTC|GMT)\s?(?P<sign>[-−–+±])\s?(?P<hours>[01]?[0-9])(?::?(?P<minutes>[0-5][0-9]))?(?![\w:])",
)
def offset(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `UTC-5`."""
    sign = "plus" if match["sign"] == "+" else "plus or minus" if match["sign"] == "±" else "minus"
    minutes = f" {at.numbers.cardinal(match['minutes'])}" if int(match["minutes"] or 0) else ""
    hours = at.numbers.cardinal(str(int(match["hours"])))
    yield Reading("offset", f"{letters(match['name'])} {sign} {hours}{minutes}")


_REACH = 6
_CLOCK_BEFORE = re.compile(r"(?:[0-9]|[ap]\.?m\.?)[ ]?\Z", re.IGNORECASE)
_ZONES = "ET PT CT MT EST EDT PST PDT CST CDT MST MDT GMT UTC BST CET CEST JST IST"


@ZONE.at(
    "".join(sorted({name[0] for name in _ZONES.split()})),
    rf"(?<!\w)(?:{_ZONES.replace(' ', '|')})(?!\w)",
)
@ZONE.at(
    "".join(sorted({name[0].lower() for name in _ZONES.split()})),
    rf"(?<=[0-9m.] )(?:{_ZONES.lower().replace(' ', '|')})(?!\w)",
    words=_ZONES.lower().split(),
)
def zone(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    start = match.start()
    is_timed = _CLOCK_BEFORE.search(at.text[max(0, start - _REACH) : start]) is not None
    form = "after time" if is_timed else "letters"
    if not is_timed and match[0].islower():
        return
    yield Reading(form, letters(match[0]), (f"{len(match[0])} {is_timed}",))


@ZONE.at("Z", r"(?<=[0-9])Z(?!\w)")
def zulu(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("zulu", "Zulu")
    yield Reading("utc", "UTC")
