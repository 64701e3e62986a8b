"""Figures that remain after text normalization, such as the superscript of `note¹`."""

from __future__ import annotations

import re
from typing import NamedTuple

from num2words import num2words

_NUMERAL = re.compile(
    "(?P<minus>-?)(?P<figures>[0-9.]*[0-9][0-9.]*)(?P<suffix>ing|'d|ed|'s|st|nd|rd|th|s)?"
)
_ORDINAL = ("st", "nd", "rd", "th")


class Numeral(NamedTuple):
    """A number in words.

    Attributes:
        words: the words that it is read as.
        suffix: the suffix of the figures; empty if the words include it.
    """

    words: list[str]
    suffix: str


def parse(text: str, *, opens: bool) -> Numeral | None:
    """Return a numeral in words, None if the text is not a number.

    Args:
        text: figures with the digits 0 to 9.
        opens: whether they start a word. Inside a word they are more likely a name than an amount,
            so long ones are read in parts.
    """
    match = _NUMERAL.fullmatch(text)
    if match is None or (match["minus"] and not opens):
        return None
    figures, suffix = match["figures"], match["suffix"] or ""
    words = ["minus"] if match["minus"] else []
    if figures.isdecimal() and suffix in _ORDINAL:
        return Numeral([*words, *_split(num2words(int(figures), to="ordinal"))], "")
    if figures.isdecimal() and len(figures) == 4 and not words:
        words = _split(num2words(int(figures), to="year"))
    elif opens and figures.count(".") < 2:
        words += _amount(figures)
    elif "." in figures:
        for part in filter(None, figures.split(".")):
            words += _version(part)
    else:
        words += _name(figures)
    return Numeral(words, "" if suffix in _ORDINAL else suffix)


def _amount(figures: str) -> list[str]:
    if figures.startswith("."):
        return ["point", *_one_by_one(figures[1:])]
    return _split(num2words(float(figures) if "." in figures else int(figures)))


def _name(figures: str) -> list[str]:
    """Return figures as they are read inside a word: `747` as `seven forty-seven`."""
    if figures[0] == "0" or len(figures) > 3:
        return _one_by_one(figures)
    if len(figures) < 3 or figures.endswith("00"):
        return _split(num2words(int(figures)))
    rest = ["O", *_one_by_one(figures[2])] if figures[1] == "0" else _cardinal(figures[1:])
    return [*_one_by_one(figures[0]), *rest]


def _version(figures: str) -> list[str]:
    """Return figures between points in words."""
    is_round = len(figures) == 2 or not figures[1:].strip("0")
    return _cardinal(figures) if figures[0] != "0" and is_round else _one_by_one(figures)


def _one_by_one(figures: str) -> list[str]:
    return [word for figure in figures for word in _cardinal(figure)]


def _cardinal(figures: str) -> list[str]:
    return _split(num2words(int(figures)))


def _split(words: str) -> list[str]:
    """Return the words without `and`, which Americans leave out."""
    return [word for word in re.split("[^a-z]+", words) if word != "and"]
