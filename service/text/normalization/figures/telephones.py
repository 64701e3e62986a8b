"""Telephone numbers, group by group."""

from __future__ import annotations

import re
from itertools import pairwise

from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

_INTERNATIONAL = r"\+[0-9]{1,3}(?:[ .\u00a0\u202f-]?\(?[0-9]{1,4}\)?){2,6}"
_GROUP = re.compile(r"[0-9]+")
# No national number is longer, even with the country code.
_DIGITS = range(7, 16)
# Most digits that are read without a pause.
_WHOLE_GROUP = 5
_PAIR = 2


class Telephone:
    """Writes telephone numbers in the words of a language."""

    def __init__(self, locale: Locale, numerals: Numerals) -> None:
        self._locale = locale
        self._numerals = numerals

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules for telephone numbers."""
        pattern = re.compile(
            rf"(?<![\w.,+/-])(?:{_INTERNATIONAL}|{self._locale.telephone})(?![\w%€$]|[-.,/:][0-9])"
        )
        return (Rule(pattern, self._write),)

    def say(self, text: str) -> str:
        """Return the digits of a number in words, with a comma between groups."""
        groups = [part for group in _GROUP.findall(text) for part in self._parts(group)]
        words = ", ".join(self._say_group(group) for group in groups)
        return f"{self._locale.plus} {words}" if "+" in text else words

    def _parts(self, group: str) -> list[str]:
        size = self._locale.telephone_group
        if len(group) <= _WHOLE_GROUP:
            return [group]
        cuts = [*range(0, len(group) - 1, size), len(group)]
        return [group[start:end] for start, end in pairwise(cuts)]

    def _say_group(self, group: str) -> str:
        if len(group) == _PAIR == self._locale.telephone_group:
            return self._numerals.whole(group)
        return self._numerals.digits(group)

    def _write(self, match: re.Match[str]) -> str | None:
        n_digits = sum(map(len, _GROUP.findall(match[0])))
        return self.say(match[0]) if n_digits in _DIGITS else None
