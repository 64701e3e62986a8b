"""Leave out fenced code blocks, for callers that do not want code read to them."""

from __future__ import annotations

import re

from service.text.offset_mapping import TracedText, concatenate

_OPENING = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?(?P<fence>```+|~~~+)(?P<more>.*)")
_CLOSING = re.compile(r"[ \t>]*(?P<fence>[`~]+)[ \t]*")


def without_code(text: TracedText) -> TracedText:
    """Return the text without fenced blocks of code; the lines around them stay apart.

    An open block goes on to the end of the text, as in CommonMark.
    """
    kept: list[TracedText] = []
    done = start = 0
    fence = ""
    for line in text.text.split("\n"):
        end = start + len(line)
        if not fence:
            opening = _OPENING.match(line)
            if opening is not None and "`" not in opening["more"]:
                fence = opening["fence"]
                kept.append(text[done:start])
                done = len(text)
        else:
            closing = _CLOSING.fullmatch(line)
            if closing is not None and closing["fence"].startswith(fence):
                fence, done = "", end
        start = end + 1
    return concatenate([*kept, text[done:]]) if kept else text
