"""Words in capitals: some are letters to be read one by one, others are only shouted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from service.text.english import words as classes

_SHORT = 4
"""Letters that an acronym may have which the lexicon does not know."""


def calm(words: Sequence[str], knows: Callable[[str], bool]) -> list[str]:
    """Return the words, with those in small letters that are in capitals as a whole phrase is.

    Such a phrase has two words or more, one of which is a common one like `the` or `not`, and no
    small letters. Acronyms in it stay: those that the lexicon has, and short words that it lacks.

    Args:
        words: of a text, marks among them.
        knows: tells whether the lexicon has a word, spelled so.
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
