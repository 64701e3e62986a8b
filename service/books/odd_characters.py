"""Characters that no document may have: they are dropped and counted, and all else is read.

Readers such as browsers drop them too. An XML parser refuses the whole document for one of them,
so none reaches it, neither as itself nor as a reference. All of this takes and returns UTF-8.
"""

from __future__ import annotations

import html.entities
import re

from service.books.document_budget import Budget

_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])
"""Control characters that are no spaces. Form feeds end a page of print."""

_NO_CHARACTERS = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]|\xef\xbf[\xbe\xbf]")
"""Halves of characters, U+FFFE and U+FFFF."""

_ENDS_OF_PAGES = bytes.maketrans(b"\x0b\x0c", b"\n\n")
"""XML may not have them."""

_NUMBER = rb"&#(?:(?P<decimal>[0-9]+)|[xX](?P<hexadecimal>[0-9A-Fa-f]+));?"
_NUMBERED = re.compile(_NUMBER)
_REFERENCE = re.compile(_NUMBER + rb"|&(?:(?P<name>[A-Za-z][A-Za-z0-9]*;?))?")
_VERBATIM = b"<![CDATA["
# A section or a comment without an end is matched too: so none is looked for twice.
_BESIDE_VERBATIM = re.compile(
    rb"<!(?:\[CDATA\[.*?(?:\]\]>|\Z)|--.*?(?:-->|\Z))|" + _REFERENCE.pattern, re.S
)

_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_DIGITS = 7
"""Of the largest number of a character; those of more digits name none."""


def without_odd(text: bytes, budget: Budget) -> bytes:
    """Return a text without characters that no text has.

    Args:
        text: in UTF-8, which may have halves of characters.
        budget: of the document; counts them.
    """
    kept = text.translate(None, _CONTROLS)
    n_controls = len(text) - len(kept)
    kept, n_others = _NO_CHARACTERS.subn(b"", kept)
    budget.drop(n_controls + n_others)
    return kept


def without_odd_in_html(text: bytes, budget: Budget) -> bytes:
    """Return HTML without them and without references to them."""
    return _NUMBERED.sub(_Writer(budget), without_odd(text, budget))


def without_odd_in_xml(text: bytes, budget: Budget) -> bytes:
    """Return XML without them and without references to them.

    The named characters of HTML are written as numbers. An `&` that begins no reference, or one to
    what nobody knows, is written as itself.
    """
    kept = without_odd(text, budget).translate(_ENDS_OF_PAGES).lstrip()
    pattern = _BESIDE_VERBATIM if _VERBATIM in kept else _REFERENCE
    return pattern.sub(_Writer(budget), kept)


class _Writer:
    """Writes references as XML has them."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def __call__(self, match: re.Match[bytes]) -> bytes:
        groups = match.groupdict()
        if groups["decimal"] is not None:
            return self._numbered(groups["decimal"], 10)
        if groups["hexadecimal"] is not None:
            return self._numbered(groups["hexadecimal"], 16)
        if match[0][:1] != b"&":
            return match[0]
        name = (groups["name"] or b"").decode()
        if name.rstrip(";") in _OF_XML:
            return f"&{name.rstrip(';')};".encode()
        known = html.entities.html5.get(name)
        if known is None:
            return b"&amp;" + match[0][1:]
        return "".join(f"&#{ord(character)};" for character in known).encode()

    def _numbered(self, digits: bytes, base: int) -> bytes:
        digits = digits.lstrip(b"0")
        number = int(digits or b"0", base) if len(digits) <= _DIGITS else 0
        if number in (0x0B, 0x0C):
            return b"\n"
        if 0x80 <= number < 0xA0:
            # Programs of Windows mean their own characters, and browsers show those.
            number = ord(bytes([number]).decode("cp1252", "ignore") or "\0")
        if _is_character(number):
            return b"&#%d;" % number
        self._budget.drop(1)
        return b""


def _is_character(number: int) -> bool:
    """Tell whether XML may have a character: XML 1.0, production 2."""
    return (
        number in (0x09, 0x0A, 0x0D)
        or 0x20 <= number < 0x7F
        or 0xA0 <= number < 0xD800
        or 0xE000 <= number < 0xFFFE
        or 0x10000 <= number < 0x110000
    )
