"""What only British texts write so: stones, times with a stop, scores of football."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.calendar import MONTH
from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_after,
    text_before,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_STONE = re.compile(
    rf"(?P<number>{FIRST_DIGIT}[0-9]{{0,2}}(?:\.[0-9])?½?)(?P<gap>[ ]?)st(?P<dot>\.)?(?!\w)"
)
_WEIGHT_BEFORE = re.compile(
    r"\b(?:weigh\w*|lost|lose[sd]?|gain\w*|shed\w*|heav\w+|under|over|weight|dropped)\b",
    re.IGNORECASE,
)
_POUNDS_NEXT = re.compile(r"[ ]?[0-9]{1,2}½?[ ]?(?:lbs?|pounds)(?!\w)")

_HOUR = r"(?:[01]?[0-9]|2[0-3])"
_STOPPED = re.compile(
    r"(?P<hour>[0-9](?<![\w.,:/$£€#-][0-9])[0-9]?)\.(?P<minute>[0-5][0-9])"
    rf"(?P<more>(?P<dash>[ ]?[-–][ ]?|[ ](?:to|and|until|till|or|for)[ ]){_HOUR}\.[0-5][0-9])?"
    r"(?![\w%°]|[.,:/-]?[0-9])"
)
_TIME_BEFORE = re.compile(
    r"(?:\b(?:at|by|until|till|before|after|around|about|since|from|between|past)"
    r"|(?:[Kk]ick-?off|[Dd]oors|[Ll]unch|[Dd]inner|[Bb]reakfast|[Tt]ea|[Ss]upper|[Mm]eeting|[Ss]tart\w*"
    r"|[Oo]pen\w*|[Cc]los\w+|[Cc]heck-in|[Aa]rriv\w+|[Dd]epart\w*|[Ll]eav\w+|[Ss]ervice|[Tt]ime|[Tt]rain"
    r"|[Cc]oach|[Bb]us|[Mm]atch|[Mm]atins|[Ee]vensong|[Mm]ass|[Cc]urtain up"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
    r"(?:[ ]is|[ ]was|:|,|[ ]at)?)[ ]\Z"
)
_SOME_BEFORE = re.compile(r"\b(?:by|before|after|around|about|since|from|between|past)[ ]\Z")
_TRAIN_BEFORE = re.compile(r"\b[Tt]he[ ]\Z")
_TRAIN_NEXT = re.compile(
    r"[ ](?:to|from|train|bus|service|flight|ferry|for|departure|sailing|coach)(?!\w)"
)
_NO_TIME_NEXT = re.compile(
    r"[ ]?(?:%|per[ ]?cent|points?|metres?|m|km|kg|kilos?|g|l|litres?|miles?|seconds?|s|hours?|hrs?"
    r"|minutes?|million|billion|bn|thousand|each|apiece|inches|inch|feet|ft|pounds|pence|euros?|dollars?|times"
    r"|degrees|an?[ ](?:share|unit|head|kilo|litre|barrel|ounce|point|piece|tonne)|in[ ](?:the[ ])?"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December))(?!\w)"
)
_NO_TIME_BEFORE = re.compile(
    r"\b(?:trad\w+|stands?|stood|valued?|priced?|shares?|sold|rates?|rated|ratio|measured|pegged"
    r"|inflation|index|FTSE|yields?|peak\w*|fell|rose|pound|sterling|dollar|euro|average\w*|score[sd]?"
    r"|section|version|chapter|paragraph|figure|pH|magnitude|odds)\b"
)
# `from 1.25 to 2.75`: no time has such minutes.
_NUMBER_NEXT = re.compile(r"[ ]?(?:[-–]|to|and|or)[ ]?[0-9]+\.[0-9]")

_SCORE = re.compile(
    r"(?P<home>[0-9](?<![\w.,:/$£€#–-][0-9])[0-9]?)[-–](?P<away>[0-9]{1,2})(?![\w%°]|[-–.,:/]?[0-9])"
)
_RESULT_BEFORE = re.compile(
    r"\b(?:won|wins?|winning|lost|loses?|losing|beat|beats|beaten|beating|drew|draw|draws|drawn|led"
    r"|leads?|leading|trail\w*|finish\w*|ended|ends|score[ds]?|scoreline|up|down|ahead|behind|defeat\w*"
    r"|victory|thrash\w*|hammer\w*|aggregate|penalties|half-time|full-time|were|was|stands|goalless"
    r"|edged|final|tie|made it|[Ss]core)\b[^.!?\n]{0,30}\Z",
)
_RESULT_NEXT = re.compile(
    r"[ ](?:up|down|ahead|behind|win|wins|victory|defeat|draw|loss|lead|on aggregate|on penalties"
    r"|at (?:half|full)[- ]time|away|at home|thriller|winners|to (?:the )?[A-Z])(?!\w)"
)
_TEAM_BEFORE = re.compile(r"(?:[A-Z][a-z]+|\b[A-Z]{2,4}),?[ ]\Z")
_TEAM_NEXT = re.compile(rf"[ ](?!{MONTH}(?!\w))[A-Z][A-Za-z]+")
_COUNTED_NEXT = re.compile(
    r"[ ](?:days?|weeks?|months?|years?|hours?|minutes?|people|times|per|points?|metres?|miles"
    r"|goals|spoons?|cups?|pages?|percent|majority|votes?)(?!\w)"
)
_RANGE_BEFORE = re.compile(
    r"\b(?:pages?|pp\.?|ages?|aged|chapters?|lines?|verses?|sections?|grades?|years?|figures?|tables?"
    r"|between|from|vote[ds]?|by|Section|Figure|Table|Chapter|Page|Pages|Ages|Psalm|Rooms?)[ ]\Z"
)
_MOST_GOALS = 9
_DREW = re.compile(r"\bpenalties\b")


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for what British texts write so; none for American ones."""
    if not numbers.british:
        return ()

    def stone(match: re.Match[str]) -> str | None:
        number, after = match["number"], text_after(match)
        # `21st` is an ordinal, `15st` is not.
        is_ordinal = re.search(r"(?<!1)1\Z", number) is not None
        if (
            not match["gap"]
            and is_ordinal
            and not (_POUNDS_NEXT.match(after) or _WEIGHT_BEFORE.search(text_before(match)))
        ):
            return None
        ends = match["dot"] and re.match(r"\s*(?:\n|\Z)|\s+[A-Z]", after)
        return f"{number} stone{'.' if ends else ''}"

    def stopped(match: re.Match[str]) -> str | None:
        before, after = text_before(match), text_after(match)
        if int(match["hour"]) > 23 or _NO_TIME_NEXT.match(after) or _NO_TIME_BEFORE.search(before):
            return None
        if _NUMBER_NEXT.match(after):
            return None
        # `from 2.28` is a version; times are mostly full or whole fives.
        if _SOME_BEFORE.search(before) and int(match["minute"]) % 5 and not match["more"]:
            return None
        is_train = _TRAIN_BEFORE.search(before) and _TRAIN_NEXT.match(after)
        if not is_train and _TIME_BEFORE.search(before) is None:
            return None
        return f"{match['hour']}:{match['minute']}" + (match["more"] or "").replace(".", ":")

    def score(match: re.Match[str]) -> str | None:
        before, after = text_before(match), text_after(match)
        home, away = match["home"], match["away"]
        if _COUNTED_NEXT.match(after) or _RANGE_BEFORE.search(before):
            return None
        between = _TEAM_BEFORE.search(before) and _TEAM_NEXT.match(after)
        # `John 3-5` are chapters.
        home_wins = int(home) >= int(away)
        told = _RESULT_BEFORE.search(before) or _RESULT_NEXT.match(after)
        after_team = _TEAM_BEFORE.search(before) and re.match(r"\s*(?:\Z|[.!)\n])", after)
        small = max(int(home), int(away)) <= _MOST_GOALS
        if not (told or (small and between) or (small and home_wins and after_team)):
            return None
        if home == away and home != "0" and not _DREW.search(after):
            return f"{numbers.cardinal(home)} all"
        return f"{goals(home)} {goals(away)}"

    def goals(number: str) -> str:
        return "nil" if number == "0" else numbers.cardinal(number)

    return (
        Rule(_STONE, stone),
        Rule(_STOPPED, stopped),
        Rule(_SCORE, score),
    )
