"""Numbers: their notation and their words."""

from __future__ import annotations

import re
from typing import NamedTuple

from num2words import CONVERTER_CLASSES

from service.text.normalization.locale import Agreement, Locale, Noun, Suffix

# Larger numbers are read digit by digit.
_MOST_DIGITS = 15
# num2words' ordinals are reliable up to here. Larger ones are hardly ever used.
_LARGEST_ORDINAL = 999
# Letters of a noun whose gender its ending tells.
_SHORTEST_NOUN = 3

_YEAR_LENGTH = 4
_MARKS = re.compile(r"[.,]")
_NOT_DIGITS = re.compile(r"[^0-9]+")
# In a language with a decimal comma, `1,500.00` is read in the English way.
_AMERICAN = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+)(?:(\.)([0-9]+))?")


class Number(NamedTuple):
    """A number as written.

    Attributes:
        integer: digits, without group marks.
        fraction: digits after the decimal mark; may be empty.
        mark: the decimal mark; may be empty.
    """

    integer: str
    fraction: str = ""
    mark: str = ""


class Numerals:
    """Parses numbers, and writes them in the words of a language.

    Attributes:
        pattern: matches a number with grouped digits and decimals, never a part of a longer number.
            Has no capturing groups.
    """

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        if locale.indian_grouping:
            grouped = r"[1-9][0-9]{0,2}(?:,[0-9]{2,3}){0,6},[0-9]{3}"
            american = ""
        else:
            # The same separator throughout. Otherwise `1 200.000` would be a number.
            grouped = "|".join(
                f"[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}}){{1,6}}"
                for mark in f"\u00a0\u202f{locale.group_marks}"
            )
            american = (
                r"[1-9][0-9]{0,2}(?:,[0-9]{3}){2,6}(?:\.[0-9]+)?|[1-9][0-9]{0,2},[0-9]{3}\.[0-9]+|"
            )
        mark = re.escape(locale.decimal_mark)
        end = r"(?![0-9]|[.,][0-9])"
        self.pattern = (
            rf"(?:(?:{grouped})(?:{mark}[0-9]+)?{end}|(?:{american}[0-9]+(?:[.,][0-9]+)?){end})"
        )
        self._grouped = re.compile(rf"({grouped})(?:({mark})([0-9]+))?")
        self._elisions = _compiled(locale.elisions)
        self._corrections = _compiled(locale.corrections)
        self._agreements = {
            agreement: _compiled(respelling) for agreement, respelling in locale.agreements.items()
        }
        self._ordinal_endings = _compiled(locale.ordinal_endings)
        self._feminine_ordinal = _compiled(locale.feminine_ordinal)
        self._short_ordinal = _compiled(locale.short_ordinal)

    def parse(self, text: str) -> Number:
        """Return the number that `pattern` matched."""
        match = self._grouped.fullmatch(text)
        if match is None and len(_MARKS.findall(text)) > 1:
            match = _AMERICAN.fullmatch(text)
        if match is not None:
            return Number(_NOT_DIGITS.sub("", match[1]), match[3] or "", match[2] or "")
        for mark in ",.":
            integer, found, fraction = text.partition(mark)
            if found:
                return Number(integer, fraction, mark)
        return Number(text)

    def say(self, number: Number, agreement: Agreement = Agreement.ALONE) -> str:
        """Return the words for a number."""
        if number.fraction:
            integer = self.whole(number.integer)
            point = self._locale.points[number.mark]
            words = f"{integer} {point} {self._say_fraction(number.fraction)}"
            if agreement is not Agreement.MASCULINE:
                return words
            return _respell(words, self._agreements.get(agreement, ()))
        return self.whole(number.integer, agreement)

    def count(self, number: Number, noun: Noun) -> str:
        """Return the words for a number of something."""
        few = ("0", "1") if self._locale.one_below_two else ()
        if (number.integer == "1" and not number.fraction) or (
            number.fraction and number.integer in few
        ):
            return _respell(f"{self.say(number, noun.agreement)} {noun.one}", self._elisions)
        return f"{self.say(number, noun.agreement)} {noun.many}"

    def range_word(self, low: Number, high: Number) -> str:
        """Return the word between the ends of a range; it may be empty."""
        is_rising = float(f"{low.integer}.{low.fraction}") < float(
            f"{high.integer}.{high.fraction}"
        )
        if self._locale.bare_ranges and is_rising and len(high.integer) < _YEAR_LENGTH:
            return ""
        return self._locale.range_word

    def whole(self, digits: str, agreement: Agreement = Agreement.ALONE) -> str:
        """Return a whole number in words; digit by digit if it starts with zero or is long."""
        if len(digits) > _MOST_DIGITS or (digits[0] == "0" and len(digits) > 1):
            return self.digits(digits)
        return self.cardinal(int(digits), agreement)

    def digits(self, digits: str) -> str:
        """Return the words for each digit."""
        return " ".join(self.cardinal(int(digit)) for digit in digits)

    def cardinal(self, value: int, agreement: Agreement = Agreement.ALONE) -> str:
        """Return the words for a number from 0 to 10**15."""
        words = self._compose(value) if self._locale.scale else self._convert(value)
        return _respell(words, self._agreements.get(agreement, ()))

    def year(self, digits: str) -> str:
        """Return the words for a year."""
        value = int(digits)
        hundreds, rest = divmod(value, 100)
        template = self._locale.year_hundred
        if template and 11 <= hundreds <= 19:
            said = self.cardinal(rest) if rest else ""
            return template.format(hundreds=self.cardinal(hundreds), rest=said).strip()
        return self.cardinal(value)

    def ordinal(self, value: int, suffix: Suffix) -> str | None:
        """Return the word for an ordinal, None if it is not in use."""
        if not 1 <= value <= _LARGEST_ORDINAL:
            return None
        word = self._locale.ordinals.get(value)
        if word is None:
            if self._ordinal_endings:
                word = _respell(self.cardinal(value), self._ordinal_endings)
            else:
                converter = CONVERTER_CLASSES[self._locale.converter]
                word = _respell(str(converter.to_ordinal(value)), self._corrections)
        if suffix.agreement is Agreement.FEMININE:
            word = _respell(word, self._feminine_ordinal)
        return _respell(word, self._short_ordinal) if suffix.short else word

    def agreement(self, noun: str, *, is_one: bool) -> Agreement:
        """Return the agreement of a cardinal before this word, `ALONE` if the tables lack it."""
        word = noun.lower()
        if word in self._locale.feminine_nouns:
            return Agreement.FEMININE
        if word in self._locale.masculine_nouns:
            return Agreement.MASCULINE
        if is_one:
            return self._agreement_of_one(word)
        if word.endswith(self._locale.masculine_endings):
            return Agreement.MASCULINE
        if word.endswith(self._locale.feminine_endings):
            return Agreement.FEMININE
        return Agreement.ALONE

    def _agreement_of_one(self, word: str) -> Agreement:
        if word in self._locale.not_counted or len(word) < _SHORTEST_NOUN:
            return Agreement.ALONE
        if word.endswith(self._locale.masculine_singulars):
            return Agreement.MASCULINE
        if word.endswith(self._locale.feminine_singulars):
            return Agreement.FEMININE
        return Agreement.ALONE

    def _say_fraction(self, digits: str) -> str:
        if len(digits) > self._locale.decimals_as_number:
            return self.digits(digits)
        value = digits.lstrip("0")
        zeros = digits[: len(digits) - len(value)]
        return " ".join(filter(None, [self.digits(zeros), value and self.whole(value)]))

    def _convert(self, value: int) -> str:
        words = str(CONVERTER_CLASSES[self._locale.converter].to_cardinal(value))
        return _respell(words, self._corrections)

    def _compose(self, value: int) -> str:
        words: list[str] = []
        for size, name in self._locale.scale:
            count, value = divmod(value, size)
            if count:
                words += [self._compose(count), name]
        if value or not words:
            words.append(self._locale.small_cardinals[value])
        return " ".join(words)


def _compiled(respelling: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), text) for pattern, text in respelling)


def _respell(words: str, respelling: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, text in respelling:
        words = pattern.sub(text, words)
    return words
