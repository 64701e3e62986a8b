"""Reading and writing the protobuf encoding, field by field.

https://protobuf.dev/programming-guides/encoding describes it. Writing is limited to what a model of
one node needs.
"""

from __future__ import annotations

from collections.abc import Iterator

VARINT, _FIXED64, BYTES, _START_GROUP, _END_GROUP, _FIXED32 = range(6)
"""The wire types: how long a field's value is."""


class ProtobufError(ValueError):
    """The bytes are not a protobuf message, or not the expected one."""


def message(number: int, content: bytes) -> bytes:
    """Encode a field that holds bytes, fewer than 128 of them."""
    return _tag(number, BYTES) + bytes((len(content),)) + content


def integer(number: int, value: int) -> bytes:
    """Encode a field that holds an integer from 0 to 127."""
    return _tag(number, VARINT) + bytes((value,))


def _tag(number: int, wire_type: int) -> bytes:
    tag = number << 3 | wire_type
    return bytes((tag,)) if tag < 128 else bytes((tag & 127 | 128, tag >> 7))


def fields(view: memoryview, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Go through the fields of the message between two offsets.

    Yields:
        Field number, wire type, and two numbers: the value and 0 of a varint, or the offsets where
        bytes begin and end. Fields of other wire types are skipped.

    Raises:
        ProtobufError: the bytes are not a message.
    """
    open_groups: list[int] = []
    while at < end:
        tag, at = _varint(view, at, end)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 2**29:
            raise ProtobufError(f"a field has number {number}, before byte {at}")
        value = length = 0
        if wire == VARINT:
            value, at = _varint(view, at, end)
        elif wire == BYTES:
            length, at = _varint(view, at, end)
        elif wire == _FIXED64:
            length = 8
        elif wire == _FIXED32:
            length = 4
        elif wire == _START_GROUP:
            open_groups.append(number)
        elif wire == _END_GROUP:
            if not open_groups or open_groups.pop() != number:
                raise ProtobufError(f"a group ends without a beginning, before byte {at}")
        else:
            raise ProtobufError(f"there is no wire type {wire}, before byte {at}")
        if length > end - at:
            raise ProtobufError(f"a field goes beyond the end of its message, at byte {at}")
        if open_groups:
            pass
        elif wire == VARINT:
            yield number, wire, value, 0
        elif wire == BYTES:
            yield number, wire, at, at + length
        at += length
    if open_groups:
        raise ProtobufError(f"a group does not end before byte {end}")


def integers(view: memoryview, wire: int, start: int, end: int) -> tuple[int, ...]:
    """Return what one field adds to a repeated int64: one number, or packed ones.

    Args:
        view: the bytes.
        wire: the field's wire type.
        start: as `fields` gives it.
        end: as `fields` gives it.

    Raises:
        ProtobufError: the last number is cut short.
    """
    if wire == VARINT:
        return (signed(start),)
    numbers = []
    while start < end:
        number, start = _varint(view, start, end)
        numbers.append(signed(number))
    return tuple(numbers)


def signed(value: int) -> int:
    """Return a varint as an int64."""
    return value - 2**64 if value >= 2**63 else value


def _varint(view: memoryview, at: int, end: int) -> tuple[int, int]:
    """Return a number of up to 64 bits, and the offset of what follows it."""
    value = shift = 0
    while at < end and shift < 70:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
    raise ProtobufError(f"a number is too long or cut short, at byte {at}")
