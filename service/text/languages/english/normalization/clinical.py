"""Shorthand of doctors and pharmacists: `Pt`, `500 mg bid`, `prn pain`, `s/p`."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import text_after, text_before
from service.text.normalization.rules import Rule

_FREQUENCIES = {
    "bid": "twice a day",
    "tid": "three times a day",
    "qid": "four times a day",
    "qd": "once a day",
    "qod": "every other day",
    "qhs": "at bedtime",
    "qam": "every morning",
    "qpm": "every evening",
    "qwk": "once a week",
    "hs": "at bedtime",
    "ac": "before meals",
    "pc": "after meals",
    "po": "by mouth",
    "sl": "under the tongue",
    "sc": "subcutaneously",
    "sq": "subcutaneously",
    "subq": "subcutaneously",
    "prn": "as needed",
    "stat": "stat",
}
# Spelled with dots, no other word looks like these; the others need a dose before them.
_FREQUENCY = re.compile(
    rf"\b(?P<word>{'|'.join(_FREQUENCIES)}|{'|'.join(_FREQUENCIES).upper()}"
    r"|[bqt]\.i\.d|p\.r\.n|p\.o|q\.d|q\.h\.s)(?P<dot>(?<=\.[a-z])\.)?(?![\w’'-]|\.\w)"
)
_DOSE = (
    r"(?:[0-9½]|\b(?:one|two|three|half))[ -]?(?:m?c?g|µg|mL|ml|cc|IU|units?|tab(?:let)?s?"
    r"|cap(?:sule)?s?|puffs?|drops?|gtts?|sprays?|patch(?:es)?|pills?|doses?|tsp|tbsp|mEq|milligrams?|micrograms?"
    r"|milliliters?|grams?)\.?(?![\w])"
)
_ROUTES = (
    r"(?:by mouth|under the tongue|subcutaneously|IV|IM|PO|SL|every [a-z]+ hours?|q[0-9]{1,2}h"
    r"|(?:twice|once|three times|four times) a day|at bedtime|daily|before meals|after meals)"
)
_DOSED_BEFORE = re.compile(rf"(?:{_DOSE}(?:[ ][\w/]+){{0,2}}|{_ROUTES})[ ,]*\Z")
# These are words of their own: directly after the dose or its route.
_WORDS_TOO = frozenset(("bid", "ac", "pc", "hs", "po", "sc", "sl", "sq", "stat"))
_DIRECTLY_BEFORE = re.compile(rf"(?:{_DOSE}|{_ROUTES})[ ,]*\Z")
_OFFERED = re.compile(r"[ ](?:by|at|on|from|of|to|in|up|per|price|prices|higher|lower)(?!\w)")
_NEEDED_FOR = re.compile(r"[ ](?!for|if|or|and|with|at|by|not|per|only|to|when|but|the)[a-z]{3,}")
_TABLETS = re.compile(
    r"(?P<word>tab|cap)(?:(?<=[0-9½][ ]...)|(?<=one[ ]...)|(?<=two[ ]...))(?P<many>s?)\.?(?=[ ](?:"
    rf"{'|'.join(_FREQUENCIES)}|{'|'.join(_FREQUENCIES).upper()}|q[0-9]|daily|by mouth|twice|every)"
    r"(?!\w))"
)
_PATIENT = re.compile(
    r"(?<![\w/.-])(?P<word>[Pp]ts?)(?P<dot>\.)?(?=(?P<own>['’]s)?[ ](?P<next>[a-z][\w/]*))"
)
_PATIENT_GOES_ON = re.compile(
    r"(?:is|was|were|are|has|had|have|denie[sd]|deny|report(?:s|ed)?|c/o|presents?|presented"
    r"|states?|stated|will|with|tolerated?|did|does|seen|came|underwent|complain(?:s|ed)"
    r"|appears?|admits?|admitted|alert|who|on|receiving|received|reports|refused|remains"
    r"|discharged|needs|wants|to|can|may|should|took|takes|found|given|in|and|education|care"
    r"|safety|history)\Z"
)
_PATIENT_BEFORE = re.compile(
    r"\b(?:[Tt]he|[Tt]his|[Yy]our|[Mm]y|[Oo]ur|[Ee]ach|[Ee]very|[Aa]|for)[ ]\Z"
)
_SPANS = re.compile(
    r"(?<=[A-Za-z)][ ])[x×][ ]?(?=(?P<number>[0-9]{1,2})[ -]?(?:d|days?|w|wks?|weeks?|mos?|months?"
    r"|h|hrs?|hours?|y|yrs?|years?|min|mins|minutes)(?!\w))"
)
_COMPLAINS = re.compile(r"c/o(?=[ ][a-z0-9])")
_WHO_COMPLAINS = re.compile(
    r"\b(?:[Pp]atient|[Ss]?[Hh]e|M|F|male|female|man|woman|boy|girl|now|still|who|child|and)[ ]\Z"
)
_SLASHED = {
    "s/p": "status post",
    "h/o": "history of",
    "r/o": "rule out",
    "f/u": "follow-up",
    "d/c": "discontinue",
}
_SLASH = re.compile(rf"(?<![\w/.])(?P<word>{'|'.join(_SLASHED)})(?![\w/])", re.IGNORECASE)
_HEADS = {
    "Dx": "Diagnosis",
    "Rx": "Prescription",
    "Tx": "Treatment",
    "Sx": "Symptoms",
    "Hx": "History",
    "PMHx": "Past medical history",
    "FHx": "Family history",
    "SHx": "Social history",
}
_HEAD = re.compile(rf"\b(?P<word>{'|'.join(_HEADS)})(?=:)")
_DIAGNOSED = re.compile(r"\b(?P<first>[Dd])x['’]?d?(?=[ ]with(?!\w))")


def rules() -> tuple[Rule, ...]:
    """Return the rules for clinical shorthand. They come before those for units and slashes."""
    return (
        Rule(_PATIENT, _patient),
        Rule(_COMPLAINS, _complains),
        Rule(_SPANS, lambda match: "for "),
        Rule(_SLASH, lambda match: _cased(match["word"], _SLASHED[match["word"].lower()])),
        Rule(_HEAD, lambda match: _HEADS[match["word"]]),
        Rule(_DIAGNOSED, lambda match: f"{match['first']}iagnosed"),
        Rule(_TABLETS, _tablets),
        Rule(_FREQUENCY, _frequency),
    )


def _cased(written: str, words: str) -> str:
    return words[0].upper() + words[1:] if written[0].isupper() else words


def _patient(match: re.Match[str]) -> str | None:
    before = text_before(match)
    is_many = match["word"].endswith("s")
    if before.rstrip()[-1:].isdigit():
        return None  # `20 pts`, `a 12 pt font`
    goes_on = _PATIENT_GOES_ON.match(match["next"]) is not None or match["own"] is not None
    if not goes_on or (
        match["word"][0].islower()
        and not _PATIENT_BEFORE.search(before)
        and not re.search(r"(?:\A|[.:;]\s)\Z", before)
        and not is_many
    ):
        return None
    return _cased(match["word"], "patients" if is_many else "patient")


def _complains(match: re.Match[str]) -> str | None:
    return "complains of" if _WHO_COMPLAINS.search(text_before(match)) else None


def _tablets(match: re.Match[str]) -> str:
    return ("tablet" if match["word"] == "tab" else "capsule") + match["many"]


def _frequency(match: re.Match[str]) -> str | None:
    word = match["word"].lower().replace(".", "")
    before, after = text_before(match), text_after(match)
    if "." not in match["word"]:
        pattern = _DIRECTLY_BEFORE if word in _WORDS_TOO else _DOSED_BEFORE
        if pattern.search(before) is None:
            return None
    if word == "bid" and _OFFERED.match(after):
        return None
    words = _FREQUENCIES[word]
    if word == "prn" and _NEEDED_FOR.match(after):
        words += " for"
    ends = match["dot"] and re.match(r"\s*(?:\n|\Z)|\s+[A-Z]", after)
    return words + ("." if ends else "")
