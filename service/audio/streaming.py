"""Samples as the bytes of a file whose beginning leaves while its end is not yet spoken."""

from __future__ import annotations

import io
from types import TracebackType

import numpy as np
import numpy.typing as npt

from service.audio.encoding import to_int16
from service.audio.formats import AudioFormat, open_file, require_format
from service.errors import UnsupportedFormatError

_STREAMINFO_BYTES = 4 + 4 + 34
"""The `fLaC` mark and the STREAMINFO block with its header: RFC 9639, section 8."""


def open_encoder(audio_format: AudioFormat, sample_rate_hz: int) -> Encoder:
    """Return an encoder for one stream.

    Args:
        audio_format: one of `FORMATS` that is streamable.
        sample_rate_hz: for the file's header. Opus knows 8, 12, 16, 24 and 48 kHz only.

    Raises:
        UnsupportedFormatError: no such format, this libsndfile cannot write it, or it is `wav`,
            whose header has to tell a length that nobody knows yet.
    """
    form = require_format(audio_format)
    if not form.streamable:
        raise UnsupportedFormatError(
            f"{audio_format} cannot be streamed, because its header tells the length; "
            "take pcm, the same samples without a header, or flac"
        )
    return Encoder(audio_format, sample_rate_hz)


class Encoder:
    """Turns the samples of a stream into the bytes of one file, which `open_encoder` begins.

    The encoder's state runs on from one call to the next: no click, no gap, and what is decoded
    does not depend on where the samples are cut. What has left is forgotten; memory does not grow
    with the stream. For use by one thread at a time; as a context manager it closes itself.

    What the formats hold back until more samples come, at 24 kHz, and what is special to a stream:

    - pcm: nothing.
    - flac: up to 1,152 samples (48 ms). The header tells neither the number of samples nor their
      MD5; both may be left open (RFC 9639), and FFmpeg and dr_flac decode to the last sample. But
      libsndfile 1.2.2 cannot seek to the end of such a file: `soundfile.read` refuses it, and
      reading with soundfile in blocks fails at the last.
    - mp3: up to 3,049 samples (127 ms). Without the info frame that a whole file begins with, whose
      counts are known at the end only; so decoders do not cut off the 1,105 samples (46 ms) that
      LAME and decoding are late by, nor the 47 to 622 samples that fill the last frame.
    - opus: up to 24,636 samples (1.03 s): pages of Ogg last a second, which soundfile has no way to
      change. Decodes to exactly the samples.

    A stream that ends without any sample is no valid file, but empty or a header alone.
    """

    def __init__(self, audio_format: AudioFormat, sample_rate_hz: int) -> None:
        self._sink = _LameSink() if audio_format == "mp3" else _Sink()
        if audio_format == "flac":
            self._sink.n_rewritable = _STREAMINFO_BYTES
        self._file = open_file(self._sink, require_format(audio_format), sample_rate_hz)

    def encode(self, samples: npt.NDArray[np.float32]) -> bytes:
        """Return the bytes that can leave now, often none.

        Args:
            samples: float32 [n], what follows the samples before; beyond -1 to 1 they are clipped.

        Raises:
            ValueError: the stream is finished or closed.
        """
        self._check_open()
        self._file.write(to_int16(samples))
        return self._sink.take()

    def finish(self) -> bytes:
        """Return the rest of the file and close the encoder.

        Raises:
            ValueError: the stream is finished or closed already.
        """
        self._check_open()
        self._file.close()
        return self._sink.take()

    def close(self) -> None:
        """Free the encoder; a stream that is not finished stays cut off. Repeating is harmless."""
        self._file.close()

    def __enter__(self) -> Encoder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._file.closed:
            raise ValueError("the stream is finished or closed")


class _Sink:
    """A file for libsndfile that hands out what is appended and keeps nothing of it.

    A rewrite within the first `n_rewritable` bytes is dropped: they have left, and are valid
    without it. Any other would mean a broken file. An exception cannot pass through libsndfile's
    callbacks, so `take` raises it.
    """

    def __init__(self) -> None:
        self.n_rewritable = 0
        self._position = 0
        self._length = 0
        self._pending = bytearray()
        self._failure: str | None = None

    def write(self, data: bytes) -> int:
        """Take bytes at the current position."""
        end = self._position + len(data)
        if self._position == self._length:
            self._pending += data
            self._length = end
        elif end > self.n_rewritable:
            self._failure = f"bytes {self._position} to {end} would be rewritten"
        self._position = end
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._length}
        self._position = origin[whence] + offset
        return self._position

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def take(self) -> bytes:
        """Return what was appended since the last call, and forget it.

        Raises:
            RuntimeError: libsndfile wanted to change what has left.
        """
        if self._failure is not None:
            raise RuntimeError(f"the stream is broken: {self._failure} after they have left")
        data = bytes(self._pending)
        self._pending.clear()
        return data


class _LameSink(_Sink):
    """Leaves out the empty frame where LAME wants to write its counts at the end.

    It comes first and in a write of its own: a frame header, then only zeros. Players take one that
    stays empty for 576 samples of silence.
    """

    def write(self, data: bytes) -> int:
        """Take bytes at the current position."""
        if self._length == 0 and not data[4:].strip(b"\0"):
            self.n_rewritable = self._length = self._position = len(data)
            return len(data)
        return super().write(data)
