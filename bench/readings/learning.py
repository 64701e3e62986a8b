"""Weights by the likelihood of all allowed paths; deterministic."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.readings.annotations import (
    Allowed,
    Gold,
    Text,
    allowed_paths,
    characters,
    joined_letters,
    right_spans,
    units,
)
from service.text.characters import clean_text
from service.text.document import structure
from service.text.document.spoken import flatten
from service.text.languages.english.grammars import untrained
from service.text.languages.english.grammars.said import is_spelled
from service.text.lattice.decision import MARKS, Lattice, path_sums, shared
from service.text.lattice.grammar import Candidate
from service.text.lattice.reader import wording
from service.text.lattice.tokens import Token
from service.text.normalization import USUAL, normalizer
from service.text.offset_mapping import TracedText

ROUNDS = 10
N_ORDERS = 4
"""The weights are the mean of those learned in so many orders: one order alone moves the figures by
a point."""
RATE = 0.1
MOST_REPAIRS = 2000
REPAIR = 0.4
RARE = 100
"""The cases of the tests must stay right. The weights of features that are rarer than that are
moved by this share of the gradient of those that are not, until all are."""

SHRINKING = 0.001
"""How strongly weights are pulled to what grammars are worth before anything is learned."""


_SPELLED = ("letters.spelled", "letters.single", "initials.dotted", "initials.letter")
_ACRONYM = re.compile(r"(?<![A-Za-z.])([A-Z]{2,})(?=s?(?![A-Za-z.]))")


def heard(candidate: Candidate, tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the words that are heard of a candidate."""
    if candidate.words is not None:
        return units(_ACRONYM.sub(_spelled, candidate.words))
    text = "".join(token.text for token in tokens[candidate.start : candidate.end])
    if candidate.kind == "sign.kept" and text not in MARKS:
        return ("a sign",)  # it must not be left in the words
    if candidate.kind not in _SPELLED:
        return units(text)
    match = re.fullmatch(r"(.+?)((?<=[A-Z])s|['’]s)?", text)
    assert match is not None
    return units(" ".join(filter(str.isalpha, match[1])) + (match[2] or ""))


def _spelled(match: re.Match[str]) -> str:
    return " ".join(match[1]) if is_spelled(match[1]) else match[1]


def written(lattice: Lattice, candidate: Candidate) -> tuple[str, ...]:
    """Return the characters that are written for a candidate."""
    words = wording(lattice, candidate)
    if words is None:
        tokens = lattice.tokens.tokens
        words = "".join(token.text for token in tokens[candidate.start : candidate.end])
        return characters(joined_letters(words, apart=False))
    return characters(joined_letters(words))


@dataclass
class Example:
    """An annotated text with its candidates.

    Attributes:
        text: as annotated.
        lattice: its candidates.
        said: what each of them says.
        gold: the allowed paths; None if it has none at all.
        source: the words of its tree, with their mapping to the text.
    """

    text: Text
    lattice: Lattice
    said: list[tuple[str, ...]]
    gold: Gold | None
    source: TracedText
    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    prior: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Prepare what every round needs: only edges that are not sure are weighed."""
        self.distinct, self._place = np.unique(self.ids, return_inverse=True)
        self._edge = np.repeat(np.arange(len(self.prior)), np.diff(self.starts))
        self.open = [index for index, names in enumerate(self.lattice.features) if names]
        opened = set(self.open)
        step = [0] * self.lattice.size
        for index, one in enumerate(self.lattice.candidates):
            if index not in opened:
                step[one.end] = 1
        skipped = np.cumsum(step)
        place = (np.arange(self.lattice.size) - skipped).tolist()
        candidates = self.lattice.candidates
        self._edges = [
            (place[candidates[index].start], place[candidates[index].end]) for index in self.open
        ]
        self._last = place[-1]
        if self.gold is not None:
            self._gold_edges, self._gold_numbers, self._gold_ends = _without_sure(self.gold, opened)

    def gradient(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return features, and how the likelihood of the allowed paths grows with their weights."""
        gold = self.gold
        if gold is None or not len(self.ids):
            return np.zeros(0, np.int64), np.zeros(0)
        values = self.scores(weights).tolist()
        scores = [values[index] for index in self.open]
        _, shares = path_sums(self._last + 1, self._edges, scores, [self._last])
        inner = [values[number] for number in self._gold_numbers]
        _, right = path_sums(gold.size, self._gold_edges, inner, self._gold_ends)
        change = np.zeros(len(self.prior))
        change[self.open] = shares
        np.negative(change, out=change)
        np.add.at(change, self._gold_numbers, right)
        live = np.abs(change) > 1e-4
        change[~live] = 0.0
        touched = np.bincount(self._place, live[self._edge], len(self.distinct)) > 0
        whole = np.bincount(self._place, change[self._edge], len(self.distinct))
        return self.distinct[touched], whole[touched]

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of each candidate."""
        total = np.concatenate(([0.0], np.cumsum(weights[self.ids])))
        learned: NDArray[np.float64] = total[self.starts[1:]] - total[self.starts[:-1]]
        return self.prior + learned

    def is_right(self, weights: NDArray[np.float64]) -> bool:
        """Tell whether the best path is an allowed one."""
        path = self.lattice.best(self.scores(weights).tolist())
        return is_allowed(self.text, tuple(word for index in path for word in self.said[index]))

    def spans(self, path: Sequence[int]) -> list[tuple[int, int, tuple[str, ...]]]:
        """Return what a path says of which part of the annotated text."""
        tokens = self.lattice.tokens.tokens
        found = []
        for index in path:
            one = self.lattice.candidates[index]
            part = self.source[tokens[one.start].start : tokens[one.end - 1].end]
            found.append((*part.span, self.said[index]))
        return found


class Examples:
    """Annotated texts with numbered features.

    Args:
        texts: to learn from or to test with.
        without: classes of grammars, and modules of rules, that are left out.
    """

    def __init__(self, texts: Sequence[Text], without: Sequence[str] = ()) -> None:
        self.numbers: dict[str, int] = {}
        self._readers = [untrained(british=british, weights={}) for british in (False, True)]
        self._without = frozenset(without)
        self.examples = [self._example(text) for text in texts]
        # Of what is only tested too: nothing is learned of those features.
        self._counts = np.bincount(np.concatenate([one.ids for one in self.examples]))

    def _example(self, text: Text) -> Example:
        source = clean_text(flatten(structure.parse(text.text)).text)
        rules = normalizer.rules_for("en-gb" if text.is_british else "en-us", USUAL)
        rewriting = normalizer.rewriting(source.text, rules, (), USUAL)
        reader = self._readers[text.is_british]
        lattice = reader.lattice(source.text, rewriting, without=self._without)
        tokens = lattice.tokens.tokens
        said = [
            written(lattice, one) if text.is_written else heard(one, tokens)
            for one in lattice.candidates
        ]
        places = [source[token.start : token.end].span[0] for token in tokens] + [len(text.text)]
        edges = [(one.start, one.end) for one in lattice.candidates]
        gold = allowed_paths(edges, said, places, text.items) if tokens else None
        ids: list[int] = []
        starts = [0]
        for names in lattice.features:
            every = (*names, *filter(None, map(shared, names)))
            ids += [self.numbers.setdefault(name, len(self.numbers)) for name in every]
            starts.append(len(ids))
        return Example(
            text, lattice, said, gold, source,
            np.array(ids, np.int64), np.array(starts), np.array(lattice.priors),
        )  # fmt: skip

    def fit(self, chosen: Sequence[int]) -> NDArray[np.float64]:
        """Return weights learned from some of the examples."""
        usable = [self.examples[i] for i in chosen if self.examples[i].gold is not None]
        mean = np.zeros(len(self.numbers))
        for seed in range(N_ORDERS):
            weights = np.zeros(len(self.numbers))
            squares = np.full(len(self.numbers), 1e-2)
            order = np.random.RandomState(seed)
            for _ in range(ROUNDS):
                for index in order.permutation(len(usable)):
                    _step(usable[index], weights, squares)
            mean += weights / N_ORDERS
        self._repair([one for one in usable if one.text.is_written], mean)
        return mean

    def _repair(self, cases: Sequence[Example], weights: NDArray[np.float64]) -> None:
        """Move the weights of rare features until all cases are right."""
        having: dict[int, list[int]] = defaultdict(list)
        for number, one in enumerate(cases):
            for feature in one.distinct[self._counts[one.distinct] <= RARE].tolist():
                having[feature].append(number)
        doubtful = set(range(len(cases)))
        for _ in range(MOST_REPAIRS):
            missed = [number for number in sorted(doubtful) if not cases[number].is_right(weights)]
            if not missed:
                break
            doubtful = set(missed)
            for number in missed:
                ids, gradient = cases[number].gradient(weights)
                is_rare = self._counts[ids] <= RARE
                weights[ids] += REPAIR * gradient * is_rare
                for feature in ids[is_rare].tolist():
                    doubtful.update(having[feature])


def _step(example: Example, weights: NDArray[np.float64], squares: NDArray[np.float64]) -> None:
    ids, gradient = example.gradient(weights)
    gradient -= SHRINKING * weights[ids]
    squares[ids] += gradient * gradient
    weights[ids] += RATE * gradient / np.sqrt(squares[ids])


def _without_sure(
    gold: Gold, opened: set[int]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Return edges, their candidates and the ends of allowed paths, without sure candidates.

    Where a sure candidate is the only way to a node, the node is the one before.
    """
    n_ways = [0] * gold.size
    for _, end, _ in gold.edges:
        n_ways[end] += 1
    same = list(range(gold.size))
    edges, numbers = [], []
    for start, end, number in gold.edges:  # in the order of their beginnings
        if number not in opened and n_ways[end] == 1:
            same[end] = same[start]
        else:
            edges.append((same[start], end))
            numbers.append(number)
    return edges, numbers, [same[end] for end in gold.ends]


@dataclass
class Tally:
    """How many texts and spans are read as allowed."""

    texts: int = 0
    exact: int = 0
    spans: int = 0
    right: int = 0

    def add(self, example: Example, path: Sequence[int]) -> bool:
        """Count a text; tell whether it is exact."""
        said = tuple(word for index in path for word in example.said[index])
        exact = is_allowed(example.text, said)
        self.texts += 1
        self.exact += exact
        for _, ok in right_spans(example.text.items, example.spans(path)):
            self.spans += 1
            self.right += ok or exact
        return exact

    def __str__(self) -> str:
        return (
            f"{self.texts:5} texts {self.exact / max(self.texts, 1):6.1%} exact"
            f"   {self.spans:5} spans {self.right / max(self.spans, 1):6.1%} right"
        )


def is_allowed(text: Text, said: tuple[str, ...]) -> bool:
    """Tell whether a text may be read so."""
    allowed = Allowed(text.items)
    none: frozenset[int] = frozenset()
    states = allowed.closed({allowed.begin[0]: none}, none)
    return allowed.begin[-1] in allowed.after(states, said, none)
