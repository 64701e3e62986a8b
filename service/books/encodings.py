"""The encoding of a document."""

from __future__ import annotations

import codecs
import re

import chardet

from service.books.document_budget import Budget
from service.errors import InvalidBookError

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
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


_SAMPLE = 1 << 18
"""Bytes by which an encoding is guessed."""

_SHARE_OF_ODD = 0.02
"""Of characters that no text has, in what is decoded by a guess."""

_HIGH_BYTE = re.compile(rb"[\x80-\xff]")

_MISTAKEN = re.compile(
    r"[\x80-\x9f\ufffd]"  # controls, where Windows has quotation marks and dashes
    r"|(?<=[A-Za-z\xc0-\u024f])[\u0370-\u1dff]|[\u0370-\u1dff](?=[A-Za-z])"  # two alphabets
    r"|(?<=[a-z])(?:[\xc0-\xde\u0160\u017d]"
    r"|(?:[\xa1-\xac\xae-\xb6\xb8-\xbf]|[^\x00-\xff\w\u2010-\u2019])(?=[a-z]))"
)
"""What words of another encoding have in them: `co\u044bte`, `na\u2022ve`, `caf\u017d`."""

_SHARE_OF_MISTAKEN = 0.1
"""Of characters beyond ASCII, for which others are tried than what was guessed."""

_WINDOWS = {
    "iso8859-2": "cp1250",
    "iso8859-5": "cp1251",
    "iso8859-6": "cp1256",
    "iso8859-7": "cp1253",
    "iso8859-8": "cp1255",
    "iso8859-9": "cp1254",
    "iso8859-13": "cp1257",
}
"""The encodings of Windows with the alphabets of ISO 8859."""

_FEW_ACCENTS = ("cp1252", "iso8859-15", "cp1250", "mac-roman", "cp850")
"""Of texts in ASCII but for a few letters, which tell a guess too little; the likelier first."""


def utf_8(content: bytes, name: str, budget: Budget) -> bytes:
    """Return a text in UTF-8, though it may be in UTF-16, UTF-32 or an older encoding.

    Bytes that are no character in its encoding are U+FFFD. Halves of characters stay. An encoding
    that is only guessed is told.

    Raises:
        InvalidBookError: it has no encoding that makes sense of it.
    """
    return _utf_8(content, name, None, budget)


def utf_8_of_markup(content: bytes, name: str, budget: Budget) -> bytes:
    """Return XML or HTML in UTF-8, whatever encoding it declares; see `utf_8`."""
    match = _DECLARED.search(content[:_DECLARED_WITHIN])
    declared = match[1].decode("ascii", "replace") if match else ""
    return _utf_8(content, name, declared, budget)


def _utf_8(content: bytes, name: str, declared: str | None, budget: Budget) -> bytes:
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return _encoded(content[len(mark) :].decode(encoding, "replace"))
    if wide := _unmarked_utf_32(content) or _unmarked_utf_16(content):
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
    guessed = _guessed(content.replace(b"\0", b""))
    if guessed:
        budget.ledger.note(f"{name} declares no encoding; it is read as {guessed}")
        return _encoded(content.decode(guessed, "replace"))
    if declared is not None:
        return _encoded(text)
    raise InvalidBookError(
        f"{name} is no text file, or its encoding cannot be told; if it is one, save it as UTF-8"
    )


def _guessed(content: bytes) -> str:
    """Return the likeliest encoding; empty if none makes sense."""
    first = _HIGH_BYTE.search(content)
    start = max(0, first.start() - 1000) if first else 0
    sample = content[start : start + _SAMPLE]
    encoding = _known(str(chardet.detect(sample)["encoding"] or ""))
    if not encoding:
        return ""
    text = sample.decode(encoding, "replace")
    n_high = sum(one > "\x7f" for one in text)
    if n_mistaken := _n_mistaken(text):
        others = (_WINDOWS.get(encoding, encoding), *_FEW_ACCENTS)
        best = min(others, key=lambda other: _n_mistaken(sample.decode(other, "replace")))
        n_best = _n_mistaken(sample.decode(best, "replace"))
        if n_mistaken > n_high * _SHARE_OF_MISTAKEN and n_best < n_mistaken:
            encoding, text = best, sample.decode(best, "replace")
    # Bytes that are no text decode to something too, which has control characters in it.
    n_controls = sum(1 for one in text if one < " " and one not in "\t\n\r\f\v\x1a\x1b")
    n_odd = n_controls + text.count("\ufffd")
    return encoding if n_odd <= len(text) * _SHARE_OF_ODD else ""


def _n_mistaken(text: str) -> int:
    return sum(1 for _ in _MISTAKEN.finditer(text))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _count(content: bytes, which: bytes) -> int:
    return len(content) - len(content.translate(None, which))


def _unmarked_utf_32(content: bytes) -> str | None:
    """Return the encoding of UTF-32 without a mark: of four bytes, two are hardly ever set."""
    if len(content) < 4 or len(content) % 4 or b"\0\0" not in content:
        return None
    zeros = [content[n::4].count(0) / (len(content) // 4) for n in range(4)]
    if zeros[3] == 1 and zeros[2] > _SHARE_OF_HIGH and zeros[0] < 1 - _SHARE_OF_HIGH:
        return "utf-32-le"
    is_big = zeros[0] == 1 and zeros[1] > _SHARE_OF_HIGH and zeros[3] < 1 - _SHARE_OF_HIGH
    return "utf-32-be" if is_big else None


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
