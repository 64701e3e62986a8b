"""Text normalization for English."""

from __future__ import annotations

from functools import cache

from service.text.normalization import stars
from service.text.normalization.english import (
    abbreviations,
    acronyms,
    algebra,
    britishisms,
    cardinals,
    chat,
    clinical,
    clock,
    codes,
    dates,
    digit_strings,
    enumerations,
    fractions,
    identifiers,
    lengths_of_time,
    maths,
    money,
    programming,
    ranges,
    ranks,
    romans,
    shortenings,
    signs,
    slashes,
    spacing,
    standards,
    states,
    telephones,
    tennis,
    units,
    verses,
    years,
)
from service.text.normalization.english.interpretation import interpret
from service.text.normalization.english.numbers import Numbers
from service.text.normalization.rules import DIGITS, Rule, needing
from service.text.wordlist import WordList

__all__ = ["early_rules", "interpret", "rules", "unmarked_rules"]


@cache
def early_rules() -> tuple[Rule, ...]:
    """Return the rules for signs that markup and addresses also use."""
    return (
        *slashes.position_rules(),
        *algebra.latex_rules(),
    )


@cache
def unmarked_rules(*, british: bool) -> tuple[Rule, ...]:
    """Return the rules for signs that are left when markup is gone, before those for addresses."""
    lexicon = WordList.load("gb_gold" if british else "us_gold")
    return stars.rules(stars.StarWords(" times ", "^{}", " star", lexicon))


@cache
def rules(*, british: bool) -> tuple[Rule, ...]:
    """Return the rules for English, in the order in which they are applied.

    Compound things come before their parts: dates before years, years before numbers.
    """
    numbers = Numbers(british=british)
    return (
        *enumerations.rules(numbers),
        *programming.rules(),
        *needing(DIGITS, tennis.rules(numbers)),
        *standards.rules(numbers),
        *clinical.rules(),
        *needing(DIGITS, britishisms.rules(numbers)),
        *ranks.rules(numbers),
        *algebra.rules(numbers),
        *needing(DIGITS, maths.prefix_rules()),
        *needing(DIGITS, clock.short_rules()),
        *needing(DIGITS, lengths_of_time.rules(numbers)),
        *chat.rules(),
        *spacing.rules(),
        *states.rules(),
        *shortenings.rules(),
        *abbreviations.rules(numbers),
        *needing(DIGITS, digit_strings.rules(numbers)),
        *needing(DIGITS, dates.run_rules(numbers)),
        *slashes.rules(numbers),
        *dates.rules(numbers),
        *needing(DIGITS, identifiers.rules(numbers)),
        *needing(DIGITS, telephones.rules(numbers)),
        *needing(DIGITS, identifiers.version_rules(numbers)),
        *needing(DIGITS, verses.rules(numbers)),
        *needing(DIGITS, years.rules(numbers)),
        *needing(DIGITS, ranges.rules()),
        *needing(DIGITS, maths.sign_rules()),
        *needing(DIGITS, clock.rules(numbers)),
        *needing(DIGITS, money.rules(numbers)),
        *needing(DIGITS, maths.product_rules(numbers)),
        *units.rules(numbers),
        *fractions.rules(numbers),
        *maths.rules(numbers),
        *romans.rules(numbers),
        *needing(DIGITS, signs.number_sign_rules()),
        *needing(DIGITS, cardinals.ordinal_rules(numbers)),
        *needing(DIGITS, codes.rules(numbers)),
        *needing(DIGITS, cardinals.rules(numbers)),
        *signs.rules(),
        *acronyms.rules(),
    )
