"""Numbers that are names: versions, IP addresses, ISBNs, card numbers."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_before,
    word_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_DOTTED = re.compile(
    r"(?P<v>[vV](?<!\w[vV])\.?[ ]?)?(?P<number>[0-9](?<![0-9.,][0-9])[0-9]*(?:\.[0-9]+){2,})"
    r"(?![0-9]|[.,][0-9])(?P<letters>[a-z]{1,5}[0-9]*(?!\w))?"
)
_VERSION = re.compile(
    r"(?P<v>[vV](?<!\w[vV])(?:er(?:sion)?)?\.?[ ]?)"
    r"(?P<number>[0-9]+(?:\.[0-9]+)?)(?![\w]|[.,][0-9])"
)
_ANY_RELEASE = re.compile(rf"(?P<number>{FIRST_DIGIT}[0-9]*(?:\.[0-9]+)*)\.[xX](?!\w)")
_RELEASE = re.compile(rf"(?P<number>{FIRST_DIGIT}[0-9]?\.[0-9]{{1,2}})(?![\w%]|[.,/:-]?[0-9])")
_ISBN = re.compile(
    r"\b(?P<name>ISBN|ISSN)(?P<kind>-1[03])?(?P<colon>:?)[ ]"
    r"(?P<number>[0-9][0-9 -]{6,18}[0-9Xx])(?!\w)"
)
_CARD = re.compile(
    rf"(?P<number>{FIRST_DIGIT}[0-9]{{3}}(?P<gap>[ -])[0-9]{{4}}(?P=gap)[0-9]{{4}}(?P=gap)"
    r"[0-9]{1,4})(?![ -]?[0-9]|\w)"
)
_SOCIAL = re.compile(rf"(?P<number>{FIRST_DIGIT}[0-9]{{2}}-[0-9]{{2}}-[0-9]{{4}})(?!-?\w)")
_HEXADECIMAL = re.compile(r"0(?<!\w0)[xX](?P<digits>[0-9a-fA-F]{1,32})(?!\w)")
_STATE_BEFORE = re.compile(r",[ ](?:[A-Z]{2}|[A-Z][a-z]+(?:[ ][A-Z][a-z]+)?)[ ]\Z")
_ZIP = re.compile(
    rf"(?P<zip>{FIRST_DIGIT}[0-9]{{4}})(?:-(?P<more>[0-9]{{4}}))?(?![\w%$€£]|[.,-]?[0-9])"
)

# Software whose versions are read as `three point eleven`.
_SOFTWARE = word_set(
    "python ubuntu ios ipados macos android java node django rails ruby php perl postgres "
    "postgresql mysql kernel swift kotlin scala debian fedora cuda pytorch version"
)
_LONG = 4
"""Parts of a version with at least so many digits are read digit by digit."""


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for numbers of books, cards and persons."""

    def isbn(match: re.Match[str]) -> str:
        groups = [group for group in re.split("[ -]", match["number"]) if group]
        digits = [_spell_mixed(numbers, group) for group in groups]
        kind = f" {numbers.cardinal(match['kind'][1:])}" if match["kind"] else ""
        return f"{match['name']}{kind}{match['colon']} {', '.join(digits)}"

    def card(match: re.Match[str]) -> str:
        return ", ".join(numbers.spelled(group) for group in re.split("[ -]", match["number"]))

    return (Rule(_ISBN, isbn), Rule(_CARD, card), Rule(_SOCIAL, card))


def version_rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for versions, IP addresses, hexadecimal numbers and ZIP codes."""

    def part(digits: str) -> str:
        return numbers.cardinal(digits) if len(digits) < _LONG else numbers.spelled(digits)

    def version(match: re.Match[str]) -> str:
        groups = match.groupdict()
        prefix = groups.get("v") or ""
        if prefix:
            prefix = "Version " if prefix[0] == "V" and len(prefix) > 2 else "version "
        words = " point ".join(part(digits) for digits in match["number"].split("."))
        letters = groups.get("letters")
        return prefix + words + (f" {letters}" if letters else "")

    def dotted(match: re.Match[str]) -> str:
        parts = match["number"].split(".")
        if match["v"] or not _is_internet_address(parts):
            return version(match)
        return " dot ".join(_octet(numbers, digits) for digits in parts)

    def release(match: re.Match[str]) -> str | None:
        return version(match) if word_before(match).lower() in _SOFTWARE else None

    def hexadecimal(match: re.Match[str]) -> str:
        return f"hex {_spell_mixed(numbers, match['digits'])}"

    def zip_code(match: re.Match[str]) -> str | None:
        if _STATE_BEFORE.search(text_before(match)) is None:
            return None
        words = numbers.spelled(match["zip"])
        return f"{words}, {numbers.spelled(match['more'])}" if match["more"] else words

    return (
        Rule(_ANY_RELEASE, lambda match: f"{version(match)} point X"),
        Rule(_DOTTED, dotted),
        Rule(_VERSION, version),
        Rule(_RELEASE, release),
        Rule(_HEXADECIMAL, hexadecimal),
        Rule(_ZIP, zip_code),
    )


def _is_internet_address(parts: list[str]) -> bool:
    return len(parts) == 4 and all(len(part) <= 3 and int(part) < 256 for part in parts)


def _octet(numbers: Numbers, digits: str) -> str:
    return numbers.cardinal(digits) if len(digits) < 3 else numbers.spelled(digits)


def _spell_mixed(numbers: Numbers, text: str) -> str:
    return " ".join(numbers.spelled(c) if c.isdigit() else c.upper() for c in text)
