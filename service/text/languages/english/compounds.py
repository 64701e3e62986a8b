"""Words in several parts: which parts are pronounced as one, and how they are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from service.text.languages.english import emphasis
from service.text.languages.english.sounds import DOUBLE
from service.text.languages.english.tokens import Next, Token

SILENT = frozenset("',-._‘’/")
"""Signs inside a word that may stay silent."""

Say = Callable[[Token, Next, bool], str | None]
"""Returns the phonemes of parts as one word. The last argument tells whether they start the
word."""


def pronounce(parts: Sequence[Token], following: Next, say: Say) -> tuple[str, Next] | None:
    """Return the phonemes of a word in parts, and the context for the word before it.

    Starting from the end, as many parts as possible are pronounced as one. Returns None if a part
    cannot be pronounced and is not a silent sign.
    """
    said = [""] * len(parts)
    end = len(parts)
    while end:
        for start in range(end):
            token = merged(parts[start:end])
            phonemes = say(token, following, start == 0)
            if phonemes is not None:
                said[start] = phonemes
                following = following.before(phonemes, to=is_to(token))
                end = start
                break
        else:
            end -= 1
            if not SILENT.issuperset(parts[end].text):
                return None
    return _joined(parts, said), following


def merged(parts: Sequence[Token]) -> Token:
    """Return the parts as one token, with the tag of the longest one. Capitals count twice."""
    tag = max(parts, key=lambda part: _weight(part.text)).tag
    return Token("".join(part.text for part in parts), tag)


def is_to(token: Token) -> bool:
    """Tell whether the token is the word `to`."""
    return token.text in ("to", "To") or (token.text == "TO" and token.tag in ("TO", "IN"))


def _joined(parts: Sequence[Token], said: list[str]) -> str:
    text = "".join(part.text for part in parts)
    kinds = {character.isalpha() for character in text if character not in SILENT}
    if "/" in text or len(kinds) > 1:
        return " ".join(filter(None, said))
    heard = [index for index, phonemes in enumerate(said) if phonemes]
    for index in _weaker(parts, said, heard):
        said[index] = emphasis.weaken(said[index])
    return "".join(said)


def _weaker(parts: Sequence[Token], said: Sequence[str], heard: Sequence[int]) -> Sequence[int]:
    """Return which of the spoken parts lose their primary stress.

    After a single letter, the other part; otherwise the lighter half, if most parts have primary
    stress.
    """
    if len(heard) == 2 and len(parts[heard[0]].text) == 1:
        return heard[1:]
    n_strong = sum(emphasis.PRIMARY in said[index] for index in heard)
    if len(heard) < 2 or n_strong <= (len(heard) + 1) // 2:
        return ()
    lightest = sorted(
        heard, key=lambda index: (emphasis.PRIMARY in said[index], _sounds(said[index]))
    )
    return lightest[: len(heard) // 2]


def _sounds(phonemes: str) -> int:
    return sum(2 if symbol in DOUBLE else 1 for symbol in phonemes)


def _weight(text: str) -> int:
    return sum(1 if letter == letter.lower() else 2 for letter in text)
