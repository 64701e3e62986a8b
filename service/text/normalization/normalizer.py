"""Write a text in words: figures, dates, abbreviations, addresses, marks of a markup language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

from service.text.markup.passages import Hint, Interpretation
from service.text.normalization import addresses, emoji, entities, markdown
from service.text.normalization.rules import Rule, rewrite
from service.text.offset_mapping import TracedText, concatenate

_MAX_ROUNDS = 8
"""How often the rules are applied, as a mark that goes may uncover another; twice is the rule."""

Interpret = Callable[[str, Interpretation, str], str | None]
"""Returns the words for a text that is known to be a date, a number, ...; None if it is not."""


class _Rules(NamedTuple):
    """How a language is normalised."""

    rules: tuple[Rule, ...]
    interpret: Interpret


def normalize(
    text: TracedText,
    language: str,
    *,
    hints: Sequence[Hint] = (),
    settled: Sequence[tuple[int, int]] = (),
    named_emoji: bool = False,
) -> TracedText:
    """Return the text in words, with the marks and spaces that it had.

    Args:
        text: cleaned text.
        language: code of one of `LANGUAGES`.
        hints: what some of it is; in order and apart.
        settled: spans of the caller's text, in order and apart, that are left as they are.
        named_emoji: whether emoji are named; else they are dropped.
    """
    rules = _rules(language, named_emoji)
    if hints:
        text = _interpreted(text, hints, rules.interpret)
    for _ in range(_MAX_ROUNDS):
        before = text.text
        text = rewrite(text, rules.rules, settled)
        if text.text == before:
            break
    return text


def _interpreted(text: TracedText, hints: Sequence[Hint], interpret: Interpret) -> TracedText:
    """Write what the caller has explained as it is meant."""
    parts: list[TracedText] = []
    done = 0
    for hint in hints:
        start, end = text.within(hint.start, hint.end)
        words = interpret(text.text[start:end].strip(), hint.interpretation, hint.detail)
        if words is not None and start < end:
            parts += [text[done:start], text[start:end].rewritten(words)]
            done = end
    return concatenate([*parts, text[done:]])


@cache
def _rules(language: str, named_emoji: bool) -> _Rules:
    """Return the rules of a language, made when it is first read."""
    own = _own_rules(language)
    common = (
        *entities.RULES,
        *markdown.RULES,
        *emoji.rules(language, named=named_emoji),
        *addresses.rules(language),
    )
    return own._replace(rules=(*common, *own.rules))


def _own_rules(language: str) -> _Rules:
    # Imported when they are needed: with what they import they take a quarter of a second.
    if language.startswith("en"):
        from service.text.normalization import english

        british = language == "en-gb"
        return _Rules(english.rules(british=british), partial(english.interpret, british=british))
    if language == "ja":
        from service.text.normalization import japanese

        return _Rules(japanese.RULES, japanese.interpret)
    if language == "zh":
        from service.text.normalization import mandarin

        return _Rules(mandarin.RULES, mandarin.interpret)
    from service.text.normalization import figures

    return _Rules(figures.rules(language), partial(figures.interpret, language=language))
