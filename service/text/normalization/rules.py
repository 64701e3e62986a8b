"""Rewriting a text by rules, each of which says one kind of thing in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from service.text.offset_mapping import TracedText

Write = Callable[[re.Match[str]], str | None]
"""Returns the words for what a pattern found, None to leave it as it is."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What to look for, and how to say it.

    Attributes:
        pattern: never matches nothing. Marks and spaces around what is rewritten are best kept
            out of the match, by looking ahead and behind: all of it becomes one word's place.
        write: the words.
    """

    pattern: re.Pattern[str]
    write: Write


def rewrite(
    text: TracedText, rules: Iterable[Rule], settled: Sequence[tuple[int, int]] = ()
) -> TracedText:
    """Return the text after all rules in turn.

    Args:
        text: any text.
        rules: in the order in which they are applied; each sees what those before it left.
        settled: spans of the caller's text, in order and apart, that no rule may touch.
    """
    for rule in rules:
        text = _rewrite(text, rule, settled)
    return text


def write_whole(text: str, rules: Iterable[Rule]) -> str | None:
    """Return what the first rule writes that takes all of the text; None if none does."""
    for rule in rules:
        match = rule.pattern.fullmatch(text)
        words = None if match is None else rule.write(match)
        if words is not None:
            return words
    return None


def _rewrite(text: TracedText, rule: Rule, settled: Sequence[tuple[int, int]]) -> TracedText:
    if rule.pattern.search(text.text) is None:
        return text
    kept = [text.within(start, end) for start, end in settled]

    def replace(match: re.Match[str]) -> str | TracedText:
        start, end = match.span()
        untouched = text[start:end]
        if any(first < end and start < last for first, last in kept):
            return untouched
        words = rule.write(match)
        return untouched if words is None else words

    return text.sub(rule.pattern, replace)
