"""Give what is between quotation marks a voice of its own, by the tags of docs/markup.md.

Nobody guesses who speaks. Words in quotation marks that are a title or meant otherwise, such as the
“friend” of a villain, keep the narrator's voice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from service.books.book import Chapter, Paragraph

_CLOSING = {
    "“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "‹": "›", '"': '"', "‘": "’",
}  # fmt: skip
_SAME_BOTH_WAYS = frozenset('"‘»“')
"""Marks that also close, or are apostrophes: they open where a word begins."""

_PAUSES = frozenset(".,!?…—–;:。！？、")
_BEFORE = re.compile(r"(?:\A|[\s([{—–-])\Z")
_ENDS_BEFORE = re.compile(r"(?:\A|[.!?…:,—–。！？：、」』”»]|\s[-–—])\s*\Z")
_TAG = "[voice:"
_WITH_QUOTES = frozenset({"text", "quotation", "verse", "note"})
_LONG = 4
"""Words of a quotation that is no title and no word meant otherwise."""


def with_quotes(chapter: Chapter, voice: str) -> Chapter:
    """Return a chapter in which another voice says what is between quotation marks.

    Paragraphs that have tags of voices stay as they are, and so do headings, tables, code and SSML.

    Args:
        chapter: as it is in the book.
        voice: a voice or a blend.
    """
    texts = [one for one in chapter.paragraphs if one.text]
    following = dict(zip(map(id, texts), texts[1:], strict=False))
    changed = tuple(
        replace(one, text=_tagged(one.text, voice, following.get(id(one))))
        if one.kind in _WITH_QUOTES and _TAG not in one.text and not one.is_ssml
        else one
        for one in chapter.paragraphs
    )
    return replace(chapter, paragraphs=changed)


def _tagged(text: str, voice: str, following: Paragraph | None) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in _quotations(text, following.text if following is not None else ""):
        pieces += [text[done:start], f"{_TAG}{voice}]", text[start:end], "[/voice]"]
        done = end
    return "".join([*pieces, text[done:]])


def _quotations(text: str, following: str) -> Iterator[tuple[int, int]]:
    """Yield where what people say stands in a paragraph, with its quotation marks.

    Args:
        text: of the paragraph.
        following: text of the next one. A speech over several paragraphs opens in each of them,
            and closes in the last.
    """
    at = 0
    unclosed: set[str] = set()  # marks that none of their kind closes from here on
    while at < len(text):
        mark = text[at]
        if mark not in _CLOSING or not _opens(text, at):
            at += 1
            continue
        end = -1 if mark in unclosed else _close(text, at)
        if end < 0:
            unclosed.add(mark)
            if not following.startswith(mark):
                at += 1
                continue
            end = len(text)
        if _is_said(text, at, end):
            yield at, end
        at = end


def _opens(text: str, at: int) -> bool:
    if text[at] not in _SAME_BOTH_WAYS:
        return True
    is_start = _BEFORE.search(text[max(0, at - 1) : at]) is not None
    return is_start and not text[at + 1 : at + 2].isspace() and at + 1 < len(text)


def _close(text: str, at: int) -> int:
    """Return where a quotation ends, behind its mark; -1 if it does not."""
    closing = _CLOSING[text[at]]
    for end in range(at + 1, len(text)):
        character = text[end]
        if character in closing:
            is_inside = text[end + 1 : end + 2].isalnum() or text[end - 1].isspace()
            if character == "’" and (is_inside or text[end - 1] not in _PAUSES):
                continue  # an apostrophe
            if character == '"' and is_inside:
                continue
            return end + 1
    return -1


def _is_said(text: str, start: int, end: int) -> bool:
    """Tell whether a quotation is speech, and no title and no word that is meant otherwise."""
    inside: Sequence[str] = text[start + 1 : end - 1].split()
    if not inside:
        return False
    ends_inside = inside[-1][-1] in _PAUSES
    begins = _ENDS_BEFORE.search(text[:start][-4:]) is not None
    is_followed = text[end : end + 1] in _PAUSES or not text[end:].strip()
    return ends_inside or len(inside) >= _LONG or (begins and is_followed)
