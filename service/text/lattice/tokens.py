"""Tokens of a text: words, numbers, signs and spaces, with what is known of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

Kind = Literal["word", "number", "space", "sign"]

# `²` and `½` are alphanumeric to `re`, and neither letters nor digits.
_RAISED = "²³¹⁰-ⁿ₀-₉½¼¾⅐-⅞"
_LETTER = rf"[^\W0-9_{_RAISED}]"
_TOKEN = re.compile(
    rf"(?P<word>{_LETTER}+(?:['’]{_LETTER}+)*)|(?P<number>[0-9]+)|(?P<space>\s+)|(?P<sign>.)",
    re.DOTALL,
)
_SENTENCE_END = re.compile(r"\n|(?<=[a-z)”\"][.!?])\s+(?=[A-Z“\"])")
_LONG_WORD = re.compile(r"[^\W\d_]{2,}")
_MOSTLY = 0.6
"""Share of the words of a line in capitals from which on capitals say nothing about a word."""


class Token(NamedTuple):
    """A part of a text.

    Attributes:
        start: offset in the text, in code points.
        end: likewise.
        text: what stands there.
        kind: letters, digits 0 to 9, white space, or one sign.
        low: the text in lower case, with straight apostrophes.
    """

    start: int
    end: int
    text: str
    kind: Kind
    low: str

    @property
    def shape(self) -> str:
        """Return how a word is written: `upper`, `single`, `title`, `lower` or `mixed`."""
        text = self.text
        if len(text) == 1:
            return "single"
        if text == self.low:
            return "lower"
        if text.isupper():
            return "upper"
        return "title" if text[1:] == self.low[1:] else "mixed"


class Tokens:
    """The tokens of a text, and what stands around each.

    Args:
        text: any text.
        domains: what a word tells of the field of the text, by the word in lower case.
        knows: tells whether the language has a word in this spelling.

    Attributes:
        text: the text.
        tokens: its tokens, in order, without gaps.
        at: the index of the token that starts at an offset; the end of the text has the last.
        solid: the indexes of tokens that are no spaces, in order.
        rank: for each index of a token, and the number of tokens, how many of `solid` are before.
        domains: the fields that its words tell of.
    """

    def __init__(self, text: str, domains: Mapping[str, str], knows: Callable[[str], bool]) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.solid: list[int] = []
        self.rank: list[int] = []
        self.at: dict[int, int] = {}
        for index, match in enumerate(_TOKEN.finditer(text)):
            kind: Kind = match.lastgroup  # type: ignore[assignment]
            start, end = match.span()
            low = written = match[0]
            if kind == "word":
                low = written.lower().replace("’", "'")
            self.tokens.append(Token(start, end, written, kind, low))
            self.at[start] = index
            self.rank.append(len(self.solid))
            if kind != "space":
                self.solid.append(index)
        self.at[len(text)] = len(self.tokens)
        self.rank.append(len(self.solid))
        self.knows = knows
        self.domains = frozenset(
            domains[token.low] for token in self.tokens if token.low in domains
        )
        self._shouted: dict[int, bool] = {}

    def neighbour(self, index: int, distance: int) -> Token | None:
        """Return the token that is some places away, not counting spaces; None beyond the ends.

        Args:
            index: of a token; or of the first after a candidate, with a distance from 0.
            distance: -1 is the one before, 1 the one after.
        """
        place = self.rank[index] + distance
        return self.tokens[self.solid[place]] if 0 <= place < len(self.solid) else None

    def is_shouted(self, offset: int) -> bool:
        """Tell whether the line at an offset is mostly in capitals."""
        start = self.text.rfind("\n", 0, offset) + 1
        known = self._shouted.get(start)
        if known is None:
            end = self.text.find("\n", start)
            line = self.text[start : end if end >= 0 else len(self.text)]
            words = _LONG_WORD.findall(line)
            n_upper = sum(word.isupper() for word in words)
            known = len(words) > 1 and n_upper > _MOSTLY * len(words)
            self._shouted[start] = known
        return known
