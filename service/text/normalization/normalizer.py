"""Normalize text: write figures, dates, abbreviations and addresses as words, and remove markup."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from service.text.languages import LANGUAGES
from service.text.lattice.reader import Decision, LatticeReader, Rewriting
from service.text.markup.passages import Hint, Interpretation
from service.text.normalization import (
    addresses,
    digit_by_digit,
    emoji,
    formulas,
    stars,
)
from service.text.normalization.addresses import AddressWords
from service.text.normalization.choices import USUAL, EmojiReading, Normalization
from service.text.normalization.emoji import PictureWords
from service.text.normalization.formulas import FormulaWords
from service.text.normalization.rules import Rule, apply
from service.text.normalization.sieve import Sieve
from service.text.normalization.typed import typed
from service.text.offset_mapping import TracedText, concatenate

_MAX_ROUNDS = 8
"""Most rounds in which the rules are applied. Removing a mark may uncover another; two rounds are
usual."""

_CHOSEN = frozenset({"digit_by_digit", "emoji"})
"""Names of rules that do what the caller chose or what a format demands: nothing outweighs them."""

Interpret = Callable[[str, Interpretation, str], str | None]
"""Returns the words for a text of a known kind, None if it is not of that kind."""


class LanguageRules(NamedTuple):
    """What a language contributes to text normalization.

    Attributes:
        rules: applied last.
        interpret: writes a text of a known kind.
        addresses: its words in addresses.
        pictures: its words for symbols and pictures.
        early: applied before those for markup and addresses, whose signs they need.
        unmarked: applied between those for markup and those for addresses.
        lattice: reads the text by grammars and learned weights, with what the rules write as one
            of the candidates.
        formulas: its words in formulas that are marked, where no grammar reads them.
        sieve: tells which rules may apply to a text.
    """

    rules: tuple[Rule, ...]
    interpret: Interpret
    addresses: AddressWords
    pictures: PictureWords
    early: tuple[Rule, ...] = ()
    unmarked: tuple[Rule, ...] = ()
    lattice: LatticeReader | None = None
    formulas: FormulaWords | None = None
    sieve: Sieve = Sieve(())


def normalize(
    text: TracedText,
    language: str,
    *,
    hints: Sequence[Hint] = (),
    fixed: Sequence[tuple[int, int]] = (),
    choices: Normalization = USUAL,
    named_emoji: bool = False,
) -> TracedText:
    """Return the text in words, with its punctuation and spaces.

    Args:
        text: cleaned text.
        language: code of one of `LANGUAGES`.
        hints: kinds of some parts; in order, not overlapping.
        fixed: spans of the caller's text that must not change; in order, not overlapping.
        choices: of the caller. What they say of markup is done: the text has none.
        named_emoji: whether emoji are named if the caller does not choose.
    """
    rules = rules_for(language, choices, named_emoji=named_emoji)
    text, known = _interpreted(text, hints, rules.interpret)
    if rules.lattice is None:
        return _rewritten(text, rules, fixed)
    kept = [text.within(*span) for span in [*fixed, *known]]
    return rules.lattice.read(text, rewriting(text.text, rules, kept, choices), kept)


def explain(
    text: TracedText,
    language: str,
    *,
    hints: Sequence[Hint] = (),
    fixed: Sequence[tuple[int, int]] = (),
    choices: Normalization = USUAL,
    named_emoji: bool = False,
) -> list[Decision]:
    """Return what is decided about a text, nothing for a language without grammars.

    Arguments are those of `normalize`; offsets are those of the caller's text.
    """
    rules = rules_for(language, choices, named_emoji=named_emoji)
    if rules.lattice is None:
        return []
    text, known = _interpreted(text, hints, rules.interpret)
    kept = [text.within(*span) for span in [*fixed, *known]]
    return rules.lattice.explain(text, rewriting(text.text, rules, kept, choices), kept)


def rewriting(
    text: str, rules: LanguageRules, fixed: Sequence[tuple[int, int]], choices: Normalization
) -> Rewriting:
    """Return what the rules make of a text, for the grammars to weigh."""
    applied: list[tuple[int, int, str]] = []
    written = _rewritten(TracedText(text), rules, fixed, applied)
    chosen = _CHOSEN if choices.urls == "full" else _CHOSEN | {"addresses"}
    if choices.emoji is None:  # a typed face may be none: `<3` is a bound too
        applied = [
            one for one in applied if one[2] != "emoji" or not text[one[0] : one[1]].isascii()
        ]
    else:
        chosen |= {"emoticons"}
    return Rewriting(written, applied, chosen)


def _rewritten(
    text: TracedText,
    rules: LanguageRules,
    fixed: Sequence[tuple[int, int]],
    applied: list[tuple[int, int, str]] | None = None,
) -> TracedText:
    """Return the text after rounds of rules in which something changed."""
    sieve, n_rules = rules.sieve, len(rules.rules)
    candidates = sieve.candidates(text.text)
    done, until = 0, n_rules  # rules that were tried, and after how many nothing more can change
    while done < until:
        number = done % n_rules
        index = bisect_left(candidates, number)
        done += (candidates[index] if index < len(candidates) else n_rules) - number
        if index == len(candidates) or done >= until:
            continue
        before = text.text
        text = apply(text, rules.rules[candidates[index]], fixed, applied)
        done += 1
        if text.text != before:
            until = min(done + n_rules, _MAX_ROUNDS * n_rules)
            candidates = sieve.candidates(text.text)
    return text


def load(language: str, choices: Normalization = USUAL, *, named_emoji: bool = False) -> None:
    """Load the rules that `normalize` needs, which takes up to a quarter of a second."""
    rules_for(language, choices, named_emoji=named_emoji)


@cache
def rules_for(language: str, choices: Normalization, *, named_emoji: bool = False) -> LanguageRules:
    """Return the rules of a language for what a caller chose."""
    reading: EmojiReading = "name" if named_emoji else "skip"
    return _rules(language, replace(choices, emoji=choices.emoji or reading))


def _interpreted(
    text: TracedText, hints: Sequence[Hint], interpret: Interpret
) -> tuple[TracedText, list[tuple[int, int]]]:
    """Write the parts with hints as words; return the text, and where it was done."""
    if not hints:
        return text, []
    parts: list[TracedText] = []
    known: list[tuple[int, int]] = []
    done = 0
    for hint in hints:
        start, end = text.within(hint.start, hint.end)
        said, detail = typed(text.text[start:end].strip(), hint.interpretation, hint.detail)
        words = interpret(said, hint.interpretation, detail)
        if start < end and (words is not None or said != text.text[start:end]):
            parts += [text[done:start], text[start:end].rewritten(words or said)]
            done = end
            if words is not None and hint.interpretation != "address":  # which is read on
                known.append((hint.start, hint.end))
    return concatenate([*parts, text[done:]]), known


@cache
def _rules(language: str, choices: Normalization) -> LanguageRules:
    """Return the rules of a language, created at the first call."""
    own = LANGUAGES[language].load_rules()
    digits = choices.numbers_as == "digits"
    common = (
        *own.early,
        *(formulas.UNMARKED if own.formulas is None else formulas.marked_rules(own.formulas)),
        *own.unmarked,
        *(stars.NOTES if choices.markdown else ()),
        *emoji.rules(own.pictures, named=choices.emoji == "name"),
        *addresses.rules(own.addresses, choices.urls),
        *(digit_by_digit.rules(own.interpret) if digits else ()),
    )
    rules = (*common, *own.rules)
    return own._replace(rules=rules, sieve=Sieve([rule.pattern for rule in rules]))
