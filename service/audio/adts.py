"""AAC in ADTS frames, by PyAV."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from service.audio.limiting import limited
from service.audio.sound_file import LOSSY_KBPS

_HEADER_BYTES = 7

_RATES_HZ = (
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
)  # fmt: skip
"""By their index in a header: ISO 14496-3, table 1.18."""


class AdtsCoder:
    """Encodes samples as AAC-LC. Needs the extra `av`.

    Args:
        sample_rate_hz: of the samples; one of MPEG's.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        import av  # 70 MB that only this format needs

        self._frame = av.AudioFrame
        self._rate_hz = sample_rate_hz
        self._context = av.CodecContext.create("aac", "w")
        self._context.sample_rate = sample_rate_hz
        self._context.layout = "mono"
        self._context.format = "fltp"
        self._context.bit_rate = LOSSY_KBPS * 1000
        self._context.time_base = Fraction(1, sample_rate_hz)
        self._n_samples = 0

    def encode(self, samples: npt.NDArray[np.float32]) -> bytes:
        """Return the frames that are complete.

        Args:
            samples: float32 [n]; loud ones are limited.
        """
        if samples.size == 0:
            return b""
        frame = self._frame.from_ndarray(limited(samples)[None], "fltp", "mono")
        frame.sample_rate = self._rate_hz
        frame.pts = self._n_samples
        self._n_samples += samples.size
        return self._in_frames(map(bytes, self._context.encode(frame)))

    def finish(self) -> bytes:
        """Return the remaining frames. Call once, at the end."""
        if not self._n_samples:
            return b""
        return self._in_frames(map(bytes, self._context.encode(None)))

    def close(self) -> None:
        """Free the encoder, unfinished."""
        del self._context

    def _in_frames(self, blocks: Iterable[bytes]) -> bytes:
        return b"".join(_header(len(block), self._rate_hz) + block for block in blocks)


def _header(n_bytes: int, sample_rate_hz: int) -> bytes:
    """Return the header of a frame: AAC-LC, one channel, no check sum, a variable bit rate."""
    bits = 0xFFF1 << 40 | 1 << 38 | _RATES_HZ.index(sample_rate_hz) << 34 | 1 << 30
    bits |= (n_bytes + _HEADER_BYTES) << 13 | 0x7FF << 2
    return bits.to_bytes(_HEADER_BYTES, "big")
