"""The rules of a language, in order."""

from __future__ import annotations

import re

from service.text.normalization import formulas, stars
from service.text.normalization.emoji import PictureWords
from service.text.normalization.figures import (
    abbreviations,
    chains,
    codes,
    counts,
    labels,
    meanings,
    measures,
    pairs,
    romans,
    weekdays,
)
from service.text.normalization.figures.amounts import Amounts
from service.text.normalization.figures.arithmetic import Arithmetic
from service.text.normalization.figures.dates import Calendar
from service.text.normalization.figures.formulas import formula_words
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.figures.telephones import Telephone
from service.text.normalization.figures.times import Clock
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule, Write

# Most characters between the start of a line and its first word.
_LONGEST_OPENING = 8
_LINE_START = re.compile(r"(?:\A|\n)[ \t\"'“«‘¿¡(\[*•-]*\Z")


class FigureLanguage:
    """The writers of each kind of figure, in one language."""

    def __init__(self, locale: Locale, pictures: PictureWords) -> None:
        self.locale = locale
        self.numerals = Numerals(locale)
        self.calendar = Calendar(locale, self.numerals)
        self.clock = Clock(locale, self.numerals)
        self.telephone = Telephone(locale, self.numerals)
        self.amounts = Amounts(locale, self.numerals)
        self.arithmetic = Arithmetic(locale, self.numerals)
        self.formulas = formula_words(locale, self.numerals, pictures)
        rules = (
            *abbreviations.chat_rules(locale),
            *labels.rules(locale, self.numerals),
            *((abbreviations.road_rule(),) if locale.ratio else ()),
            *formulas.rules(self.formulas),
            abbreviations.ampersand_rule(locale),
            *meanings.rules(locale),
            *weekdays.rules(locale),
            *(abbreviations.rules_before_numbers(locale) if locale.ratio else ()),
            *pairs.early_rules(locale, self.numerals, self.calendar),
            *self.calendar.rules(),
            counts.separation_rule(),
            *abbreviations.rules_before_numbers(locale),
            *self.telephone.rules(),
            *pairs.rules(locale, self.numerals),
            *self.clock.rules(),
            *chains.rules(locale, self.numerals),
            *codes.rules(locale, self.numerals),
            *counts.ordinal_rules(locale, self.numerals),
            *measures.rules(locale, self.numerals, self.amounts.unit),
            *self.arithmetic.half_rules(),
            *self.amounts.rules(),
            *self.arithmetic.rules(),
            *counts.rules(locale, self.numerals),
            *abbreviations.rules(locale),
            *romans.rules(locale, self.numerals),
        )
        self.rules = tuple(Rule(rule.pattern, _starting_line(rule.write)) for rule in rules)
        """The rules, with those for plain numbers last."""


def _starting_line(write: Write) -> Write:
    """Return a function that writes the same, with a capital at the start of a line.

    A line that starts with a lower-case letter would be read as a continuation of the line before.
    """

    def write_capital(match: re.Match[str]) -> str | None:
        written = write(match)
        if (
            not written
            or match[0][0].islower()
            or not _LINE_START.search(
                match.string, max(0, match.start() - _LONGEST_OPENING), match.start()
            )
        ):
            return written
        return written[0].upper() + written[1:]

    return write_capital


def unmarked_rules(locale: Locale) -> tuple[Rule, ...]:
    """Return the rules for stars that are left when markup is gone, before those for addresses."""
    times, power = (f" {locale.operators[sign]} " for sign in "*^")
    return stars.rules(stars.StarWords(times, f"{power}{{}}", f" {locale.stars}"))
