"""What the line grammar finds: lines of a text, and the parts that each of them consists of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Kind = Literal[
    "plain", "blank", "cue", "turn", "scene", "message", "log", "header", "quote", "signature",
    "field", "item", "row", "verse", "stack",
]  # fmt: skip
"""What a line is:

- `plain`: left to Markdown, with all its line ends; any number of lines of the source.
- `blank`: blank lines below a line that was recognised.
- `cue`: a line of a subtitle file: number, timing, text of a cue, header or comment.
- `turn`: what a speaker says in a transcript, an interview or a play.
- `scene`: a screenplay's line that nobody says: slugline, transition, indented action.
- `message`: a message of a chat.
- `log`: a line of a log or of a stack trace, an entry of a timetable or of a list of chapters.
- `header`: a header of a mail.
- `quote`: quoted text in a mail.
- `signature`: a mail's signature, with the separator above it.
- `field`: label and value.
- `item`: an item of a list whose bullets or numbers are not Markdown's.
- `row`: cells in columns.
- `verse`: a line of a poem or song.
- `stack`: a short line among others: of an address, a schedule, a list without bullets.
"""

Role = Literal["mark", "time", "speaker", "level", "name", "value", "text", "cell"]
"""What a part of a line is:

- `mark`: silent: white space, line end, signs that only structure.
- `time`: when something is said, was sent or happened, without brackets.
- `speaker`: who says or sends it.
- `level`: a log's severity.
- `name`: the label of a field or header, the number of an item, the component of a log.
- `value`: what stands behind a label.
- `text`: words, in which inline Markdown may stand.
- `cell`: words that stand apart from those of the next cell.
"""


class Part(NamedTuple):
    """A part of a line.

    Attributes:
        role: what it is.
        start: offset into the text, in code points.
        end: likewise, of its end.
    """

    role: Role
    start: int
    end: int


class Line(NamedTuple):
    """A line of the text.

    Attributes:
        kind: what it is.
        start: offset into the text, in code points.
        end: likewise, of its end, behind its line end.
        parts: in order and without gaps, from start to end; none is empty.
        group: a number that the lines of one cue, turn, message, stanza or table share.
        pause: whether a pause follows. If not, its words go on in the next line.
    """

    kind: Kind
    start: int
    end: int
    parts: tuple[Part, ...]
    group: int
    pause: bool = True


def tiled(said: Sequence[Part], start: int, end: int) -> tuple[Part, ...]:
    """Return parts without gaps, from start to end: what is said, and marks between.

    Args:
        said: in order, without overlap; empty ones are left out.
        start: offset of the line.
        end: offset of its end.
    """
    parts = []
    for part in said:
        if part.start == part.end:
            continue
        if part.start > start:
            parts.append(Part("mark", start, part.start))
        parts.append(part)
        start = part.end
    if start < end:
        parts.append(Part("mark", start, end))
    return tuple(parts)
