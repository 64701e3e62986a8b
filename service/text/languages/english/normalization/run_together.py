"""Split words that hashtags and hosts write together: `throwbackthursday`."""

from __future__ import annotations

import re
from functools import lru_cache

from service.text.languages.english.normalization.notation import word_set
from service.text.wordlist import WordList

_SHORTEST, _LONGEST = 7, 40
"""Letters of what may be several words. The time grows with the square of the length."""

_LONGEST_WORD = 18

# The lists have many rare short words, such as `nof` and `ka`; only these are parts.
_SHORT_WORDS = word_set(
    "a i ad ai am an as at be by dj do go he hi if in is it me mr mrs my no of oh ok on or our so "
    "to tv uk up us vs we ace act add age ago aid air all and any app are arm art ask bad bag bar "
    "bay bbq bed bet big bit box boy bus but buy bye can cap car cat cow cup cut dad dam day did "
    "dog dry due ear eat egg end eye fam fan far fat few fit fix fly for fox fun gas get god got "
    "gun gym had has hat her hey him his hit hot how ice ink inn its jam jet job joy key kid lab "
    "law lay led leg let lip lit lot love low mad man map max may men met mix mom mud mum new non "
    "not now nut odd off oil old one our out own pay pen pet pie pig pop pub put ran raw red rip "
    "row run sad say sea see set sex she sir six ski sky son spa sun tax tea ten the tie tip too "
    "top toy try two use van vet war was way web wet who why win won yes yet you zoo day city"
)
# Names that are one word, and that everybody says so.
_NAMES = word_set(
    "localhost youtube facebook linkedin wordpress dropbox firefox cloudflare whatsapp soundcloud "
    "salesforce photoshop lightroom playstation mastercard walmart starbucks"
)
_NEVER_LAST = word_set(
    "a ad ai am an as at be by dj he hi if in is mr mrs my of on or our so the to we"
)
_WITH_LETTERS = 4
"""Fewest words of which one may be a single letter: `onceinalifetime`."""

_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))
_DOUBLED = re.compile(r"([bdgmnprt])\1ing\Z")
_SHORTEST_STEM = 3


@lru_cache(1024)
def split(name: str) -> tuple[str, ...]:
    """Return the words of a name in small letters; the name itself if they are not certain.

    The fewest words count, and of two ways with equally many the one with the longer shortest word:
    `homeworkout` is `home workout` and not `homework out`.

    Args:
        name: small letters of English.
    """
    if not _SHORTEST <= len(name) <= _LONGEST or name in _NAMES or _is_word(name):
        return (name,)
    best: list[tuple[str, ...] | None] = [()] + [None] * len(name)
    for end in range(1, len(name) + 1):
        for start in range(max(0, end - _LONGEST_WORD), end):
            head = best[start]
            word = name[start:end]
            if head is None or not _is_part(word):
                continue
            found = (*head, word)
            if best[end] is None or _rank(found) < _rank(best[end] or ()):
                best[end] = found
    words = best[-1]
    return words if words and _is_certain(words) else (name,)


def _is_certain(words: tuple[str, ...]) -> bool:
    """Tell whether the words are meant: short ones are found in any letters, as in many names."""
    if sum(map(len, words)) < 3 * len(words) or words[-1] in _NEVER_LAST:
        return False
    return len(words) >= _WITH_LETTERS or min(map(len, words)) > 1


def _rank(words: tuple[str, ...]) -> tuple[int, int]:
    return len(words), -min(map(len, words))


def _is_part(word: str) -> bool:
    return word in _SHORT_WORDS if len(word) < 4 else _is_word(word)


def _is_word(word: str) -> bool:
    known = WordList.load("us_gold")
    if word in known:
        return True
    if _DOUBLED.search(word) and word[:-4] in known:
        return True
    return any(
        word.endswith(ending) and len(word) - len(ending) > _SHORTEST_STEM
        and word[: -len(ending)] + instead in known
        for ending, instead in _ENDINGS
    )  # fmt: skip
