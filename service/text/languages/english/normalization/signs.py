"""Signs between words, and remaining signs next to numbers, which are words by now."""

from __future__ import annotations

import re
import unicodedata

from service.text.languages.english.normalization.notation import word_set
from service.text.normalization.rules import Rule

_NUMBER_SIGN = re.compile(r"#[ ]?(?=[0-9])")
_AMPERSAND = re.compile(r"(?P<before>[ ]?)&(?!\w{1,8};|#)(?P<after>[ ]?)")
_SLASH = re.compile(r"(?<=\w)(?:/|[ ]/[ ])(?=\w)")
_PLUS = re.compile(r"(?P<before>[ ]?)\+(?:[ ]?\+){0,8}(?P<after>[ ]?)")
_EQUALS = re.compile(r"(?<=\S)[ ]=[ ](?=\S)|(?<=\w)=(?=\w)")
_CARET = re.compile(r"\^(?<=[^\W_]\^)(?=[^\W_])")
_LOW_LINE = re.compile(r"_(?<=[^\W_]_)_*(?=[^\W_])")
_AT = re.compile(r"@(?<!\S@)[ ]?(?=\w)")
_SIGN = re.compile(r"[%‰°©€£¥₹₿¢$×÷≈≠≤≥±∞√]")

# Not inside a Greek word.
_GREEK = re.compile(r"(?<![\u0370-\u03ff\u1f00-\u1fff])[Α-ΡΣ-Ωα-ω](?![\u0300-\u03ff\u1f00-\u1fff])")

_NAMES = {
    "%": "percent",
    "‰": "per thousand",
    "°": "degrees",
    "©": "copyright",
    "€": "euros",
    "£": "pounds",
    "¥": "yen",
    "₹": "rupees",
    "₿": "bitcoins",
    "¢": "cents",
    "$": "dollars",
    "×": "times",
    "÷": "divided by",
    "≈": "is about",
    "≠": "is not equal to",
    "≤": "is at most",
    "≥": "is at least",
    "±": "plus or minus",
    "∞": "infinity",
    "√": "square root of",
}
_BECOME_WORDS = frozenset(_NAMES) | frozenset("&+")
# Word pairs with `or` between them. Between all other words the rule writes `slash`.
_ALTERNATIVES = word_set(
    "he/she she/he him/her her/him his/her her/his his/hers men/women man/woman yes/no "
    "true/false either/or on/off male/female mother/father father/mother boy/girl boys/girls"
    "day/night"
)
_PER = re.compile(
    r"/(?<=\w/)(?P<unit>yr|mo|hr|wk|year|month|week|day|night|hour|minute|person|user)(?!\w)"
)
_UNITS = {"yr": "year", "mo": "month", "hr": "hour", "wk": "week"}
_INITIALS = re.compile(r"\b(?P<first>[A-Z])/(?P<second>[A-Z])(?![\w/])")
_PAIR = re.compile(r"\b(?P<first>[A-Za-z]{2,7})/(?P<second>[A-Za-z]{2,7})(?![\w/])")


def number_sign_rules() -> tuple[Rule, ...]:
    """Return the rule for `#` before a number."""
    return (Rule(_NUMBER_SIGN, lambda match: "number "),)


def rules() -> tuple[Rule, ...]:
    """Return the rules for signs."""
    # Signs that become words come first, because the signs next to them depend on that.
    return (
        Rule(_SIGN, _sign),
        Rule(_GREEK, _greek),
        Rule(_AMPERSAND, _ampersand),
        Rule(_PLUS, _plus),
        Rule(_EQUALS, lambda match: " equals "),
        Rule(_AT, lambda match: "at "),
        Rule(_CARET, lambda match: " to the power of "),
        Rule(_LOW_LINE, lambda match: " "),
        Rule(_PER, lambda match: f" per {_UNITS.get(match['unit'], match['unit'])}"),
        Rule(_INITIALS, lambda match: f"{match['first']} {match['second']}"),
        Rule(_PAIR, _pair),
        Rule(_SLASH, lambda match: " slash "),
    )


def _pair(match: re.Match[str]) -> str | None:
    if match[0].lower() == "and/or":
        return f"{match['first']} {match['second']}"
    if match[0].lower() in _ALTERNATIVES:
        return f"{match['first']} or {match['second']}"
    return None


def _ampersand(match: re.Match[str]) -> str | None:
    text = match.string
    if text[max(0, match.start() - 2) : match.end() + 1] == "AT&T":
        return None
    return _apart(match, "and")


def _plus(match: re.Match[str]) -> str | None:
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    if not before.isalnum() and not after.isalnum():
        return None
    return _apart(match, " ".join(["plus"] * match[0].count("+")))


def _sign(match: re.Match[str]) -> str:
    return _apart(match, _NAMES[match[0]])


def _greek(match: re.Match[str]) -> str:
    name = unicodedata.name(match[0]).rpartition(" ")[2].lower()
    return _apart(match, "lambda" if name == "lamda" else name)


def _apart(match: re.Match[str], words: str) -> str:
    """Return the words, with a space on each side that touches a letter."""
    before = match.string[match.start() - 1 : match.start()] if match.start() else ""
    after = match.string[match.end() : match.end() + 1]
    groups = match.groupdict()
    left = " " if groups.get("before") or _is_word(before) else ""
    right = " " if groups.get("after") or _is_word(after) else ""
    return left + words + right


def _is_word(character: str) -> bool:
    """Tell whether a character belongs to a word or becomes one."""
    return character.isalnum() or (character != "" and character in _BECOME_WORDS)
