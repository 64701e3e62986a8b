"""Leave out fenced code blocks, for callers that do not want code read to them."""

from __future__ import annotations

import re

from service.text.offset_mapping import TracedText

# An open block goes on to the end of the text, as in CommonMark.
_BLOCK = re.compile(
    r"(?:\A|(?<=\n))[ \t>]*(?:[-*+][ \t]+)?(?P<fence>```+|~~~+)(?!.*`)[^\n]*"
    r"(?:\n(?s:.*?)(?<=\n)[ \t>]*(?P=fence)[`~]*[ \t]*(?=\n|\Z)|(?s:.*)\Z)"
)


def without_code(text: TracedText) -> TracedText:
    """Return the text without fenced blocks of code; the lines around them stay apart."""
    return text.sub(_BLOCK, lambda match: "")
