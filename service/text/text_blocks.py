"""Cut a long text into blocks that are read one by one with the same result as the whole text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.text.characters import CLOSING, SENTENCE_ENDS
from service.text.clauses import clause_length

BLOCK_LENGTH = 1_000
"""Usual length of a block in characters: some ten sentences. Reading a block takes a few hundredths
of a second, so speech starts before the rest of the text is read."""

_SENTENCE_ENDS = tuple(SENTENCE_ENDS)


def blocks(text: str, unbroken: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
    """Yield start and end of each block, in order and without gaps; none for an empty text.

    A block ends after a paragraph or a sentence. If that is too long, it ends after a line, and if
    that is too long, before a word. It never ends inside the ranges `unbroken`, which are in order
    and do not overlap.
    """
    start = index = 0
    for cut in _cuts(text):
        while index < len(unbroken) and unbroken[index][0] < cut:
            cut = max(cut, unbroken[index][1])
            index += 1
        if cut > start:
            yield start, cut
            start = cut


def _cuts(text: str) -> Iterator[int]:
    """Yield the positions where blocks may end; the last one is the end of the text."""
    if len(text) <= BLOCK_LENGTH:
        yield len(text)
        return
    start = end = best = 0
    while end < len(text):
        part = text[end : end + BLOCK_LENGTH + 1]
        is_final = end + len(part) == len(text)
        length = clause_length(part, BLOCK_LENGTH, BLOCK_LENGTH, is_final=is_final) or len(part)
        while end + length - start > BLOCK_LENGTH and end > start:
            start = best if best > start else end
            yield start
        end += length
        said = text[:end].rstrip(CLOSING)[-1:]
        paragraph = text[end : end + 2].strip(" \t\r") == "\n\n"
        if said.endswith(_SENTENCE_ENDS) or paragraph:
            best = end
    yield end
