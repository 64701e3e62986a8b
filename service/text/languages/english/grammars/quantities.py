"""Measures, percents, heights, coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    ANY_NUMBER,
    DIGITS,
    LETTERS,
    MAGNITUDES,
    NUMBER,
    SIGNS,
    SINGLE_UNIT,
    UNIT,
    VULGAR,
    amount,
    fraction,
    is_one,
    join,
    mixed,
    unit,
)
from service.text.lattice.grammar import Grammar, Place, Reading

MEASURE = Grammar(
    "measure",
    prior={"plain": 0.5, "one": -0.5, "of": 0.5, "plus": 1.0, "range": 1.0, "": 0.0},
    domains="cooking medicine science weather shop code home sports",
    before="about add weighs under over nearly at of only every for",
)
_V = "".join(VULGAR)
_AMOUNT = rf"(?P<number>[0-9]+\s?[{_V}]|[{_V}]|[0-9]+[\s-][0-9]/[0-9]+|[0-9]{{1,2}}/[0-9]{{1,2}}|{ANY_NUMBER})"
_MAGNITUDE = r"(?:\s?(?P<word>million|billion|thousand|trillion)(?=\s)|(?P<letter>[kKM])(?=[\s/]))?"
_WORDS = frozenset("in a is c t A pt mo st N B W K S T ac d m h g l L C F V J".split())


def said_amount(numbers: object, text: str) -> tuple[str, str]:
    """Return an amount in words, and its kind: plain, decimal, mixed or fraction."""
    vulgar = re.fullmatch(rf"([0-9]*)\s?([{_V}])", text)
    if vulgar is not None:
        top, bottom = VULGAR[vulgar[2]]
        if vulgar[1]:
            return mixed(numbers, vulgar[1], top, bottom), "mixed"  # type: ignore[arg-type]
        return fraction(numbers, top, bottom), "fraction"  # type: ignore[arg-type]
    slashed = re.fullmatch(r"(?:([0-9]+)[\s-])?([0-9]+)/([0-9]+)", text)
    if slashed is not None:
        top, bottom = int(slashed[2]), int(slashed[3])
        if not top or bottom < 2:
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


@MEASURE.at(
    "-−–+±~<>≤≥." + DIGITS + _V,
    rf"(?<![\w.,$€£¥])(?P<sign>[-−–+±~<>≤≥]?)\s?{_AMOUNT}{_MAGNITUDE}(?P<gap>[\s\u00a0\u202f-]?)(?P<unit>{UNIT})(?P<stop>\.?)",
)
def measure(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number, expression, sign = match["number"], match["unit"], match["sign"]
    value, kind = said_amount(at.numbers, number)
    if not value or (sign and at.touches().isalnum()):
        return
    power = match["word"] or match["letter"]
    value = join(value, MAGNITUDES[power.lower()] if power else "")
    gap = "hyphen" if match["gap"] == "-" else "space" if match["gap"] else "glued"
    unit_end = match.end("unit")
    facts = (
        *_unit_facts(at.text, expression, unit_end, bool(match["stop"])),
        gap,
        kind,
        f"{gap} {expression}" if expression in _WORDS else "",
    )
    one, many = unit(expression, is_one=True), unit(expression, is_one=False)
    if match["letter"]:
        facts = (*facts, "letter magnitude")
    ends = [unit_end, match.end()] if match["stop"] else [unit_end]
    after = at.token_after(unit_end)
    follows = "none" if after is None else after.kind if after.kind != "sign" else after.text
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
            yield Reading("one", f"{lead}{value} {one}", (*facts, *left, f"{gap} > {follows}"), end)
        if expression == "bps":
            yield Reading("basis", f"{value} basis points", (*facts, *left), end)
        if expression == "nm":
            yield Reading("nautical", f"{value} nautical miles", (*facts, *left), end)
        if expression == "M":
            yield Reading("molar", f"{value} molar", (*facts, *left), end)
        if expression == "t":
            yield Reading(
                "teaspoon", f"{value} teaspoon{'' if single else 's'}", (*facts, *left), end
            )
        if expression == "m" and not power:
            yield Reading("minutes", f"{value} minute{'' if single else 's'}", (*facts, *left), end)
        if expression == "pt":
            yield Reading("pint", f"{value} pint{'' if single else 's'}", (*facts, *left), end)
        if expression == "kb":
            yield Reading(
                "kilobase", f"{value} kilobase{'' if single else 's'}", (*facts, *left), end
            )
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
    for end in {unit_end, match.end()}:
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
    for end in {unit_end, match.end()}:
        yield Reading("plus", said, facts, end)


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
    )
    end = match.end("unit")
    for stop in {end, match.end()}:
        yield Reading("many", unit(expression, is_one=False), facts, stop)
        yield Reading("one", unit(expression, is_one=True), facts, stop)


PERCENT = Grammar("percent", prior={"": 1.0})


@PERCENT.at(
    "-−–+±~<>≤≥." + DIGITS,
    rf"(?<![\w.,])(?P<sign>[-−–+±~<>≤≥]?)(?P<number>{ANY_NUMBER})\s?(?P<unit>%|percent\b|pct\b|‰)",
)
def percent(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = "per thousand" if match["unit"] == "‰" else "percent"
    said = f"{amount(at.numbers, match['number'])} {name}"
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


LENGTH = Grammar("length", prior={"": 0.0, "height": 1.0}, domains="shop sports home")
_INCHES = rf"(?P<inches>[0-9]{{1,2}}(?:\.[0-9]+)?|[0-9]{{0,2}}[{_V}])"


@LENGTH.at(DIGITS, rf"(?<![\w.])(?P<feet>[0-9]+)['’′]\s?{_INCHES}(?:[\"″”]|''|’’)?(?!\w)")
def height(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    feet, inches = at.numbers.cardinal(match["feet"]), said_amount(at.numbers, match["inches"])[0]
    marked = "marked" if match[0][-1] in "\"″”'’" else "open"
    one = "foot" if match["feet"] == "1" else "feet"
    yield Reading("height", f"{feet} {one} {inches} inches", (marked,))
    yield Reading("height short", f"{feet} foot {inches}", (marked,))
    yield Reading("height bare", f"{feet} {inches}", (marked,))


@LENGTH.at(DIGITS + _V, rf"(?<![\w.,'′’]){_AMOUNT}(?P<mark>['’′\"″”]|'')(?!\w)")
def marked_length(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    mark = "inch" if match["mark"] in '"″”' or match["mark"] == "''" else "foot"
    value, kind = said_amount(at.numbers, match["number"])
    if not value:
        return
    opened = (
        at.text.count('"', 0, match.start()) % 2
        if match["mark"] == '"'
        else at.text.count("“", 0, match.start()) - at.text.count("”", 0, match.start())
    )
    facts = (match["mark"], kind, f"{mark} quote open {bool(opened)}")
    many = {"inch": "inches", "foot": "feet"}[mark]
    single = is_one(match["number"])
    yield Reading(mark, f"{value} {mark if single else many}", facts)
    yield Reading(f"{mark} one", f"{value} {mark}", facts)
    if mark == "foot":
        yield Reading("minutes", f"{value} minutes", facts)
        yield Reading("prime", f"{value} prime", facts)


@LENGTH.at(
    DIGITS,
    r"(?<![\w.])(?P<one>[0-9]+)(?P<mark>['’′\"″”])\s?[x×]\s?(?P<other>[0-9]+)(?P<again>['’′\"″”])",
)
def marked_sides(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    many = "inches" if match["again"] in '"″”' else "feet"
    yield Reading(
        "by", f"{at.numbers.cardinal(match['one'])} by {at.numbers.cardinal(match['other'])} {many}"
    )


COORDINATE = Grammar("coordinate", prior={"": 1.5}, domains="weather aviation")
_SIDES = {"N": "north", "S": "south", "E": "east", "W": "west"}


@COORDINATE.at(
    "-−+" + DIGITS,
    r"(?<![\w.])(?P<sign>[-+−]?)(?P<degrees>[0-9]+(?:\.[0-9]+)?)°\s?(?:(?P<minutes>[0-9]+(?:\.[0-9]+)?)[′'’]\s?)?(?:(?P<seconds>[0-9]+(?:\.[0-9]+)?)(?:[″\"”]|'')\s?)?(?P<side>[NSEW])?(?!\w)",
)
def coordinate(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not (match["minutes"] or match["side"]):
        return
    degrees = match["degrees"]
    said = join(
        SIGNS[match["sign"]],
        amount(at.numbers, degrees),
        "degree" if degrees == "1" else "degrees",
        f"{amount(at.numbers, match['minutes'])} minutes" if match["minutes"] else "",
        f"{amount(at.numbers, match['seconds'])} seconds" if match["seconds"] else "",
        _SIDES[match["side"]] if match["side"] else "",
    )
    yield Reading("plain", said)


_NOUNS = (
    "year month week day hour minute inch foot mile point pound page man way ton room story star"
    " step time run yard meter second person seat track acre gallon dollar cent percent degree part"
    " piece ounce count pack ply bed bath car game ball hole word letter digit piece sided speed bit"
    " gun track string lane door fold core pin watt volt"
)


@MEASURE.at(DIGITS, rf"(?<![\w.,])(?P<number>{NUMBER})-(?=(?:{_NOUNS.replace(' ', '|')})\b)")
def hyphened(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("hyphened", amount(at.numbers, match["number"]) + "-", end=match.end())
