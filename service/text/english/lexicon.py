"""misaki's English lexicon and rules, without the tagger that misaki takes from spaCy."""

from __future__ import annotations

import importlib
import json
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any, NamedTuple

from service.text.english.wordlist import WordList

_VERSION = "0.9.4"

# Words in their context, of which a text has the same few over and over.
_WORDS_KEPT = 8192

# Whole words of English are shorter; of what is longer the rules' time is the square.
_MAX_CHARACTERS = 60

_lock = threading.Lock()


class Token(NamedTuple):
    """A part of a word that has a part of speech of its own.

    Attributes:
        text: never empty, no white space.
        tag: part of speech as the Penn Treebank has them.
    """

    text: str
    tag: str


class Next(NamedTuple):
    """What a word is said before.

    Attributes:
        vowel: whether the next sound is a vowel; None before a pause.
        to: whether the next word is `to`.
    """

    vowel: bool | None = None
    to: bool = False


# Symbols that stand for what comes next, where misaki looks at it.
_SOUNDS = {True: "ə", False: "b", None: "."}


@cache
def is_installed() -> bool:
    """Tell whether misaki is there, in the one version that this module knows.

    That has no release for Python 3.13 and later, where installers may take one of long ago.
    """
    try:
        return version("misaki") == _VERSION
    except PackageNotFoundError:
        return False


class Lexicon:
    """Pronounces English words in their context. Safe to share between threads.

    Args:
        british: whether British words are wanted, or American ones.
        guess: pronounces a word that neither the lexicon nor its rules know.
    """

    def __init__(self, *, british: bool, guess: Callable[[str], str]) -> None:
        self._guess = guess
        self._module = _load_module()
        self._g2p = _g2p_class()(british, lambda token: (guess(token.text), 1))
        self._pronounce = lru_cache(_WORDS_KEPT)(self._pronounce_anew)

    def pronounce(self, word: tuple[Token, ...], following: Next) -> str:
        """Return the phonemes of a word; empty if it is not heard.

        Args:
            word: its parts, such as those between its hyphens.
            following: what is said next.
        """
        return self._pronounce(word, following)

    def before(self, text: str, phonemes: str, following: Next) -> Next:
        """Return what is next for a word right before this one.

        Args:
            text: a word or a mark.
            phonemes: how it sounds.
            following: what is next for itself.
        """
        module = self._module
        for symbol in phonemes:
            if symbol in module.VOWELS:
                vowel: bool | None = True
            elif symbol in module.CONSONANTS:
                vowel = False
            elif symbol in module.NON_QUOTE_PUNCTS:
                vowel = None
            else:
                continue
            return Next(vowel, text in _TO)
        return Next(following.vowel, text in _TO)

    def has(self, word: str) -> bool:
        """Tell whether the word, spelled so, is in the lexicon."""
        return word in self._g2p.lexicon.golds or word in self._g2p.lexicon.silvers

    def attach(self, phonemes: str, ending: str) -> str:
        """Return the phonemes of a word with `s` or `ed` after it, voiced as its last sound is."""
        lexicon = self._g2p.lexicon
        attached = lexicon._s(phonemes) if ending == "s" else lexicon._ed(phonemes)
        return attached or ""

    def _pronounce_anew(self, word: tuple[Token, ...], following: Next) -> str:
        text = "".join(token.text for token in word)
        if len(text) > _MAX_CHARACTERS:
            if len(word) == 1:
                return self._guess(text)
            apart = [self.pronounce((token,), following) for token in word if _is_said(token.text)]
            return " ".join(filter(None, apart))
        given = [self._token(token.text, token.tag) for token in word]
        given[-1].whitespace = " "
        # It starts from the end, where nothing follows; so what does is given as one more word.
        after = self._token("to" if following.to else ",", ".")
        after.phonemes = _SOUNDS[following.vowel]
        _, (*said, _) = self._g2p([*given, after], preprocess=False)
        phonemes = "".join(token.phonemes or "" for token in said)
        return phonemes if phonemes or not _is_said(text) else self._guess(text)

    def _token(self, text: str, tag: str) -> Any:
        make = self._module.MToken
        extra = make.Underscore(is_head=True, num_flags="", prespace=False)
        return make(text=text, tag=tag, whitespace="", _=extra)


_TO = ("to", "To", "TO")


def _is_said(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _load_module() -> Any:
    """Return `misaki.en`, imported without spaCy.

    The module needs it for a method and a constructor, both of which ours replace; it is not
    there as a rule, and where it is, it would take 60 MB and half a second for nothing.
    """
    with _lock:
        if "misaki.en" not in sys.modules:
            with _stand_in("spacy"):
                importlib.import_module("misaki.en")
        return sys.modules["misaki.en"]


@contextmanager
def _stand_in(name: str) -> Iterator[None]:
    """Have an empty module stand where one may be missing."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = types.ModuleType(name)
    try:
        yield
    finally:
        del sys.modules[name]


@cache
def _g2p_class() -> Any:
    """Return misaki's class with our lists of words, and tokens in the place of text."""
    module = _load_module()

    class CompactLexicon(module.Lexicon):  # type: ignore[misc, name-defined]
        def __init__(self, british: bool) -> None:
            self.british = british
            self.cap_stresses = (0.5, 2)
            country = "gb" if british else "us"
            self.golds, self.silvers = (
                WordList(
                    json.loads((files("misaki") / "data" / f"{country}_{part}.json").read_bytes())
                )
                for part in ("gold", "silver")
            )

    class G2P(module.G2P):  # type: ignore[misc, name-defined]
        def __init__(self, british: bool, fallback: Callable[[Any], tuple[str, int]]) -> None:
            self.version = None
            self.british = british
            self.lexicon = CompactLexicon(british)
            self.fallback = fallback
            self.unk = ""

        def tokenize(self, text: Any, tokens: object, features: object) -> Any:
            return text

    return G2P
