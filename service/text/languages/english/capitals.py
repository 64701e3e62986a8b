"""Words in capitals: acronyms are spelled, shouted words are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from service.text.languages.english import words as classes

_SHORT = 4
"""Longest acronym, in letters, that the lexicon need not have."""


def calm(words: Sequence[str], knows: Callable[[str], bool]) -> list[str]:
    """Return the words, with shouted phrases in lower case.

    A shouted phrase has at least two words, one of them a common one like `the` or `not`, and no
    lower-case letters. Acronyms in it stay as they are: those in the lexicon, and short words that
    the lexicon lacks.

    Args:
        words: the words and marks of a text.
        knows: tells whether the lexicon has a word in this spelling.
    """
    calmed = list(words)
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and words[end] == words[end].upper():
            end += 1
        if _is_shouted(words[start:end]):
            for index in range(start, end):
                if not _is_acronym(words[index], knows):
                    calmed[index] = words[index].lower()
        start = max(end, start + 1)
    return calmed


def _is_shouted(words: Sequence[str]) -> bool:
    long = [word for word in words if len(word) > 1 and word[0].isalpha()]
    return len(long) > 1 and any(word.lower() in classes.FUNCTION_WORDS for word in long)


def _is_acronym(word: str, knows: Callable[[str], bool]) -> bool:
    small = word.lower()
    if small in classes.FUNCTION_WORDS:
        return word == "I"
    return knows(word) or (len(word) <= _SHORT and not _is_word(small, knows))


def _is_word(word: str, knows: Callable[[str], bool]) -> bool:
    return knows(word) or (word.endswith("s") and knows(word[:-1]))
