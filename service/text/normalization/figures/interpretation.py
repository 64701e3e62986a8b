"""Write text of a known kind as words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from service.text.markup.passages import Interpretation
from service.text.normalization.figures.language import FigureLanguage
from service.text.normalization.locale import Agreement, Suffix
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText

_DATE_PARTS = re.compile(r"[0-9]+")
_TIME = re.compile(
    r"(?P<hour>[0-9]{1,2})(?:[:h.](?P<minute>[0-5][0-9])(?:[:.](?P<second>[0-5][0-9]))?)?"
    r"(?:\s?(?P<half>[ap])\.?m\.?)?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"([0-9]{1,4})\W{0,2}\w{0,4}")
_SHORT_YEARS_TURN_AT = 50


def interpret(
    figures: FigureLanguage, text: str, interpretation: Interpretation, detail: str
) -> str | None:
    """Return the words for a text of a known kind, None if it is not of that kind.

    Args:
        figures: the writers of the language.
        text: any cleaned text.
        interpretation: the kind.
        detail: for a date the order of its parts, such as `dmy`; for an ordinal `f` if it is
            feminine; for money the code of the currency, if the text has none.
    """
    return _KINDS[interpretation](figures, text.strip(), detail)


def _cardinal(figures: FigureLanguage, text: str, detail: str) -> str | None:
    sign, digits = "", text
    if text[:1] in ("-", "\u2212", "+"):
        sign, digits = figures.locale.signs["+" if text[0] == "+" else "-"] + " ", text[1:]
    numerals = figures.numerals
    if re.fullmatch(numerals.pattern, digits):
        number = numerals.parse(digits)
        whole = number.integer.lstrip("0") or "0"
        return sign + numerals.say(number._replace(integer=whole))
    return None


def _ordinal(figures: FigureLanguage, text: str, detail: str) -> str | None:
    match = _ORDINAL.fullmatch(text)
    if match is None:
        return None
    is_feminine = detail.lower().startswith("f")
    agreement = Agreement.FEMININE if is_feminine else Agreement.MASCULINE
    return figures.numerals.ordinal(int(match[1]), Suffix(agreement))


def _digits(figures: FigureLanguage, text: str, detail: str) -> str | None:
    groups = re.findall(r"[0-9]+", text)
    if not groups or re.search(r"[^\W\d_]", text):
        return None
    return ", ".join(figures.numerals.digits(group) for group in groups)


def _characters(figures: FigureLanguage, text: str, detail: str) -> str | None:
    names: list[str] = []
    for character in text:
        upper = character.upper()
        if character.isspace():
            continue
        if unicodedata.category(character).startswith("M") and names:
            names[-1] += character
        elif "A" <= upper <= "Z" and len(upper) == 1:
            names.append(figures.locale.letters[ord(upper) - ord("A")])
        elif "0" <= character <= "9":
            names.append(figures.numerals.cardinal(int(character)))
        else:
            names.append(figures.locale.characters.get(character, character))
    return " ".join(names) or None


def _date(figures: FigureLanguage, text: str, detail: str) -> str | None:
    parts = _DATE_PARTS.findall(text)
    order = detail.lower() or ("ymd" if parts and len(parts[0]) == 4 else "dmy")
    if len(parts) != len(order) or re.search(r"[^\W\d_]", text):
        return _rewritten(figures, text)
    named = dict(zip(order, parts, strict=True))
    year = named.get("y", "")
    if len(year) == 2:
        year = f"{20 if int(year) < _SHORT_YEARS_TURN_AT else 19}{year}"
    month, day = int(named.get("m", "0")), int(named.get("d", "0"))
    says: dict[str, Callable[[], str | None]] = {
        "dmy": lambda: figures.calendar.say(year, month, day),
        "my": lambda: figures.calendar.say_month(year, month),
        "dm": lambda: figures.calendar.say_day(month, day),
        "y": lambda: figures.numerals.year(year),
        "d": lambda: figures.numerals.cardinal(day),
    }
    say = says.get("".join(sorted(order)))
    return None if say is None else say()


def _time(figures: FigureLanguage, text: str, detail: str) -> str | None:
    match = _TIME.fullmatch(text)
    if match is None or int(match["hour"]) > 24 or not (match["minute"] or match["half"]):
        return _unit(figures, text, detail)
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    second = int(match["second"]) if match["second"] else None
    return figures.clock.say(hour, int(match["minute"] or 0), second)


def _telephone(figures: FigureLanguage, text: str, detail: str) -> str | None:
    number, _, inner = text.partition(" x")
    if not re.search("[0-9]", number) or re.search(r"[^\W\d_]", number + inner):
        return None
    said = figures.telephone.say(number)
    return f"{said}, {figures.numerals.digits(inner)}" if inner else said


def _currency(figures: FigureLanguage, text: str, detail: str) -> str | None:
    currency = figures.locale.currencies.get(detail.upper())
    if currency is not None and re.fullmatch(figures.numerals.pattern, text):
        return figures.amounts.money(figures.numerals.parse(text), currency)
    return _rewritten(figures, text)


def _rewritten(figures: FigureLanguage, text: str) -> str | None:
    """Return the text after the rules, None if they do not change it."""
    words = rewrite(TracedText(text), figures.rules).text
    return None if words == text else words


def _unit(figures: FigureLanguage, text: str, detail: str) -> str | None:
    return _rewritten(figures, text)


def _fraction(figures: FigureLanguage, text: str, detail: str) -> str | None:
    return _rewritten(figures, text.replace("+", " ").strip())


_KINDS: dict[Interpretation, Callable[[FigureLanguage, str, str], str | None]] = {
    "cardinal": _cardinal,
    "ordinal": _ordinal,
    "digits": _digits,
    "characters": _characters,
    "date": _date,
    "time": _time,
    "telephone": _telephone,
    "currency": _currency,
    "unit": _unit,
    "fraction": _fraction,
    "duration": _unit,
    "address": lambda figures, text, detail: None,
}
