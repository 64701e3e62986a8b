"""Grammars of English: one for each semiotic class. docs/adding-a-grammar.md tells how to add one."""

from __future__ import annotations

from functools import cache, lru_cache

from service.text.languages.english.grammars import (
    abbreviations,
    capitals,
    dates,
    formulas,
    identifiers,
    money,
    notations,
    numbers,
    pairs,
    quantities,
    signs,
    times,
)
from service.text.languages.english.grammars.cues import asked
from service.text.languages.english.grammars.domains import DOMAINS
from service.text.languages.english.normalization.numbers import Numbers
from service.text.languages.english.words import FUNCTION_WORDS
from service.text.lattice.grammar import Grammar, Grammars
from service.text.lattice.reader import LatticeReader, load_weights
from service.text.wordlist import WordList

_MODULES = (
    abbreviations, capitals, dates, formulas, identifiers, money, notations, numbers, pairs, quantities, signs, times,
)  # fmt: skip
GRAMMARS = tuple(
    value for module in _MODULES for value in vars(module).values() if isinstance(value, Grammar)
)
"""All of them, in the order of their modules."""

_WORDS_KEPT = 8192
"""Number of words of which it is kept whether the language has them."""

WEIGHTS = "reading_weights.tsv"
"""The file of what is learned, in the data of English; `python -m bench.readings` writes it."""


@cache
def reader(*, british: bool) -> LatticeReader:
    """Return the reader of a variety."""
    weights = load_weights("service.text.languages.english", WEIGHTS)
    return untrained(british=british, weights=weights)


def untrained(*, british: bool, weights: dict[str, float]) -> LatticeReader:
    """Return a reader with other weights."""
    country = "gb" if british else "us"
    gold, silver = WordList.load(f"{country}_gold"), WordList.load(f"{country}_silver")

    def knows(word: str) -> bool:
        if word in gold or word in silver or "'" in word:
            return True
        if len(word) > 3 and word.endswith(("s", "d")):
            stem = word[:-1]
            return (
                stem in gold
                or stem in silver
                or (len(word) > 4 and word[-2] == "e" and word[:-2] in gold)
            )
        if len(word) > 5 and word.endswith("ing"):
            return word[:-3] in gold or f"{word[:-3]}e" in gold
        return False

    numbers = Numbers(british=british)
    kept = lru_cache(_WORDS_KEPT)(knows)  # every caller brings new words
    grammars = Grammars(GRAMMARS, numbers, FUNCTION_WORDS, "british" if british else "", asked)
    return LatticeReader(grammars, weights, DOMAINS, kept)
