"""Numbers in words."""

from __future__ import annotations

from functools import lru_cache

from num2words import num2words

_MAX_DIGITS = 15
"""Digits of the longest number that is read as one. Longer ones are read digit by digit."""

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SEPARATORS = str.maketrans("", "", ", \u00a0\u2009\u202f")


class Numbers:
    """Writes numbers as words. Takes strings of ASCII digits, with or without separators.

    Args:
        british: whether `and` comes before the tens: `one hundred and five`.
    """

    def __init__(self, *, british: bool) -> None:
        self.british = british

    def cardinal(self, digits: str) -> str:
        """Return `twelve` for `12`; digit by digit with leading zeros or too many digits."""
        digits = digits.translate(_SEPARATORS)
        if len(digits) > _MAX_DIGITS or (digits[0] == "0" and len(digits) > 1):
            return self.spelled(digits)
        return _words(int(digits), "cardinal", self.british)

    def ordinal(self, digits: str) -> str:
        """Return `twelfth` for `12`."""
        digits = digits.translate(_SEPARATORS)
        if len(digits) > _MAX_DIGITS:
            return self.spelled(digits) + "th"
        return _words(int(digits), "ordinal", self.british)

    def decimal(self, text: str) -> str:
        """Return `three point one four` for `3.14`; also takes a number without a point."""
        whole, point, fraction = text.partition(".")
        if not point:
            return self.cardinal(whole)
        nothing = "nought" if self.british else "zero"
        words = nothing if not whole.strip("0") else self.cardinal(whole)
        return f"{words} point {self.spelled(fraction)}"

    def spelled(self, digits: str) -> str:
        """Return `one two` for `12`."""
        return " ".join(_DIGITS[int(digit)] for digit in digits.translate(_SEPARATORS))

    def year(self, digits: str) -> str:
        """Return `nineteen eighty-four` for `1984`; takes any number of digits."""
        if len(digits) != 4 or digits[0] == "0":
            return self.cardinal(digits)
        century, rest = digits[:2], digits[2:]
        if century[1] == "0" and rest[0] == "0":
            return self.cardinal(digits)
        return self._paired(century, rest)

    def paired(self, digits: str) -> str:
        """Return `two twenty-one` for `221`, as in numbers of houses, rooms, roads and flights."""
        if len(digits) < 3 or len(digits) > 4 or digits[0] == "0":
            return self.cardinal(digits)
        if digits.endswith("000") or (len(digits) == 3 and digits.endswith("00")):
            return self.cardinal(digits)
        return self._paired(digits[:-2], digits[-2:])

    def _paired(self, first: str, last: str) -> str:
        if last == "00":
            return f"{self.cardinal(first)} hundred"
        low = f"oh {self.cardinal(last[1])}" if last[0] == "0" else self.cardinal(last)
        return f"{self.cardinal(first)} {low}"


def plural(words: str) -> str:
    """Return `nineties` for `ninety`, `sixes` for `six`."""
    if words.endswith("y"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith("x") else "s")


@lru_cache(4096)
def _words(number: int, kind: str, british: bool) -> str:
    words = str(num2words(number, to=kind)).replace(",", "")
    return words if british else words.replace(" and ", " ")
