"""Sets of tennis: `6-4, 7-6(4)`."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    text_after,
    text_before,
    word_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_SET = r"[0-7][-–][0-7](?![-–/.:]?[0-9])(?:[ ]?\([0-9]{1,2}(?:[-–][0-9]{1,2})?\))?"
_SETS = re.compile(
    rf"[0-7](?<![\w.,/:$€£#–-][0-7])(?<=[0-7])[-–](?P<rest>[0-7](?![-–/.:]?[0-9])"
    rf"(?:[ ]?\([0-9]{{1,2}}(?:[-–][0-9]{{1,2}})?\))?"
    rf"(?:(?:,[ ](?:and[ ])?|[ ](?:and[ ])?){_SET}){{0,4}})"
    r"(?P<decider>,[ ]\[[0-9]{1,2}[-–][0-9]{1,2}\])?(?!\w|%|[ ]?[-–][ ]?[0-9])"
)
_ONE_SET = re.compile(
    r"(?P<own>[0-7])[-–](?P<other>[0-7])(?P<tie>[ ]?\((?P<points>[0-9]{1,2}(?:[-–][0-9]{1,2})?)\))?"
)
_PAIR = re.compile(r"([0-9]{1,2})[-–]([0-9]{1,2})")
_TENNIS = re.compile(
    r"\b(?:sets?|beat|beats|won|wins?|lost|loses?|def|defeat(?:ed|s)?|match|tie-?break(?:er)?s?"
    r"|led|leads|leading|trail(?:s|ed|ing)|straight|semifinals?|final|doubles|singles|tennis)\b"
)
_DEFEATED = re.compile(
    r"(?<=[a-z][ ])(?:d|def)\.(?=[ ](?:[A-Z][\w.'’-]*[ ]){1,3}[0-7][-–][0-7](?![0-9]))"
)

_LABELS = word_set("figure figures table tables page pages chapter section grades ages items rows")


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for sets. They come before those for ranges."""

    def sets(match: re.Match[str]) -> str | None:
        written = match[0]
        if word_before(match).lower() in _LABELS:
            return None
        pairs = [(int(s["own"]), int(s["other"])) for s in _ONE_SET.finditer(written)]
        has_tie = "(" in written
        if not _is_match(pairs, has_tie=has_tie, around=text_before(match) + text_after(match)):
            return None
        said = _ONE_SET.sub(one_set, written)
        return _PAIR.sub(lambda pair: f"{count(pair[1])} {count(pair[2])}", said)

    def one_set(match: re.Match[str]) -> str:
        words = f"{games(match['own'])} {games(match['other'])}"
        if match["points"] is None:
            return words
        points = re.split("[-–]", match["points"])
        return f"{words} ({' '.join(map(count, points))})"

    def games(number: str) -> str:
        return "love" if number == "0" else count(number)

    def count(number: str) -> str:
        return numbers.cardinal(number)

    return (
        Rule(_DEFEATED, lambda match: "defeated"),
        Rule(_SETS, sets),
    )


def _is_match(pairs: list[tuple[int, int]], *, has_tie: bool, around: str) -> bool:
    """Tell whether pairs of numbers are sets and not ranges, which rise."""
    if not _is_set(*pairs[0]) or not all(map(_may_be_set, pairs)):
        return False
    if len(pairs) == 1:
        is_tie = has_tie and set(pairs[0]) == {6, 7}
        return is_tie and (pairs[0] == (7, 6) or _TENNIS.search(around) is not None)
    falls = any(own > other for own, other in pairs)
    return falls or _TENNIS.search(around) is not None


def _is_set(own: int, other: int) -> bool:
    low, high = sorted((own, other))
    return (high == 6 and low < 5) or (high == 7 and low in (5, 6))


def _may_be_set(pair: tuple[int, int]) -> bool:
    """Tell whether a set may stand like this, finished or not: all but `7-2`."""
    return _is_set(*pair) or max(pair) < 7
