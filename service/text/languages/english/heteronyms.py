"""Pronunciations that the lexicon lacks, for a context or for a sense that the caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from service.text.languages.english.homographs import SOUNDS

_NEAR = 7
"""Distance, in words, at which a word of the same topic counts as context."""


class _Reading(NamedTuple):
    """A pronunciation that a word has in some contexts. One matching context is enough.

    Attributes:
        american: the American phonemes.
        british: the British phonemes.
        before: phrases of one or two words directly before it.
        after: words directly after it.
        near: words at most 7 words away.
        tags: prefixes of the tags that it must have; empty for any tag.
        capital: whether it must start with a capital.
    """

    american: str
    british: str
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    capital: bool | None = None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.split(","))


# Those without a context are for a sense that the caller gives: the classifier decides the rest.
READINGS: Mapping[str, Sequence[_Reading]] = {
    "bases": [_Reading(*SOUNDS["bases_nou-base"])],
    # The deer are so rare that a classifier learned from as many of either takes verbs for them.
    "does": [
        _Reading(
            "dˈOz",
            "dˈQz",
            before=_phrases(
                "two, three, four, five, six, several, young, female, bucks and, stags and,"
                " fawns and, the, many"
            ),
        )
    ],
    "exports": [_Reading(*SOUNDS["exports_vrb"], tags=("VB",))],
    "minutes": [_Reading("mˈɪnəts", "mˈɪnɪts")],
    "nice": [
        _Reading(
            "nˈis",
            "nˈiːs",
            near=_words("france riviera cannes marseille marseilles monaco lyon provence antibes"),
            capital=True,
        )
    ],
    "number": [
        _Reading(
            "nˈʌməɹ",
            "nˈʌmə",
            before=_phrases("grew, grow, grows, ever"),
            near=_words("numb"),
        )
    ],
    "protests": [_Reading(*SOUNDS["protests_vrb"], tags=("VB",))],
    "resumes": [_Reading(*SOUNDS["resumes_nou"])],
}

_SENTENCE_ENDS = frozenset(".!?")


def find_pronunciations(
    words: Sequence[str], tags: Sequence[str], *, british: bool
) -> dict[int, str]:
    """Return the phonemes of words that differ from the lexicon, by the index of the word.

    Args:
        words: the words and marks of a text.
        tags: the tag of each.
        british: whether to pronounce British or American English.
    """
    found: dict[int, str] = {}
    for index, word in enumerate(words):
        for reading in READINGS.get(word.lower(), ()):
            if _fits(reading, words, index, tags[index]):
                found[index] = reading.british if british else reading.american
                break
    return found


UNUSUAL_SENSE = "SENSE_1"
"""In place of a tag: the word has the sense that is not the usual one."""


def find_sense(word: str, tag: str, *, british: bool) -> str | None:
    """Return the phonemes of a word whose part of speech or sense the caller gives.

    None if the lexicon has them.
    """
    for reading in READINGS.get(word.lower(), ()):
        is_certain = not (reading.before or reading.after or reading.near) and reading.tags
        if tag == UNUSUAL_SENSE or (is_certain and tag.startswith(reading.tags)):
            return reading.british if british else reading.american
    return None


def _fits(reading: _Reading, words: Sequence[str], index: int, tag: str) -> bool:
    if reading.tags and not tag.startswith(reading.tags):
        return False
    if reading.capital is not None and words[index][0].isupper() != reading.capital:
        return False
    if not (reading.before or reading.after or reading.near):
        return True
    before = _same_sentence(words[max(0, index - _NEAR) : index][::-1])[::-1]
    after = _same_sentence(words[index + 1 : index + 1 + _NEAR])
    return (
        (bool(after) and after[0] in reading.after)
        or not reading.before.isdisjoint((" ".join(before[-1:]), " ".join(before[-2:])))
        or not reading.near.isdisjoint(before)
        or not reading.near.isdisjoint(after)
    )


def _same_sentence(words: Sequence[str]) -> list[str]:
    """Return the words up to the end of the sentence, in lower case."""
    return [word.lower() for word in takewhile(lambda word: word not in _SENTENCE_ENDS, words)]
