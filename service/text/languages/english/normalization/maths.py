"""Signs between and beside numbers: sums, products, powers, ratios."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    NUMBER,
    word_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_MINUS = re.compile(r"[-−–](?<![\w.,)\]%°$£€¥₹+/^-][-−–])(?=[$£€¥₹]?\.?[0-9])")
_SCIENTIFIC = re.compile(
    rf"(?P<number>{NUMBER})(?:[eE](?P<e>[-+−]?[0-9]{{1,3}})"
    r"|[ ]?[×x*·][ ]?10(?:\^[({]?(?P<power>[-−]?[0-9]{1,3})[)}]?"
    r"|(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,3})))(?!\w)"
)
_TEN = re.compile(
    r"10(?<![\w.,]10)(?:\^[({]?(?P<power>[-−]?[0-9]{1,3})[)}]?"
    r"|(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,3}))(?=[ ]?[A-Za-zµμ/])"
)
_OPERATOR = re.compile(
    r"(?<=[0-9)a-zπ])(?P<left>[ ]?)(?P<sign>[+*×÷=≈≠<>≤≥±]|<=|>=|!=|==)(?P<right>[ ]?)"
    r"(?=[-−(√$£€]?[0-9(a-z√π])"
)
_RESOLUTION = re.compile(
    rf"(?P<wide>{FIRST_DIGIT}[0-9]{{2,3}})[ ]?[x×][ ]?(?P<high>[0-9]{{3,4}})(?![\w]|[.,]?[0-9])"
)
_PRODUCT = re.compile(
    rf"(?P<number>{NUMBER})(?P<mark>[\"”″'’′]|[ ]?(?:mm|cm|m|km|in|ft)\b\.?)?(?P<gap>[ ]?)"
    r"[xX×][ ]?(?=[0-9])"
)
_FOLD = re.compile(rf"(?P<number>{NUMBER})[x×](?=[ ][a-z]|[-.,;!?)]|\s*\Z)")
_SPACED_MINUS = re.compile(r"(?<=[0-9)])[ ](?:[-−])[ ](?=[(]?[0-9])|(?<=[0-9)])−(?=[0-9(])")
_BESIDE = re.compile(r"(?P<sign>[~≈±√<>≤≥∼]|<=|>=|≥|≤)[ ]?(?=[$£€]?\.?[0-9])")
_PREFIX = re.compile(r"(?P<sign>[~∼]|[<>≤≥]=?)[ ]?(?=[$£€₹]?\.?[0-9])")
_BEFORE_BOUND = word_set(
    "for of with at to in was is were are by than and or from be been took takes only usually"
)
_COMPARED = re.compile(r"(?:[\w)\]|%²³°]|(?<!\w)\w[ ]|[0-9)\]|%²³°][ ]|value of \w[ ])\Z")
_POWER = re.compile(
    r"(?P<base>[0-9a-zA-Z)π])(?<!\^.)(?<![a-zA-Z][a-zA-Z])"
    r"(?:(?P<raised>⁻?[⁰¹²³⁴-⁹]+)|\^[({]?(?P<power>[-−]?[0-9]{1,4}|[a-z](?![\w^]))[)}]?)"
)
_RATIO = re.compile(
    rf"(?P<first>{FIRST_DIGIT}[0-9]{{0,4}}(?:\.[0-9]+)?)[ ]?:[ ]?"
    r"(?P<second>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,5}(?:\.[0-9]+)?)(?![:\w]|[.,/][0-9])(?<![: ][:])"
)

_OPERATORS = {
    "+": "plus",
    "*": "times",
    "×": "times",
    "÷": "divided by",
    "=": "equals",
    "==": "equals",
    "≈": "is about",
    "≠": "is not equal to",
    "!=": "is not equal to",
    "<": "is less than",
    ">": "is greater than",
    "≤": "is at most",
    "<=": "is at most",
    "≥": "is at least",
    ">=": "is at least",
    "±": "plus or minus",
}
_PREFIXES = {
    "~": "about ",
    "∼": "about ",
    "≈": "about ",
    "±": "plus or minus ",
    "√": "the square root of ",
    "<": "less than ",
    ">": "more than ",
    "≤": "at most ",
    "<=": "at most ",
    "≥": "at least ",
    ">=": "at least ",
    "≤=": "at most ",
    "≥=": "at least ",
}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_REACH = 24
_LENGTH_NEXT = re.compile(
    r"[0-9.,]+(?:[ ]?[x×][ ]?[0-9]|[ ]?(?:mm|cm|m|km|ft|in|inch|inches|feet|meters|metres|px"
    r"|pixels|['\"′″])(?!\w))"
)


def prefix_rules() -> tuple[Rule, ...]:
    """Return the rule for `<30s`, `~5 kg` and the like, before the number becomes words."""

    def write(match: re.Match[str]) -> str | None:
        before = match.string[max(0, match.start() - 3) : match.start()]
        # `x < 5` and `3 <5` compare; they have rules of their own.
        if match["sign"] not in "~∼" and _COMPARED.search(before):
            return None
        # `age > 30` compares; `for > 30 s` does not.
        apart = match[0].endswith(" ") and before[-1:] == " " and before[-2:-1].isalpha()
        if apart and match["sign"] in "<=>=" and word_before(match).lower() not in _BEFORE_BOUND:
            return f"{_OPERATORS[match['sign']]} "
        return (" " if before[-1:].isalnum() else "") + _PREFIXES[match["sign"]]

    return (Rule(_PREFIX, write),)


def sign_rules() -> tuple[Rule, ...]:
    """Return the rules for a minus sign before a number."""
    return (Rule(_MINUS, lambda match: "minus "),)


def product_rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for products and dimensions: `3 x 4`, `3x5`, `10 x 12 ft`."""

    def scientific(match: re.Match[str]) -> str:
        power = (match["e"] or match["power"] or match["raised"]).translate(_RAISED)
        return f"{numbers.decimal(match['number'])} times ten to the {_exponent(numbers, power)}"

    def resolution(match: re.Match[str]) -> str:
        return f"{numbers.paired(match['wide'])} by {numbers.paired(match['high'])}"

    def product(match: re.Match[str]) -> str | None:
        if match["number"] == "0" and not match["gap"]:
            return None
        following = match.string[match.end() : match.end() + _REACH]
        by = not match["gap"] or match["mark"] or _LENGTH_NEXT.match(following)
        if match["mark"] and match["mark"][-1] in "mnt.":
            return f"{match['number']}{match['mark']} by "
        return f"{numbers.decimal(match['number'])} {'by' if by else 'times'} "

    def ten(match: re.Match[str]) -> str:
        power = (match["power"] or match["raised"]).translate(_RAISED)
        return f"ten to the {_exponent(numbers, power)}"

    return (
        Rule(_SCIENTIFIC, scientific),
        Rule(_TEN, ten),
        Rule(_RESOLUTION, resolution),
        Rule(_PRODUCT, product),
    )


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for mathematics."""

    def operator(match: re.Match[str]) -> str | None:
        around = match.string[match.start() - 1] + match.string[match.end()]
        is_number = any(character.isdigit() for character in around)
        # `5* hotel`
        if match["sign"] == "*" and match["left"] < match["right"] and around[1].isalpha():
            return None
        if not is_number and not (match["left"] and match["right"]):
            return None
        return f" {_OPERATORS[match['sign']]} "

    def beside(match: re.Match[str]) -> str:
        before = match.string[match.start() - 1 : match.start()]
        return (" " if before.isalnum() else "") + _PREFIXES[match["sign"]]

    def power(match: re.Match[str]) -> str:
        raised = (match["raised"] or match["power"]).translate(_RAISED)
        if raised in ("2", "3"):
            return f"{match['base']} {'squared' if raised == '2' else 'cubed'}"
        if not raised[-1].isdigit():
            return f"{match['base']} to the {raised}"
        return f"{match['base']} to the {_exponent(numbers, raised)}"

    def ratio(match: re.Match[str]) -> str:
        return f"{numbers.decimal(match['first'])} to {numbers.decimal(match['second'])}"

    return (
        Rule(_FOLD, lambda match: f"{numbers.decimal(match['number'])} times"),
        Rule(_POWER, power),
        Rule(_SPACED_MINUS, lambda match: " minus "),
        Rule(_OPERATOR, operator),
        Rule(_BESIDE, beside),
        Rule(_RATIO, ratio),
    )


def _exponent(numbers: Numbers, power: str) -> str:
    sign = "minus " if power[0] == "-" else ""
    return sign + numbers.cardinal(power.lstrip("+-").lstrip("0") or "0")
