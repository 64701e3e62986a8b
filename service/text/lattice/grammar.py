"""Grammars: what a semiotic class may be, and how it is said. They propose and never decide."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import ascii_letters
from typing import Any, NamedTuple

from service.text.lattice.tokens import Token, Tokens


class Reading(NamedTuple):
    """What a grammar proposes for a place.

    Attributes:
        form: how it is said, within the class; with the class it names the candidate: `date.short`.
        words: what is said, with the marks that pause; empty if it is silent, None for what stands
            there.
        facts: what the grammar sees in it that may speak for it or against it. The decision learns
            a weight for each, so few and telling ones are best.
        end: offset in the text; -1 for the end of the match.
    """

    form: str
    words: str | None
    facts: tuple[str, ...] = ()
    end: int = -1


class Candidate(NamedTuple):
    """A reading of some tokens.

    Attributes:
        start: index of the first token.
        end: index behind the last token.
        kind: class and form, `date.short`.
        words: as of the reading.
        facts: likewise.
    """

    start: int
    end: int
    kind: str
    words: str | None
    facts: tuple[str, ...]


class Asked(NamedTuple):
    """What the words near a number ask for.

    Attributes:
        end: index behind the last token of the number.
        answers: for kinds of candidates whether, and how near, they are asked for.
    """

    end: int
    answers: Mapping[str, str]


class Place:
    """Where a grammar is asked: a token, and what stands around it.

    Attributes:
        tokens: all tokens of the text.
        index: of the token.
        token: the token.
        numbers: writes numbers as words, in the variety of the text.
    """

    __slots__ = ("index", "numbers", "token", "tokens")

    def __init__(self, tokens: Tokens, index: int, numbers: Any) -> None:
        self.tokens = tokens
        self.index = index
        self.token = tokens.tokens[index]
        self.numbers = numbers

    @property
    def text(self) -> str:
        """Return the whole text."""
        return self.tokens.text

    def before(self, distance: int = 1) -> str:
        """Return a token before this one in lower case, not counting spaces; empty if none."""
        token = self.tokens.neighbour(self.index, -distance)
        return "" if token is None else token.low

    def follows_word_and_hyphen(self) -> bool:
        """Tell whether a letter and a hyphen stand directly before, as in `omega-3s`."""
        before = self.text[max(0, self.token.start - 2) : self.token.start]
        return before[-1:] == "-" and before[:-1].isalpha()

    def label(self) -> str:
        """Return the word before this token in lower case, without its stop: `rte` of `Rte. 9W`."""
        stop = self.tokens.neighbour(self.index, -1)
        follows_a_word = (
            stop is not None
            and stop.text == "."
            and self.text[stop.start - 1 : stop.start].isalpha()
        )
        return self.before(2 if follows_a_word else 1)

    def after(self, end: int, distance: int = 0) -> str:
        """Return a token from an offset on in lower case, not counting spaces; empty if none."""
        token = self.token_after(end, distance)
        return "" if token is None else token.low

    def token_after(self, end: int, distance: int = 0) -> Token | None:
        """Return a token from an offset on, not counting spaces."""
        index = self.tokens.at.get(end)
        return None if index is None else self.tokens.neighbour(index, distance)

    def touches(self) -> str:
        """Return the character directly before, one space for white space, empty at the start."""
        start = self.token.start
        character = self.text[start - 1 : start]
        return " " if character.isspace() else character


_FIGURE = re.compile(r"[0-9]")

Propose = Callable[[Place, "re.Match[str]"], Iterable[Reading]]


class Grammar:
    """The readings of one semiotic class.

    Args:
        name: of the class.
        prior: what a form is worth before anything is learned, by form; `""` for all others.
        domains: fields in which the class is at home, as in the domains of the language.
        before: words that often stand before it, in lower case.
        after: words that often stand after it.
    """

    def __init__(
        self,
        name: str,
        *,
        prior: Mapping[str, float] | None = None,
        domains: str = "",
        before: str = "",
        after: str = "",
    ) -> None:
        self.name = name
        self.prior = dict(prior or {})
        self.domains = frozenset(domains.split())
        self.words_before = frozenset(before.split())
        self.words_after = frozenset(after.split())
        self.entries: list[tuple[str, re.Pattern[str], Propose]] = []
        self.word_entries: list[tuple[frozenset[str], Callable[[Place], Iterable[Reading]]]] = []
        self.first_words: set[str] = set()

    def at(
        self, first: str, pattern: str, flags: int = 0, *, words: Iterable[str] = ()
    ) -> Callable[[Propose], Propose]:
        """Ask a function wherever a pattern matches at a token.

        Args:
            first: the characters with which a match may begin.
            pattern: matched from the start of the token; it may look behind. What it matches ends
                where a token ends.
            flags: of the pattern.
            words: common words with which a match may begin, in lower case. Without them no
                grammar is asked about common words.
        """
        self.first_words.update(words)
        compiled = re.compile(pattern, flags)

        def add(propose: Propose) -> Propose:
            self.entries.append((first, compiled, propose))
            return propose

        return add

    def at_words(
        self, words: Iterable[str]
    ) -> Callable[[Callable[[Place], Iterable[Reading]]], Callable[[Place], Iterable[Reading]]]:
        """Ask a function at each of these words, given in lower case."""
        table = frozenset(words)

        def add(propose: Callable[[Place], Iterable[Reading]]) -> Any:
            self.word_entries.append((table, propose))
            return propose

        return add


class Grammars:
    """All grammars of a language, reached by the first character of a token.

    Args:
        grammars: of all classes.
        numbers: writes numbers as words.
        function_words: articles, pronouns, prepositions and the like, in lower case.
        variety: a short name of a variety that learns what it reads in another way than all; empty
            for the one that has most texts to learn from.
        asked: tells what the words near a number ask for, given its tokens and index.

    Attributes:
        grammars: by the names of their classes.
        function_words: likewise.
        variety: likewise.
    """

    def __init__(
        self,
        grammars: Sequence[Grammar],
        numbers: Any,
        function_words: frozenset[str] = frozenset(),
        variety: str = "",
        asked: Callable[[Tokens, int], Asked | None] = lambda tokens, index: None,
    ) -> None:
        self.asked = asked
        self.grammars = {grammar.name: grammar for grammar in grammars}
        self.function_words = function_words
        self.variety = variety
        self._numbers = numbers
        self._by_first: dict[str, list[tuple[str, re.Pattern[str], Propose]]] = defaultdict(list)
        self._by_word: dict[str, list[tuple[str, Callable[[Place], Iterable[Reading]]]]]
        self._by_word = defaultdict(list)
        self._first_words = frozenset().union(*(grammar.first_words for grammar in grammars))
        for grammar in grammars:
            for first, pattern, propose in grammar.entries:
                for character in first:
                    self._by_first[character].append((grammar.name, pattern, propose))
            for words, propose_word in grammar.word_entries:
                for word in words:
                    self._by_word[word].append((grammar.name, propose_word))

    def has_word(self, word: str) -> bool:
        """Tell whether a grammar asks for a word, given in lower case."""
        return word in self._by_word or word in self._first_words

    def propose(self, tokens: Tokens, index: int) -> Iterator[Candidate]:
        """Yield the candidates that begin at a token."""
        token = tokens.tokens[index]
        if len(tokens.tokens) == 1 and len(token.text) == 1 and token.text in ascii_letters:
            return  # a letter by its name, as of a screen reader
        place = Place(tokens, index, self._numbers)
        for name, pattern, propose in self._by_first.get(token.text[0], ()):
            match = pattern.match(tokens.text, token.start)
            if match is not None:
                for reading in propose(place, match):
                    yield from _candidate(tokens, index, name, reading, match.end())
        for name, propose_word in self._by_word.get(token.low, ()):
            for reading in propose_word(place):
                yield from _candidate(tokens, index, name, reading, token.end)


def _candidate(
    tokens: Tokens, index: int, name: str, reading: Reading, usual_end: int
) -> Iterator[Candidate]:
    """Yield the candidate, nothing if it ends within a token or has figures that nobody can say."""
    end = tokens.at.get(usual_end if reading.end < 0 else reading.end)
    if end is not None and end > index and _FIGURE.search(reading.words or "") is None:
        yield Candidate(index, end, f"{name}.{reading.form}", reading.words, reading.facts)
