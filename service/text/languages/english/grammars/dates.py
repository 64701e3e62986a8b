"""Dates, months, weekdays, quarters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import DIGITS, MONTH, two_digits, year
from service.text.languages.english.normalization.calendar import MONTHS, WEEKDAY_NAMES
from service.text.lattice.grammar import Grammar, Place, Reading

DATE = Grammar(
    "date",
    prior={"long": 1.5, "day first": 1.0, "range": 1.0, "month": 1.0, "iso": 2.0, "expiry": 4.0, "numeric range": 8.0, "mdy": 1.5,
        "dmy": 0.0, "short": 0.0, "": 0.5},
    domains="home transit history finance",
    before="on by since until till before after due from through monday tuesday wednesday thursday"
    " friday saturday sunday mon tue tues wed thu thurs fri sat sun dated expires exp born birthday b-day bday day anniversary",
)  # fmt: skip
_NAMES = "|".join(sorted(MONTH, key=len, reverse=True))
_M = rf"(?P<month>{_NAMES})\b\.?"
_FIRST = "".join(sorted({name[0] for name in MONTH} | {name[0].upper() for name in MONTH}))
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?!\w|[:.–-][0-9])"
_YEAR = r"(?P<year>[0-9]{4})(?![\w/])"


def _month(match: re.Match[str], name: str = "month") -> str:
    return MONTH[match[name].lower()]


_LENGTHS = dict(zip(MONTHS, (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), strict=True))


def _exists(month: str, day: str, digits: str | None = None) -> bool:
    """Tell whether a month has a day; without a year February has 29."""
    most = _LENGTHS[month]
    if month == "February" and digits is not None:
        value = int(digits)
        most = 29 if value % 4 == 0 and (value % 100 or value % 400 == 0) else 28
    return 1 <= int(day) <= most


def _day(at: Place, month: str, day: str) -> str:
    """Return a day as its month is named beside it: `June first`, `the first of June`."""
    ordinal = at.numbers.ordinal(day)
    return f"the {ordinal} of {month}" if at.numbers.british else f"{month} {ordinal}"


def _days(at: Place, month: str, first: str, last: str) -> str:
    """Return days of one month: `June first to third`, `the first to the third of June`."""
    one, other = at.numbers.ordinal(first), at.numbers.ordinal(last)
    if at.numbers.british:
        return f"the {one} to the {other} of {month}"
    return f"{month} {one} to {other}"


def _case(text: str) -> str:
    """Return what speaks against a month: `may 4`, `march 3`, `sun`."""
    word = text.lower()
    if word not in ("may", "march", "mar", "sun", "sat", "wed", "dec", "jan"):
        return "sure"
    return f"{word} {'lower' if text.islower() else 'upper' if text.isupper() else 'title'}"


@DATE.at(_FIRST, rf"(?<!\w){_M}\s{_DAY}(?:(?P<comma>,?)\s{_YEAR})?", re.IGNORECASE, words=MONTH)
def month_and_day(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not _exists(_month(match), match["day"], match["year"]):
        return
    said = _day(at, _month(match), match["day"])
    facts = (_case(match["month"]), f"year {bool(match['year'])}")
    if match["year"]:
        yield Reading("long", f"{said}, {year(at.numbers, match['year'])}", facts)
        day = re.compile(r"[0-9]{1,2}(?:st|nd|rd|th)?", re.IGNORECASE).match(
            match.string, match.start("day")
        )
        if day is not None:
            yield Reading("long", said, (facts[0], "year left"), day.end())
    else:
        yield Reading("long", said, facts)


@DATE.at(
    _FIRST,
    rf"(?<!\w){_M}\s(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?\s?[-–]\s?(?:(?P<next>{_NAMES})\b\.?\s)?(?P<last>[0-9]{{1,2}})(?:st|nd|rd|th)?(?!\w|[:/])(?:,\s{_YEAR})?",
    re.IGNORECASE,
)
def days_of_month(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    last_month = _month(match, "next") if match["next"] else _month(match)
    ordered = bool(match["next"]) or int(match["day"]) < int(match["last"])
    if ordered and _exists(_month(match), match["day"]) and _exists(last_month, match["last"]):
        tail = f", {year(at.numbers, match['year'])}" if match["year"] else ""
        said = f"{_day(at, _month(match), match['day'])} to {_day(at, last_month, match['last'])}"
        if not match["next"]:
            said = _days(at, _month(match), match["day"], match["last"])
        yield Reading("range", said + tail, (_case(match["month"]),))


@DATE.at(
    DIGITS,
    rf"(?<![\w/.–-])(?P<day>[0-9]{{1,2}})(?P<th>st|nd|rd|th)?\s(?P<of>of\s)?{_M}(?!\w)(?:,?\s{_YEAR})?",
    re.IGNORECASE,
)
def day_and_month(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not _exists(_month(match), match["day"], match["year"]):
        return
    article = "" if at.before() == "the" else "the "
    tail = f", {year(at.numbers, match['year'])}" if match["year"] else ""
    day = at.numbers.ordinal(match["day"])
    facts = (
        _case(match["month"]),
        f"th {bool(match['th'])} of {bool(match['of'])}",
        f"year {bool(match['year'])}",
    )
    yield Reading("day first", f"{article}{day} of {_month(match)}{tail}", facts)
    if not at.numbers.british:
        yield Reading("long", f"{_month(match)} {day}{tail}", (*facts, "turned"))
    yield Reading("day month", f"{day} {_month(match)}{tail}", facts)


@DATE.at(
    DIGITS,
    rf"(?<![\w/.-])(?P<day>[0-9]{{1,2}})[-–](?P<last>[0-9]{{1,2}})\s{_M}(?!\w)(?:,?\s{_YEAR})?",
    re.IGNORECASE,
)
def days_and_month(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    ordered = int(match["day"]) < int(match["last"])
    if ordered and _exists(_month(match), match["day"]) and _exists(_month(match), match["last"]):
        tail = f", {year(at.numbers, match['year'])}" if match["year"] else ""
        said = _days(at, _month(match), match["day"], match["last"])
        yield Reading("range", said + tail, ("day first",))


@DATE.at(_FIRST, rf"(?<!\w){_M}\s['‘’](?P<year>[0-9]{{2}})(?!\w)", re.IGNORECASE)
def month_and_short_year(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    digits = match["year"]
    said = two_digits(at.numbers, digits)
    yield Reading("month", f"{_month(match)} {said}", (_case(match["month"]), "short"))


@DATE.at(_FIRST, rf"(?<!\w){_M},?\s{_YEAR}", re.IGNORECASE)
def month_and_year(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading(
        "month", f"{_month(match)} {year(at.numbers, match['year'])}", (_case(match["month"]),)
    )


@DATE.at(
    _FIRST,
    rf"(?<!\w){_M}\s?(?P<joint>[-–/])\s?(?P<next>{_NAMES})\b\.?(?!\w)(?:\s{_YEAR})?",
    re.IGNORECASE,
)
def months(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    tail = f" {year(at.numbers, match['year'])}" if match["year"] else ""
    yield Reading(
        "months",
        f"{_month(match)} to {_month(match, 'next')}{tail}",
        (match["joint"], _case(match["month"])),
    )


@DATE.at(
    DIGITS,
    r"(?<![\w/.–-])(?P<year>[0-9]{4})(?P<sep>[-/.])(?P<month>[0-9]{2})(?P=sep)(?P<day>[0-9]{2})(?![0-9–-]|/)",
)
def iso(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    month = int(match["month"])
    if 1 <= month <= 12 and _exists(MONTHS[month - 1], match["day"], match["year"]):
        said = _day(at, MONTHS[month - 1], match["day"])
        yield Reading("iso", f"{said}, {year(at.numbers, match['year'])}", (match["sep"],))


_DAY_LETTERS = {
    "M": "Monday", "T": "Tuesday", "Tu": "Tuesday", "Tue": "Tuesday", "W": "Wednesday",
    "Th": "Thursday", "R": "Thursday", "F": "Friday", "Fr": "Friday", "S": "Saturday",
    "Sa": "Saturday", "Sat": "Saturday", "Su": "Sunday", "Sun": "Sunday",
}  # fmt: skip
_LETTERS_OF_DAYS = {
    "MWF": "M W F",
    "TTh": "T Th",
    "TR": "T Th",
    "MW": "M W",
    "MTWThF": "M T W Th F",
}
_BESIDE_DAYS = frozenset(
    "open opens hours daily closed class classes lecture lab meets office from on every schedule"
    " practice available weekdays section gym mass lessons camp".split()
)


@DATE.at("MTWFS", r"(?<![\w.-])(?P<one>M|Tu?|W|Th|F|Sa)[-–](?P<other>Th|Fr?|Sat?|Sun?|S)(?![\w-])")
def days(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = f"{_DAY_LETTERS[match['one']]} to {_DAY_LETTERS[match['other']]}"
    yield Reading("days", words, _about_days(at, match.end()))


@DATE.at("MT", r"(?<![\w.-])(?:MWF|TTh|TR|MW|MTWThF|[MTW](?:/(?:W|Th|F|S)){1,3})(?![\w/-])")
def several_days(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    said = _LETTERS_OF_DAYS.get(match[0], match[0].replace("/", " ")).split()
    words = ", ".join(_DAY_LETTERS[day] for day in said)
    yield Reading("several days", words, _about_days(at, match.end()))


_TWO_LETTERS = {
    "Mo": "Monday", "Tu": "Tuesday", "We": "Wednesday", "Th": "Thursday", "Fr": "Friday",
    "Sa": "Saturday", "Su": "Sunday",
}  # fmt: skip
_SHORT = "|".join(_TWO_LETTERS)
_JOINTS = {"-": " to ", "–": " to ", "&": " and ", "/": " and ", ",": ", ", "": ""}


@DATE.at(
    "MTWFS",
    rf"(?<![\w.'’-])(?P<one>{_SHORT})\b(?<!We(?! ?[-–&/,] ?(?:Th|Fr|Su|Sa)))(?:\s?(?P<joint>[-–&/,])\s?(?P<other>{_SHORT})\b)?(?![\w'’-])",
    words=("we",),
)
def two_letters(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `Mo-Fr`, `Tu & Th`, `closed Su`."""
    one, other = _TWO_LETTERS[match["one"]], _TWO_LETTERS.get(match["other"] or "", "")
    joint = match["joint"] or ""
    kind = f"joint {joint}" if other else f"alone {match['one']}"
    facts = (kind, *(f"{bool(other)} {fact}" for fact in _about_days(at, match.end())))
    yield Reading("two letters", f"{one}{_JOINTS[joint]}{other}", facts)


def _about_days(at: Place, end: int) -> tuple[str, ...]:
    after = at.after(end)
    before = "beside" if at.before() in _BESIDE_DAYS else "other"
    return (
        f"{before} > {'number' if after[:1].isdigit() else after if len(after) == 2 else 'other'}",
    )


@DATE.at(
    DIGITS,
    r"(?<![\w/.-])(?P<month>1[0-2]|0?[1-9])/(?P<day>[0-3]?[0-9])\s?[-–]\s?(?P<last>[0-3]?[0-9])(?![\w/-]|[.,][0-9])",
)
def slashed_days(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `10/21–22`."""
    first, last = int(match["day"]), int(match["last"])
    if 0 < first < last <= 31:
        said = _day(at, MONTHS[int(match["month"]) - 1], str(first))
        facts = ("clear" if first > 12 else "either",)
        yield Reading("days of month", f"{said} to {at.numbers.ordinal(str(last))}", facts)


@DATE.at("T", r"(?<=[0-9])T(?=[0-9]{2}:)")
def iso_time(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("and time", ",")


@DATE.at(
    DIGITS,
    r"(?<![\w/.-])(?P<from>[0-9]{1,2}(?P<sep>[/.])[0-9]{1,2}(?P=sep)[0-9]{4})\s?[-–—]\s?"
    r"(?P<to>[0-9]{1,2}(?P=sep)[0-9]{1,2}(?P=sep)[0-9]{4})(?![\w/-])",
)
def numeric_range(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `01.02.2024-03.02.2024`, whose ends are written alike."""
    month, day = (1, 0) if at.numbers.british or match["sep"] == "." else (0, 1)
    said = []
    for end in (match["from"], match["to"]):
        parts = re.split("[/.]", end)
        number = int(parts[month])
        if not 1 <= number <= 12 or not _exists(MONTHS[number - 1], parts[day], parts[2]):
            return
        name = _day(at, MONTHS[number - 1], str(int(parts[day])))
        said.append(f"{name}, {year(at.numbers, parts[2])}")
    yield Reading("numeric range", " to ".join(said), (match["sep"],))


@DATE.at(
    DIGITS,
    r"(?<![\w/.-])(?P<one>[0-9]{1,2})(?P<sep>[/.-])(?P<other>[0-9]{1,2})(?P=sep)(?P<year>[0-9]{4}|[0-9]{2})(?![\w/-])",
)
def numeric(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    one, other, digits = int(match["one"]), int(match["other"]), match["year"]
    if len(digits) == 2:
        digits = ("20" if int(digits) < 50 else "19") + digits
    said = year(at.numbers, digits)
    facts: tuple[str, ...] = (match["sep"], f"{match['sep']} {len(match['year'])}")
    facts = (*facts, "clear" if max(one, other) > 12 else "open")
    is_usual = False
    for form, month, day in _orders(at, match):
        if 1 <= int(month) <= 12 and _exists(MONTHS[int(month) - 1], day, digits):
            usual = "" if is_usual else "first in order"
            is_usual = True
            words = f"{_day(at, MONTHS[int(month) - 1], str(int(day)))}, {said}"
            yield Reading(form, words, (*facts, usual))
            if match["sep"] == ".":
                return


def _orders(at: Place, match: re.Match[str]) -> list[tuple[str, str, str]]:
    """Return form, month and day in both orders, the likelier first: who writes dots is no American."""
    one, other = match["one"], match["other"]
    orders = [("mdy", one, other), ("dmy", other, one)]
    return orders[::-1] if at.numbers.british or match["sep"] == "." else orders


@DATE.at(DIGITS, r"(?<![\w/.-])(?P<one>[0-9]{1,2})/(?P<other>[0-9]{1,2})(?![\w/]|\.[0-9])")
def short(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    one, other = match["one"], match["other"]
    usual, turned = _order(at, one, other), _order(at, other, one)
    if usual is not None:
        month, day = usual
        order = "up" if int(one) < int(other) else "same" if int(one) == int(other) else "down"
        clear = "day" if int(day) > 12 else "either"
        facts = (
            order,
            clear,
            "zero" if one[0] == "0" else "",
            "fixed" if match[0] in ("9/11", "7/11") else "",
        )
        yield Reading("short", _day(at, month, day), facts)
    elif turned is not None:
        yield Reading("short day first", f"the {at.numbers.ordinal(turned[1])} of {turned[0]}")


def _order(at: Place, one: str, other: str) -> tuple[str, str] | None:
    """Return month and day of two numbers in the order of the variety; None if it has none."""
    day, month = (one, other) if at.numbers.british else (other, one)
    if not 1 <= int(month) <= 12 or not _exists(MONTHS[int(month) - 1], day):
        return None
    return MONTHS[int(month) - 1], day


@DATE.at(
    DIGITS,
    r"(?<![\w/.-])(?P<one>[0-9]{1,2})/(?P<other>[0-9]{1,2})\s?[-–]\s?(?P<next>[0-9]{1,2})/(?P<last>[0-9]{1,2})(?![\w/])",
)
def short_range(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    first = _order(at, match["one"], match["other"])
    last = _order(at, match["next"], match["last"])
    if first is None or last is None:
        return
    (month, day), (last_month, last_day) = first, last
    if (MONTHS.index(month), int(day)) < (MONTHS.index(last_month), int(last_day)):
        said = f"{_day(at, month, day)} to {_day(at, last_month, last_day)}"
        yield Reading("short range", said)


@DATE.at(DIGITS, r"(?<![\w/])(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)[0-9]{2})(?![\w/])")
def numeric_month(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading(
        "month", f"{MONTHS[int(match['month']) - 1]} {year(at.numbers, match['year'])}", ("slash",)
    )


_EXPIRES = frozenset("exp expires expiry expiration expiring thru until valid".split())


@DATE.at(DIGITS, r"(?<![\w/])(?P<month>0[1-9]|1[0-2])/(?P<year>[2-4][0-9])(?![\w/])")
def expiry(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a card or a passport: `exp 09/27`."""
    if _EXPIRES.isdisjoint((at.label(), at.before(2))):
        return
    month = MONTHS[int(match["month"]) - 1]
    yield Reading("expiry", f"{month} {year(at.numbers, '20' + match['year'])}")


WEEKDAY = Grammar("weekday", prior={"": 0.5}, domains="home transit",
    before="on closed open every next last this from until by daily", after="through only morning"
    " night evening afternoon at jan feb mar apr may jun jul aug sep oct nov dec")  # fmt: skip
_DAYS = {**{short.lower(): day for short, day in WEEKDAY_NAMES.items()}, "weds": "Wednesday",
    **{day.lower(): day for day in WEEKDAY_NAMES.values()}}  # fmt: skip
_DAY_NAMES = "|".join(sorted(_DAYS, key=len, reverse=True))


@WEEKDAY.at(
    "MTWFSmtwfs",
    rf"(?<!\w)(?P<one>{_DAY_NAMES})\.?\s?(?P<joint>[-–/&,])\s?(?P<other>{_DAY_NAMES})\b\.?(?!\w)",
    re.IGNORECASE,
)
def weekdays(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    joint = {"-": " to ", "–": " to ", "/": " ", "&": " and ", ",": ", "}[match["joint"]]
    words = f"{_DAYS[match['one'].lower()]}{joint}{_DAYS[match['other'].lower()]}"
    yield Reading("range", words, (match["joint"], _case(match["one"])))


@WEEKDAY.at("MWTF", r"(?<!\w)(?:MWF|TTh|MTWTF|TR|MW|TTH)(?!\w)")
def timetable(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    names = {
        "M": "Monday",
        "T": "Tuesday",
        "W": "Wednesday",
        "Th": "Thursday",
        "TH": "Thursday",
        "F": "Friday",
        "R": "Thursday",
    }
    parts = re.findall("T[hH]|[MTWFR]", match[0])
    if match[0] == "MTWTF":
        parts = ["M", "T", "W", "Th", "F"]
    yield Reading("letters", " ".join(names[part] for part in parts))


QUARTER = Grammar("quarter", prior={"": 0.5}, domains="finance")
_NTH = {"1": "first", "2": "second", "3": "third", "4": "fourth"}


@QUARTER.at(
    "QH1234",
    r"(?<!\w)(?:(?P<kind>[QH])(?P<number>[1-4])|(?P<first>[1-4])(?P<then>[QH]))(?:(?P<fy>\s?FY|\s?)['’]?(?P<year>[0-9]{4}|[0-9]{2}))?(?!\w)",
)
def quarter(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    kind, number = match["kind"] or match["then"], match["number"] or match["first"]
    tail = ""
    if match["year"]:
        tail = " " + (
            year(at.numbers, match["year"])
            if len(match["year"]) == 4
            else at.numbers.cardinal(match["year"])
        )
    facts = (kind, f"year {bool(match['year'])}", "number first" if match["first"] else "")
    yield Reading("letter", f"{kind} {at.numbers.cardinal(number)}{tail}", facts)
    yield Reading("ordinal", f"{_NTH[number]} {'quarter' if kind == 'Q' else 'half'}{tail}", facts)
