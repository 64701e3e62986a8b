"""Text normalization for the languages that espeak-ng reads: one set of rules over their tables."""

from __future__ import annotations

from functools import partial

from service.text.normalization.addresses import AddressWords
from service.text.normalization.emoji import PictureWords
from service.text.normalization.figures import abbreviations, labels
from service.text.normalization.figures.interpretation import interpret
from service.text.normalization.figures.language import FigureLanguage, unmarked_rules
from service.text.normalization.locale import Locale
from service.text.normalization.normalizer import LanguageRules


def language_rules(
    locale: Locale, addresses: AddressWords, pictures: PictureWords
) -> LanguageRules:
    """Return the rules of a language, from its tables."""
    figures = FigureLanguage(locale, pictures)
    return LanguageRules(
        figures.rules,
        partial(interpret, figures),
        addresses,
        pictures,
        formulas=figures.formulas,
        unmarked=(
            *unmarked_rules(locale),
            abbreviations.inner_dot_rule(locale),
            *labels.pace_rules(locale, figures.numerals),
        ),
    )
