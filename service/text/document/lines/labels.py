"""Labels at the start of a line: `Anna:`, `**Q:**`, `Made in:`, `MR. QUILL (aside):`, `姓名：`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from service.text.document.lines.line import Part, Role
from service.text.document.lines.page import Row, is_shouted
from service.text.document.lines.words import SPEAKERS

_SIGNS = "\u0300-\u036f\u0900-\u0963\u0966-\u097f\u200c\u200d"
"""Accents and the vowel signs of Hindi, which are parts of words but not letters."""
_LABEL = re.compile(
    rf"""(?P<open>[*_]{{0,3}})
        (?P<name>\w[\w{_SIGNS} .,'’&/\#+-]{{0,39}}?)
        (?P<aside>[ ]?\([^()]{{1,40}}\))?
        [*_]{{0,3}} [ \xa0\u202f]? (?P<colon>[:：]) [*_]{{0,3}}
        (?:(?<=：)|(?=\s)|$)
    """,
    re.VERBOSE,
)
_INITIAL = re.compile(r"(?P<open>[*_]{0,3})(?P<name>[QAPRD])\.[*_]{0,3}(?=\s)")
_QUESTIONS = frozenset("QPD")
_ANSWERS = frozenset("AR")
"""Initials of question and answer in Western languages."""
_NUMBER = re.compile(r"[ ]?#?[0-9]{1,3}$")
_MOST_WORDS = 5


class Label(NamedTuple):
    """A label at the start of a row.

    Attributes:
        name: its words.
        start: offset of the name into the bare row.
        end: likewise, of the end of the name, behind what stands in parentheses.
        behind: likewise, of what stands behind the colon.
    """

    name: str
    start: int
    end: int
    behind: int

    @property
    def is_shouted(self) -> bool:
        """Whether it is written in capitals, as speakers are in plays and transcripts."""
        return is_shouted(self.name)

    @property
    def is_speaker(self) -> bool:
        """Whether it is one of the words that stand for a speaker, with or without a number."""
        return _NUMBER.sub("", self.name).casefold() in SPEAKERS

    @property
    def is_capital(self) -> bool:
        """Whether it begins as a title does, or in a script without small letters."""
        return not self.name[0].islower()


def label_at(bare: str, start: int = 0) -> Label | None:
    """Return the label with a colon that stands at a place of a bare row, or None."""
    if ":" not in bare and "：" not in bare:
        return None
    match = _LABEL.match(bare, start)
    if match is None:
        return None
    name = match["name"].rstrip()
    if name.count(" ") >= _MOST_WORDS:
        return None
    end = match.end("aside") if match["aside"] else match.end("name")
    return Label(name, match.start("name"), end, match.end())


def labels_of(rows: Sequence[Row]) -> list[Label | None]:
    """Return the label of each row, with a colon, or with a dot as in `Q.` and `A.`

    A dot counts only where there is a question and an answer: it may be a name's.
    """
    labels = [label_at(row.bare) for row in rows]
    initials = [_INITIAL.match(row.bare) for row in rows]
    names = {match["name"] for match in initials if match}
    if names & _QUESTIONS and names & _ANSWERS:
        for place, match in enumerate(initials):
            if match and labels[place] is None:
                labels[place] = Label(match["name"], *match.span("name"), match.end())
    return labels


def labelled(row: Row, label: Label, name: Role, value: Role) -> list[Part]:
    """Return the parts of a row with a label: the name, and what stands behind it."""
    return [row.part(name, label.start, label.end), row.part(value, label.behind)]
