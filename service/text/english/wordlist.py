"""A dictionary of many short strings in little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache

Entry = str | dict[str, str | None]
"""The phonemes of a word; or those of each part of speech, `DEFAULT` for all others."""

_KEPT = 4096
"""Looked up once: the common words are 95 % of any text."""


class WordList(Mapping[str, Entry]):
    """The entries of a lexicon, and each word also with the other case of its first letter.

    `house` finds `House` and the other way round, where the list itself has no such entry; words
    of one letter and words with capitals inside are only found as they are. The 183,000 entries
    of American English take 6 MB, where two dictionaries take 42, or 66 with both cases.
    """

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._by_tag = {
            word: entry for word, entry in entries.items() if not isinstance(entry, str)
        }
        lines = sorted(
            f"{word}\t{entry}\n".encode()
            for word, entry in entries.items()
            if isinstance(entry, str)
        )
        self._text = b"".join(lines)
        self._starts = array("I")
        start = 0
        for line in lines:
            self._starts.append(start)
            start += len(line)
        self._find = lru_cache(_KEPT)(self._find_anew)

    def __getitem__(self, word: str) -> Entry:
        entry = self._find(word)
        if entry is None:
            raise KeyError(word)
        return entry

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._find(word) is not None

    def __iter__(self) -> Iterator[str]:
        yield from self._by_tag
        for line in self._text.splitlines():
            yield line.partition(b"\t")[0].decode()

    def __len__(self) -> int:
        return len(self._by_tag) + len(self._starts)

    def _find_anew(self, word: str) -> Entry | None:
        entry = self._own(word)
        if entry is not None or len(word) < 2:
            return entry
        small = word.lower()
        if word == small:
            return self._own(word.capitalize())
        return self._own(small) if word == small.capitalize() else None

    def _own(self, word: str) -> Entry | None:
        """Return the entry of exactly this word."""
        entry = self._by_tag.get(word)
        if entry is not None:
            return entry
        key = f"{word}\t".encode()
        text, length = self._text, len(key)
        index = bisect_left(self._starts, key, key=lambda start: text[start : start + length])
        if index == len(self._starts):
            return None
        start = self._starts[index]
        if text[start : start + length] != key:
            return None
        return text[start + length : text.index(b"\n", start)].decode()
