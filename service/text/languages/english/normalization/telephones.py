"""Telephone numbers."""

from __future__ import annotations

import re
from itertools import accumulate

from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_before,
    word_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_GAP = r"[-. \u2010\u2011–]"
_EXTENSION = r"(?:,?[ ]?(?:ext\.?|x|extension)[ ]?(?P<extension>[0-9]{1,6})(?![0-9]))?"
_END = rf"(?!{_GAP}?[0-9]|\w)"

_INTERNATIONAL = re.compile(
    rf"\+(?<![\w+]\+)(?P<number>[1-9][0-9]{{0,2}}(?:{_GAP}?(?:[0-9]{{1,5}}|\([0-9]{{1,5}}\))){{2,6}})"
    rf"{_END}{_EXTENSION}"
)
_BRACKETED = re.compile(
    rf"\((?<!\w\()(?P<number>0?[0-9]{{2,5}}\)[ -]?[0-9]{{3,4}}"
    rf"(?:{_GAP}?[0-9]{{3,4}})?){_END}{_EXTENSION}"
)
_AMERICAN = re.compile(
    rf"(?P<number>(?:1{_GAP})?{FIRST_DIGIT}[0-9]{{2}}(?P<gap>{_GAP})[0-9]{{3}}(?P=gap)[0-9]{{4}})"
    rf"{_END}{_EXTENSION}"
    rf"|(?P<tolled>1(?<![\w.,]1)[-. ][2-9][0-9]{{2}}{_GAP}[0-9]{{3}}{_GAP}[0-9]{{4}}){_END}"
)
_BRITISH = re.compile(
    rf"(?P<number>0(?<![\w.,]0)(?:[0-9]{{2,5}}[ -][0-9]{{3,6}}(?:[ -][0-9]{{3,4}})?|[0-9]{{10}}))"
    rf"{_END}{_EXTENSION}"
)
_LOCAL = re.compile(rf"(?P<number>{FIRST_DIGIT}(?<!-[0-9])[0-9]{{2}}-[0-9]{{4}}){_END}{_EXTENSION}")
_VANITY = re.compile(r"1(?<![\w.,]1)-(?P<area>8[0-9]{2})-(?=[A-Z]{2})")
_EMERGENCY = re.compile(rf"(?P<number>{FIRST_DIGIT}(?:11|99|12|88))(?![\w%]|[.,/:-]?[0-9])")
_EXTENSION_ALONE = re.compile(r"\b[eE]xt\.?[ ]?(?P<extension>[0-9]{1,6})(?![\w])")

_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_GROUP = re.compile(r"[0-9]+")
_FEWEST_DIGITS = 7
"""Least number of digits after a plus sign that are no quantity."""
_LONGEST_GROUP = 5
# By the number of digits and the first of them.
_GROUPINGS = {
    (7, ""): (3, 4),
    (10, ""): (3, 3, 4),
    (11, "1"): (1, 3, 3, 4),
    (11, ""): (5, 3, 3),
    (12, "4"): (2, 4, 3, 3),
}
_CALLED = word_set(
    "call calls called calling dial dials dialed dialled dialing phone ring text telephone tel"
)
_NAMED = re.compile(r"\b(?:call|dial|phone|tel|telephone|text|fax|mobile|cell|number)\b", re.I)
_EMERGENCY_NUMBERS = word_set("911 999 112 988 211 311 411 511 611 711 811")


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for telephone numbers."""

    def write(match: re.Match[str]) -> str:
        groups = match.groupdict()
        plus = "plus " if match[0].startswith("+") else ""
        words = plus + say(numbers, groups["number"] or groups["tolled"])
        return words + _extension(groups["extension"])

    def _extension(digits: str | None) -> str:
        return f", extension {_extension_words(digits)}" if digits else ""

    def _extension_words(digits: str) -> str:
        return numbers.cardinal(digits) if len(digits) < 3 else numbers.spelled(digits)

    def international(match: re.Match[str]) -> str | None:
        number = match["number"]
        n_digits = sum(map(len, _GROUP.findall(number)))
        return None if n_digits < _FEWEST_DIGITS or _DECIMAL.fullmatch(number) else write(match)

    def local(match: re.Match[str]) -> str | None:
        number = match["number"]
        if number.startswith("555") or number[4] == "0" or _NAMED.search(text_before(match)):
            return write(match)
        return None

    def emergency(match: re.Match[str]) -> str | None:
        if match["number"] not in _EMERGENCY_NUMBERS:
            return None
        follows = match.string[match.end() : match.end() + 5]
        if word_before(match).lower() in _CALLED or follows == " call":
            return say(numbers, match["number"])
        return None

    return (
        Rule(_INTERNATIONAL, international),
        Rule(_BRACKETED, write),
        Rule(_AMERICAN, write),
        Rule(_BRITISH, write),
        Rule(_VANITY, lambda match: f"one, {_group(numbers, match['area'])}, "),
        Rule(_LOCAL, local),
        Rule(_EMERGENCY, emergency),
        Rule(
            _EXTENSION_ALONE,
            lambda match: f"extension {_extension_words(match['extension'])}",
        ),
    )


def say(numbers: Numbers, number: str) -> str:
    """Return the digits in groups as written, with a pause after each group.

    Longer groups than five digits are split in the usual way.
    """
    groups: list[str] = []
    for group in _GROUP.findall(number):
        groups += _parts(group)
    return ", ".join(_group(numbers, group) for group in groups)


def _parts(digits: str) -> list[str]:
    if len(digits) <= _LONGEST_GROUP:
        return [digits]
    sizes = _GROUPINGS.get((len(digits), digits[0])) or _GROUPINGS.get((len(digits), ""))
    if sizes is None:
        return [digits[start : start + 3] for start in range(0, len(digits), 3)]
    ends = list(accumulate(sizes))
    return [digits[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _group(numbers: Numbers, group: str) -> str:
    if numbers.british:
        return numbers.spelled(group).replace("zero", "oh")
    is_round = len(group) == 3 and group.endswith("00") and group[0] != "0"
    return numbers.cardinal(group) if is_round else numbers.spelled(group)
