"""The type of the tables of languages that share one set of rules for figures."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Agreement(enum.Enum):
    """What a cardinal agrees with: `uno`, `un libro`, `una casa`."""

    ALONE = enum.auto()
    MASCULINE = enum.auto()
    FEMININE = enum.auto()


class Noun(NamedTuple):
    """A counted noun."""

    one: str
    many: str
    agreement: Agreement = Agreement.MASCULINE


class Currency(NamedTuple):
    """A currency and its hundredth part."""

    main: Noun
    cent: Noun


class Magnitude(NamedTuple):
    """A large number, written as a word or letter after a figure: `5 M`.

    Attributes:
        one: after the figure 1.
        many: after other figures.
        factor: if not 0, the figure is multiplied by this number instead.
        linked: whether the word for `of` comes before the counted noun.
    """

    one: str
    many: str
    factor: int = 0
    linked: bool = True


class Suffix(NamedTuple):
    """Letters that make an ordinal of a figure or Roman numeral before them.

    Attributes:
        agreement: gender of the ordinal.
        short: whether it is the form before a noun: `primer`, not `primero`.
        apart: whether a space may be before it.
        agrees: whether the noun after it tells gender and case instead.
    """

    agreement: Agreement
    short: bool = False
    apart: bool = False
    agrees: bool = False


class Meaning(NamedTuple):
    """What an abbreviation means in a context.

    Attributes:
        written: pattern of the abbreviation, with what must be around it in lookarounds.
        words: what is said.
        near: pattern of words in the same sentence without which it does not mean this; empty if
            none is needed.
    """

    written: str
    words: str
    near: str = ""


class RomanStyle(enum.Enum):
    """How a Roman numeral is read after a word such as `capítulo`."""

    CARDINAL = enum.auto()
    ORDINAL = enum.auto()
    ORDINAL_TO_TEN = enum.auto()
    FIRST_ORDINAL = enum.auto()


Respelling = tuple[tuple[str, str], ...]
"""Regular expressions and their replacements, in order."""


def words(text: str, separator: str | None = None) -> tuple[str, ...]:
    """Return the entries of a string, separated by `separator` or by white space."""
    return tuple(text.split(separator))


def table(text: str) -> dict[str, str]:
    """Return the entries of a string: each a key, a colon and its words; between semicolons."""
    return {key.strip(): said.strip() for key, said in (one.split(":") for one in text.split(";"))}


@dataclass(frozen=True, slots=True)
class Locale:
    """Figures, signs and abbreviations of a language, and their words.

    In tables of abbreviations the keys include the dots.

    Attributes:
        converter: name of num2words' converter; empty if `small_cardinals` replaces it.
        corrections: changes to num2words' words that are wrong or that espeak-ng would misread.
        agreements: changes to cardinals before a noun.
        elisions: changes to one of a counted noun.
        one_below_two: whether the noun after 1.5 is that of one.
        small_cardinals: words for 0 to 99, if num2words lacks the language.
        scale: values and words for 100, 1000 and so on, largest first, likewise.
        year_hundred: template with `hundreds` and `rest` for a year such as nineteen hundred;
            empty if years are read like other numbers.
        ordinals: irregular ordinals, masculine.
        ordinal_endings: changes that make an ordinal of a cardinal; empty if num2words has
            ordinals.
        feminine_ordinal: changes that make an ordinal feminine.
        short_ordinal: changes that make the form before a noun.
        ordinal_suffixes: by the letters after the figure.
        roman_suffixes: by the letters after a Roman numeral.
        group_marks: characters between groups of digits.
        decimal_mark: the character before decimals.
        indian_grouping: whether groups of two digits precede the last group of three.
        points: word for each mark that may come before decimals.
        decimals_as_number: up to so many decimals are read as one number.
        letters: names of the Latin letters, in alphabetical order.
        signs: words for mathematical signs before a number.
        operators: words for signs between numbers.
        per: the word between an amount of money and a unit.
        stars: the word after the number of stars of a hotel.
        powers: words for superscript digits.
        powers_are_ordinals: whether other powers are said with an ordinal.
        greek: names of the Greek letters in formulas, from alpha to omega.
        formula_phrases: templates of formulas, as `FormulaWords` has them.
        formula_signs: words for signs between the terms of formulas that `operators` lacks.
        formula_names: words for other signs and functions in formulas.
        range_word: the word between the ends of a range.
        version_word: the word for the `v` of a version.
        denominators: names by number; fractions with larger ones are read with `over`.
        over: template with `top` and `bottom`.
        fractions: words for irregular fractions, such as `1/2`.
        mixed: template with `whole` and `part`.
        percent: words for percent signs.
        units: units by symbol.
        degree: the noun for `°` alone.
        currencies: currencies by sign or code.
        money: template with `main` and `cent`.
        magnitudes: magnitudes by their abbreviation or word.
        of: the word between a linked magnitude and the counted noun.
        of_vowel: the same before a vowel.
        months: names of the months, January first.
        month_abbreviations: for each month, January first, its abbreviations without dots.
        weekday_abbreviations: weekdays by abbreviation, without dot.
        date: template with `day`, `month` and `year`.
        date_link: the word that may be between day and month, and month and year.
        first_day: the word for day 1; empty for the cardinal.
        hour: the noun for hours.
        minute: likewise.
        second: likewise.
        clock: template with `hour` and `minute`.
        clock_few: likewise, for minutes below ten.
        clock_whole: template with `hour`, for whole hours.
        clock_whole_noun: whole hours from this one on are read with the noun.
        hour_marks: characters other than the colon that may be between hours and minutes.
        clock_words: abbreviations that may follow a time, and their words.
        clock_before: words that allow a dot between the hours and minutes after them.
        forenoon: words for `am`.
        afternoon: words for `pm`, each with the last hour that it applies to.
        day_part: template with `time` and `part`.
        telephone: pattern of the country's telephone numbers, and of others that are read like
            them.
        telephone_group: size of groups in a number without separators; pairs are read as numbers.
        plus: the word for the sign before a country code.
        titles: abbreviations before names.
        before_number: abbreviations before figures or Roman numerals.
        abbreviations: all other abbreviations.
        spelled: acronyms that are spelled, although they could be read as words.
        chat: short forms of chat, in small letters.
        spelled_small: likewise in small letters.
        pronounced: acronyms that are read as words, although they do not look like words.
        short_words: words of two letters, which are no acronyms in capitals.
        meanings: abbreviations that mean something in a context only, the first that fits.
        ambiguous_weekdays: abbreviations of weekdays that are words too.
        weekday_links: words between weekdays, as in `lun. a vie.`
        characters: names of characters other than Latin letters, for spelling.
        ampersand: the word for `&`.
        centuries: words before a Roman numeral that is a century, and how it is read.
        ordinal_follows: words after a Roman numeral that is an ordinal, and their gender.
        divisions: words for parts of books and the like before a Roman numeral, and how it is read.
        regnal_names: names of rulers and popes, and whether they are feminine.
        regnal_style: how the numerals after these names are read.
        foot: the noun for feet.
        inch: likewise.
        ratio: the word between the parts of a ratio.
        ratio_words: patterns of words before one that may look like a time.
        aspects: whether `16:9` is read as a fraction.
        verses: patterns of names of books before a chapter and verse.
        set_words: patterns of words in a sentence whose scores have no word between them.
        between: patterns of words before a range, and the word inside it.
        bare_ranges: whether a range before a noun has no word inside.
        marks: pattern of words before the points that something has got out of all.
        slash_year: the word between the number of a law and its year.
        date_before: patterns of words before a day and month that may look like a fraction.
        hyphen: the word inside the number of a law or judgment; empty for a pause.
        episode: template with `season` and `episode`.
        every_hours: template with `n` for medicine taken every so many hours: `8/8 h`.
        pressure: patterns of words for the blood pressure, and the word inside it.
        unit_per: the word between two units.
        per_words: what is said of a slash and these words after an amount.
        duration_words: patterns of words before a length of time that may look like a time.
        and_word: the word between hours and minutes of a length; may be empty.
        by: the word between the sides of something; empty for that of the product.
        times: the noun in `10x de R$ 50` and `zoom 5x`.
        codes: patterns of words before a code that is read digit by digit.
        code_links: words that may be between such a word and the code.
        flights: patterns of words before the number of a flight.
        singular_articles: articles and the like before one thing.
        ordinals_need_articles: whether a figure with `°` is an ordinal only after an article.
        degree_words: words for what is measured in degrees.
        not_counted: words after a figure that are not what it counts, such as prepositions.
        numbered: nouns that have a number after them, so that the next word does not agree with it.
        half: `1/2` before a feminine noun.
        halves: words for one and a half and the like, by the whole number.
        and_a_half: template with `whole` for the others; empty if such numbers have no own words.
        halved: nouns before which `2.5` is read like two and a half.
        postpositions: words after a noun that change the form of an ordinal before it.
        bounds_after: words for signs before an amount that come after it.
        feet_alone: whether a prime after a figure means feet.
        score_words: patterns of words before and after a score with a hyphen.
        not_weekdays: pattern of what follows names that are not those of weekdays.
        scores: patterns of words before a score that is written with `x`.
        noble_titles: what `D.` means before the name of a ruler, masculine and feminine.
        feminine_singulars: endings of feminine nouns in the singular.
        masculine_singulars: endings of masculine ones, which take precedence.
        feminine_nouns: feminine nouns that are often counted.
        masculine_nouns: masculine nouns, likewise.
        feminine_endings: endings of feminine plurals.
        masculine_endings: endings of masculine plurals, which take precedence over the feminine
            ones.
    """

    points: Mapping[str, str]
    letters: tuple[str, ...]
    signs: Mapping[str, str]
    operators: Mapping[str, str]
    stars: str
    powers: Mapping[str, str]
    range_word: str
    version_word: str
    denominators: Mapping[int, Noun]
    over: str
    fractions: Mapping[str, str]
    mixed: str
    percent: Mapping[str, str]
    units: Mapping[str, Noun]
    degree: Noun
    currencies: Mapping[str, Currency]
    money: str
    magnitudes: Mapping[str, Magnitude]
    months: tuple[str, ...]
    month_abbreviations: tuple[tuple[str, ...], ...]
    weekday_abbreviations: Mapping[str, str]
    date: str
    hour: Noun
    minute: Noun
    second: Noun
    clock: str
    clock_few: str
    forenoon: str
    afternoon: tuple[tuple[int, str], ...]
    telephone: str
    plus: str
    titles: Mapping[str, str]
    before_number: Mapping[str, str]
    abbreviations: Mapping[str, str]
    ampersand: str
    ordinal_suffixes: Mapping[str, Suffix]
    per: str
    foot: Noun
    inch: Noun
    greek: str
    formula_phrases: Mapping[str, str]
    formula_signs: Mapping[str, str]
    formula_names: Mapping[str, str]
    converter: str = ""
    corrections: Respelling = ()
    agreements: Mapping[Agreement, Respelling] = field(default_factory=dict)
    elisions: Respelling = ()
    one_below_two: bool = False
    small_cardinals: tuple[str, ...] = ()
    scale: tuple[tuple[int, str], ...] = ()
    year_hundred: str = ""
    ordinals: Mapping[int, str] = field(default_factory=dict)
    ordinal_endings: Respelling = ()
    feminine_ordinal: Respelling = ()
    short_ordinal: Respelling = ()
    roman_suffixes: Mapping[str, Suffix] = field(default_factory=dict)
    group_marks: str = "."
    decimal_mark: str = ","
    indian_grouping: bool = False
    decimals_as_number: int = 3
    of: str = ""
    of_vowel: str = ""
    date_link: str = ""
    first_day: str = ""
    clock_whole: str = "{hour}"
    clock_whole_noun: int = 0
    hour_marks: str = ""
    clock_words: Mapping[str, str] = field(default_factory=dict)
    clock_before: tuple[str, ...] = ()
    day_part: str = "{time} {part}"
    telephone_group: int = 3
    spelled: frozenset[str] = frozenset()
    chat: Mapping[str, str] = field(default_factory=dict)
    spelled_small: frozenset[str] = frozenset()
    pronounced: frozenset[str] = frozenset()
    short_words: frozenset[str] = frozenset()
    meanings: tuple[Meaning, ...] = ()
    ambiguous_weekdays: frozenset[str] = frozenset()
    weekday_links: tuple[str, ...] = ()
    characters: Mapping[str, str] = field(default_factory=dict)
    centuries: Mapping[str, RomanStyle] = field(default_factory=dict)
    ordinal_follows: Mapping[str, Agreement] = field(default_factory=dict)
    divisions: Mapping[str, RomanStyle] = field(default_factory=dict)
    regnal_names: Mapping[str, bool] = field(default_factory=dict)
    regnal_style: RomanStyle = RomanStyle.CARDINAL
    ratio: str = ""
    ratio_words: tuple[str, ...] = ()
    aspects: bool = False
    verses: tuple[str, ...] = ()
    set_words: tuple[str, ...] = ()
    between: tuple[str, str] = ("", "")
    bare_ranges: bool = False
    marks: str = ""
    slash_year: str = ""
    date_before: tuple[str, ...] = ()
    hyphen: str = ""
    episode: str = ""
    every_hours: str = ""
    pressure: tuple[str, str] = ("", "")
    unit_per: str = ""
    per_words: Mapping[str, str] = field(default_factory=dict)
    duration_words: tuple[str, ...] = ()
    and_word: str = ""
    powers_are_ordinals: bool = False
    by: str = ""
    times: Noun | None = None
    codes: tuple[str, ...] = ()
    code_links: tuple[str, ...] = ()
    flights: tuple[str, ...] = ()
    singular_articles: frozenset[str] = frozenset()
    ordinals_need_articles: bool = False
    degree_words: frozenset[str] = frozenset()
    not_counted: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()
    half: str = ""
    halves: Mapping[int, str] = field(default_factory=dict)
    and_a_half: str = ""
    halved: frozenset[str] = frozenset()
    postpositions: frozenset[str] = frozenset()
    bounds_after: Mapping[str, str] = field(default_factory=dict)
    feet_alone: bool = False
    score_words: tuple[str, str] | None = None
    not_weekdays: str = ""
    scores: tuple[str, ...] = ()
    noble_titles: tuple[str, str] | None = None
    feminine_singulars: tuple[str, ...] = ()
    masculine_singulars: tuple[str, ...] = ()
    feminine_nouns: frozenset[str] = frozenset()
    masculine_nouns: frozenset[str] = frozenset()
    feminine_endings: tuple[str, ...] = ()
    masculine_endings: tuple[str, ...] = ()
