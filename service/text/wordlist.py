"""A mapping with many short strings in little memory."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

Entry = str | dict[str, str | None]
"""The phonemes of a word, or of each of its parts of speech; `DEFAULT` is for all others.

None stands for a word that is spelled.
"""

_KEPT = 4096
"""Number of results that are kept: common words are 95 % of any text."""


def pack(entries: Mapping[str, Entry]) -> bytes:
    """Return entries in the format of `WordList`: sorted lines of word, tab and entry.

    Entries by part of speech are JSON. Lines are sorted by their bytes in UTF-8.
    """
    return b"".join(sorted(_line(word, entry) for word, entry in entries.items()))


class WordList:
    """The entries of a lexicon. Also finds words with the other case of the first letter.

    `house` finds `House`, and the other way round, if the list has no exact entry. Words of one
    letter and words with capitals inside are found only as they are. The 183,000 entries of
    American English take 5 MB; two dictionaries would take 42 MB, or 66 MB with both cases.

    Args:
        lines: the output of `pack`.
    """

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        self.get = lru_cache(_KEPT)(self._find)
        """Return the entry of a word, or None."""

    @classmethod
    @cache
    def load(cls, name: str) -> WordList:
        """Return one of the lists in `english/data/`, such as `us_gold`: one object for each."""
        file = files("service.text.languages.english") / "data" / f"{name}.tsv.gz"
        return cls(gzip.decompress(file.read_bytes()))

    def __contains__(self, word: str) -> bool:
        return self.get(word) is not None

    def _find(self, word: str) -> Entry | None:
        entry = self.exact(word)
        if entry is not None or len(word) < 2:
            return entry
        small = word.lower()
        if word == small:
            return self.exact(word.capitalize())
        return self.exact(small) if word == small.capitalize() else None

    def has_match(self, head: str, rest: str) -> bool:
        """Tell whether a word starts with `head` and goes on as the pattern `rest` says."""
        first = head.encode()
        pattern = re.compile(b"^" + re.escape(first) + rest.encode() + b"\t", re.MULTILINE)
        start, end = self._place(first), self._place(first + b"\xff")
        return pattern.search(self._lines, start, end) is not None

    def exact(self, word: str) -> Entry | None:
        """Return the entry of exactly this word."""
        lines, key = self._lines, f"{word}\t".encode()
        low = self._place(key)
        if not lines.startswith(key, low):
            return None
        entry = lines[low + len(key) : lines.index(b"\n", low)].decode()
        return json.loads(entry) if entry.startswith("{") else entry

    def _place(self, key: bytes) -> int:
        """Return where the first line starts that does not come before `key`."""
        lines = self._lines
        low, high = 0, len(lines)
        while low < high:
            # The last line that starts in the first half, or else the first line.
            start = max(low, lines.rfind(b"\n", low, (low + high) // 2) + 1)
            if lines[start : start + len(key)] < key:
                low = lines.index(b"\n", start) + 1
            else:
                high = start
        return low


def _line(word: str, entry: Entry) -> bytes:
    if not isinstance(entry, str):
        entry = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return f"{word}\t{entry}\n".encode()
