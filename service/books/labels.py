"""Titles and names as players, file systems and XML can have them."""

from __future__ import annotations

import re

MAX_LABEL_LENGTH = 300
"""Characters of a title, or of an author."""

_NOT_XML = re.compile("[^\t\n\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may have, not even escaped: XML 1.0, production 2."""

# Control characters, what XML may not have, noncharacters, and marks that turn around what follows
# them: names of files with those are not what they seem.
_UNSHOWN = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\ud800-\udfff\ufdd0-\ufdef\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
    + "]"
)


def label(text: str, max_length: int = MAX_LABEL_LENGTH) -> str:
    """Return a title or name on one line: bounded, and without what cannot be shown.

    Args:
        text: as a file or a caller has it.
        max_length: in characters; a longer one ends in an ellipsis.
    """
    # A name of 12 MB is not folded as a whole for its first line.
    shown = " ".join(_UNSHOWN.sub(" ", text[: 10 * max_length]).split())
    return shown if len(shown) <= max_length else shown[: max_length - 1].rstrip() + "…"


def valid_xml(text: str) -> str:
    """Return a text without the characters that no XML document may have."""
    return _NOT_XML.sub("", text)
