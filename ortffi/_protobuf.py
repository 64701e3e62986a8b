"""As much of the protobuf encoding as a model of one node takes."""

from __future__ import annotations


def message(number: int, content: bytes) -> bytes:
    """Encode a field that holds bytes, fewer than 128 of them."""
    return _tag(number, 2) + bytes((len(content),)) + content


def integer(number: int, value: int) -> bytes:
    """Encode a field that holds an integer from 0 to 127."""
    return _tag(number, 0) + bytes((value,))


def _tag(number: int, wire_type: int) -> bytes:
    tag = number << 3 | wire_type
    return bytes((tag,)) if tag < 128 else bytes((tag & 127 | 128, tag >> 7))
