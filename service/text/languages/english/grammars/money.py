"""Amounts of money."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.quantities import describes
from service.text.languages.english.grammars.said import (
    ANY_NUMBER,
    DIGITS,
    MAGNITUDES,
    NUMBER,
    PER_NAMES,
    SIGNS,
    UNIT_NAMES,
    UPPER,
    amount,
    ends_sentence,
    letters,
    pairs,
    two_digits,
)
from service.text.languages.english.normalization.money import Currency, find_currency
from service.text.languages.english.normalization.numbers import Numbers
from service.text.lattice.grammar import Grammar, Place, Reading

MONEY = Grammar(
    "money",
    prior={
        "plain": 1.5,
        "short": 0.0,
        "one": -0.5,
        "range": 1.5,
        "per": 1.5,
        "": 1.0,
        "loss elsewhere": -1.5,
        "pair": 4.0,
    },
    domains="finance shop",
)
_SIGN = r"(?P<currency>(?:U\.S\. ?|US|CA|AU|NZ|HK|[ACRS])?\$|CN¥|[€£¥₹₽₩₺₿₴₦₪₫₱])"
_MAGNITUDE = r"(?:(?P<space>\s?)(?P<magnitude>k|K|m|M|mm|MM|b|B|bn|Bn|T|tn|mn|mln|thousand|million|billion|trillion|lakhs?|crores?)(?!\w))?"
_PER = re.compile(r"\s?/\s?(?P<unit>[a-z]{1,6})(?!\w)")
_FIRST = "$€£¥₹₽₩₺₿₴₦₪₫₱"


def _currency(name: str) -> Currency:
    found = find_currency("US$" if name in ("U.S.$", "U.S. $", "USD") else name)
    if found is None:
        raise ValueError(f"there is no currency {name}")
    return found


def _currencies(name: str) -> tuple[Currency, ...]:
    """Return what a currency may be called: Americans leave out `US`."""
    found = _currency(name)
    return (found, _currency("$")) if found is _currency("US$") else (found,)


def forms(
    numbers: Numbers, text: str, magnitude: str | None, name: Currency
) -> list[tuple[str, str]]:
    """Return the ways to say an amount: form and words."""
    if magnitude:
        said = f"{amount(numbers, text)} {MAGNITUDES[magnitude.lower().rstrip('s')]}"
        return [("plain", f"{said} {name.many}"), ("one", f"{said} {name.one}")]
    whole, _, part = text.partition(".")
    digits = whole.replace(",", "")
    if len(part) == 2 and name.one_part:
        value = int(part)
        cents = f"{numbers.cardinal(str(value))} {name.one_part if value == 1 else name.many_parts}"
        if not digits.strip("0"):
            return [("cents", cents)] if value else [("plain", f"zero {name.many}")]
        said = f"{numbers.cardinal(whole)} {name.one if digits == '1' else name.many}"
        if not value:
            return [("plain", said), ("one", f"{numbers.cardinal(whole)} {name.one}")]
        low = two_digits(numbers, part)
        return [("plain", f"{said} and {cents}"), ("short", f"{numbers.cardinal(whole)} {low}")]
    if part:
        return [
            ("plain", f"{amount(numbers, text)} {name.many}"),
            ("one", f"{amount(numbers, text)} {name.one}"),
        ]
    said = numbers.cardinal(whole)
    found = [
        ("plain", f"{said} {name.one if digits == '1' else name.many}"),
        ("one", f"{said} {name.one}"),
    ]
    if len(digits) == 4 and digits[2:] == "00" and digits[1] != "0":
        found.append(("hundred", f"{pairs(numbers, digits)} {name.many}"))
    return found


@MONEY.at(
    "-−+–~≈<>≤≥" + _FIRST + "UCANHRS",
    rf"(?<![\w$€£¥])(?P<sign>[-−+–~≈<>≤≥]?){_SIGN}(?P<minus>[-−]?)\s?(?P<number>{ANY_NUMBER}){_MAGNITUDE}(?P<plus>\+(?!\w))?(?!\d)",
)
def before_number(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = _currency(match["currency"])
    sign = match["sign"]
    lead = f"{SIGNS[sign]} " if sign else "minus " if match["minus"] else ""
    tail = " plus" if match["plus"] else ""
    rest = at.text[match.end() : match.end() + 12]
    per = re.match(r"(?P<joint>\s?/\s?|\sper\s)(?P<unit>sq\.? ft|[A-Za-z]+)\.?", rest)
    magnitude = match["magnitude"]
    facts = (
        f"sign {sign}" if sign else "",
        f"magnitude {magnitude}" if magnitude else "",
        f"hyphen {at.text[match.end() : match.end() + 1] == '-'}",
        *describes(at, match.end()),
    )
    if name is not _currency("$") and match["currency"].startswith("U"):
        for form, words in forms(at.numbers, match["number"], magnitude, name):
            yield Reading(f"US {form}", f"{lead}{words}{tail}", facts)
        name = _currency("$")
    for form, words in forms(at.numbers, match["number"], magnitude, name):
        yield Reading(form, f"{lead}{words}{tail}", facts)
        if per is not None and form != "one":
            written = per["unit"].replace(".", "")
            unit = PER_NAMES.get(written) or UNIT_NAMES.get(written, ("",))[0]
            if unit:
                ends = ends_sentence(at.text, match.end() + per.end(), any_capital=True)
                end = match.end() + (per.end("unit") if ends else per.end())
                yield Reading("per", f"{lead}{words} per {unit}", (form,), end)
    if magnitude and len(magnitude) == 1 and not match["plus"]:
        for form, words in forms(at.numbers, match["number"], None, name):
            yield Reading(form, f"{lead}{words}", ("before letter",), match.end("number"))


@MONEY.at(
    _FIRST,
    rf"(?<![\w$€£¥]){_SIGN}(?P<number>{NUMBER})-(?P<magnitude>thousand|million|billion|trillion)(?:-(?P<noun>dollar|euro|pound))?(?!\w)",
    re.IGNORECASE,
)
def hyphened(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `a $1.9-trillion bill`."""
    said = f"{amount(at.numbers, match['number'])} {match['magnitude'].lower()}"
    name = _currency(match["currency"])
    yield Reading("hyphened", f"{said} {name.one}", describes(at, match.end()))
    yield Reading("hyphened many", f"{said} {name.many}", describes(at, match.end()))


@MONEY.at(
    _FIRST,
    rf"(?<![\w$€£¥]){_SIGN}\s?(?P<one>{NUMBER})(?P<first>[kKmMbBT]|bn)?(?P<dash>\s?[-–—−]\s?)(?P<again>[$€£¥]?)\s?(?P<other>{NUMBER}){_MAGNITUDE}(?![\w]|[./][0-9])",
)
def span(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = _currency(match["currency"])
    one = amount(at.numbers, match["one"])
    other = amount(at.numbers, match["other"])
    if match["first"]:
        one += f" {MAGNITUDES[match['first'].lower()]}"
    if match["magnitude"]:
        other += f" {MAGNITUDES[match['magnitude'].lower()]}"
    facts = (
        f"again {bool(match['again'])}",
        f"magnitude {bool(match['first'])} {bool(match['magnitude'])}",
    )
    if ("." in match["one"] or "." in match["other"]) and not match["magnitude"]:
        said = [forms(at.numbers, match[side], None, name)[0][1] for side in ("one", "other")]
        yield Reading("range", f"{said[0]} to {said[1]}", (*facts, "cents"))
        return
    yield Reading("range", f"{one} to {other} {name.many}", facts)
    per = _PER.match(at.text, match.end())
    if per is not None and per["unit"] in PER_NAMES:
        words = f"{one} to {other} {name.many} per {PER_NAMES[per['unit']]}"
        yield Reading("range per", words, facts, per.end())
    if match["again"]:
        yield Reading("range twice", f"{one} {name.many} to {other} {name.many}", facts)


@MONEY.at(
    DIGITS,
    rf"(?<![\w$€£¥.,])(?P<number>{NUMBER}){_MAGNITUDE}\s?(?P<currency>[€£¥₹₩₽$]|USD|EUR|GBP|JPY|CHF|CAD|AUD|SEK|NOK|CNY|INR|MXN|BRL|NZD)(?!\w)(?!\d)",
)
def after_number(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    for name in _currencies(match["currency"]):
        for form, words in forms(at.numbers, match["number"], match["magnitude"], name):
            yield Reading(f"after {form}", words)


@MONEY.at(
    _FIRST + DIGITS,
    r"(?<![\w$€£¥.,])(?P<before>[€£$])?\s?(?P<whole>[0-9]{1,3}(?:\.[0-9]{3}){1,4}|[0-9]{1,6})"
    r",(?P<cents>[0-9]{2})(?:\s?(?P<after>€|EUR))?(?![\w,]|[.][0-9])",
)
def european(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `€2.500,00` and `12,50 €`: the comma stands where English has a point."""
    if match["before"] or match["after"]:
        number = f"{match['whole'].replace('.', '')}.{match['cents']}"
        name = _currency(match["before"] or match["after"])
        for form, words in forms(at.numbers, number, None, name):
            yield Reading(f"european {form}", words)


@MONEY.at(
    "₹R" + DIGITS,
    r"(?<![\w.,])(?P<sign>₹|Rs\.? ?|INR ?)?(?P<number>[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})(?:\.(?P<part>[0-9]{1,2}))?(?![\w,]|\.[0-9])",
)
def lakhs(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    crores, rest = divmod(int(match["number"].replace(",", "")), 10_000_000)
    counts = [(crores, "crore"), (rest // 100_000, "lakh"), (rest % 100_000, "")]
    said = " ".join(
        f"{at.numbers.cardinal(str(count))} {name}".strip() for count, name in counts if count
    )
    if match["sign"]:
        said += " rupees"
    if match["part"] and int(match["part"]):
        said += f" and {at.numbers.cardinal(str(int(match['part'])))} paise"
    yield Reading("lakhs", said)


@MONEY.at(
    "₹R",
    r"(?<!\w)(?:₹|Rs\.?) ?(?P<number>[0-9]+(?:\.[0-9]+)?) ?(?P<unit>lakhs?|crores?|cr|L|Cr)(?!\w)",
)
def rupees(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    unit = "lakh" if match["unit"][0] in "lL" else "crore"
    yield Reading("lakhs", f"{amount(at.numbers, match['number'])} {unit} rupees", ("unit",))


@MONEY.at("R", rf"(?<!\w)Rs\.? ?(?P<number>{NUMBER})(?![\w,])")
def rupee_letters(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    for form, words in forms(at.numbers, match["number"], None, _currency("₹")):
        yield Reading(form, words, ("letters",))


@MONEY.at(DIGITS, rf"(?<![\w$€£¥.,])(?P<number>{NUMBER})\s?¢")
def cents(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["number"]
    yield Reading("cents", f"{amount(at.numbers, number)} {'cent' if number == '1' else 'cents'}")


@MONEY.at(
    UPPER,
    rf"(?<!\w)(?P<currency>USD|EUR|GBP|JPY|CHF|CAD|AUD|SEK|NOK|DKK|CNY|INR|MXN|BRL|NZD|HKD|SGD|KRW|PLN|ZAR)\s?(?P<number>{NUMBER}){_MAGNITUDE}(?!\w)",
)
def code_before(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    for name in _currencies(match["currency"]):
        for form, words in forms(at.numbers, match["number"], match["magnitude"], name):
            yield Reading(f"code {form}", words)


@MONEY.at(
    "$(",
    r"\$?\(\$?(?P<number>[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]+)?)(?P<magnitude>m|bn|k|M|B|K)?\)"
    r"(?: (?P<word>thousand|million|billion|trillion)(?!\w))?",
)
def loss(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if "$" not in match[0] and not match["magnitude"]:
        return
    if "$" in match[0]:
        magnitude = match["magnitude"] or match["word"]
        words = forms(at.numbers, match["number"], magnitude, _currency("$"))[0][1]
    else:
        words = f"{amount(at.numbers, match['number'])} {MAGNITUDES[match['magnitude'].lower()]}"
    is_money = "$" in match[0] or "finance" in at.tokens.domains
    yield Reading("loss" if is_money else "loss elsewhere", f"minus {words}")


@MONEY.at(UPPER, r"(?<![\w/])(?P<one>[A-Z]{3})/(?P<other>[A-Z]{3})(?![\w/])")
def pair(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `EUR/USD`, as it is traded."""
    if find_currency(match["one"]) and find_currency(match["other"]):
        yield Reading("pair", f"{letters(match['one'])}, {letters(match['other'])}")


@MONEY.at(DIGITS, r"(?<![\w/])(?P<count>[0-9]{1,2})/\$(?P<price>[0-9]+(?:\.[0-9]{2})?)(?!\w)")
def so_many_for(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = forms(at.numbers, match["price"], None, _currency("$"))[0][1]
    yield Reading("for", f"{at.numbers.cardinal(match['count'])} for {words}")
