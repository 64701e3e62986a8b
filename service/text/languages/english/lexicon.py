"""Pronounce English words in context: by the lists and rules, otherwise by a guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from service.text.languages.english import compounds
from service.text.languages.english.dictionary import Dictionary
from service.text.languages.english.loanwords import fold
from service.text.languages.english.stems import ED, S
from service.text.languages.english.subwords import cut
from service.text.languages.english.tokens import Next, Token

# Number of words in context that are kept. Texts repeat the same few.
_WORDS_KEPT = 8192

# English words are shorter. The time of the rules grows with the square of the length.
_MAX_CHARACTERS = 60

# Tags that spaCy gives to signs, in addition to the signs themselves.
_SIGN_TAGS = frozenset([".", ",", "-LRB-", "-RRB-", "``", '""', "''", ":", "$", "#", "NFP"])
_BRACKETS_AND_QUOTES = {"-LRB-": "(", "-RRB-": ")", "``": "“", '""': "”", "''": "”"}
_SPOKEN_MARKS = frozenset(';:,.!?—…"“”')

# Letters outside those of Western Europe, which espeak-ng names one by one.
_RARE = re.compile(r"[\u0100-\u024f\u1e00-\u1eff]")

# Letters of names that English has without their accents: `Málaga`, `Stanisław`. Others, as in
# `Jürgen`, tell that the name is said as in its language.
_WEAK_ACCENTS = frozenset("áàéèíìóòúùł'’abcdefghijklmnopqrstuvwxyz")

# Kokoro was trained with a letter for the tap and none for the glottal stop.
_SYMBOLS = str.maketrans({"ɾ": "T", "ʔ": "t"})


class Lexicon:
    """Pronounces English words in their context. Safe to share between threads.

    Args:
        british: whether to pronounce British or American English.
        guess: pronounces words that neither the lexicon nor its rules know.
        with_cmu: whether to know the words of the CMU dictionary, and those made of known ones,
            which the official front end does not.
    """

    def __init__(
        self, *, british: bool, guess: Callable[[str], str], with_cmu: bool = True
    ) -> None:
        self._unfolded_guess = guess
        self._knows_coinages = with_cmu
        self._dictionary = Dictionary(british=british, with_cmu=with_cmu)
        self._pronounce = lru_cache(_WORDS_KEPT)(self._pronounce_anew)

    def pronounce(self, word: tuple[Token, ...], following: Next) -> str:
        """Return the phonemes of a word; empty if it is silent.

        Args:
            word: its parts, for example those between hyphens.
            following: what comes next.
        """
        return self._pronounce(word, following)

    def before(self, text: str, phonemes: str, following: Next) -> Next:
        """Return the context for the word directly before this one.

        Args:
            text: a word or a mark.
            phonemes: its phonemes.
            following: its own context.
        """
        return following.before(phonemes, to=text in ("to", "To", "TO"))

    def has(self, word: str) -> bool:
        """Tell whether the lexicon has the word in this spelling."""
        return self._dictionary.has(word)

    def knows(self, token: Token) -> bool:
        """Tell whether the lists and rules say a word as it is written, accents included."""
        if not token.text.isascii() and not _WEAK_ACCENTS.issuperset(token.text.lower()):
            return self.has(token.text)
        return self._look_up(token, Next(), True) is not None

    def source(self, word: tuple[Token, ...]) -> str:
        """Return where the phonemes of a word are from; see `Dictionary.source`.

        `compound` is a word of several parts that are known apart, or a coinage of known words,
        `espeak-ng` one that is neither.
        """
        parts = [part for part in _between_signs(word) if _mark(part[0]) is None]
        found = [self._dictionary.source(compounds.merged(part)) for part in parts]
        if len(found) == 1 and found[0]:
            return found[0]
        tokens = [token for part in parts for token in part if _is_said(token.text)]
        if len(tokens) == 1:
            return "compound" if self._dictionary.coined(tokens[0].text) else "espeak-ng"
        known = all(map(self._dictionary.source, tokens))
        return "compound" if known and tokens else "espeak-ng"

    def attach(self, phonemes: str, ending: str) -> str:
        """Return the phonemes of a word with an added `s` or `ed`, voiced like its last sound."""
        return self._dictionary.attach(phonemes, S if ending == "s" else ED) or ""

    def _pronounce_anew(self, word: tuple[Token, ...], following: Next) -> str:
        text = "".join(token.text for token in word)
        if len(text) > _MAX_CHARACTERS:
            if len(word) == 1:
                return self._guess(text)
            apart = [self.pronounce((token,), following) for token in word if _is_said(token.text)]
            return " ".join(filter(None, apart))
        said: list[str] = []
        # From the end, because of words like `in-the-end`: `the` depends on what comes after it.
        for parts in reversed(list(_between_signs(word))):
            phonemes, following = self._say(parts, following)
            said.append(phonemes)
        phonemes = "".join(reversed(said)).translate(_SYMBOLS)
        return phonemes if phonemes or not _is_said(text) else self._guess(text)

    def _say(self, parts: Sequence[Token], following: Next) -> tuple[str, Next]:
        """Return the phonemes of a run without spaces, and the context for the word before it."""
        if len(parts) > 1:
            found = compounds.pronounce(parts, following, self._look_up)
            return found or (self._guess(compounds.merged(parts).text), following)
        (token,) = parts
        phonemes = _mark(token)
        if phonemes is None:
            phonemes = self._look_up(token, following, True)
        if phonemes is None:
            coined = self._dictionary.coined(token.text) if self._knows_coinages else None
            phonemes = coined or self._guess(token.text)
        return phonemes, following.before(phonemes, to=compounds.is_to(token))

    def _guess(self, word: str) -> str:
        """Return the phonemes of an unknown word, without accents that English does not have."""
        plain = fold(word)
        return self._unfolded_guess(plain if _RARE.search(word) and plain.isascii() else word)

    def _look_up(self, token: Token, following: Next, opens: bool) -> str | None:
        return self._dictionary.pronounce(token, following, opens=opens)


def _between_signs(word: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield groups of parts that are pronounced together. A mark is its own group."""
    together: list[Token] = []
    for token in word:
        for text in cut(token.text):
            part = Token(text, token.tag)
            if _mark(part) is None:
                together.append(part)
                continue
            if together:
                yield together
            together = []
            yield [part]
    if together:
        yield together


def _mark(token: Token) -> str | None:
    """Return the marks that a sign stands for, possibly none; None if it is not a sign."""
    text, tag = token
    if tag == ":" and text in ("-", "–"):
        return "—"
    if tag not in _SIGN_TAGS or (text.isascii() and text.isalpha()):
        return None
    return _BRACKETS_AND_QUOTES.get(tag, "".join(filter(_SPOKEN_MARKS.__contains__, text)))


def _is_said(text: str) -> bool:
    return any(character.isalnum() for character in text)
