"""Read a text: propose, decide, and write what won."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from service.text.lattice.decision import Lattice, Rewrite, sounds_like, worth
from service.text.lattice.grammar import Candidate, Grammars
from service.text.lattice.tokens import Tokens
from service.text.offset_mapping import TracedText, concatenate


class Rewriting(NamedTuple):
    """What rules make of a text.

    Attributes:
        text: the result, with its mapping to the text that they were given.
        applied: start and end of what a rule replaced, in that text, and the rule's module.
        chosen: the modules whose rules do what the caller chose.
    """

    text: TracedText
    applied: Sequence[tuple[int, int, str]]
    chosen: frozenset[str]


class Option(NamedTuple):
    """A candidate that was weighed.

    Attributes:
        candidate: what was proposed.
        end: offset of its end in the caller's text.
        score: what it is worth; the higher, the better.
        probability: of its being right, given the others.
        reasons: the features that count most, and their weights.
    """

    candidate: Candidate
    end: int
    score: float
    probability: float
    reasons: tuple[tuple[str, float], ...]


class Decision(NamedTuple):
    """What was decided about a span of a text.

    Attributes:
        start: offset in the caller's text.
        end: likewise.
        options: the winner first, then its rivals from the same place on, by score.
    """

    start: int
    end: int
    options: tuple[Option, ...]


class LatticeReader:
    """Reads texts of a language by its grammars and learned weights.

    Args:
        grammars: of the language.
        weights: by the names of features.
        domains: what a word tells of the field of a text.
        knows: tells whether the language has a word in this spelling.
    """

    def __init__(
        self,
        grammars: Grammars,
        weights: Mapping[str, float],
        domains: Mapping[str, str],
        knows: Callable[[str], bool],
    ) -> None:
        self.grammars = grammars
        self.weights = weights
        self._domains = domains
        self._knows = knows

    def lattice(
        self,
        text: str,
        rewriting: Rewriting,
        fixed: Sequence[tuple[int, int]] = (),
        *,
        without: frozenset[str] = frozenset(),
    ) -> Lattice:
        """Return the candidates of a text.

        Args:
            text: cleaned text.
            rewriting: what the rules of the language make of it.
            fixed: parts of it that must not change.
            without: modules of rules whose words are no candidates, to see what they are worth.
        """
        tokens = Tokens(text, self._domains, self._knows)
        kept = [False] * len(tokens.tokens)
        if fixed:
            for index, token in enumerate(tokens.tokens):
                kept[index] = any(start < token.end and token.start < end for start, end in fixed)
        rewrites = [one for one in _rewrites(tokens, rewriting) if without.isdisjoint(one.rules)]
        return Lattice(tokens, self.grammars, rewrites, kept)

    def read(
        self, text: TracedText, rewriting: Rewriting, fixed: Sequence[tuple[int, int]] = ()
    ) -> TracedText:
        """Return the text in words; arguments as those of `lattice`."""
        lattice = self.lattice(text.text, rewriting, fixed)
        written = _written(text, lattice, lattice.best(lattice.scores(self.weights)))
        if not any(map(str.isalnum, written.text)):
            return rewriting.text.of(text)  # signs alone are not all silent
        return written

    def explain(
        self, text: TracedText, rewriting: Rewriting, fixed: Sequence[tuple[int, int]] = ()
    ) -> list[Decision]:
        """Return what was decided wherever there was something to decide."""
        lattice = self.lattice(text.text, rewriting, fixed)
        scores = lattice.scores(self.weights)
        probabilities = lattice.probabilities(scores)
        tokens = lattice.tokens.tokens
        options: dict[int, list[Option]] = {}
        for index, candidate in enumerate(lattice.candidates):
            reasons = sorted(
                ((name, worth(self.weights, name)) for name in lattice.features[index]),
                key=lambda reason: -abs(reason[1]),
            )[:_MOST_REASONS]
            end = text[tokens[candidate.start].start : tokens[candidate.end - 1].end].span[1]
            option = Option(candidate, end, scores[index], probabilities[index], tuple(reasons))
            options.setdefault(candidate.start, []).append(option)
        decisions: list[Decision] = []
        for index in lattice.best(scores):
            if not lattice.features[index]:
                continue
            winner = lattice.candidates[index]
            ranked = sorted(
                options[winner.start],
                key=lambda option: (option.candidate is not winner, -option.score),
            )
            said = text[tokens[winner.start].start : tokens[winner.end - 1].end]
            decisions.append(Decision(*said.span, tuple(ranked)))
        return decisions


_MOST_REASONS = 6


def _rewrites(tokens: Tokens, rewriting: Rewriting) -> list[Rewrite]:
    """Return what rules wrote, by the tokens that they wrote it for."""
    if not rewriting.applied:
        return []
    changed = _changed(tokens.text, rewriting.text)
    joined: list[list[int]] = []
    index = 0
    for start, end in changed:
        while tokens.tokens[index].end <= start:
            index += 1
        first = index
        while tokens.tokens[index].end < end:
            index += 1
        if joined and first < joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], index + 1)
        else:
            joined.append([first, index + 1])
    found: list[Rewrite] = []
    for first, last in joined:
        start, end = tokens.tokens[first].start, tokens.tokens[last - 1].end
        modules = {name for low, high, name in rewriting.applied if low < end and start < high}
        words = _part(rewriting.text, start, end)
        is_chosen = bool(modules & rewriting.chosen)
        found.append(Rewrite(first, last, words, tuple(sorted(modules)), is_chosen))
    return found


def _changed(before: str, after: TracedText) -> list[tuple[int, int]]:
    """Return the parts of a text that were replaced, in order and apart."""
    parts: list[tuple[int, int]] = []
    done = 0  # up to here the text is accounted for
    for character, start, end in after.characters():
        if start == done and end == start + 1 and character == before[start]:
            done = end
            continue
        if start >= done and end == start + 1 and character == before[start]:
            parts.append((done, start))  # left out
            done = end
            continue
        low = min(start, done)
        if parts and low < parts[-1][1]:
            low = parts.pop()[0]
        parts.append((low, max(end, done)))
        done = max(end, done)
    if done < len(before):
        parts.append((done, len(before)))
    return parts


def _part(text: TracedText, start: int, end: int) -> TracedText:
    """Return what was written for a part of the text before."""
    first, last = text.within(start, end)
    return text[first:last]


def wording(lattice: Lattice, candidate: Candidate) -> str | None:
    """Return how a candidate is written: as by the rules, if that sounds the same."""
    written = _by_rules(lattice, candidate)
    return candidate.words if written is None else written.text


def _by_rules(lattice: Lattice, candidate: Candidate) -> TracedText | None:
    """Return what the rules write for a candidate that sounds the same, with its mapping."""
    rewrite = lattice.rewrites.get((candidate.start, candidate.end))
    if candidate.words is None or rewrite is None:
        return None
    return rewrite.words if sounds_like(candidate.words, rewrite.words.text) else None


def _written(text: TracedText, lattice: Lattice, path: Sequence[int]) -> TracedText:
    """Return the words of a path, apart from each other."""
    tokens = lattice.tokens.tokens
    parts: list[TracedText] = []
    last = ""  # the last character that was written
    is_new = False  # whether the words before are not those of the text
    kept: int | None = None  # where a part of the text begins that is kept, and not written yet
    for index in path:
        one = lattice.candidates[index]
        start, end = tokens[one.start].start, tokens[one.end - 1].end
        if one.words is None:
            if is_new and last == "." and text.text[start:end] == ".":
                continue  # `p.m.` ends the sentence too
            if is_new and last.isalnum() and text.text[start].isalnum():
                parts.append(text[start : start + 1].rewritten(" "))
            if kept is None:
                kept = start
            last, is_new = text.text[end - 1], False
            continue
        if kept is not None:
            before = text[kept:start]
            if one.words == ",":  # no space stands before it
                before = before[: len(before.text.rstrip(" "))]
            parts.append(before)
            kept = None
        if one.words == "" and not text.text[end : end + 1].isalnum():
            continue
        written = _by_rules(lattice, one)
        words = text[start:end].rewritten(one.words or " ") if written is None else written.of(text)
        if not words.text:
            continue
        if last.isalnum() and words.text[0].isalnum():
            parts.append(words[:1].rewritten(" "))
        parts.append(words)
        last, is_new = words.text[-1], True
    if kept is not None:
        parts.append(text[kept:])
    return concatenate(parts)


@cache
def load_weights(package: str, name: str) -> dict[str, float]:
    """Return the weights in a file of a package: lines of feature, tab and weight."""
    lines = (files(package) / "data" / name).read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {feature: float(weight) for feature, weight in rows}
