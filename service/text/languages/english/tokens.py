"""The input of the lexicon: text, part of speech, and what comes next."""

from __future__ import annotations

from typing import NamedTuple

from service.text.languages.english.sounds import is_before_vowel


class Token(NamedTuple):
    """A part of a word that has its own part of speech.

    Attributes:
        text: not empty, without white space.
        tag: its Penn Treebank tag.
    """

    text: str
    tag: str


class Next(NamedTuple):
    """The context of a word: what comes after it.

    Attributes:
        vowel: whether the next sound is a vowel; None before a pause.
        to: whether the next word is `to`.
    """

    vowel: bool | None = None
    to: bool = False

    def before(self, phonemes: str, *, to: bool) -> Next:
        """Return the context one word earlier, given the word that stands in between.

        Args:
            phonemes: the phonemes of the word in between.
            to: whether it is the word `to`.
        """
        return Next(is_before_vowel(phonemes, self.vowel), to)
