"""Versions, Roman numerals and plain numbers."""

from __future__ import annotations

import re

from service.text.languages.mandarin.normalization.numbers import context, say_integer, say_number
from service.text.normalization.rules import Rule

_ROMAN = re.compile(r"(?<=第)(?=[IVX])X{0,3}(?:I[XV]|V?I{0,3})(?![A-Za-z])")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10}

_LATIN_BEFORE = re.compile(r"[A-Za-z][ -]?\Z")
_LATIN_AFTER = re.compile(r"[ -]?[A-Za-z]")


def _version(match: re.Match[str]) -> str:
    return "点".join(map(say_integer, match[0].split(".")))


def _roman(match: re.Match[str]) -> str:
    values = [_ROMAN_DIGITS[letter] for letter in match[0]]
    # A smaller digit before a greater one is subtracted.
    value = sum(
        -here if here < following else here
        for here, following in zip(values, [*values[1:], 0], strict=True)
    )
    return say_integer(str(value))


def _cardinal(match: re.Match[str]) -> str | None:
    before, after = context(match)
    if _LATIN_BEFORE.search(before) and _LATIN_AFTER.match(after):
        # Between English words. The English reader reads the number with them.
        return None
    return say_number(match[0], "" if before.endswith("第") else after)


VERSION = Rule(re.compile(r"(?<![\d.])\d{1,4}(?:\.\d{1,4}){2,5}(?![\d.])"), _version)

ROMAN = Rule(_ROMAN, _roman)

CARDINAL = Rule(re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?"), _cardinal)
