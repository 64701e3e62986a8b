"""Covers of sound files: which pictures can be one. Needs the extra `books`."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import Literal

CoverType = Literal["image/jpeg", "image/png"]

MAX_COVER_BYTES = 15 << 20
"""A picture in FLAC is less than 16 MB: the length of its block has 24 bits (RFC 9639, 8.1)."""

MAX_COVER_PIXELS = 30_000_000
"""A PNG of 100 kB can have a thousand million, 8 bytes each when it is decoded."""

_SIGNATURES: tuple[tuple[bytes, CoverType], ...] = (
    (b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"),
)  # fmt: skip
_CODECS: dict[CoverType, str] = {"image/jpeg": "mjpeg", "image/png": "png"}
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of JPEG, SOF0 to SOF15, after which the size is (ITU-T T.81, table B.1)."""


class UnusableCoverError(ValueError):
    """A picture cannot be a cover; the message says why."""


@dataclass(frozen=True)
class Cover:
    """A picture file that can be decoded.

    Attributes:
        content: of the file.
        media_type: `image/jpeg` or `image/png`.
    """

    content: bytes
    media_type: CoverType

    @classmethod
    def of(cls, content: bytes) -> Cover:
        """Return a picture as a cover. It is decoded, so that no writer is the first to try.

        Args:
            content: of the file; its first bytes tell what it is, not what others say of it.

        Raises:
            UnusableCoverError: it is no JPEG or PNG, damaged, cut off, or too large.
        """
        import av

        media_type = next((known for head, known in _SIGNATURES if content.startswith(head)), None)
        if media_type is None:
            raise UnusableCoverError("it is neither JPEG nor PNG")
        if len(content) > MAX_COVER_BYTES:
            raise UnusableCoverError(f"it has more than {MAX_COVER_BYTES >> 20} MB")
        width, height = _size(content, media_type)
        if width * height > MAX_COVER_PIXELS:
            million = MAX_COVER_PIXELS // 1_000_000
            raise UnusableCoverError(
                f"it has {width} by {height} pixels, more than {million} million"
            )
        try:
            with av.open(io.BytesIO(content), "r") as picture:
                stream = picture.streams.video[0]
                # Without this, half a JPEG is grey below and no error.
                stream.codec_context.options = {"err_detect": "explode"}
                frame = next(picture.decode(stream), None)
                codec = stream.codec_context.name
        except (av.error.FFmpegError, IndexError, ValueError) as error:
            raise UnusableCoverError("it is damaged") from error
        if frame is None or codec != _CODECS[media_type]:
            raise UnusableCoverError("it is damaged")
        return cls(content, media_type)


def _size(content: bytes, media_type: CoverType) -> tuple[int, int]:
    """Return width and height as the head of a picture says, without decoding it."""
    try:
        if media_type == "image/png":
            width, height = struct.unpack_from(">II", content, 16)
            return width, height
        place = 2
        while True:
            (marker,) = struct.unpack_from(">H", content, place)
            if marker >> 8 != 0xFF:
                raise UnusableCoverError("it is damaged")
            if marker & 0xFF == 0xFF:  # a filling byte
                place += 1
                continue
            if marker & 0xFF in _FRAMES:
                height, width = struct.unpack_from(">HH", content, place + 5)
                return width, height
            (length,) = struct.unpack_from(">H", content, place + 2)
            place += 2 + length
    except struct.error as error:
        raise UnusableCoverError("it is damaged") from error
