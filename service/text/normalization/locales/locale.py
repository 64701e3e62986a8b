"""What differs between the languages whose figures are read by one set of rules."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Agreement(enum.Enum):
    """What a cardinal stands before: `uno`, `un libro`, `una casa`."""

    ALONE = enum.auto()
    MASCULINE = enum.auto()
    FEMININE = enum.auto()


class Noun(NamedTuple):
    """What is counted."""

    one: str
    many: str
    agreement: Agreement = Agreement.MASCULINE


class Currency(NamedTuple):
    """A currency and the hundredth of it."""

    main: Noun
    cent: Noun


class Magnitude(NamedTuple):
    """A large number that is written as a word or a letter after a figure: `5 M`.

    Attributes:
        one: after the figure 1.
        many: after other figures.
        factor: a number that the figure is multiplied by instead, where that reads better.
        linked: whether the word for `of` follows before what is counted.
    """

    one: str
    many: str
    factor: int = 0
    linked: bool = True


class Suffix(NamedTuple):
    """Letters after a figure or a Roman numeral that make it an ordinal.

    Attributes:
        agreement: of the ordinal.
        short: whether it is the form before a noun: `primer`, not `primero`.
        apart: whether a space may be before it.
    """

    agreement: Agreement
    short: bool = False
    apart: bool = False


class RomanStyle(enum.Enum):
    """How a Roman numeral is read after a word that calls for one."""

    CARDINAL = enum.auto()
    ORDINAL = enum.auto()
    ORDINAL_TO_TEN = enum.auto()
    FIRST_ORDINAL = enum.auto()


Respelling = tuple[tuple[str, str], ...]
"""Regular expressions and what replaces them, in order."""


def words(text: str, separator: str | None = None) -> tuple[str, ...]:
    """Return the entries of a table that is written as one string; white space is between them."""
    return tuple(text.split(separator))


@dataclass(frozen=True, slots=True)
class Locale:
    """The figures, the signs and the abbreviations of a language, and their words.

    Tables of abbreviations have their dots in the keys.

    Attributes:
        converter: name of num2words' converter; empty if `small_cardinals` says it all.
        corrections: what num2words' words are changed by, where they are wrong or espeak-ng would
            misread them.
        agreements: what cardinals become before a noun.
        small_cardinals: 0 to 99, where num2words lacks the language.
        scale: values and words of 100, 1000 and so on, largest first, likewise.
        year_hundred: the word for a hundred in a year such as nineteen hundred; empty if years
            are read as other numbers are.
        ordinals: irregular ones, masculine.
        ordinal_endings: what makes an ordinal of a cardinal; empty if num2words has ordinals.
        feminine_ordinal: what makes an ordinal feminine.
        short_ordinal: what makes it the form before a noun.
        ordinal_suffixes: by what is written after the figure.
        roman_suffixes: by what is written after a Roman numeral, wherever it stands.
        group_marks: characters that stand between groups of digits.
        decimal_mark: what is written before decimals.
        indian_grouping: whether groups of two digits precede the last group of three.
        points: word for each mark that may stand before decimals.
        decimals_as_number: how many decimals at most are read as one number.
        letters: names of the Latin letters, in order of the alphabet.
        signs: words for mathematical signs before a number.
        operators: words for signs between numbers.
        per: between an amount of money and the unit that it buys.
        powers: words for superscript digits.
        range_word: between the ends of a range.
        version_word: for the `v` of a version.
        denominators: by number; those above are read with `over`.
        over: of `top` and `bottom`.
        fractions: words for those that are irregular, such as `1/2`.
        mixed: of `whole` and `part`.
        percent: words by sign.
        units: by symbol.
        degree: what `°` alone says.
        currencies: by sign or code.
        money: `main` and `cent` as one phrase.
        magnitudes: by what is written.
        of: between a linked magnitude and what is counted.
        of_vowel: the same before a vowel.
        months: names, January first.
        month_abbreviations: January first, without their dots; alternatives of one month in a
            tuple.
        weekday_abbreviations: words by abbreviation, without dot.
        date: of `day`, `month`, `year`.
        date_link: what may be written between day and month, and month and year.
        first_day: the word for day 1; empty if it is a plain cardinal.
        hour: what is counted by a clock.
        minute: likewise.
        second: likewise.
        clock: of `hour` and `minute`.
        clock_few: likewise, of minutes below ten.
        clock_whole: of `hour` with a noun or without it, from the hour of `clock_whole_noun`.
        clock_whole_noun: first hour that is read with the noun when no minutes are.
        hour_marks: what may stand between hours and minutes besides the colon.
        clock_words: what may follow a time and is said by it, and what it becomes.
        clock_before: words before which a dot may stand between hours and minutes.
        forenoon: words for `am`.
        afternoon: hours up to which the words for `pm` hold, and the words.
        day_part: of `time` and `part`.
        telephone: pattern of the country's numbers, and of others that are said like them.
        telephone_group: digits that are said together where none are apart; pairs are read as
            numbers.
        plus: for the sign before a country's code.
        titles: abbreviations before a name.
        before_number: abbreviations before a figure or a Roman numeral.
        abbreviations: elsewhere.
        spelled: acronyms that are spelled though they could be words.
        characters: names of characters that are no Latin letters, where they are spelled.
        ampersand: the word for it.
        centuries: words after which a Roman numeral is a century, and how it is read.
        ordinal_follows: words before which a Roman numeral is an ordinal, and their gender.
        divisions: words of books and events after which a Roman numeral stands, and how it is
            read.
        regnal_names: names of kings and popes, and whether they are women's.
        regnal_style: how their numerals are read.
        feminine_nouns: what is often counted and is feminine.
        masculine_nouns: likewise.
        feminine_endings: of plurals.
        masculine_endings: of plurals, of which the feminine endings would be wrong.
    """

    points: Mapping[str, str]
    letters: tuple[str, ...]
    signs: Mapping[str, str]
    operators: Mapping[str, str]
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
    converter: str = ""
    corrections: Respelling = ()
    agreements: Mapping[Agreement, Respelling] = field(default_factory=dict)
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
    characters: Mapping[str, str] = field(default_factory=dict)
    centuries: Mapping[str, RomanStyle] = field(default_factory=dict)
    ordinal_follows: Mapping[str, Agreement] = field(default_factory=dict)
    divisions: Mapping[str, RomanStyle] = field(default_factory=dict)
    regnal_names: Mapping[str, bool] = field(default_factory=dict)
    regnal_style: RomanStyle = RomanStyle.CARDINAL
    feminine_nouns: frozenset[str] = frozenset()
    masculine_nouns: frozenset[str] = frozenset()
    feminine_endings: tuple[str, ...] = ()
    masculine_endings: tuple[str, ...] = ()
