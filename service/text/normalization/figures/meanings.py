"""Abbreviations whose meaning the words around them tell."""

from __future__ import annotations

import re

from service.text.normalization.locale import Locale, Meaning
from service.text.normalization.rules import Rule

_REACH = 60
"""Characters on each side in which a word may tell the meaning."""

_LINE_END = re.compile(r"\s{0,9}(?:\Z|\n)")
_SENTENCE_END = re.compile(r"[.!?]\s|\n")


def rules(locale: Locale) -> tuple[Rule, ...]:
    """Return a rule for each meaning, in the order of the table."""
    return tuple(map(_rule, locale.meanings))


def _rule(meaning: Meaning) -> Rule:
    near = re.compile(meaning.near, re.IGNORECASE) if meaning.near else None

    def write(match: re.Match[str]) -> str | None:
        if near is not None and not near.search(_sentence(match)):
            return None
        ends = match[0].endswith(".") and _LINE_END.match(match.string, match.end())
        return meaning.words + "." * bool(ends)

    return Rule(re.compile(meaning.written), write)


def _sentence(match: re.Match[str]) -> str:
    """Return the text around a match, within its sentence."""
    before = match.string[max(0, match.start() - _REACH) : match.start()]
    after = match.string[match.end() : match.end() + _REACH]
    return _SENTENCE_END.split(before)[-1] + " " + _SENTENCE_END.split(after, maxsplit=1)[0]
