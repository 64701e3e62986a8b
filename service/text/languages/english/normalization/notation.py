"""Patterns for numbers, and the words around them.

Patterns start with the digit and use lookbehind only after it, so places without a digit are
skipped quickly.
"""

from __future__ import annotations

import re

FIRST_DIGIT = r"[0-9](?<![\w.,][0-9])"
"""The first digit of a number."""

INTEGER = rf"{FIRST_DIGIT}[0-9]*(?:,[0-9]{{3}})*(?!,?[0-9])"
"""Digits, with or without commas at the thousands."""

NUMBER = rf"{INTEGER}(?:\.[0-9]+)?"
"""An integer or a decimal fraction."""

FURTHER_NUMBER = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?"
"""A number later in a pattern."""

MAGNITUDES = {
    "thousand": "thousand",
    "million": "million",
    "billion": "billion",
    "trillion": "trillion",
    "K": "thousand",
    "k": "thousand",
    "M": "million",
    "m": "million",
    "mn": "million",
    "mln": "million",
    "MM": "million",
    "B": "billion",
    "b": "billion",
    "bn": "billion",
    "Bn": "billion",
    "BN": "billion",
    "bln": "billion",
    "T": "trillion",
    "t": "trillion",
    "tn": "trillion",
    "trn": "trillion",
}
"""Powers of a thousand, as written after amounts of money."""


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, split at spaces."""
    return frozenset(words.split())


_REACH = 40
_LAST_WORD = re.compile(r"([^\W\d_]+)[.,]?[^\S\n]*\Z")
_NEXT_WORD = re.compile(r"[^\S\n]*([^\W\d_]+)")


def word_before(match: re.Match[str]) -> str:
    """Return the word directly before the match; empty if there is none."""
    start = match.start()
    found = _LAST_WORD.search(match.string[max(0, start - _REACH) : start])
    return found[1] if found else ""


def word_after(match: re.Match[str]) -> str:
    """Return the word directly after the match; empty if there is none."""
    found = _NEXT_WORD.match(match.string, match.end(), match.end() + _REACH)
    return found[1] if found else ""


def text_before(match: re.Match[str]) -> str:
    """Return the characters before the match, as many as rules need as context."""
    return match.string[max(0, match.start() - _REACH) : match.start()]


def text_after(match: re.Match[str]) -> str:
    """Return the characters after the match, as many as rules need as context."""
    return match.string[match.end() : match.end() + _REACH]


_WORD_NEXT = re.compile(r"(?:[ ](?P<word>[a-z]+(?:-[a-z]+)?)|-(?=[a-z]))")
# Words after an amount that does not describe a noun: not `a $5 fine`, but `a $5 that I owe`.
_FUNCTION_WORDS = word_set(
    "that which in for to from on at of and or is was he she we they it you a an the per each "
    "more less by as if when with into between so but than i not"
)
_DETERMINERS = word_set("a an the this another every my your his her its our their")


def describes(match: re.Match[str]) -> bool:
    """Tell whether an amount describes the noun after it: `a $5 bill`, `the $5-a-day plan`."""
    following = _WORD_NEXT.match(text_after(match))
    if following is None:
        return False
    if following["word"] is None:
        return True
    return word_before(match).lower() in _DETERMINERS and following["word"] not in _FUNCTION_WORDS
