"""Encode samples as an audio file that is sent while it is made."""

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
        UnsupportedFormatError: the format is unknown, this libsndfile cannot write it, or it is
            `wav`, whose header has the length.
    """
    form = require_format(audio_format)
    if not form.streamable:
        raise UnsupportedFormatError(
            f"{audio_format} cannot be streamed, because its header has the length of the audio; "
            "use pcm, the same samples without a header, or flac"
        )
    return Encoder(audio_format, sample_rate_hz)


class Encoder:
    """Encodes the samples of a stream as one file; made by `open_encoder`.

    The encoder keeps its state between calls, so there is no click and no gap, and the decoded
    audio does not depend on how the samples are divided. Memory does not grow with the stream. For
    one thread at a time; a context manager.

    What each format holds back until more samples come, at 24 kHz, and what is special to a stream:

    - pcm: nothing.
    - flac: up to 1,152 samples (48 ms). The header has neither the number of samples nor their MD5.
      Both are optional (RFC 9639), and FFmpeg and dr_flac decode to the last sample. But libsndfile
      1.2.2 cannot seek to the end of such a file: `soundfile.read` refuses it, and reading in
      blocks fails at the last.
    - mp3: up to 3,049 samples (127 ms). There is no info frame, whose counts are known only
      at the end. So decoders do not remove the 1,105 samples (46 ms) of delay of LAME and decoding,
      nor the 47 to 622 samples that fill the last frame.
    - opus: up to 24,636 samples (1.03 s): pages of Ogg last a second, which soundfile cannot
      change. It decodes to exactly the samples.

    A stream without samples is not a valid file: it is empty, or only a header.
    """

    def __init__(self, audio_format: AudioFormat, sample_rate_hz: int) -> None:
        self._sink = _LameSink() if audio_format == "mp3" else _Sink()
        if audio_format == "flac":
            self._sink.n_rewritable = _STREAMINFO_BYTES
        self._file = open_file(self._sink, require_format(audio_format), sample_rate_hz)

    def encode(self, samples: npt.NDArray[np.float32]) -> bytes:
        """Return the bytes that are final, often none.

        Args:
            samples: float32 [n], the next samples; values beyond -1 to 1 are clipped.

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
        """Free the encoder. An unfinished stream stays incomplete. May be called again."""
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
    """A file for libsndfile that passes on what is appended.

    A rewrite within the first `n_rewritable` bytes is dropped: they are sent, and valid without it.
    Any other rewrite would break the file. An exception cannot pass through libsndfile's callbacks,
    so `take` raises it.
    """

    def __init__(self) -> None:
        self.n_rewritable = 0
        self._position = 0
        self._length = 0
        self._pending = bytearray()
        self._failure: str | None = None

    def write(self, data: bytes) -> int:
        """Write bytes at the current position."""
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
        """Remove and return what was appended since the last call.

        Raises:
            RuntimeError: libsndfile tried to change bytes that were sent.
        """
        if self._failure is not None:
            raise RuntimeError(f"the stream is broken: {self._failure} after they were sent")
        data = bytes(self._pending)
        self._pending.clear()
        return data


class _LameSink(_Sink):
    """Drops the empty frame into which LAME writes its counts at the end.

    It comes first, in a write of its own: a frame header, then zeros. Players would take an empty
    one for 576 samples of silence.
    """

    def write(self, data: bytes) -> int:
        """Write bytes at the current position."""
        if self._length == 0 and not data[4:].strip(b"\0"):
            self.n_rewritable = self._length = self._position = len(data)
            return len(data)
        return super().write(data)
