"""The encoding of a text file."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from charset_normalizer import CharsetMatch, from_bytes

from service.errors import InvalidBookError

_WESTERN = frozenset({"cp1252", "latin_1", "iso8859_15"})
_NEAR = 0.05
"""Difference of two matches in their share of unlikely characters that says nothing."""

_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decoded(content: bytes, name: str) -> str:
    """Return the text of a file in UTF-8, UTF-16 or the older encoding that suits it best.

    Raises:
        InvalidBookError: it is no text, or has no encoding that makes sense of it.
    """
    if content.startswith(_MARKS):
        return content.decode("utf-16", "replace")
    if b"\0" in content:
        raise InvalidBookError(f"{name} is no text file: it has zero bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        matches = list(from_bytes(content))
        if not matches:
            raise InvalidBookError(
                f"{name} is not UTF-8, and its encoding cannot be told: {error.reason}; save it as "
                "UTF-8"
            ) from error
        return str(_likeliest(matches))


def _likeliest(matches: Sequence[CharsetMatch]) -> CharsetMatch:
    """Return the best match, or that of Western Europe if it is nearly as good.

    A short text in French or Spanish fits the encodings of Eastern Europe as well.
    """
    western = (match for match in matches if _WESTERN.intersection(match.could_be_from_charset))
    best = matches[0]
    return next((match for match in western if match.chaos <= best.chaos + _NEAR), best)
