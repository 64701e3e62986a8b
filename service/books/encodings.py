"""The encoding of a document."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from charset_normalizer import CharsetMatch, from_bytes

from service.errors import InvalidBookError

_WESTERN = frozenset({"cp1252", "latin_1", "iso8859_15"})
_NEAR = 0.05
"""Difference of two matches in their share of unlikely characters that says nothing."""

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_DECLARED = re.compile(rb"""(?:encoding|charset)\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]+)""", re.I)
"""In the declaration of XML or an element `meta`. What it finds elsewhere does no harm,
for it counts only for what is not UTF-8."""

_DECLARED_WITHIN = 2048

_OTHERS = {"iso8859-1": "cp1252", "ascii": "cp1252"}
"""What browsers take for what is declared: nobody means control characters."""

_OF_NO_DOCUMENT = re.compile(r"utf-(?:8|16|32)|utf-7\Z|idna\Z|punycode\Z|.*unicode.escape\Z|undef")
"""A declaration that can be read is in none of the wide ones; UTF-8 was tried before; and Python
has some that are for names and for programs."""

_HIGH = bytes(range(9))
"""High bytes of UTF-16 in alphabets from Latin to Arabic."""

_SHARE_OF_HIGH = 0.8

_LEADING = bytes(range(0xC2, 0xF5))
"""First bytes of characters of two and more bytes in UTF-8."""


def utf_8(content: bytes, name: str) -> bytes:
    """Return a text in UTF-8, though it may be in UTF-16 or an older encoding.

    Bytes that are no character in its encoding are U+FFFD. Halves of characters stay.

    Raises:
        InvalidBookError: it has no encoding that makes sense of it.
    """
    return _utf_8(content, name, None)


def utf_8_of_markup(content: bytes, name: str) -> bytes:
    """Return XML or HTML in UTF-8, whatever encoding it declares; see `utf_8`."""
    declaration = _DECLARED.search(content[:_DECLARED_WITHIN])
    return _utf_8(content, name, declaration[1].decode("ascii", "replace") if declaration else "")


def _utf_8(content: bytes, name: str, declared: str | None) -> bytes:
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return _encoded(content[len(mark) :].decode(encoding, "replace"))
    if wide := _unmarked_utf_16(content):
        return _encoded(content.decode(wide, "replace"))
    known = _known(declared or "")
    is_shifted = known.startswith("iso2022") and b"\x1b" in content  # valid as UTF-8 as well
    if not is_shifted:
        try:
            content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            pass
        else:
            return content
    if known:
        return _encoded(content.decode(known, "replace"))
    text = content.decode("utf-8", "replace")
    n_damaged = text.count("\ufffd")
    if n_damaged <= _count(content, _LEADING) - n_damaged:
        return _encoded(text)
    # Zeros are no text, whatever the encoding, and tell nothing of the rest.
    matches = list(from_bytes(content.replace(b"\0", b"")))
    if matches:
        return _encoded(str(_likeliest(matches)))
    if declared is not None:
        return _encoded(text)
    raise InvalidBookError(
        f"{name} is no text file, or its encoding cannot be told; if it is one, save it as UTF-8"
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _count(content: bytes, which: bytes) -> int:
    return len(content) - len(content.translate(None, which))


def _unmarked_utf_16(content: bytes) -> str | None:
    """Return the encoding of UTF-16 without a mark, as its first or second bytes tell it."""
    if b"\0" not in content:
        return None
    first, second = (
        _count(half, _HIGH) / max(len(half), 1) for half in (content[::2], content[1::2])
    )
    if max(first, second) < _SHARE_OF_HIGH or min(first, second) > 1 - _SHARE_OF_HIGH:
        return None
    return "utf-16-be" if first > second else "utf-16-le"


def _known(declared: str) -> str:
    """Return Python's name of a declared encoding; empty if it says nothing that can be used."""
    try:
        encoding = codecs.lookup(declared).name
        b"".decode(encoding)
    except (LookupError, ValueError):
        return ""
    return "" if _OF_NO_DOCUMENT.match(encoding) else _OTHERS.get(encoding, encoding)


def _likeliest(matches: Sequence[CharsetMatch]) -> CharsetMatch:
    """Return the best match, or that of Western Europe if it is nearly as good.

    A short text in French or Spanish fits the encodings of Eastern Europe as well.
    """
    western = (match for match in matches if _WESTERN.intersection(match.could_be_from_charset))
    best = matches[0]
    return next((match for match in western if match.chaos <= best.chaos + _NEAR), best)
