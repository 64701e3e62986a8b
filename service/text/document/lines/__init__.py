"""Structure in plain text that no Markdown parser knows: subtitles, transcripts, logs, mail, verse.

`recognise` reads a text line by line. Each grammar wants more than one line as evidence, and where
they are unsure the text is left to Markdown: prose with the wrong pauses is worse than a list that
is read as prose.

The grammars claim lines in this order, each only what the ones before it left:

- `subtitles`: cues of SubRip and WebVTT.
- `mail`: headers, quoted text, signatures.
- `records`: what begins with a time or a severity, such as chats, logs and timed transcripts.
- `columns`: tables by tabs, bars, dots or spaces.
- `dialogue`: screenplays, turns, fields of forms.
- `stacks`: items without Markdown's bullets, verse, addresses and other short lines.

They never claim a line in fenced code, a comment or a script. Only subtitles, mail, captions and
records claim one in a block that has a form of Markdown's, such as a list.
"""

from __future__ import annotations

from service.text.document.lines.columns import claim_tables
from service.text.document.lines.dialogue import claim_dialogue
from service.text.document.lines.line import Kind, Line, Part, Role
from service.text.document.lines.mail import claim_mail
from service.text.document.lines.page import Page
from service.text.document.lines.records import claim_records
from service.text.document.lines.stacks import claim_stacks
from service.text.document.lines.subtitles import claim_subtitles

__all__ = ["Kind", "Line", "Part", "Role", "recognise"]

_GRAMMARS = (
    claim_subtitles,
    claim_mail,
    claim_records,
    claim_tables,
    claim_dialogue,
    claim_stacks,
)


def recognise(text: str) -> tuple[Line, ...]:
    """Return the lines of a text that has structure by lines, or none for plain text.

    They tile the text, and their parts tile them, line ends included. What is left to Markdown
    stands between as lines of the kind `PLAIN`, each as long as possible.

    Args:
        text: any text; code points may be anything, lone surrogates too. Offsets are of this text.
    """
    if "\n" not in text and "\r" not in text:
        return ()
    page = Page(text)
    for claim in _GRAMMARS:
        claim(page)
    return tuple(page.lines())
