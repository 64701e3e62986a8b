"""Numbers: cardinals, digits, years, decimals, ordinals, versions, clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    ANY_NUMBER,
    DIGITS,
    INTEGER,
    LABELS,
    MAGNITUDES,
    NUMBER,
    SIGNS,
    UNIT,
    VULGAR,
    amount,
    code,
    join,
    letters,
    mixed,
    pairs,
    two_digits,
    unit,
    year,
)
from service.text.languages.english.normalization.numbers import plural
from service.text.lattice.grammar import Grammar, Place, Reading

_YEARS = "in since from by until till circa year years of to early late mid spring summer fall"
CARDINAL = Grammar("cardinal", prior={"": 1.5, "magnitude": 1.0})
YEAR = Grammar(
    "year",
    prior={"": 0.0, "three": -1.5},
    before=_YEARS + " c ca before after during january february march april may june july august"
    " september october november december class",
    domains="history academic politics finance",
)
DIGIT = Grammar(
    "digits",
    prior={"": -0.5, "pairs": -1.5},
    domains="address transit aviation code",
    before="code pin zip room flight gate suite apt squawk ext extension dial box account unit id"
    " number no bus route highway hwy i order case ticket serial locker channel",
)


@CARDINAL.at(DIGITS, rf"(?<![0-9])(?<![0-9],)(?P<number>{INTEGER})(?![0-9]|,[0-9]{{3}}(?![0-9]))")
def cardinal(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["number"]
    digits = number.replace(",", "")
    after = at.token_after(match.end())
    glued = after is not None and after.start == match.end() and after.kind == "word"
    touch = at.touches()
    facts = (
        "comma" if "," in number else f"length {min(len(digits), 7)}",
        "zero first" if digits[0] == "0" and len(digits) > 1 else "",
        "glued" if glued else "",
        f"after {touch}" if touch and not touch.isspace() and not touch.isalnum() else "",
        "after letter" if touch.isalpha() else "",
    )
    if digits[0] != "0" or digits == "0":
        yield Reading("plain", at.numbers.cardinal(number), facts)
    else:
        yield Reading("zeros", at.numbers.spelled(digits), facts)


@CARDINAL.at(
    DIGITS,
    r"(?<![\w.,'’])[1-9][0-9]{0,2}(?:(?P<gap>[\u00a0\u2009\u202f])[0-9]{3}(?:(?P=gap)[0-9]{3}){0,6}|(?: [0-9]{3}){0,6} 000"
    r"|(?:\.[0-9]{3}){2,}|(?:['’][0-9]{3})+)(?![\w.,'’]*[0-9])(?!\w)",
)
def grouped(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    digits = re.sub("[^0-9]", "", match[0])
    yield Reading("grouped", at.numbers.cardinal(digits), (re.sub("[0-9]", "", match[0])[0],))


@DIGIT.at(DIGITS, r"(?<![0-9])[0-9]{2,30}(?![0-9])")
def digits(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    text = match[0]
    if _is_of_decimal(at, match):
        return  # which says its digits itself, so that a sign before it changes no reading
    zero = "zero first" if text[0] == "0" else ""
    length = f"length {min(len(text), 9)}"
    before = at.tokens.neighbour(at.index, -1)
    state = before is not None and len(before.text) == 2 and before.text.isupper()
    facts = (
        length,
        zero,
        "zip" if state and len(text) == 5 else "",
        f"touches {at.touches()}",
        _of_pair(at, match),
    )
    yield Reading("single", at.numbers.spelled(text), facts)
    if "0" in text:
        yield Reading("oh", at.numbers.spelled(text).replace("zero", "oh"), facts)
    if 3 <= len(text) <= 6:
        yield Reading("pairs", pairs(at.numbers, text), facts)
    if len(text) == 2 and text[0] == "0":
        yield Reading("pairs", f"oh {at.numbers.cardinal(text[1])}", facts)


_POINT_BEFORE = re.compile(r"(?<![0-9.,])[0-9]+\.\Z")
_POINT_AFTER = re.compile(r"\.[0-9]+(?![.0-9])")


def _is_of_decimal(at: Place, match: re.Match[str]) -> bool:
    """Tell whether digits are a part of a number with one point: `10000.25`."""
    start, end = match.span()
    if at.text[start - 1 : start] == ".":
        before = _POINT_BEFORE.search(at.text, max(0, start - 32), start)
        return before is not None and not re.match(r"\.[0-9]", at.text[end : end + 2])
    is_first = at.text[max(0, start - 1) : start] not in (".", ",")
    return is_first and _POINT_AFTER.match(at.text, end) is not None


_JOINED_BEFORE = re.compile(r"[0-9][-–/]\Z")
_JOINED_AFTER = re.compile(r"[-–/][0-9]")


def _of_pair(at: Place, match: re.Match[str]) -> str:
    """Return as a fact that a number is written with another one: `162-178`."""
    before = _JOINED_BEFORE.search(at.text[max(0, match.start() - 2) : match.start()])
    if before is None and _JOINED_AFTER.match(at.text, match.end()) is None:
        return ""
    return "of a pair"


@YEAR.at(DIGITS, r"(?<![0-9.,])[0-9]{3,4}(?![0-9]|[.,][0-9])")
def plain_year(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    text = match[0]
    if text[0] == "0":
        return
    value = int(text)
    when = "recent" if 1700 <= value <= 2040 else "old" if value < 1700 else "far"
    after = at.token_after(match.end())
    following = "edge" if after is None else after.kind if after.kind != "sign" else after.text
    if after is not None and after.kind == "word":
        following = "plural" if after.low.endswith("s") and len(after.low) > 3 else "word"
    facts = (
        f"{len(text)} {when}",
        f"{len(text)} > {following}",
        f"touches {at.touches()}",
        _of_pair(at, match),
    )
    yield Reading("plain" if len(text) == 4 else "three", year(at.numbers, text), facts)


@YEAR.at("'’", r"(?<!\w)['’](?P<year>[0-9]{2})(?!\w)")
def short_year(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("short", two_digits(at.numbers, match["year"]))


@YEAR.at("'’" + DIGITS, r"(?<!\w)(?P<mark>['’]?)(?P<year>[0-9]0|[0-9]{3}0)['’]?s(?!\w)")
def decade(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    digits = match["year"]
    words = at.numbers.cardinal(digits) if len(digits) == 2 else at.numbers.year(digits)
    if digits.endswith("00") and digits[1] != "0":
        words = f"{at.numbers.cardinal(digits[:2])} hundred"
    facts = (timed(at), f"length {len(digits)}", "mark" if match["mark"] else "")
    yield Reading("decade", plural(words), facts)


@YEAR.at(
    DIGITS + "ABC",
    r"(?<!\w)(?:(?P<era>A\.?D\.?)\s(?P<year>[0-9]{1,4})(?!\w)"
    r"|(?P<number>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,5})\s?(?P<after>B\.?C\.?E\.?|B\.?C\.?|C\.?E\.?|A\.?D\.?)(?!\w))",
)
def era(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["year"] or match["number"]
    said = (
        at.numbers.cardinal(number)
        if len(number) < 3 or "," in number
        else year(at.numbers, number)
    )
    name = match["era"] or match["after"]
    yield Reading("era", f"{name} {said}" if match["era"] else f"{said} {name}")


@CARDINAL.at(DIGITS, r"(?<![\w.,])(?P<number>[0-9]{1,4})s(?!\w)")
def several(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if match["number"][0] != "0":
        said = plural(at.numbers.paired(match["number"]))
        before = at.tokens.neighbour(at.index, -1)
        facts = (
            timed(at),
            f"length {len(match['number'])}",
            "named" if at.follows_word_and_hyphen() else f"< {at.before() in _OF_YEARS}",
            f"< {before.shape}" if before is not None and before.kind == "word" else "",
        )
        yield Reading("several", said, facts)


@CARDINAL.at(DIGITS, r"(?<![\w.,])(?P<number>[1-9][0-9]?)ers(?!\w)")
def people_of(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `49ers`."""
    said = at.numbers.cardinal(match["number"])
    ending = "-ers" if said[-1] == "y" else "rs" if said[-1] == "e" else "ers"
    yield Reading("people", f"{said}{ending}")


@CARDINAL.at(DIGITS, r"(?<!\w)(?P<number>[0-9]{1,2})(?:st|nd|rd|th)?\s%ile(?P<many>s?)(?!\w)")
def percentile(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("percentile", f"{at.numbers.ordinal(match['number'])} percentile{match['many']}")


_TIMED = frozenset(
    "wait waits hold holds rest boil cook pause sleep delay timeout within after lasts took takes"
    " stir for every microwave steep plank sprint walk jog run blanch sear shake".split()
)


def timed(at: Place) -> str:
    """Return as a fact that a word before an amount speaks of seconds: `Wait 30s`."""
    return "timed" if at.before() in _TIMED else ""


_OF_YEARS = frozenset("the in his her their my our mid early late all of two three several".split())
DECIMAL = Grammar("decimal", prior={"plain": 1.0, "": 0.0})


@DECIMAL.at(
    "." + DIGITS,
    r"(?<![0-9])(?<![0-9][.,])(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)\.(?P<part>[0-9]+)(?!\.?[0-9])",
)
def decimal(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    whole, part = match["whole"], match["part"]
    said = at.numbers.spelled(part)
    facts = (f"places {min(len(part), 4)}", "" if whole else "bare")
    if whole:
        yield Reading("plain", f"{at.numbers.cardinal(whole)} point {said}", facts)
        tail = at.numbers.cardinal(part) if part[0] != "0" and len(part) < 3 else said
        yield Reading("dot", f"{at.numbers.cardinal(whole)} dot {tail}", facts)
        yield Reading("parts", f"{at.numbers.cardinal(whole)} point {tail}", facts)
    else:
        yield Reading("plain", f"zero point {said}", facts)
        yield Reading("point", f"point {said}", facts)
        if len(part) == 3:
            yield Reading("average", pairs(at.numbers, part), facts)


SIGNED = Grammar("signed", prior={"": 0.5}, domains="maths science weather finance")


@SIGNED.at(
    "-−–+±~≈<>≤≥",
    rf"(?<![\w.)\]%])(?P<sign>[-−–+±~≈<>≤≥])\s?(?P<number>{ANY_NUMBER})"
    r"(?P<magnitude>[kKMBT]|bn|mn)?(?![\w]|[.,/:-][0-9])",
)
def signed(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    touch = at.touches()
    gap = "gap" if match[0][1].isspace() else "solid"
    before = "edge" if not touch else "space" if touch.isspace() else touch
    sign = match["sign"]
    magnitude = MAGNITUDES[match["magnitude"].lower()] if match["magnitude"] else ""
    words = join(SIGNS[sign], amount(at.numbers, match["number"]), magnitude)
    form = "magnitude" if magnitude else "number"
    yield Reading(form, words, (sign, f"{sign} {before}", f"{sign} {gap}"))


ORDINAL = Grammar("ordinal", prior={"": 1.5})


@ORDINAL.at(
    DIGITS,
    rf"(?<!\w)(?P<number>{INTEGER})(?P<gap>\s?)(?P<suffix>st|nd|rd|th|ST|ND|RD|TH)(?!\w)",
)
def ordinal(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    # Britons weigh in stones: only `1st` and `21st` are ordinals.
    is_stone = at.numbers.british and match["suffix"] == "st"
    if not is_stone or _is_first(match["number"], match["gap"]):
        yield Reading("plain", at.numbers.ordinal(match["number"]))


@ORDINAL.at("23", r"(?<=[A-Z]\.)(?P<number>[23])d(?!\w)|(?<=Supp\. )(?P<series>[23])d(?!\w)")
def series(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a reporter of courts: `123 F.3d 456`, `F. Supp. 2d`."""
    yield Reading("series", f" {at.numbers.ordinal(match['number'] or match['series'])}")


def _is_first(number: str, gap: str) -> bool:
    return not gap and number.endswith("1") and not number.endswith("11")


STONE = Grammar("stone", prior={"": 3.0})
_WEIGHT_BEFORE = re.compile(
    r"\b(?:weigh\w*|lost|lose[sd]?|gain\w*|shed\w*|heav\w+|under|over|weight|dropped)\b",
    re.IGNORECASE,
)
_POUNDS_NEXT = re.compile(r" ?[0-9]{1,2}½? ?(?:lbs?|pounds)(?!\w)")


@STONE.at(DIGITS, r"(?<![\w.,])(?P<number>[0-9]{1,3}(?:\.[0-9])?)(?P<half>½?)(?P<gap> ?)st(?!\w)")
def stone(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not at.numbers.british:
        return
    before = at.text[max(0, match.start() - 40) : match.start()]
    if _is_first(match["number"], match["gap"]) and not (
        _POUNDS_NEXT.match(at.text, match.end()) or _WEIGHT_BEFORE.search(before)
    ):
        return
    half = " and a half" if match["half"] else ""
    words = f"{at.numbers.decimal(match['number'])}{half} stone"
    yield Reading("plain", words)
    if re.match(r"\.\s+[a-z]", at.text[match.end() : match.end() + 8]):
        yield Reading("dot", words, (), match.end() + 1)


def _magnitude_facts(at: Place, written: str, end: int) -> tuple[str, ...]:
    if len(written) > 1:
        return ()
    after = at.token_after(end)
    follows = "edge" if after is None else after.text if after.kind == "sign" else after.kind
    if after is not None and after.kind == "word":
        follows = "plural" if after.low.endswith("s") and len(after.low) > 3 else "word"
    fields = [f"{written} in {field}" for field in sorted(at.tokens.domains)]
    label = "label" if at.label() in LABELS else "no label"
    return (f"{written} > {follows}", f"{written} {label}", *(fields or [f"{written} in no field"]))


@CARDINAL.at(
    DIGITS,
    rf"(?<![\w.,$€£¥])(?P<number>{NUMBER})(?P<gap>\s?)(?P<magnitude>k|K|m|M|mm|b|bn|B|T|million|billion|trillion|thousand|mn|mln)(?P<plus>\+?)(?!\w)",
)
def magnitude(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    written = match["magnitude"]
    gap = "apart" if match["gap"] else "glued"
    words = join(
        amount(at.numbers, match["number"]),
        MAGNITUDES[written.lower()],
        "plus" if match["plus"] else "",
    )
    facts = (
        f"{written} {gap}",
        gap if len(written) == 1 else "word",
        *_magnitude_facts(at, written, match.end("magnitude")),
    )
    yield Reading("magnitude", words, facts)
    if written in ("k", "K") and not match["gap"]:
        yield Reading("k", f"{amount(at.numbers, match['number'])} K", (written,))


@CARDINAL.at(DIGITS, rf"(?<![\w.,])(?P<number>{NUMBER})\+(?!\w)")
def plus(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("plus", f"{amount(at.numbers, match['number'])} plus")


VERSION = Grammar(
    "version", prior={"": 0.5}, domains="code", before="version python ios android v release"
)


@VERSION.at(
    "vV" + DIGITS,
    r"(?<![\w.])(?P<v>[vV]?)\.?\s?(?P<parts>[0-9]+(?:\.[0-9]+){0,4})"
    r"(?P<tail>\+|-?(?P<stage>rc|alpha|beta|dev|pre|preview|canary|snapshot)(?:[.-]?(?P<nth>[0-9]{1,3}))?)?"
    r"(?![\w]|\.[0-9])",
)
def version(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = match["parts"].split(".")
    if not match["v"] and len(parts) < 3 and not (len(parts) == 2 and match["tail"]):
        return
    said = [
        at.numbers.spelled(part) if (part[0] == "0" and part != "0") or len(part) > 3
        else pairs(at.numbers, part) if len(part) == 3 else at.numbers.cardinal(part)
        for part in parts
    ]  # fmt: skip
    stage = match["stage"] and (
        letters(match["stage"]) if match["stage"] == "rc" else match["stage"]
    )
    nth = at.numbers.cardinal(match["nth"]) if match["nth"] else ""
    tail = f" {join(stage, nth)}" if stage else " plus" if match["tail"] else ""
    facts = (f"parts {len(parts)}", match["v"], "stage" if stage else "")
    words = " point ".join(said) + tail
    yield Reading("points", f"version {words}" if match["v"] else words, facts)
    if match["v"]:
        yield Reading("v", f"V {words}", facts)
    if not match["v"]:
        yield Reading(
            "dots", " dot ".join(at.numbers.cardinal(part) for part in parts) + tail, facts
        )


TIMES = Grammar("times", prior={"": 0.5})
_OPERATORS = frozenset("=+-−*/^<>≤≥≠±")


@TIMES.at(DIGITS, rf"(?<![\w.,])(?P<number>{NUMBER})\s?[x×](?!\w)")
def so_many_times(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = amount(at.numbers, match["number"])
    spaced = "spaced" if " " in match[0] else "glued"
    sides = at.before() in _OPERATORS or at.after(match.end()) in _OPERATORS
    facts = (spaced, "of a formula" if sides else "alone")
    yield Reading("times", f"{number} times", facts)
    yield Reading("x", f"{number} X", facts)


@TIMES.at("xX×", r"(?<!\w)[xX×]\s?(?P<number>[0-9]+)(?!\w)")
def times_so_many(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = at.numbers.cardinal(match["number"])
    facts = (f"length {len(match['number'])}",)
    yield Reading("times", f"times {number}", facts)
    yield Reading("x", f"X {number}", facts)
    yield Reading("by", f"by {number}", facts)
    digits = at.numbers.spelled(match["number"])
    before = at.before()
    ends = (
        "ends"
        if before == "in"
        else "call"
        if before in ("call", "dial", "phone", "tel", "desk", "at", "ext")
        else ""
    )
    yield Reading("extension", f"extension {digits}", (*facts, ends))
    yield Reading("x digits", f"X {digits}", (*facts, ends))


@TIMES.at(
    "x×", r"(?<!\w)[x×]\s?(?P<number>[0-9]+)\s?(?P<unit>d|days?|wks?|weeks?|mo|months?)(?!\w)"
)
def for_so_long(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    unit = {"d": "day", "w": "week", "m": "month"}[match["unit"][0]]
    many = unit if match["number"] == "1" else unit + "s"
    yield Reading("for", f"for {at.numbers.cardinal(match['number'])} {many}")


_UNIT_BEHIND = re.compile(rf"\s?(?P<unit>{UNIT})")


def _side(at: Place, number: str) -> str:
    if number[-1] not in VULGAR:
        return amount(at.numbers, number)
    return mixed(at.numbers, number[:-1], *VULGAR[number[-1]])


BY = Grammar("by", prior={"": 1.0}, domains="shop")


@BY.at(
    DIGITS,
    rf"(?<![\w.,])(?P<one>{NUMBER}[½¼¾]?)(?P<more>(?:\s?[x×X]\s?{NUMBER}[½¼¾]?)+)(?P<many>s?)(?![\w]|\s?[x×]\s?[0-9])",
)
def by(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    numbers = [match["one"], *re.split(r"\s?[x×X]\s?", match["more"])[1:]]
    said = [_side(at, number) for number in numbers]
    facts = (
        f"numbers {len(numbers)}",
        "sign" if "×" in match[0] else "letter",
        "spaced" if " " in match[0] else "",
    )
    if match["many"]:
        yield Reading("by", plural(" by ".join(said)), facts)
        return
    yield Reading("by", " by ".join(said), facts)
    behind = _UNIT_BEHIND.match(at.text, match.end())
    if behind is not None and len(numbers) > 2:
        name = unit(behind["unit"], is_one=False)
        yield Reading("by", f"{' by '.join(said)} {name}", ("unit",), behind.end())
    if len(numbers) == 2 and all(number.isdecimal() and len(number) > 2 for number in numbers):
        yield Reading("resolution", " by ".join(map(at.numbers.paired, numbers)), facts)
    yield Reading("times", " times ".join(said), facts)


NUMBERED = Grammar("numbered", prior={"": 0.5, "range": 3.0})


@NUMBERED.at("#", r"(?<![\w#])#\s?(?P<number>[0-9]+)(?P<letter>[A-Za-z]?)(?!\w)")
def number_sign(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["number"]
    facts = (f"length {len(number)}",)
    if len(number) < 3:
        said = at.numbers.cardinal(number)
    else:
        said = at.numbers.paired(number) if len(number) < 5 else at.numbers.spelled(number)
    said = join(said, letters(match["letter"]))
    yield Reading("number", f"number {said}", facts)
    if len(number) > 2:
        yield Reading(
            "digits", join("number", at.numbers.spelled(number), letters(match["letter"])), facts
        )
        yield Reading(
            "cardinal", join("number", at.numbers.cardinal(number), letters(match["letter"])), facts
        )
    yield Reading("hashtag", f"hashtag {said}", facts)
    yield Reading("pounds", f"{at.numbers.cardinal(number)} pounds", facts)


@NUMBERED.at("#", r"(?<![\w#])#\s?(?P<one>[0-9]{1,3})\s?[-–]\s?#?(?P<other>[0-9]{1,3})(?![\w-])")
def numbers_from(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `#1-15`."""
    if int(match["one"]) < int(match["other"]):
        one, other = (at.numbers.cardinal(match[name]) for name in ("one", "other"))
        yield Reading("range", f"numbers {one} to {other}")


@NUMBERED.at("#", r"(?<![\w#])#['’]?s(?= [0-9])")
def numbers_of(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `#s 1-19`."""
    yield Reading("numbers", "numbers")


@NUMBERED.at(
    "#",
    r"(?<![\w#])#(?=[A-Za-z-]{0,12}[0-9])(?P<code>[A-Za-z]{1,4}[0-9]{2,12}[A-Za-z]?(?!-)"
    r"|[A-Za-z0-9]{1,10}(?:-[A-Za-z0-9]{1,10}){1,4})(?![\w-])",
)
def numbered_code(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `#A-10442`, `#2024-0117`, `#INV0042`."""
    parts = match["code"].split("-")
    if (
        len(parts) == 2
        and all(part.isdecimal() and len(part) < 4 for part in parts)
        and int(parts[0]) < int(parts[1])
    ):
        return  # a range
    facts = (
        f"parts {min(len(parts), 3)}",
        "digits" if match["code"].replace("-", "").isdecimal() else "letters",
        f"< {'label' if at.label() in _NUMBERED_THINGS else 'other'}",
    )
    for form in ("pairs", "small", "single"):
        said = ", ".join(code(at.numbers, part, digits=form) for part in parts)
        yield Reading(f"code {form}", f"number {said}", facts)


_NUMBERED_THINGS = frozenset(
    "order invoice ticket case po claim issue account acct item part model serial reference ref"
    " confirmation booking reservation tracking permit license badge lot unit bug request quote"
    " check receipt policy member customer asset".split()
)

CLAUSE = Grammar("clause", prior={"": 1.0}, domains="law")


@CLAUSE.at(
    DIGITS + "IVX",
    r"(?<!\w)(?P<number>[0-9]+[A-Za-z]?|[IVX]+)(?P<parts>(?:\((?:[0-9]+|[a-zA-Z]{1,4})\))+)",
)
def clause(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["number"]
    said = code(at.numbers, number, digits="pairs") if number[0].isdigit() else letters(number)
    for part in re.findall(r"\((\w+)\)", match["parts"]):
        said += " " + (at.numbers.cardinal(part) if part.isdecimal() else letters(part))
    parts = match["parts"].count("(")
    yield Reading("parts", said, (f"parts {parts}", f"length {len(number)}"))


SCIENTIFIC = Grammar("scientific", prior={"": 2.0}, domains="science maths")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


@SCIENTIFIC.at(
    DIGITS,
    rf"(?<![\w.])(?P<number>{NUMBER})\s?[×x·]\s?10(?:\^\(?(?P<power>[-−]?[0-9]+)\)?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
    rf"(?:(?P<per>/(?:L|mL|µL|dL))|\s?(?P<unit>{UNIT})(?!\w))?",
)
def scientific(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    power = (match["power"] or match["raised"].translate(_RAISED)).replace("−", "-")
    minus = "minus " if power[0] == "-" else ""
    said = at.numbers.cardinal(power.lstrip("-+"))
    per = f"per {unit(match['per'][1:], is_one=True)}" if match["per"] else ""
    value = amount(at.numbers, match["number"])
    name = unit(match["unit"], is_one=False) if match["unit"] else ""
    yield Reading("plain", join(f"{value} times ten to the {minus}{said}", per, name))


@SCIENTIFIC.at(
    "1",
    rf"(?<![\w.,])10(?:\^\(?(?P<power>[-−]?[0-9]+)\)?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))(?:\s?(?P<unit>{UNIT}))?(?!\w)",
)
def power_of_ten(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    power = (match["power"] or match["raised"].translate(_RAISED)).replace("−", "-")
    minus = "minus " if power[0] == "-" else ""
    name = unit(match["unit"], is_one=False) if match["unit"] else ""
    said = f"ten to the {minus}{at.numbers.cardinal(power.lstrip('-+'))}"
    yield Reading("ten", join(said, name), ("unit" if name else "bare",))


@SCIENTIFIC.at(
    DIGITS, r"(?<![\w.])(?P<number>[0-9](?:\.[0-9]+)?)[eE](?P<power>[-+]?[0-9]{1,3})(?!\w)"
)
def exponent(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    power = match["power"]
    minus = "minus " if power[0] == "-" else ""
    said = at.numbers.cardinal(str(int(power.lstrip("-+"))))
    yield Reading("e", f"{amount(at.numbers, match['number'])} times ten to the {minus}{said}")


RAISED = Grammar("raised", prior={"": 0.5, "silent": 0.0})


@RAISED.at("ⁿ", "ⁿ")
def raised_letter(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("letter", "to the N", ("after digit" if at.touches().isdecimal() else "other",))


@RAISED.at("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
def raised(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match[0].translate(_RAISED)
    touch = at.touches()
    facts: tuple[str, ...] = (
        "after letter"
        if touch.isalpha()
        else "after digit"
        if touch.isdecimal()
        else f"after {touch}",
        f"number {number}" if number in ("2", "3") else "other number",
    )
    before = at.tokens.neighbour(at.index, -1)
    if before is not None and before.kind == "word":
        facts = (*facts, "after word" if len(before.text) > 2 else "after symbol")
    yield Reading("silent", "", facts)
    minus = "minus " if number[0] == "-" else ""
    digits = number.lstrip("-+")
    power = {"2": "squared", "3": "cubed"}.get(
        number
    ) or f"to the {minus}{at.numbers.ordinal(digits) if not minus else at.numbers.cardinal(digits)}"
    yield Reading("power", power, facts)
    yield Reading("number", minus + at.numbers.cardinal(digits), facts)
