"""Names with numbers: models, formulas, rooms, roads, houses."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import FIRST_DIGIT, word_before, word_set
from service.text.languages.english.normalization.numbers import Numbers, plural
from service.text.normalization.rules import Rule

_HOUSE = re.compile(
    rf"(?P<number>{FIRST_DIGIT}(?<![#$£€-][0-9])[0-9]{{2,3}})(?=[A-Z]?[ ](?:[NSEW]\.?[ ])?"
    r"(?:[A-Z0-9][\w'’]{0,24}[ ]){1,3}(?:Street|Avenue|Road|Boulevard|Drive|Lane|Court|Place"
    r"|Parkway|Highway|Square|Terrace|Way|Saint|St|Ave|Rd|Blvd|Ln)(?!\w))"
)
_NUMBERED_THING = re.compile(
    rf"(?P<number>{FIRST_DIGIT}[0-9]{{2,3}})(?=[A-Z]?(?![\w%]|[.,:/-]?[0-9]))"
)
_DASHED = re.compile(r"[0-9](?<![\w.][0-9])[0-9]*(?:-[0-9]+)+(?![\w])")
_LETTERS_FIRST = re.compile(
    r"[A-Za-z](?<![\w-][A-Za-z])[A-Za-z]*-?[0-9][A-Za-z0-9]*(?:-[A-Za-z]*[0-9][A-Za-z0-9]*)*(?!\w)"
)
_DIGITS_FIRST = re.compile(
    r"[0-9](?<![\w.,][0-9])[0-9]*[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z]*[0-9][A-Za-z0-9]*)*(?!\w)"
)
_DECIMAL_FIRST = re.compile(
    rf"(?P<number>{FIRST_DIGIT}[0-9]*\.[0-9]+)(?P<letters>[A-Za-z]{{1,3}})(?!\w)"
)
_RUN = re.compile(r"[A-Za-z]+|[0-9]+")

# Things whose numbers are read in pairs: `flight two eighteen`.
_NUMBERED_THINGS = word_set(
    "room suite apartment apt flight route highway interstate boeing airbus channel psalm "
    "porsche xbox hwy bus exit studio unit form"
)
_KNOWN = {"WW1": "World War one", "WW2": "World War two"}
_WORDS = word_set("to for and in of is by ish")
# Letters that would be read as a word: `CO2`.
_WORDS_IN_CAPITALS = word_set(
    "AM AN AS AT BE BY CO DO GO HE IF IN IS IT ME MY NO OF ON OR SO TO UP US WE"
)
_SHORT = 3
_MANY_RUNS = 6


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for names with numbers."""

    def house(match: re.Match[str]) -> str:
        return _apart(match, numbers.paired(match["number"]))

    def numbered_thing(match: re.Match[str]) -> str | None:
        word = word_before(match)
        if word == "US" or word.lower() in _NUMBERED_THINGS:
            return _apart(match, numbers.paired(match["number"]))
        return None

    def dashed(match: re.Match[str]) -> str:
        return ", ".join(numbers.spelled(group) for group in match[0].split("-"))

    def code(match: re.Match[str]) -> str:
        return say(numbers, match[0])

    return (
        Rule(_HOUSE, house),
        Rule(_NUMBERED_THING, numbered_thing),
        Rule(_DASHED, dashed),
        Rule(
            _DECIMAL_FIRST,
            lambda match: f"{numbers.decimal(match['number'])} {match['letters'].upper()}",
        ),
        Rule(_LETTERS_FIRST, code),
        Rule(_DIGITS_FIRST, code),
    )


def say(numbers: Numbers, code: str) -> str:
    """Return a name of ASCII letters, digits and hyphens in words: `F sixteen`."""
    if code in _KNOWN:
        return _KNOWN[code]
    runs = _RUN.findall(code)
    if len(runs) > _MANY_RUNS:
        return " ".join(
            numbers.spelled(character) if character.isdigit() else character.upper()
            for character in code
            if character != "-"
        )
    words: list[str] = []
    for index, run in enumerate(runs):
        if run.isdigit():
            words.append(_number(numbers, run))
        elif run == "s" and index > 0 and index == len(runs) - 1:
            words[-1] = plural(words[-1])
        elif run in _WORDS_IN_CAPITALS:
            words += run
        elif run.islower() and len(run) <= _SHORT and run not in _WORDS:
            words.append(run.upper())
        else:
            words.append(run)
    # Before a space, a leading `A` would be read as the article.
    return "-".join((words[0], " ".join(words[1:]))) if words[0] == "A" else " ".join(words)


def _number(numbers: Numbers, digits: str) -> str:
    if len(digits) > 4:
        return numbers.spelled(digits)
    return numbers.cardinal(digits) if len(digits) < 3 else numbers.paired(digits)


def _apart(match: re.Match[str], words: str) -> str:
    """Return the words, with a space if a letter follows."""
    return words + (" " if match.string[match.end() : match.end() + 1].isalpha() else "")
