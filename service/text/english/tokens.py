"""Words as they are given to the lexicon: text, part of speech, and what is said next."""

from __future__ import annotations

from typing import NamedTuple

from service.text.english.sounds import is_before_vowel


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

    def before(self, phonemes: str, *, to: bool) -> Next:
        """Return what is next for a word right before the one that this is next for.

        Args:
            phonemes: of the one in between.
            to: whether that is the word `to`.
        """
        return Next(is_before_vowel(phonemes, self.vowel), to)
