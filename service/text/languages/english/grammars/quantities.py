"""Measures, percents, heights, coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    ANY_NUMBER,
    DIGITS,
    LABELS,
    LETTERS,
    MAGNITUDES,
    NUMBER,
    PER_NAMES,
    SIGNS,
    SINGLE_UNIT,
    UNIT,
    UNIT_NAMES,
    VULGAR,
    amount,
    ends_sentence,
    fraction,
    is_one,
    join,
    mixed,
    nearby,
    of_place,
    unit,
)
from service.text.languages.english.words import FUNCTION_WORDS
from service.text.lattice.grammar import Grammar, Place, Reading
from service.text.lattice.tokens import Token

MEASURE = Grammar(
    "measure",
    prior={
        "plain": 0.5,
        "one": -0.5,
        "cores": -2.0,
        "of": 0.5,
        "plus": 1.0,
        "range": 1.0,
        "": 0.0,
        "adjective": 8.0,
        "race": 2.0,
        "sure": 2.5,
        "home runs": 3.0,
    },
    domains="cooking medicine science weather shop code home sports",
    before="about add weighs under over nearly at of only every for",
)
_V = "".join(VULGAR)
_AMOUNT = rf"(?P<number>[0-9]+(?:\.[0-9]+)?\s?[{_V}]|[{_V}]|[0-9]+[\s-][0-9]/[0-9]+|[0-9]{{1,2}}/[0-9]{{1,2}}|1/[1-9][0-9]{{2,3}}|{ANY_NUMBER})"
_MAGNITUDE = r"(?:\s?(?P<word>million|billion|thousand|trillion)(?=\s)|(?P<letter>[kKM])(?=[\s/]))?"
_WORDS = frozenset("in a is c t A pt mo st N B W K S T ac d m h g l L C F V J M".split())

_OF_A_FIELD = frozenset(("tab", "tabs", "cap", "caps", "bps", "HP", "B"))
_OTHER_UNITS = {
    "bps": (("basis", "basis point"),), "bp": (("basis", "basis point"),), "nm": (("nautical", "nautical mile"),),
    "NM": (("nautical", "nautical mile"),), "t": (("teaspoon", "teaspoon"),),
    "m": (("minutes", "minute"), ("cores", "millicore")), "Mi": (("bytes", "mebibyte"),), "pt": (("pint", "pint"),), "kb": (("kilobase", "kilobase"),),
    "Mb": (("megabase", "megabase"),), "Gb": (("gigabase", "gigabase"),),
}  # fmt: skip
"""What else a symbol may stand for: form and name."""


_FINEST = 12
"""Nobody measures in more parts but by halving: `24/31 mpg` are two amounts."""


def said_amount(numbers: object, text: str) -> tuple[str, str]:
    """Return an amount in words, and its kind: plain, decimal, mixed or fraction."""
    vulgar = re.fullmatch(rf"([0-9.]*)\s?([{_V}])", text)
    if vulgar is not None:
        top, bottom = VULGAR[vulgar[2]]
        if vulgar[1]:
            return mixed(numbers, vulgar[1], top, bottom), "mixed"  # type: ignore[arg-type]
        return fraction(numbers, top, bottom), "fraction"  # type: ignore[arg-type]
    slashed = re.fullmatch(r"(?:([0-9]+)[\s-])?([0-9]+)/([0-9]+)", text)
    if slashed is not None:
        top, bottom = int(slashed[2]), int(slashed[3])
        if not top or bottom < 2 or (bottom > _FINEST and bottom & (bottom - 1) and top > 1):
            return "", ""
        if slashed[1]:
            return mixed(numbers, slashed[1], top, bottom), "mixed"  # type: ignore[arg-type]
        return fraction(numbers, top, bottom), "fraction"  # type: ignore[arg-type]
    return amount(numbers, text), "decimal" if "." in text else "plain"  # type: ignore[arg-type]


def _unit_facts(text: str, expression: str, end: int, stop: bool) -> tuple[str, ...]:
    facts = [f"unit {expression}" if len(expression) < 5 else "long unit"]
    if "/" in expression or "⁻" in expression:
        facts.append("divided")
    if expression in _WORDS:
        following = text[end : end + 3]
        after = (
            "word" if re.match(r"\.? ?[a-z]{2}", following)
            else "capital" if re.match(r"\.? ?[A-Z]", following)
            else "number" if re.match(r" ?[0-9]", following) else "end"
        )  # fmt: skip
        facts.append(f"short {expression} {after}")
        facts.append(f"short {after} {bool(stop)}")
    return tuple(facts)


def _end_of_unit(at: Place, match: re.Match[str]) -> int:
    """Return the offset behind a unit, and behind its stop unless that ends the sentence."""
    capital = match.groupdict().get("gap") != "-"  # no sentence ends with `a 215-lb.`
    ends = ends_sentence(at.text, match.end(), any_capital=capital)
    return match.end("unit") if ends else match.end()


def describes(at: Place, end: int) -> tuple[str, ...]:
    """Return as facts whether a quantity stands before what it describes: `a 5 kg bag`.

    Args:
        at: where the quantity begins.
        end: offset of its end.
    """
    after = at.token_after(end)
    if after is None:
        following = "edge"
    elif after.kind != "word":
        following = after.kind if after.kind == "number" else after.text
    elif after.low in FUNCTION_WORDS:
        following = "function"
    else:
        following = after.shape
        if after.low.endswith("ly"):
            following = "ly"
        elif (after.low.endswith("s") and len(after.low) > 3) or after.low in _PLURALS:
            following = f"{following} plural"
    before = at.before()
    article = "article" if before in _ARTICLES else "number" if before[:1].isdigit() else "other"
    return (f"> {following}", f"{article} > {following}")


_PLURALS = frozenset("people men women children feet teeth".split())
_ARTICLES = frozenset(
    "a an the this that each every my your his her our their one first per".split()
)
_LONG = {"h": "hours", "d": "days", "m": "minutes", "w": "weeks"}
_TYPE = frozenset("font fonts type text size bold arial times courier helvetica serif".split())
_BINARY = frozenset(("Ki", "Gi", "Ti", "Pi"))
"""Written at their numbers: `RTX 4070 Ti` has none."""
_CORES = frozenset(
    "cpu cpus core cores pod pods container sidecar kubectl memory limit limits requests node".split()
)
_REACH = 6
"""Tokens on each side in which words tell what a unit counts."""
_LENGTH_NEXT = frozenset(
    "long wide deep high tall away from race sprint dash above below thick apart freestyle hurdles"
    " ahead behind off of pool swim".split()
)


_FLAT = frozenset("printer printing printed model models movie film glasses graphics image".split())


def what_m_is(at: Place, end: int) -> str:
    """Return as a fact what words around a number with `m` say of it."""
    after = at.after(end)
    if {after, at.after(end, 1), at.after(end, 2)} & {"time", "ago", "late", "later", "walk"}:
        return "m time"
    if after in _LENGTH_NEXT or at.before() in ("left", "right", "the", "swim", "ran"):
        return "m length" if not _CORES & {after} else "m cores"
    return "m cores" if _CORES.intersection(token.low for token in _around(at)) else "m alone"


def _about_letter(at: Place, end: int) -> tuple[str, ...]:
    """Return as facts what stands around a number with a capital: a unit, a side, a seat."""
    after = at.token_after(end)
    label = "label" if at.label() in LABELS else "no label"
    follows = "edge" if after is None else after.low
    if after is not None and after.kind == "word" and after.low not in FUNCTION_WORDS:
        follows = "noun"
    return (label, f"{label} > {follows}", f"> {follows}", of_place(at.text, end))


def _around(at: Place) -> Iterator[Token]:
    for distance in range(-_REACH, _REACH + 1):
        token = at.tokens.neighbour(at.index, distance)
        if token is not None:
            yield token


def _is_no_unit(at: Place, match: re.Match[str]) -> bool:
    """Tell whether a symbol is a word or a letter: `1 in 4`, `4K`."""
    if match["unit"] == "in":
        after = at.token_after(match.end("unit"))
        return after is not None and after.kind == "number"
    return match["unit"] == "K" and not match["gap"] and len(match["number"]) == 1


@MEASURE.at(
    "-−–+±~≈<>≤≥." + DIGITS + _V,
    rf"(?<![\w.,$€£¥])(?P<sign>[-−–+±~≈<>≤≥]?)\s?{_AMOUNT}{_MAGNITUDE}(?P<gap>[\s\u00a0\u202f-]?)(?P<unit>{UNIT})(?P<stop>\.?)",
)
def measure(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number, expression, sign = match["number"], match["unit"], match["sign"]
    value, kind = said_amount(at.numbers, number)
    if not value or (sign and at.touches().isalnum()) or (match["gap"] and expression in _BINARY):
        return
    if _is_no_unit(at, match):
        return
    power = match["word"] or match["letter"]
    value = join(value, MAGNITUDES[power.lower()] if power else "")
    gap = "hyphen" if match["gap"] == "-" else "space" if match["gap"] else "glued"
    unit_end = match.end("unit")
    about = what_m_is(at, unit_end) if expression in ("m", "Mi") else ""
    facts = (
        *_unit_facts(at.text, expression, unit_end, bool(match["stop"])),
        gap,
        kind,
        about,
        f"pt type {at.after(unit_end) in _TYPE or at.after(unit_end, 1) in _TYPE}"
        if expression == "pt"
        else "",
        f"d {at.after(unit_end)}" if expression == "d" and at.after(unit_end) in _FLAT else "",
        *(_about_letter(at, unit_end) if expression in "NSEWBAC" else ()),
        f"{gap} {expression}" if expression in _WORDS else "",
        "after a word" if at.follows_word_and_hyphen() else "",
    )
    one, many = unit(expression, is_one=True), unit(expression, is_one=False)
    if match["letter"]:
        facts = (*facts, "letter magnitude")
    ends = [_end_of_unit(at, match)]
    describing = describes(at, unit_end)
    facts = (*facts, *describing)
    if expression in _OTHER_UNITS or expression in _WORDS or expression in _OF_A_FIELD:
        fields = sorted(at.tokens.domains) or ["no field"]
        facts = (*facts, *(f"{expression} in {field}" for field in fields))
    for end in ends:
        left = ("stop taken",) if end != unit_end else ("stop left",) if match["stop"] else ()
        lead = f"{SIGNS[sign]} " if sign else ""
        form = "signed" if sign else "plain"
        signs = (sign,) if sign else ()
        if kind == "fraction":
            article = "an" if one[0] in "aeiou" else "a"
            of = f"half {article} {one}" if value == "one half" else f"{value} of {article} {one}"
            yield Reading("of", of, (*facts, *left), end)
            if value.startswith("one "):
                short = "a " + value.removeprefix("one ")
                yield Reading("of", f"{short} {one}", (*facts, *left, "a"), end)
            yield Reading("fraction", f"{value} {one}", (*facts, *left), end)
            continue
        single = is_one(number) and not power
        yield Reading(
            form, f"{lead}{value} {one if single else many}", (*facts, *left, *signs), end
        )
        if not single and one != many:
            yield Reading(
                "one", f"{lead}{value} {one}", (*facts, *left, f"{gap} {describing[0]}"), end
            )
        if expression == "M" and not match["gap"]:
            return  # millions
        for other_form, other in _OTHER_UNITS.get(expression, ()):
            if not (expression == "m" and power):
                many_of = "" if single or other == "molar" else "s"
                yield Reading(other_form, f"{lead}{value} {other}{many_of}", (*facts, *left), end)
        if expression == "A":
            yield Reading("letter", f"{value} A", (*facts, *left), end)


@MEASURE.at(
    "-−–+" + DIGITS,
    rf"(?<![\w.,$€£¥/])(?P<sign>[-−–+]?)(?P<one>{NUMBER})\s?(?P<first>{SINGLE_UNIT})?(?P<joint>[-–—−]|\s[-–—]\s|\sto\s|\s?[x×]\s?)(?P<other>{NUMBER})(?P<gap>[\s\u00a0-]?)(?P<unit>{UNIT})(?P<stop>\.?)",
)
def measures(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    joint = "by" if match["joint"].strip() in "x×" else "to"
    lead = f"{SIGNS[match['sign']]} " if match["sign"] else ""
    said = f"{lead}{amount(at.numbers, match['one'])} {joint} {amount(at.numbers, match['other'])}"
    expression, unit_end = match["unit"], match.end("unit")
    gap = "hyphen" if match["gap"] == "-" else "space" if match["gap"] else "glued"
    facts = (
        *_unit_facts(at.text, expression, unit_end, bool(match["stop"])),
        gap,
        joint,
        f"unit twice {bool(match['first'])}",
    )
    one, many = unit(expression, is_one=True), unit(expression, is_one=False)
    for end in (_end_of_unit(at, match),):
        yield Reading("range", f"{said} {many}", facts, end)
        if one != many:
            yield Reading("range one", f"{said} {one}", facts, end)
        if joint == "to":
            yield Reading(
                "range minus",
                f"{said.replace(' to ', ' to minus ' if match['sign'] else ' to ')} {many}",
                facts,
                end,
            )


@MEASURE.at(DIGITS, rf"(?<![\w.,$€£¥])(?P<number>{NUMBER})\+\s?(?P<unit>{UNIT})(?P<stop>\.?)")
def and_more(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    unit_end = match.end("unit")
    said = f"{amount(at.numbers, match['number'])} plus {unit(match['unit'], is_one=False)}"
    facts = _unit_facts(at.text, match["unit"], unit_end, bool(match["stop"]))
    for end in (_end_of_unit(at, match),):
        yield Reading("plus", said, facts, end)


@MEASURE.at(
    DIGITS,
    rf"(?<![\w.,$€£¥])(?P<one>{NUMBER})\s?(?P<unit>{SINGLE_UNIT}|units?)/(?P<other>{NUMBER})\s?(?P<per>{UNIT})",
)
def per_so_many(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if match["unit"] == "K":
        return  # of a screen: `4K/120 Hz`
    one, other = match["one"], match["other"]
    name = (
        match["unit"]
        if match["unit"].startswith("unit")
        else unit(match["unit"], is_one=is_one(one))
    )
    per = unit(match["per"], is_one=is_one(other))
    of_one, of_other = amount(at.numbers, one), amount(at.numbers, other)
    facts = (f"per {match['per']}", f"{match['unit']}/{match['per']}")
    yield Reading("per", f"{of_one} {name} per {of_other} {per}", facts)
    if match["unit"] in UNIT_NAMES and "/" not in match["per"]:
        both = f"{of_one} {name}, {of_other} {unit(match['per'], is_one=is_one(other))}"
        yield Reading("both", both, facts)


@MEASURE.at(
    DIGITS,
    rf"(?<![\w.,/$€£¥])(?P<one>{NUMBER})\s?/\s?(?P<other>[1-9][0-9]?)\s?"
    r"(?P<unit>h|hrs?|hours|days|min|mins|minutes|wks?|weeks)(?!\w)",
)
def so_many_in(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `8/24h`: so many in so long."""
    long = f"{at.numbers.cardinal(match['other'])} {_LONG[match['unit'][0]]}"
    one = amount(at.numbers, match["one"])
    facts = (f"unit {match['unit'][0]}", "apart" if " " in match[0] else "glued")
    yield Reading("in", f"{one} per {long}", facts)
    yield Reading("in", f"{one} in {long}", (*facts, "in"))


@MEASURE.at(DIGITS, r"(?<![\w.,/])(?P<high>[0-9]{2,3})/(?P<low>[0-9]{2,3})\s?mm\s?Hg(?!\w)")
def pressure(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    for form in (at.numbers.cardinal, at.numbers.paired):
        yield Reading(
            "pressure", f"{form(match['high'])} over {form(match['low'])} millimeters of mercury"
        )


@MEASURE.at("/", rf"(?<=[a-z0-9])/(?P<unit>{SINGLE_UNIT})")
def things_per(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `10 cells/mL`: no unit stands before the divisor."""
    counted = at.tokens.neighbour(at.index, -2)
    known = "word" if at.tokens.knows(match["unit"].lower()) else "no word"
    number = counted is not None and counted.kind == "number"
    of = "number" if at.touches().isdecimal() else f"counted {number}"
    facts = (f"{known} {of}", f"length {min(len(match['unit']), 4)}")
    yield Reading("per", f" per {unit(match['unit'], is_one=True)}", facts)


BARE = Grammar("unit", prior={"": -1.0})


@BARE.at(LETTERS + "°µμ%Ω", rf"(?<!\w)(?P<unit>{UNIT})(?P<stop>\.?)")
def bare(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    expression = match["unit"]
    before = at.tokens.neighbour(at.index, -1)
    number = before is not None and before.kind == "number"
    facts = (
        "after number" if number else "alone",
        "divided" if "/" in expression else "",
        "one letter"
        if len(expression) == 1
        else f"unit {expression}"
        if len(expression) < 5
        else "long",
        "word" if expression in _WORDS or at.tokens.knows(expression) else "no word",
        f"article {len(expression) > 1}" if at.before() in _ARTICLES else "",
    )
    for stop in (_end_of_unit(at, match),):
        yield Reading("many", unit(expression, is_one=False), facts, stop)
        yield Reading("one", unit(expression, is_one=True), facts, stop)


PERCENT = Grammar("percent", prior={"": 1.0})
_PER_TIME = re.compile(r"\s?/\s?(?P<unit>day|wk|week|mo|month|yr|year|hr|hour|min)\b\.?")


@PERCENT.at(
    "-−–+±~≈<>≤≥." + DIGITS,
    rf"(?<![\w.,%])(?P<sign>[-−–+±~≈<>≤≥]?)(?P<number>{ANY_NUMBER})\s?(?P<unit>%+|percent\b|pct\b|‰)",
)
def percent(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = "per thousand" if match["unit"] == "‰" else "percent"
    said = f"{amount(at.numbers, match['number'])} {name}"
    per = _PER_TIME.match(at.text, match.end())
    if per is not None and not match["sign"]:
        end = per.end("unit") if ends_sentence(at.text, per.end(), any_capital=True) else per.end()
        yield Reading("per", f"{said} per {PER_NAMES[per['unit']]}", ("per",), end)
    sign = match["sign"]
    if sign:
        touch = at.touches()
        yield Reading("signed", f"{SIGNS[sign]} {said}", (sign, f"{sign} touches {touch}"))
    else:
        yield Reading("plain", said)


@PERCENT.at(DIGITS, rf"(?<![\w.,])(?P<one>{NUMBER})%?\s?[-–—−]\s?(?P<other>{NUMBER})\s?%")
def percents(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading(
        "range",
        f"{amount(at.numbers, match['one'])} to {amount(at.numbers, match['other'])} percent",
    )


LENGTH = Grammar(
    "length",
    prior={"": 0.0, "height": 1.0, "match minute": 2.0, "by": 1.5, "pace": 8.0, "lettered": 16.0},
    domains="shop sports home",
)
_INCHES = rf"(?P<inches>[0-9]{{1,2}}(?:\.[0-9]+)?|[0-9]{{0,2}}[{_V}])"


_ADDED = re.compile(r"[0-9]\+[0-9]{1,2}['’′]")
_GOALS = re.compile(r"\b(?:pen|goals?|scored|og)\b", re.IGNORECASE)
_LAST_MINUTE = 120
"""Of a match with overtime, or between two buses."""
_INCH_MARKS = ('"', "″", "”", "''", "′′")


@LENGTH.at(DIGITS, rf"(?<![\w.])(?P<feet>[0-9]+)['’′]\s?{_INCHES}(?:[\"″”]|''|’’|′′)?(?!\w)")
def height(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    feet, inches = at.numbers.cardinal(match["feet"]), said_amount(at.numbers, match["inches"])[0]
    marked = "marked" if match[0][-1] in "\"″”'’′" else "open"
    one = "foot" if match["feet"] == "1" else "feet"
    yield Reading("height", f"{feet} {one} {inches} inches", (marked,))
    yield Reading("height short", f"{feet} foot {inches}", (marked,))
    yield Reading("height bare", f"{feet} {inches}", (marked,))


@LENGTH.at(DIGITS + _V, rf"(?<![\w.,'′’]){_AMOUNT}(?P<mark>''|′′|['’′\"″”])(?!\w)")
def marked_length(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    mark = "inch" if match["mark"] in _INCH_MARKS else "foot"
    value, kind = said_amount(at.numbers, match["number"])
    if not value:
        return
    opened = (
        at.text.count('"', 0, match.start()) % 2
        if match["mark"] == '"'
        else at.text.count("“", 0, match.start()) - at.text.count("”", 0, match.start())
    )
    if opened and match["mark"] == '"' and at.text.count('"') % 2 == 0:
        return  # it closes what was opened: `"Track 7"`
    facts = (
        match["mark"],
        kind,
        f"{mark} quote open {bool(opened)}",
        *describes(at, match.end()),
    )
    many = {"inch": "inches", "foot": "feet"}[mark]
    single = is_one(match["number"])
    yield Reading(mark, f"{value} {mark if single else many}", facts)
    yield Reading(f"{mark} one", f"{value} {mark}", facts)
    if kind == "fraction":
        yield Reading("of", f"{value} of {'an inch' if mark == 'inch' else 'a foot'}", facts)
    if kind in ("mixed", "fraction"):
        short = value.removeprefix("one ") if kind == "fraction" else value
        yield Reading("part", f"{short} {mark}", facts)
    if mark == "foot":
        if match["number"].isdecimal() and int(match["number"]) <= _LAST_MINUTE:
            yield Reading("minutes", f"{value} minutes", facts)
        yield Reading("prime", f"{value} prime", facts)


_SIDE_OF_SHEET = rf"[0-9]+(?:\.[0-9]+|\s?[{_V}]|[ -][0-9]/[0-9]{{1,2}})?"


@LENGTH.at(
    DIGITS,
    rf"(?<![\w.])(?P<one>{_SIDE_OF_SHEET})(?P<mark>''|′′|['’′\"″”])\s?[x×]\s?"
    rf"(?P<other>{_SIDE_OF_SHEET})(?P<again>''|′′|['’′\"″”])",
)
def marked_sides(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    many = "inches" if match["again"] in _INCH_MARKS else "feet"
    one, other = (said_amount(at.numbers, match[name])[0] for name in ("one", "other"))
    yield Reading("by", f"{one} by {other} {many}")


@LENGTH.at(
    DIGITS,
    r"(?<![\w.])(?P<minute>[1-9][0-9]?|1[0-2][0-9])(?:\+(?P<added>[0-9]{1,2}))?['’′](?!['’′\w])",
)
def minute_of_match(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `Messi 45+2', 67'`."""
    around = nearby(at.text, *match.span())
    if _ADDED.search(around) or ("sports" in at.tokens.domains and _GOALS.search(around)):
        parts = [at.numbers.cardinal(part) for part in match.groups() if part]
        yield Reading("match minute", f"{' plus '.join(parts)} minutes")


@LENGTH.at(
    DIGITS,
    r"(?<![\w.])(?P<minutes>[0-9]{1,2})['’′](?P<seconds>[0-5][0-9])[\"″”]\s?/\s?(?P<per>mi|mile|km|k)(?!\w)",
)
def pace(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a runner: `8'34"/mi`."""
    minutes, seconds = (at.numbers.cardinal(str(int(part))) for part in match.group(1, 2))
    per = "kilometer" if match["per"][0] == "k" else "mile"
    yield Reading("pace", f"{minutes} minutes {seconds} seconds per {per}")


@LENGTH.at(DIGITS, rf"(?<![\w.])(?P<number>{NUMBER})(?P<mark>[\"″”'’′])/(?P<per>{UNIT})")
def inches_per(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = "inch" if match["mark"] in _INCH_MARKS else "foot"
    many = {"inch": "inches", "foot": "feet"}[name]
    value = amount(at.numbers, match["number"])
    words = f"{value} {name if is_one(match['number']) else many}"
    yield Reading("per", f"{words} per {unit(match['per'], is_one=True)}", (name,))


@LENGTH.at(
    "LWHD",
    r"(?<!\w)(?<![x×,] )(?:[LWHD] ?[0-9]{1,4}(?:\.[0-9])?(?:\"|″|”|'|′| ?(?:in|cm|mm|ft)\.?)?(?: ?[x×,] ?)?){2,3}(?<![x×, ])",
)
def lettered_sides(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of furniture: `W 24" x D 18"`."""
    parts = _LETTERED.findall(match[0])
    names = {"": "", '"': "in", "″": "in", "”": "in", "'": "ft", "′": "ft"}
    said = []
    for side, number, mark in parts:
        name = names.get(mark, mark)
        said.append(
            join(
                amount(at.numbers, number),
                unit(name, is_one=is_one(number)) if name else "",
                _DIRECTIONS[side],
            )
        )
    if len({side for side, *_ in parts}) == len(parts):
        yield Reading("lettered", " by ".join(said))


_LETTERED = re.compile("([LWHD]) ?([0-9]{1,4}(?:\\.[0-9])?) ?(\"|″|”|'|′|in|cm|mm|ft)?")
_SIDE = re.compile(
    rf"(?P<number>{NUMBER}(?:\s?[{_V}]|[ -][0-9]/[0-9]{{1,2}})?)"
    r"\s?(?P<unit>\"|″|”|''|['’′]|(?:in|ft|cm|mm|m)(?![a-z])\.?)?\s?(?P<side>[LWHD])(?!\w)"
)
_DIRECTIONS = {"L": "long", "W": "wide", "H": "high", "D": "deep"}


@LENGTH.at(
    DIGITS,
    rf"(?<![\w.])(?:{re.sub('[?]P<[a-z]+>', '?:', _SIDE.pattern)}(?:\s?[x×,]\s?)?){{2,3}}(?<![x×, ])",
)
def sides(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a box: `12"L x 8"W x 4"H`."""
    said = []
    for part in _SIDE.finditer(match[0]):
        value, _ = said_amount(at.numbers, part["number"])
        mark = (part["unit"] or "").rstrip(".")
        name = "in" if mark in _INCH_MARKS else "ft" if mark and not mark.isalpha() else mark
        measure = unit(name, is_one=is_one(part["number"])) if name else ""
        said.append(join(value, measure, _DIRECTIONS[part["side"]]))
    facts = (f"sides {len(said)}", "joined" if re.search("[x×]", match[0]) else "listed")
    yield Reading("sides", " by ".join(said), facts)


COORDINATE = Grammar("coordinate", prior={"": 1.5}, domains="weather aviation")
_SIDES = {"N": "north", "S": "south", "E": "east", "W": "west"}


@COORDINATE.at(
    DIGITS,
    rf"(?<![\w.])(?P<one>{NUMBER}) (?P<side>[NS])(?P<joint>,? )(?P<other>{NUMBER}) (?P<east>[EW])(?!\w)",
)
def position(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    north, east = float(match["one"].replace(",", "")), float(match["other"].replace(",", ""))
    if north <= 90 and east <= 180:
        one, other = (amount(at.numbers, match[name]) for name in ("one", "other"))
        sides = _SIDES[match["side"]], _SIDES[match["east"]]
        yield Reading("position", f"{one} {sides[0]}{match['joint']}{other} {sides[1]}")


@COORDINATE.at(
    "-−+" + DIGITS,
    r"(?<![\w.])(?P<sign>[-+−]?)(?P<degrees>[0-9]+(?:\.[0-9]+)?)°\s?(?:(?P<minutes>[0-9]+(?:\.[0-9]+)?)[′'’]\s?)?(?:(?P<seconds>[0-9]+(?:\.[0-9]+)?)(?:[″\"”]|''|′′)\s?)?(?P<side>[NSEW])?(?!\w)",
)
def coordinate(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not (match["minutes"] or match["side"]):
        return
    degrees = match["degrees"]
    said = join(
        SIGNS[match["sign"]],
        amount(at.numbers, degrees),
        "degree" if degrees == "1" else "degrees",
        *(
            f"{amount(at.numbers, match[part].lstrip('0') or '0')} {part}"
            for part in ("minutes", "seconds")
            if match[part]
        ),
        _SIDES[match["side"]] if match["side"] else "",
    )
    yield Reading("plain", said)


_NOUNS = (
    "year month week day hour minute inch foot mile point pound page man way ton room story star"
    " step time run yard meter second person seat track acre gallon dollar cent percent degree part"
    " piece ounce count pack ply bed bath car game ball hole word letter digit piece sided speed bit"
    " gun track string lane door fold core pin watt volt"
)


_RACES = (
    "dash sprint hurdles freestyle butterfly backstroke breaststroke medley relay race run walk"
    " swim final finals heat heats steeplechase record"
)
_COURSES = {"m": "meter", "k": "K", "km": "kilometer", "mi": "mile", "yd": "yard"}


@MEASURE.at(
    DIGITS,
    r"(?<![\w.,])(?P<number>[0-9]{1,5}) ?(?P<unit>m|k|km|mi|yd)(?= (?:"
    rf"{_RACES.replace(' ', '|')})(?!\w))",
    re.IGNORECASE,
)
def race(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `100m dash`, whose length stands before a noun."""
    course = _COURSES[match["unit"].lower()]
    yield Reading("race", f"{at.numbers.cardinal(match['number'])} {course}", (course,))


@MEASURE.at(
    DIGITS,
    rf"(?<![\w.,])(?P<number>{NUMBER})-(?P<kind>sq|cu)\.?[- ](?P<unit>ft|in|yd|mi|m|km|cm)(?!\w)\.?",
    re.IGNORECASE,
)
def square_before_noun(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `a 500-sq.-ft. studio`."""
    kind = {"sq": "square", "cu": "cubic"}[match["kind"].lower()]
    name = unit(match["unit"].lower(), is_one=True)
    yield Reading("adjective", f"{amount(at.numbers, match['number'])} {kind} {name}")


_SOLD = re.compile(
    r"\b(?:[0-9.]+ ?/?(?:BR|bd|bdrm|BA|ba)|rent|lease|mo|acres?|lot|studio|loft|apt|HOA|office|retail|br|bed|bath)\b"
)


@MEASURE.at(DIGITS, rf"(?<![\w.,$])(?P<number>{NUMBER}) ?(?:SF|sf)(?!\w)")
def square_feet(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a house or a flat: `2,340 SF`."""
    if _SOLD.search(nearby(at.text, *match.span())):
        yield Reading("sure", f"{amount(at.numbers, match['number'])} square feet")


@MEASURE.at(DIGITS, r"(?<![\w.,/])(?P<number>[2-5])[ -]?dr(?!\w)\.?(?= |,|;|$)", re.IGNORECASE)
def doors(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a car: `4dr`."""
    yield Reading("sure", f"{at.numbers.cardinal(match['number'])} door")


_ELECTRIC = re.compile(
    r"[0-9] ?(?:k?V(?:AC|DC)?|k?W|Hz|AWG)(?!\w)|\b(?:amps?|fuse|breaker|circuit)\b"
)


@MEASURE.at(DIGITS, rf"(?<![\w.,])(?P<number>{NUMBER}) ?A(?![\w-])")
def amperes(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if _ELECTRIC.search(nearby(at.text, *match.span())):
        name = "amp" if is_one(match["number"]) else "amps"
        yield Reading("sure", f"{amount(at.numbers, match['number'])} {name}")


@MEASURE.at(DIGITS, r"(?<![\w.,])(?P<number>[0-9]{1,3}) HRs?(?!\w)")
def home_runs(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if _BASEBALL.search(nearby(at.text, *match.span())):
        runs = "home run" if match["number"] == "1" else "home runs"
        yield Reading("home runs", f"{at.numbers.cardinal(match['number'])} {runs}")


_BASEBALL = re.compile(r"\b(?:RBIs?|ERA|WHIP|OPS|innings?|pitch\w*|batt\w+|homers?|bat|SB)\b")


@MEASURE.at(DIGITS, rf"(?<![\w.,])(?P<number>{NUMBER})-(?=(?:{_NOUNS.replace(' ', '|')})\b)")
def hyphened(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("hyphened", amount(at.numbers, match["number"]) + "-", end=match.end())
