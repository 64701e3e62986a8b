"""Text normalization for English."""

from __future__ import annotations

import re
from functools import cache, partial

from service.text.languages.english.normalization import (
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
    run_together,
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
from service.text.languages.english.normalization.interpretation import interpret
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization import stars
from service.text.normalization.addresses import AddressWords
from service.text.normalization.emoji import HEART, PictureWords
from service.text.normalization.normalizer import LanguageRules
from service.text.normalization.rules import Rule
from service.text.wordlist import WordList

__all__ = ["early_rules", "interpret", "language_rules", "rules", "unmarked_rules"]


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
        *states.rules(),
        *shortenings.rules(),
        *abbreviations.rules(numbers),
        *digit_strings.rules(numbers),
        *dates.run_rules(numbers),
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


ADDRESSES = AddressWords(
    signs=(
        "dot; slash; at; colon; question mark; equals; and; hash; dash; underscore; percent"
        "; plus; tilde; backslash; comma; semicolon; exclamation mark; dollar; star"
        "; open parenthesis; close parenthesis; open bracket; close bracket; apostrophe; bar"
    ),
    hashtag="hashtag",
    words_too=(
        "in it at me no so is be to us my am as do by pro name live news world today page"
        " link space design email health life fun art travel jobs key class less fish bat"
        " pages diff patch im id pa ma la"
    ),
    split=run_together.split,
    spells_countries=True,
)

PICTURES = PictureWords(
    symbols=(
        "→ to; ↑ up; ↓ down; © copyright; § section; §§ sections; ¶ paragraph; ¶¶ paragraphs"
        "; × times; ÷ divided by; ± plus or minus; ≠ is not equal to; ≈ is about"
        "; ≤ is less than or equal to; ≥ is greater than or equal to; ∞ infinity"
        "; √ square root of; ∑ sum of; ∫ integral of; ∬ double integral of"
        "; ∭ triple integral of; ⨌ quadruple integral of; ∈ in; ∅ empty set; ∀ for all"
        "; ∃ there exists; ∴ therefore; ∵ because; ⇒ implies; ⇔ if and only if; № number"
        "; ♯ sharp; ♭ flat"
    ),
    stars=("{n} out of {total} stars", "{n} stars", "star", "stars"),
    names_in="en",
    love=(
        re.compile(rf"{HEART}(?:(?<=\b[Ii] .)|(?<=\b[Ww]e .)|(?<=\b[Tt]hey .))\ufe0f?(?= \w)"),
        "love",
    ),
    ends_with_shades=True,
)


def language_rules(*, british: bool) -> LanguageRules:
    """Return the rules of a variety."""
    from service.text.languages.english import grammars  # its tables are those of modules here

    return LanguageRules(
        rules(british=british),
        partial(interpret, british=british),
        ADDRESSES,
        PICTURES,
        early=early_rules(),
        unmarked=unmarked_rules(british=british),
        lattice=grammars.reader(british=british),
    )
