"""Abbreviations of weekdays, where what is beside them makes them certain."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import (
    DASH,
    SPACE,
    STOP,
    WORD_AFTER,
    WORD_BEFORE,
    one_of,
)
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

_TIME = r"(?:[01]?[0-9]|2[0-4])(?:[:h.][0-5][0-9]|[ ]?[hH](?![^\W\d]))"
_AFTER_DATE = re.compile(r"[0-9][.,]?\Z|\b[0-9]{1,2}[ ](?:de[ ])?[^\s\d.,]{3,12}\.?[ ]?\Z")
_OPEN = (
    "chius|apert|cerrad|abiert|fechad|abert|ferm|ouvert|geschlossen|geöffnet"
    "|ruhetag|riposo|descanso"
)
_LONGEST_DATE = 24
"""Characters before a bracket in which a date may be."""


def rules(locale: Locale) -> tuple[Rule, ...]:
    """Return the rules for weekdays; none if the language has no abbreviations for them."""
    names = locale.weekday_abbreviations
    if not names:
        return ()
    forms = {**names, **{short.capitalize(): full for short, full in names.items()}}
    day = rf"{WORD_BEFORE}(?:{one_of(forms)})(?:\.(?!{STOP})|(?!\.\w)){WORD_AFTER}"
    clear = [short for short in forms if short.lower() not in locale.ambiguous_weekdays]
    certain = one_of(clear)
    links = "|".join(re.escape(link) for link in locale.weekday_links)
    link = (
        rf"(?:,{SPACE}?(?:(?:{links}){SPACE})?|{SPACE}?(?:{DASH}|/){SPACE}?"
        rf"|{SPACE}(?:{links}){SPACE})"
    )
    end = rf"(?!{locale.not_weekdays})" if locale.not_weekdays else ""
    row = re.compile(rf"{day}(?:{link}{day})+{end}")
    in_row = re.compile(
        rf"(?P<day>{one_of(forms)})\.?{WORD_AFTER}|(?P<dash>{SPACE}?{DASH}{SPACE}?)|(?P<slash>/)"
    )
    # A date, a time or a colon after it, or an article before its dot.
    months = one_of([*locale.months, *map(str.capitalize, locale.months)])
    shorts = one_of([short for each in locale.month_abbreviations for short in each])
    date_link = f"{re.escape(locale.date_link)}{SPACE}" if locale.date_link else ""
    beside = re.compile(
        rf"{WORD_BEFORE}(?P<day>{one_of(forms)})(?:\.,?|,)?"
        rf"(?={SPACE}(?:[0-9]{{1,2}}{SPACE}(?:{date_link})?(?:{months}){WORD_AFTER}|[0-9]{{1,2}}{SPACE}(?:{shorts})\b|{_TIME}))"
        rf"|(?:(?<=\n)|\A)(?P<label>{one_of(forms)})\.?(?={SPACE}?:{SPACE})"
        rf"|(?<=[^\W\d_]{SPACE})(?P<dotted>{certain})\.(?!{STOP})(?={SPACE}[0-9a-zà-ÿ])"
        rf"|(?<=[ ])(?:(?<=chiuso )|(?<=cerrado )|(?<=fechado )|(?<=fermé )|(?<=geschlossen ))"
        rf"(?P<closed>{one_of(forms)})\.?(?![\w.])"
        rf"|{WORD_BEFORE}(?P<open>{one_of(forms)})\.?(?={SPACE}(?:{_OPEN}))"
        rf"|(?<=[^\W\d_]{SPACE})(?P<numbered>{one_of(forms)})\.(?={SPACE}[0-9])"
    )
    bracketed = re.compile(rf"(?<=[(\[])(?P<day>{one_of(forms)})\.?(?=[)\]]|,{SPACE}[0-9])")

    def write_row(match: re.Match[str]) -> str:
        def write_part(part: re.Match[str]) -> str:
            if part["day"]:
                return forms[part["day"]]
            return ", " if part["slash"] else f" {locale.range_word} "

        return in_row.sub(write_part, match[0])

    def write(match: re.Match[str]) -> str:
        return forms[match[match.lastgroup or 0]]

    def write_bracketed(match: re.Match[str]) -> str | None:
        is_clear = match["day"] in clear or match[0].endswith(".")
        before = match.string[max(0, match.start() - _LONGEST_DATE) : match.start() - 1].rstrip()
        return forms[match["day"]] if is_clear or _AFTER_DATE.search(before) else None

    return Rule(row, write_row), Rule(beside, write), Rule(bracketed, write_bracketed)
