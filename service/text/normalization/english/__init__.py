"""Text normalization for English."""

from __future__ import annotations

from functools import cache

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
from service.text.normalization.rules import Rule

__all__ = ["early_rules", "interpret", "rules"]


@cache
def early_rules() -> tuple[Rule, ...]:
    """Return the rules for signs that markup and addresses also use."""
    return (
        *slashes.position_rules(),
        *algebra.latex_rules(),
        *chat.censored_rules(),
    )


@cache
def rules(*, british: bool) -> tuple[Rule, ...]:
    """Return the rules for English, in the order in which they are applied.

    Compound things come before their parts: dates before years, years before numbers.
    """
    numbers = Numbers(british=british)
    return (
        *enumerations.rules(),
        *programming.rules(),
        *tennis.rules(numbers),
        *standards.rules(numbers),
        *clinical.rules(),
        *britishisms.rules(numbers),
        *ranks.rules(numbers),
        *algebra.rules(numbers),
        *maths.prefix_rules(),
        *clock.short_rules(),
        *lengths_of_time.rules(numbers),
        *chat.rules(),
        *spacing.rules(),
        *signs.section_sign_rules(),
        *states.rules(),
        *shortenings.rules(),
        *abbreviations.rules(numbers),
        *digit_strings.rules(numbers),
        *slashes.rules(numbers),
        *dates.rules(numbers),
        *identifiers.rules(numbers),
        *telephones.rules(numbers),
        *identifiers.version_rules(numbers),
        *verses.rules(numbers),
        *years.rules(numbers),
        *ranges.rules(),
        *maths.sign_rules(),
        *clock.rules(numbers),
        *money.rules(numbers),
        *maths.product_rules(numbers),
        *units.rules(numbers),
        *fractions.rules(numbers),
        *maths.rules(numbers),
        *romans.rules(numbers),
        *signs.number_sign_rules(),
        *cardinals.ordinal_rules(numbers),
        *codes.rules(numbers),
        *cardinals.rules(numbers),
        *signs.rules(),
        *acronyms.rules(),
    )
