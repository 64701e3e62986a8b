"""Amounts of money."""

from __future__ import annotations

import re
from typing import NamedTuple

from service.text.languages.english.normalization import units
from service.text.languages.english.normalization.notation import (
    FURTHER_NUMBER,
    MAGNITUDES,
    NUMBER,
    describes,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule


class Currency(NamedTuple):
    """Names of a currency.

    Attributes:
        one: the name of one unit.
        many: the plural.
        one_part: the name of the hundredth part; empty if none is in use.
        many_parts: the plural.
    """

    one: str
    many: str
    one_part: str = ""
    many_parts: str = ""


_DOLLAR = Currency("dollar", "dollars", "cent", "cents")
_POUND = Currency("pound", "pounds", "penny", "pence")
_EURO = Currency("euro", "euros", "cent", "cents")
_YEN = Currency("yen", "yen")
_YUAN = Currency("yuan", "yuan")
_RUPEE = Currency("rupee", "rupees", "paisa", "paise")
_RUBLE = Currency("ruble", "rubles")
_WON = Currency("won", "won")
_LIRA = Currency("lira", "lira")
_BITCOIN = Currency("bitcoin", "bitcoins")
_FRANC = Currency("Swiss franc", "Swiss francs")

_SIGNS = {
    "$": _DOLLAR,
    "£": _POUND,
    "€": _EURO,
    "¥": _YEN,
    "₹": _RUPEE,
    "₽": _RUBLE,
    "₩": _WON,
    "₺": _LIRA,
    "₿": _BITCOIN,
    "₴": Currency("hryvnia", "hryvnias"),
    "₦": Currency("naira", "naira"),
    "₪": Currency("shekel", "shekels"),
    "₫": Currency("dong", "dong"),
    "₱": Currency("peso", "pesos"),
}


def _dollar_of(place: str) -> Currency:
    return Currency(f"{place} dollar", f"{place} dollars", "cent", "cents")


_CODES = {
    "USD": _dollar_of("U.S."),
    "EUR": _EURO,
    "GBP": _POUND,
    "JPY": _YEN,
    "CNY": _YUAN,
    "RMB": _YUAN,
    "INR": _RUPEE,
    "RUB": _RUBLE,
    "KRW": _WON,
    "CHF": _FRANC,
    "CAD": _dollar_of("Canadian"),
    "AUD": _dollar_of("Australian"),
    "NZD": _dollar_of("New Zealand"),
    "HKD": _dollar_of("Hong Kong"),
    "SGD": _dollar_of("Singapore"),
    "BTC": _BITCOIN,
    "SEK": Currency("Swedish krona", "Swedish kronor"),
    "NOK": Currency("Norwegian krone", "Norwegian kroner"),
    "DKK": Currency("Danish krone", "Danish kroner"),
    "PLN": Currency("zloty", "zlotys"),
    "MXN": Currency("Mexican peso", "Mexican pesos"),
    "BRL": Currency("Brazilian real", "Brazilian reals"),
    "TRY": _LIRA,
    "ZAR": Currency("rand", "rand"),
    "US$": _dollar_of("U.S."),
    "A$": _dollar_of("Australian"),
    "AU$": _dollar_of("Australian"),
    "C$": _dollar_of("Canadian"),
    "CA$": _dollar_of("Canadian"),
    "NZ$": _dollar_of("New Zealand"),
    "HK$": _dollar_of("Hong Kong"),
    "S$": _dollar_of("Singapore"),
    "R$": Currency("Brazilian real", "Brazilian reals"),
    "CN¥": _YUAN,
}


# A single lower-case letter is a magnitude only directly after the number: `$20 t-shirt`.
_MAGNITUDE = (
    r"(?:(?P<magnitude>[KkMmBbTt]|[ ]?(?:[MB]|"
    + "|".join(sorted((name for name in MAGNITUDES if len(name) > 1), key=len, reverse=True))
    + r"))(?!\w|-[a-z]))?"
)
_UNTIL = rf"(?:[ ]?[-–][ ]?(?P<until>{FURTHER_NUMBER}))?"
_PER = r"(?:/(?P<per>[a-zA-Z]{1,8})(?!\w))?"
_AMOUNT = rf"(?P<amount>{FURTHER_NUMBER}|\.[0-9]+)(?![0-9]){_UNTIL}{_MAGNITUDE}{_PER}"

_AFTER_SIGN = re.compile(rf"(?P<sign>[{''.join(_SIGNS)}])(?P<minus>-?)[ ]?{_AMOUNT}")
_AFTER_CODE = re.compile(
    r"(?P<code>[A-Z](?<![\w/][A-Z])(?:(?<=U)(?:\.S\.[ ]?|S[ ])\$|[A-Z]{0,2}[$¥]"
    r"|[A-Z]{2}(?=[ ]?[0-9])))"
    rf"[ ]?{_AMOUNT}"
)
_BEFORE_SIGN = re.compile(
    rf"(?P<amount>{NUMBER}){_UNTIL}{_MAGNITUDE}[ ]?(?P<sign>[€₽₺₴₫£$]|zł)(?![\w$£€¥₹])"
)
_BEFORE_CODE = re.compile(
    rf"(?P<amount>{NUMBER}){_UNTIL}{_MAGNITUDE}[ ](?P<code>[A-Z]{{3}})(?!\w){_PER}"
)
_CENTS = re.compile(rf"(?P<amount>{NUMBER})[ ]?¢")
_PENCE = re.compile(rf"(?P<amount>{NUMBER})p(?!\w)")


_LAKHS = re.compile(
    r"(?P<sign>₹|Rs\.?"
    r"|INR)[ ]?(?P<number>[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})(?:\.(?P<part>[0-9]{1,2}))?(?![\w,])"
)
_INDIAN = re.compile(
    r"(?:₹|Rs\.?|INR)[ ]?(?P<number>[0-9]+(?:\.[0-9]+)?)[ ]?(?P<unit>lakhs?|crores?|cr|L|Cr)(?!\w)"
)
_RUPEES = re.compile(r"\bRs\.?[ ]?(?=[0-9])")
_BARE_LAKHS = re.compile(r"[0-9](?<![\w.,][0-9])[0-9]?(?:,[0-9]{2})+,[0-9]{3}(?![\w,]|\.[0-9])")
_NOUN_NEXT = re.compile(r"[ ](?:Series[ ][A-F]|Seed|IPO|VC|AI|Series)(?!\w)")


def _say_lakhs(numbers: Numbers, digits: str) -> str:
    """Return an amount with Indian grouping in words: crores, lakhs, the rest."""
    number = int(digits.replace(",", ""))
    crores, rest = divmod(number, 10_000_000)
    lakhs, rest = divmod(rest, 100_000)
    parts = [(crores, "crore"), (lakhs, "lakh"), (rest, "")]
    return " ".join(
        f"{numbers.cardinal(str(count))} {name}".strip() for count, name in parts if count
    )


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for money."""

    def lakhs(match: re.Match[str]) -> str:
        words = f"{_say_lakhs(numbers, match['number'])} rupees"
        part = match["part"]
        if part and part.strip("0"):
            words += f" and {numbers.cardinal(str(int(part)))} paise"
        return words

    def indian(match: re.Match[str]) -> str:
        unit = "lakh" if match["unit"][0] in "lL" else "crore"
        return f"{numbers.decimal(match['number'])} {unit} rupees"

    def write(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        if groups.get("sign"):
            currency = _SIGNS.get(groups["sign"], _CODES["PLN"])
        else:
            code = groups["code"].replace(".", "").replace(" ", "")
            if code not in _CODES:
                return None
            currency = _CODES[code]
        minus = "minus " if groups.get("minus") else ""
        per = f" {units.say_per(groups['per'])}" if groups.get("per") else ""
        magnitude = MAGNITUDES.get((groups["magnitude"] or "").strip(), "")
        until = groups["until"] or ""
        words = say(
            numbers,
            groups["amount"],
            currency,
            magnitude,
            until=until,
            singular=describes(match) or _precedes_noun(match),
        )
        return minus + words + per

    def cents(match: re.Match[str]) -> str:
        unit = "cent" if match["amount"] == "1" else "cents"
        return f"{numbers.decimal(match['amount'])} {unit}"

    def pence(match: re.Match[str]) -> str | None:
        if len(match["amount"]) > 2:
            return None
        unit = "penny" if match["amount"] == "1" else "pence"
        return f"{numbers.decimal(match['amount'])} {unit}"

    written = (
        Rule(_LAKHS, lakhs),
        Rule(_INDIAN, indian),
        Rule(_RUPEES, lambda match: "₹"),
        Rule(_BARE_LAKHS, lambda match: _say_lakhs(numbers, match[0])),
        Rule(_AFTER_CODE, write),
        Rule(_AFTER_SIGN, write),
        Rule(_BEFORE_SIGN, write),
        Rule(_BEFORE_CODE, write),
        Rule(_CENTS, cents),
    )
    return (*written, Rule(_PENCE, pence)) if numbers.british else written


def _precedes_noun(match: re.Match[str]) -> bool:
    """Tell whether a name with capitals follows that the amount describes: `$5M Series B`."""
    return _NOUN_NEXT.match(match.string, match.end()) is not None


def find_currency(name: str) -> Currency | None:
    """Return a currency by its sign or code, such as `$` or `EUR`; None if unknown."""
    return _SIGNS.get(name) or _CODES.get(name)


def say(
    numbers: Numbers,
    amount: str,
    currency: Currency,
    magnitude: str = "",
    *,
    until: str = "",
    singular: bool = False,
) -> str:
    """Return an amount of money in words.

    Args:
        numbers: writes the numbers.
        amount: a decimal number.
        currency: its currency.
        magnitude: `million` and the like.
        until: the upper end of a range; empty for a single amount.
        singular: whether it comes before a noun that it describes, as in `a five dollar bill`.
    """
    whole, _, fraction = amount.replace(",", "").partition(".")
    whole = whole or "0"
    name = currency.one if singular else currency.many
    if magnitude or until:
        words = numbers.decimal(amount if amount[0] != "." else "0" + amount)
        if until:
            words += f" to {numbers.decimal(until)}"
        return " ".join(filter(None, (words, magnitude, name)))
    is_one = whole == "1" and not fraction.strip("0")
    name = currency.one if is_one else name
    if len(fraction) == 2 and currency.one_part:
        return _with_parts(numbers, whole, fraction, currency, name)
    if not fraction.strip("0"):
        return f"{numbers.cardinal(whole)} {name}"
    return f"{numbers.decimal(f'{whole or 0}.{fraction}')} {name}"


def _with_parts(numbers: Numbers, whole: str, fraction: str, currency: Currency, name: str) -> str:
    parts = numbers.cardinal(str(int(fraction)))
    unit = currency.one_part if int(fraction) == 1 else currency.many_parts
    if not whole.strip("0"):
        return f"{parts} {unit}"
    words = f"{numbers.cardinal(whole)} {currency.one if whole == '1' else name}"
    if fraction == "00":
        return words
    if numbers.british and currency is _POUND:
        return f"{words} {parts}" if int(fraction) > 9 else f"{words} and {parts} {unit}"
    return f"{words} and {parts} {unit}"
