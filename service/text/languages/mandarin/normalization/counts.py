"""Versions, Roman numerals and plain numbers."""

from __future__ import annotations

import re

from service.text.languages.mandarin.normalization.contexts import roman
from service.text.languages.mandarin.normalization.numbers import context, say_integer, say_number
from service.text.normalization.rules import Rule

_ROMAN = re.compile(r"(?<=第)(?=[IVX])X{0,3}(?:I[XV]|V?I{0,3})(?![A-Za-z])")

_LATIN_BEFORE = re.compile(r"[A-Za-z][ -]?\Z")
_LATIN_AFTER = re.compile(r"[ -]?[A-Za-z]")


def _version(match: re.Match[str]) -> str:
    return "点".join(map(say_integer, match[0].split(".")))


def _cardinal(match: re.Match[str]) -> str | None:
    before, after = context(match)
    if _LATIN_BEFORE.search(before) and _LATIN_AFTER.match(after):
        # Between English words. The English reader reads the number with them.
        return None
    return say_number(match[0], "" if before.endswith("第") else after)


VERSION = Rule(re.compile(r"(?<![\d.])\d{1,4}(?:\.\d{1,4}){2,5}(?![\d.])"), _version)

ROMAN = Rule(_ROMAN, lambda match: roman(match[0]))

CARDINAL = Rule(re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?"), _cardinal)
