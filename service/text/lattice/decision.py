"""The lattice of a text, the features of its candidates, and the path with the best score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, inf, log1p
from operator import itemgetter
from typing import NamedTuple

from service.text.lattice.grammar import Asked, Candidate, Grammar, Grammars
from service.text.lattice.tokens import Tokens
from service.text.offset_mapping import TracedText

PER_TOKEN = 2.0
"""What each further token is worth that a candidate covers: of two readings the longer one wins."""

_REACH_BEFORE, _REACH_AFTER = 3, 3
"""Tokens before and after a candidate in which its hints are looked for."""

_MOST_TOKENS = 9
_PLAIN = ("plain",)
_JOINTS = frozenset("._/:@\\")
MARKS = frozenset(".,;:!?…—–-‐‑‒―()[]{}\"'“”‘’„‚«»‹›¿¡")
"""Signs that stay as they are: they pause, quote, bracket or join."""


class Rewrite(NamedTuple):
    """What the rules of a language make of some tokens.

    Attributes:
        start: index of the first token.
        end: index behind the last.
        words: what they write, with its mapping to the text of the tokens.
        rules: the modules of the rules.
        is_chosen: whether the caller chose it, so that nothing else may be said.
    """

    start: int
    end: int
    words: TracedText
    rules: tuple[str, ...]
    is_chosen: bool


class Lattice:
    """The candidates of a text as edges between its tokens.

    Args:
        tokens: of the text.
        grammars: of its language.
        rewrites: what the rules write, in order.
        fixed: for each token, whether it must stay as it is.

    Attributes:
        candidates: in the order of their beginnings.
        features: for each candidate the names of its features; none where nothing is to be decided.
        priors: for each candidate what it is worth before anything is learned.
    """

    def __init__(
        self,
        tokens: Tokens,
        grammars: Grammars,
        rewrites: Sequence[Rewrite],
        fixed: Sequence[bool],
    ) -> None:
        self.tokens = tokens
        self.size = len(tokens.tokens) + 1
        self.rewrites = {(one.start, one.end): one for one in rewrites}
        self._grammars = grammars
        self._asked: dict[int, Asked | None] = {}
        self._rewritten = [False] * self.size
        chosen = [False] * self.size
        for one in rewrites:
            for index in range(one.start, one.end):
                self._rewritten[index] = True
                chosen[index] = one.is_chosen
        self.candidates: list[Candidate] = []
        for index, token in enumerate(tokens.tokens):
            if chosen[index]:
                continue
            if token.kind == "space":
                self.candidates.append(
                    Candidate(index, index + 1, "space.kept", None, (token.text,))
                )
            elif self.is_plain(index):
                self.candidates.append(Candidate(index, index + 1, "word.kept", None, _PLAIN))
            else:
                self.candidates += self._at(index, fixed, chosen)
        for one in rewrites:
            facts = tuple(f"by {rule}" for rule in one.rules)
            self.candidates.append(
                Candidate(one.start, one.end, "rules.written", one.words.text, facts)
            )
        self._keep_what_is_on_a_path()
        self.features: list[list[str]] = []
        self.priors: list[float] = []
        crossings = self._crossings()
        for candidate in self.candidates:
            is_sure = candidate.end == candidate.start + 1 and crossings[candidate.start] == 1
            self.features.append([] if is_sure else list(self._features(candidate)))
            self.priors.append(0.0 if is_sure else self._prior(candidate))

    def _at(self, index: int, fixed: Sequence[bool], chosen: Sequence[bool]) -> Iterator[Candidate]:
        token = self.tokens.tokens[index]
        found: list[Candidate] = []
        if not fixed[index]:
            seen = set()
            for candidate in self._grammars.propose(self.tokens, index):
                span = range(candidate.start, candidate.end)
                if any(fixed[at] or chosen[at] for at in span) or candidate in seen:
                    continue
                seen.add(candidate)
                found.append(candidate)
        yield from found
        alone = any(one.end == index + 1 for one in found)
        if token.kind == "word":
            yield Candidate(index, index + 1, "word.kept", None, self._shape(index))
        elif fixed[index] or token.text in MARKS:
            yield Candidate(index, index + 1, f"{token.kind}.kept", None, (token.text,))
        elif not alone:
            yield Candidate(index, index + 1, f"{token.kind}.kept", None, ("alone",))

    def is_plain(self, index: int) -> bool:
        """Tell whether a token is a common word or a space, about which no grammar is asked."""
        token = self.tokens.tokens[index]
        if token.kind == "space":
            return True
        if token.kind != "word" or self._grammars.has_word(token.low):
            return False
        following = self.tokens.text[token.end : token.end + 2]
        sign = following[:1]
        if sign in _JOINTS and following[1:].isalnum():
            return False  # the name of a file, or of a method
        if sign and sign not in MARKS and not sign.isspace():
            return False  # a factor, an ion
        return token.shape in ("lower", "title") and self.tokens.knows(token.low)

    def _shape(self, index: int) -> tuple[str, ...]:
        token = self.tokens.tokens[index]
        known = "known" if self.tokens.knows(token.low) else "unknown"
        shouted = " shouted" if self.tokens.is_shouted(token.start) else ""
        return (f"{known} {token.shape}{shouted}", f"{token.shape} {min(len(token.text), 6)}")

    def _keep_what_is_on_a_path(self) -> None:
        """Drop candidates that no path from the start to the end of the text has."""
        order = sorted(self.candidates, key=itemgetter(0, 1, 2))
        reached = [False] * self.size
        reached[0] = True
        for one in order:
            if reached[one.start]:
                reached[one.end] = True
        ends = [False] * self.size
        ends[-1] = True
        for one in reversed(order):
            if ends[one.end]:
                ends[one.start] = True
        self.candidates = [one for one in order if reached[one.start] and ends[one.end]]

    def _crossings(self) -> list[int]:
        """Return for each token how many candidates cover it."""
        counts = [0] * (self.size + 1)
        for one in self.candidates:
            counts[one.start] += 1
            counts[one.end] -= 1
        for index in range(1, len(counts)):
            counts[index] += counts[index - 1]
        return counts

    def _features(self, candidate: Candidate) -> Iterator[str]:
        kind = candidate.kind
        yield kind
        if kind == "space.kept":
            return
        variety = self._grammars.variety
        if variety:
            yield f"{variety} {kind}"
        rank = self.tokens.rank
        yield f"tokens {min(rank[candidate.end] - rank[candidate.start], _MOST_TOKENS)}"
        for fact in candidate.facts:
            if fact:
                yield f"{kind}|{fact}"
                if variety:
                    yield f"{variety} {kind}|{fact}"
        rewrite = self.rewrites.get((candidate.start, candidate.end))
        if kind != "rules.written":
            if self.tokens.tokens[candidate.start].kind == "number":
                yield f"{kind}|< {self._beside(candidate.start, -1)}"
                yield f"{kind}|> {self._beside(candidate.end, 0)}"
            if rewrite is not None:
                same = candidate.words is not None and sounds_like(
                    candidate.words, rewrite.words.text
                )
                yield f"{kind}|{'as' if same else 'unlike'} rules"
                yield "as rules" if same else "unlike rules"
            else:
                touched = any(self._rewritten[candidate.start : candidate.end])
                yield f"{kind}|{'across' if touched else 'without'} rules"
        grammar = self._grammars.grammars.get(kind.partition(".")[0])
        if grammar is not None:
            for hint in self._hints(candidate, grammar):
                yield f"hint {hint}"
                yield f"{kind}!{hint}"

    def _asks(self, index: int) -> Asked | None:
        """Return what the words near a number ask for."""
        if self.tokens.tokens[index].kind != "number":
            return None
        if index not in self._asked:
            self._asked[index] = self._grammars.asked(self.tokens, index)
        return self._asked[index]

    def _beside(self, index: int, distance: int) -> str:
        """Return what stands beside an amount: a small word itself, of others their shape."""
        token = self.tokens.neighbour(index, distance)
        if token is None:
            return "edge"
        if token.kind != "word":
            return "number" if token.kind == "number" else token.text
        if token.low in self._grammars.function_words:
            return token.low
        return f"{token.shape} many" if token.low.endswith("s") else token.shape

    def _hints(self, candidate: Candidate, grammar: Grammar) -> Iterator[str]:
        tokens = self.tokens
        asked = self._asks(candidate.start)
        if asked is not None and asked.end == candidate.end and candidate.kind in asked.answers:
            yield asked.answers[candidate.kind]
        if grammar.domains:
            yield "home" if grammar.domains & tokens.domains else "not at home"
        if grammar.words_before:
            near = [
                token.low
                for distance in range(1, _REACH_BEFORE + 1)
                if (token := tokens.neighbour(candidate.start, -distance)) is not None
            ]
            if near[:1] and near[0] in grammar.words_before:
                yield "beside"
            elif grammar.words_before.intersection(near):
                yield "near before"
            else:
                yield "none before"
        if grammar.words_after:
            near = [
                token.low
                for distance in range(_REACH_AFTER)
                if (token := tokens.neighbour(candidate.end, distance)) is not None
            ]
            if near[:1] and near[0] in grammar.words_after:
                yield "beside after"
            elif grammar.words_after.intersection(near):
                yield "near after"
            else:
                yield "none after"

    def _prior(self, candidate: Candidate) -> float:
        rank = self.tokens.rank
        n_tokens = max(1, rank[candidate.end] - rank[candidate.start])
        worth = PER_TOKEN * (n_tokens - 1)
        name, _, form = candidate.kind.partition(".")
        if name == "rules":
            return worth + 3.0
        grammar = self._grammars.grammars.get(name)
        if grammar is not None:
            worth += grammar.prior.get(form, grammar.prior.get("", 0.0))
        elif candidate.kind == "word.kept":
            worth += 1.0
        return worth

    def scores(self, weights: Mapping[str, float]) -> list[float]:
        """Return the score of each candidate."""
        return [
            prior + sum([worth(weights, name) for name in names]) if names else prior
            for prior, names in zip(self.priors, self.features, strict=True)
        ]

    def _alike(self) -> list[list[int]]:
        """Return the candidates that say the same of the same tokens, where there are several."""
        groups: dict[tuple[int, int, str], list[int]] = {}
        for index, (one, names) in enumerate(zip(self.candidates, self.features, strict=True)):
            if names and one.words and (sound := _sound(one.words)):
                groups.setdefault((one.start, one.end, sound), []).append(index)
        return [group for group in groups.values() if len(group) > 1]

    def best(self, scores: Sequence[float]) -> list[int]:
        """Return the candidates of the best path; of equals the first.

        Candidates that say the same stand together against others, as when weights are learned; the
        best of them is returned.
        """
        values = list(scores)
        for group in self._alike():
            winner = max(group, key=values.__getitem__)
            total = -inf
            for index in group:
                total = _log_sum(total, scores[index])
                values[index] = -inf
            values[winner] = total
        best = [-inf] * self.size
        via = [-1] * self.size
        best[0] = 0.0
        for index, (one, score) in enumerate(zip(self.candidates, values, strict=True)):
            value = best[one.start] + score
            if value > best[one.end] + 1e-9:
                best[one.end] = value
                via[one.end] = index
        path: list[int] = []
        place = self.size - 1
        while place:
            path.append(via[place])
            place = self.candidates[via[place]].start
        return path[::-1]

    def probabilities(self, scores: Sequence[float]) -> list[float]:
        """Return for each candidate how probable it is that the right path has it."""
        edges = [(one.start, one.end) for one in self.candidates]
        return path_sums(self.size, edges, scores, [self.size - 1])[1]


def shared(feature: str) -> str:
    """Return the feature that all forms of a grammar share with this one; empty if none.

    A form of which few texts tell is weighed as its siblings are.
    """
    kind, _, fact = feature.partition("|")
    name, dot, form = kind.partition(".")
    is_told = dot and " " not in name and "!" not in form and not fact.endswith(" rules")
    return f"{name}~{fact}" if is_told else ""


def worth(weights: Mapping[str, float], feature: str) -> float:
    """Return the weight of a feature, or else of the one that its siblings share."""
    weight = weights.get(feature)
    return weights.get(shared(feature), 0.0) if weight is None else weight


def path_sums(
    size: int,
    edges: Sequence[tuple[int, int]],
    scores: Sequence[float],
    ends: Sequence[int],
) -> tuple[float, list[float]]:
    """Return the logarithm of the sum over all paths, and the share of each edge in it.

    Args:
        size: number of places; paths begin at 0.
        edges: from place to place, in the order of their beginnings.
        scores: of the edges.
        ends: the places where paths end.
    """
    forth, back = [-inf] * size, [-inf] * size
    forth[0] = 0.0
    for (start, end), score in zip(edges, scores, strict=True):
        forth[end] = _log_sum(forth[end], forth[start] + score)
    for end in ends:
        back[end] = 0.0
    for index in range(len(edges) - 1, -1, -1):
        start, end = edges[index]
        back[start] = _log_sum(back[start], back[end] + scores[index])
    total = back[0]
    shares = [
        exp(min(0.0, forth[start] + score + back[end] - total))
        for (start, end), score in zip(edges, scores, strict=True)
    ]
    return total, shares


def _log_sum(one: float, other: float) -> float:
    low, high = (one, other) if one < other else (other, one)
    return high if low == -inf else high + log1p(exp(low - high))


def sounds_like(one: str, other: str) -> bool:
    """Tell whether two wordings are said alike."""
    return _sound(one) == _sound(other)


def _sound(words: str) -> str:
    """Return what is said of words: small letters without spaces, for letters may stand apart."""
    return "".join(filter(str.isalnum, words.lower()))
