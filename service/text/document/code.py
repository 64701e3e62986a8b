"""Code in a text: which lines that are only indented hold any, and where its characters stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from service.text.document.source import NOTHING, TEXT, Edit
from service.text.offset_mapping import TracedText

_CODE = re.compile(
    r"[{}]\s*\Z|\)\s*;\s*\Z|\s(?:[!=<>+*/|&-]?=|->|=>|&&|\|\|)\s|\w::\w|\w\([^()]*\)"
    r"|^\s*(?:\$|//|/\*|<\?)\s*\S"
    r"|^\s*(?:def|class|import|from|return|function|var|let|const|public|private|static|void|int"
    r"|if|elif|else|for|while|try|except|print|echo|sudo|cd|git|pip|npm|curl|docker)\b.*[:;(){}=.'\"/-]"
    r"|^\s*(?:[\w.-]+/)+[\w.-]+\s*\Z"
)
_LONGEST_LINE = 400
"""Characters of a line that tell whether it is code."""
_INDENT = re.compile(r"[ \t]*")
_CODE_INDENT = 4
"""Columns before a line of code that has no fence."""
_NEAR = 80
"""Characters in which a sign of code is looked for that does not stand where it should."""


def is_code(text: str, ranges: Sequence[tuple[int, int]]) -> bool:
    """Tell whether at least half of some lines look like code."""
    n_lines = n_code = 0
    for start, end in ranges:
        for line in text[start:end].splitlines():
            if line.strip():
                n_lines += 1
                n_code += _CODE.search(line[:_LONGEST_LINE]) is not None
    return 2 * n_code >= n_lines


def indents(text: str, ranges: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    """Yield the indents that make some lines code, so that the parser finds text there.

    What all lines have in common goes, so that lists and quotes in them keep their shape.
    """
    starts: list[int] = []
    for start, end in ranges:
        at = start
        while at < end:
            stop = text.find("\n", at, end)
            stop = end if stop < 0 else stop
            if text[at:stop].strip():
                starts.append(at)
            at = stop + 1
    if not starts:
        return
    more = min(_INDENT.match(text, at).end() - at for at in starts)  # type: ignore[union-attr]
    for start in starts:
        first, n_columns = start, 0
        while first and n_columns < _CODE_INDENT and text[first - 1] in " \t":
            first -= 1
            n_columns += _CODE_INDENT if text[first] == "\t" else 1
        if first < start + more:
            yield Edit(first, start + more, NOTHING)


def aligned(said: str, shown: str, text: str, start: int, end: int) -> TracedText:
    """Return code with the places of its characters.

    It is as written but for the ends of lines, signs of quotes and white space after them, and
    backslashes before `|`.
    """
    at = start
    places: list[int] = []
    for sign in said:
        if at < end and shown[at] == "\\" and sign == "|":
            at += 1
        if sign == TEXT and at < end and shown[at] != TEXT:
            continue  # it was put in between
        if at < end and shown[at] != sign and not (shown[at] == "\n" and sign == " "):
            found = shown.find(sign, at, min(end, at + _NEAR))
            at = found if found >= 0 else at
        if at >= end:
            break
        places.append(at)
        at += 1
        if shown[at - 1] == "\n":
            while at < end and shown[at] in " \t>":
                at += 1
    code = "".join(" " if text[place] == "\n" else text[place] for place in places)
    return TracedText(code, places, [place + 1 for place in places])
