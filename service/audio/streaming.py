"""Encode samples as an audio file that is sent while it is made."""

from __future__ import annotations

import io
import struct
from types import TracebackType

import numpy as np
import numpy.typing as npt

from service.audio.adts import AdtsCoder
from service.audio.encoding import to_int16
from service.audio.formats import FORMATS, AudioFormat, Format, require_rate
from service.audio.sample_rates import Resampler
from service.audio.sound_file import open_file
from service.errors import UnsupportedFormatError

_STREAMINFO_BYTES = 4 + 4 + 34
"""The `fLaC` mark and the STREAMINFO block with its header: RFC 9639, section 8."""


def open_encoder(
    audio_format: AudioFormat, sample_rate_hz: int | None = None, *, endless_wav: bool = False
) -> Encoder:
    """Return an encoder for one stream.

    Args:
        audio_format: one of `FORMATS` that is streamable.
        sample_rate_hz: of the file, one of the format's rates; None for its usual one.
        endless_wav: whether `wav` is streamable too: both sizes in its header are 0xFFFFFFFF, which
            many players take for `unknown`.

    Raises:
        UnsupportedFormatError: the format is unknown, cannot be written here, has no such rate, or
            is not streamable, because its header has the length.
    """
    sample_rate_hz = require_rate(audio_format, sample_rate_hz)
    header = b""
    if audio_format == "wav" and endless_wav:
        audio_format, header = "pcm", _endless_wav_header(sample_rate_hz)
    form = FORMATS[audio_format]
    if not form.streamable:
        raise UnsupportedFormatError(
            f"{audio_format} cannot be streamed, because its header has the length of the audio; "
            "use pcm, the same samples without a header, or flac"
        )
    if form.container:
        return Encoder(_FileCoder(form, sample_rate_hz), sample_rate_hz, header)
    return Encoder(AdtsCoder(sample_rate_hz), sample_rate_hz)


class Encoder:
    """Encodes the samples of a stream as one file; made by `open_encoder`.

    The encoder keeps its state between calls, so there is no click and no gap, and the decoded
    audio does not depend on how the samples are divided. Memory does not grow with the stream. For
    one thread at a time; a context manager.

    What each format holds back until more samples come, at 24 kHz, and what is special to a stream
    (other rates hold back up to 80 ms more, see `Resampler`):

    - pcm, mulaw, alaw and an endless wav: nothing.
    - flac: up to 1,152 samples (48 ms). The header has neither the number of samples nor their MD5.
      Both are optional (RFC 9639), and FFmpeg and dr_flac decode to the last sample. But libsndfile
      1.2.2 cannot seek to the end of such a file: `soundfile.read` refuses it, and reading in
      blocks fails at the last.
    - mp3: up to 3,049 samples (127 ms). There is no info frame, whose counts are known only
      at the end. So decoders do not remove the 1,105 samples (46 ms) of delay of LAME and decoding,
      nor the 47 to 622 samples that fill the last frame.
    - opus: up to 24,636 samples (1.03 s): pages of Ogg last a second, which soundfile cannot
      change. It decodes to exactly the samples.
    - aac: up to 3,071 samples (128 ms). It decodes to 1,024 samples (43 ms) of silence, then the
      samples, then up to 1,023 that fill the last frame, as a whole file does.

    A stream without samples is not a valid file: it is empty, or only a header.
    """

    def __init__(
        self, coder: _FileCoder | AdtsCoder, sample_rate_hz: int, header: bytes = b""
    ) -> None:
        self._coder = coder
        self._resampler = Resampler(sample_rate_hz)
        self._header = header
        self._closed = False

    def encode(self, samples: npt.NDArray[np.float32]) -> bytes:
        """Return the bytes that are final, often none.

        Args:
            samples: float32 [n], the next samples at 24 kHz; loud ones are limited; see `limited`.

        Raises:
            ValueError: the stream is finished or closed.
        """
        self._check_open()
        return self._after_header(self._coder.encode(self._resampler.add(samples)))

    def finish(self) -> bytes:
        """Return the rest of the file and close the encoder.

        Raises:
            ValueError: the stream is finished or closed already.
        """
        self._check_open()
        rest = self._coder.encode(self._resampler.finish()) + self._coder.finish()
        self._closed = True
        return self._after_header(rest)

    def close(self) -> None:
        """Free the encoder. An unfinished stream stays incomplete. May be called again."""
        if not self._closed:
            self._closed = True
            self._coder.close()

    def __enter__(self) -> Encoder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _after_header(self, data: bytes) -> bytes:
        data, self._header = self._header + data, b""
        return data

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the stream is finished or closed")


def _endless_wav_header(sample_rate_hz: int) -> bytes:
    """Return the header of 16-bit mono samples whose number is unknown."""
    unknown = 0xFFFFFFFF
    sample = (1, 1, sample_rate_hz, 2 * sample_rate_hz, 2, 16)
    riff = struct.pack("<4sI4s", b"RIFF", unknown, b"WAVE")
    return riff + struct.pack("<4sIHHIIHH4sI", b"fmt ", 16, *sample, b"data", unknown)


class _FileCoder:
    """Encodes samples with libsndfile."""

    def __init__(self, form: Format, sample_rate_hz: int) -> None:
        self._sink = _LameSink() if form.container == "MP3" else _Sink()
        if form.container == "FLAC":
            self._sink.n_rewritable = _STREAMINFO_BYTES
        self._file = open_file(self._sink, form.container, form.subtype, sample_rate_hz)

    def encode(self, samples: npt.NDArray[np.float32]) -> bytes:
        """Return the bytes that are final."""
        self._file.write(to_int16(samples))
        return self._sink.take()

    def finish(self) -> bytes:
        """Return the remaining bytes. Call once, at the end."""
        self._file.close()
        return self._sink.take()

    def close(self) -> None:
        """Free the file, unfinished."""
        self._file.close()


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
