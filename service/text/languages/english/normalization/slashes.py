"""Slashes and colons between numbers whose words around say what they are: steps, odds, innings."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.calendar import MONTHS
from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_after,
    text_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.date_parts import is_day
from service.text.normalization.rules import Rule

_PAIR = re.compile(
    rf"(?P<first>{FIRST_DIGIT}(?<!/[0-9])[0-9]{{0,3}})/(?P<second>[0-9]{{1,3}})(?![\w%/°]"
    rf"|[.,-][0-9])"
)
_STEP = re.compile(
    r"\b(?:step|part|page|slide|question|chapter|day|week|level|round|task|test|episode|phase|stage"
    r"|attempt|try|retry|lesson|section|tweet|thread|photo|image|item|completed?|done"
    r"|progress|passed|finished"
    r"|hp|downloaded|loading|processed)s?:?[ ]\Z",
    re.IGNORECASE,
)
_STEP_AFTER = re.compile(
    r"[ ](?:done|complete|completed|finished|passed|passing|tests|tasks|items|files"
    r"|steps|green|ready"
    r"|running|healthy|pods|checks|correct|right)(?!\w)"
)
_ALONE = re.compile(r"\(\Z")
_ODDS = re.compile(
    r"\b(?:odds|priced?|bet|bets|backed|favou?rite|won|starting|shortened|drifted"
    r"|opened|runner|returned|horse|each-way|bookies?|bookmaker)\b",
    re.IGNORECASE,
)
_ODDS_BEFORE = re.compile(
    r"\b(?:at|of|are|were|is|was|to|from|about)[ ](?:an?[ ])?\Z", re.IGNORECASE
)
_CRICKET = re.compile(
    r"\b(?:wickets?|overs?|stumps|innings|tea|lunch|lead|bowled|chas\w+|declared|dec"
    r"|all out|cricket|Test"
    r"|ODI|T20|India|England|Australia|Pakistan|Zealand|Africa|Indies|Lanka|Bangladesh"
    r"|batting|runs|close"
    r"|crease|at the toss|opener)\b"
)
_DECLARED = re.compile(
    r"(?P<and>[ ])dec\b\.?(?=\W|\Z)(?<=[a-z0-9] dec\.)|(?<=[a-z0-9])[ ]dec(?!\w)\.?"
)
_DUE = word_set(
    "due ends ended end starts started start begins began opens opened closes closed "
    "closing expires"
    " expired effective deadline ending starting beginning of arriving arrives "
    "leaving leaves departing"
    " back posted updated dated delivered shipped ships wed thu fri sat sun mon tue "
    "tues thurs monday"
    " tuesday wednesday thursday friday saturday sunday date this next the born dob week"
)
_DUE_BEFORE = re.compile(r"\b(?P<word>[A-Za-z]+)[:,.]?[ ](?:on[ ])?\Z")
_NOT_AFTER = re.compile(
    r"[ ](?:of|cup|cups|inch|inches|tsp|tbsp|teaspoons?|tablespoons?|mile|miles|pound"
    r"|pounds|lb|oz|full"
    r"|majority|vote|share|point|stars?|rating|major|scale)(?!\w)"
)
_COOKING = re.compile(
    r"(?P<above>1)/(?P<below>2|4)(?<![0-9/.,]1/.)(?<![0-9][ -]1/.)[ ](?P<unit>cup"
    r"|teaspoon|tablespoon|inch|pint|quart|gallon"
    r"|ounce|mile|pound|dozen|pack|bottle|hour)(?!\w)"
)
_ALWAYS_OPEN = re.compile(r"24(?<![\w/]24)/7/365(?![\w/])")
_LABELLED = re.compile(rf"(?P<number>{FIRST_DIGIT}[0-9]{{0,3}}):(?P<gap>[ ])(?=[0-9])")
_LABEL = re.compile(
    r"\b[A-Z][a-z]+[ ](?:No\.?[ ]|#)?\Z|\b(?:room|table|team|day|week|step|level"
    r"|question|group|line|item|task"
    r"|part|chapter|round|unit|lane|gate|player|option|test|sample|trial|year)[ ]#?\Z"
)
_RATIO_BEFORE = re.compile(r"\b(?:ratio|Mix|scale|Dilute|Score|Final)\b", re.IGNORECASE)
_POSITION = re.compile(
    r"(?P<file>[\w./\\-]{1,80}\.(?:py|js|ts|tsx|jsx|c|cc|cpp|h|hpp|rs|go|java|kt|rb"
    r"|php|cs|swift|sh|sql|css"
    r"|html|json|ya?ml|toml|md|txt|log|conf|xml|lua|scala|vue))(?<![\w.])?:(?P<line>[0-9]{1,6})"
    r"(?::(?P<column>[0-9]{1,4}))?(?![\w:])"
)


def position_rules() -> tuple[Rule, ...]:
    """Return the rule for places in files: `main.py:42:7`. The file name stays."""

    def position(match: re.Match[str]) -> str:
        column = f", column {match['column']}" if match["column"] else ""
        # Without a line, `ready.go` is the end of a sentence.
        file = re.sub(r"\.go\Z", " dot go", match["file"])
        return f"{file}, line {match['line']}{column}"

    return (Rule(_POSITION, position),)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for pairs of numbers. They come before dates and fractions."""

    def pair(match: re.Match[str]) -> str | None:
        first, second = match["first"], match["second"]
        before, after = text_before(match), text_after(match)
        if first[0] == "0" or second[0] == "0":
            return None
        low, high = int(first), int(second)
        if _NOT_AFTER.match(after):
            return None
        said = (numbers.cardinal(first), numbers.cardinal(second))
        if low <= high and (_STEP.search(before) or _STEP_AFTER.match(after)):
            return f"{said[0]} of {said[1]}"
        if low <= high and _ALONE.search(before) and after.startswith(")"):
            return f"{said[0]} of {said[1]}"
        if high <= 10 and low >= 20 and _CRICKET.search(match.string):
            return f"{said[0]} for {said[1]}"
        if _ODDS.search(before) and _ODDS_BEFORE.search(before):
            return f"{said[0]} to {said[1]}"
        return date(match)

    def date(match: re.Match[str]) -> str | None:
        month, day = match["first"], match["second"]
        if numbers.british:
            month, day = day, month
        if not is_day(int(month), int(day)):
            return None
        if (match["first"], match["second"]) in (("9", "11"), ("24", "7")):
            return None
        found = _DUE_BEFORE.search(text_before(match))
        if found is None or found["word"].lower() not in _DUE:
            return None
        # `this 1/2` and `the 1/4` are fractions.
        is_weak = found["word"].lower() in ("of", "the", "this", "next", "end", "start", "lead")
        if is_weak and (int(day) <= 12 and int(month) < int(day)):
            return None
        ordinal = numbers.ordinal(str(int(day)))
        name = MONTHS[int(month) - 1]
        return f"the {ordinal} of {name}" if numbers.british else f"{name} {ordinal}"

    def label(match: re.Match[str]) -> str | None:
        before = text_before(match)
        if _LABEL.search(before) is None or _RATIO_BEFORE.search(before):
            return None
        return f"{numbers.paired(match['number'])}: "

    def cooking(match: re.Match[str]) -> str:
        article = "an" if match["unit"] in ("inch", "ounce", "hour") else "a"
        if match["below"] == "2":
            return f"half {article} {match['unit']}"
        return f"a quarter {match['unit']}"

    def declared(match: re.Match[str]) -> str | None:
        if " for " not in text_before(match):
            return None
        return " declared" + (
            "." if match[0].endswith(".") and not text_after(match).strip() else ""
        )

    return (
        Rule(_ALWAYS_OPEN, lambda match: "twenty-four seven three sixty-five"),
        Rule(_COOKING, cooking),
        Rule(_PAIR, pair),
        Rule(_DECLARED, declared),
        Rule(_LABELLED, label),
    )
