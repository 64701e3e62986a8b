"""Rewrite text by rules, each of which writes one kind of thing as words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from service.text.offset_mapping import TracedText

Write = Callable[[re.Match[str]], str | None]
"""Returns the words for a match, None to leave it unchanged."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and the words for its matches.

    Attributes:
        pattern: never matches the empty string. Marks and spaces around the rewritten text should
            be in lookarounds, outside the match, because all words get the span of the whole match.
        write: returns the words.
        name: what kind of rule it is; that of the module of `write` if empty.
    """

    pattern: re.Pattern[str]
    write: Write
    name: str = ""


def apply(
    text: TracedText,
    rule: Rule,
    fixed: Sequence[tuple[int, int]] = (),
    applied: list[tuple[int, int, str]] | None = None,
) -> TracedText:
    """Return the text after one rule; arguments as those of `rewrite`.

    Args:
        applied: gets the span of the caller's text of each match that was rewritten, and the name
            of the module whose rule did it.
    """
    if rule.pattern.search(text.text) is None:
        return text
    kept = [text.within(start, end) for start, end in fixed]

    def rewritten(match: re.Match[str]) -> str | TracedText:
        start, end = match.span()
        untouched = text[start:end]
        if any(first < end and start < last for first, last in kept):
            return untouched
        words = rule.write(match)
        if words is None:
            return untouched
        if applied is not None:
            applied.append((*untouched.span, rule.name or _module(rule.write)))
        return words

    return text.sub(rule.pattern, rewritten)


def _module(write: Write) -> str:
    """Return the name of the module of a function, which may have arguments bound to it."""
    return getattr(write, "func", write).__module__.rpartition(".")[2]


def rewrite(
    text: TracedText, rules: Iterable[Rule], fixed: Sequence[tuple[int, int]] = ()
) -> TracedText:
    """Return the text after all rules in turn.

    Args:
        text: any text.
        rules: applied in order, each to the result of the one before.
        fixed: spans of the caller's text that must not change; in order, not overlapping.
    """
    for rule in rules:
        text = apply(text, rule, fixed)
    return text


def write_whole(text: str, rules: Iterable[Rule]) -> str | None:
    """Return the words of the first rule that matches the whole text, None if there is none."""
    for rule in rules:
        match = rule.pattern.fullmatch(text)
        words = None if match is None else rule.write(match)
        if words is not None:
            return words
    return None
