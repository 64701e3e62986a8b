"""Encode samples as a complete audio file."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from service.audio.formats import AudioFormat, open_file, require_format


def encode(
    samples: Iterable[npt.NDArray[np.float32]], audio_format: AudioFormat, sample_rate_hz: int
) -> bytes:
    """Return an audio file; decoded it has exactly as many samples as went in.

    Args:
        samples: float32 arrays in order, each taken after the one before is written; values
            beyond -1 to 1 are clipped.
        audio_format: one of `FORMATS`.
        sample_rate_hz: for the file's header. Opus knows 8, 12, 16, 24 and 48 kHz only.

    Raises:
        UnsupportedFormatError: the format is unknown, or this libsndfile cannot write it.
    """
    content = io.BytesIO()
    with open_file(content, require_format(audio_format), sample_rate_hz) as file:
        for part in samples:
            file.write(to_int16(part))
    return content.getvalue()


def to_int16(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.int16]:
    """Return float samples as little-endian int16: 1.0 becomes 32767, values beyond are clipped."""
    scaled = np.clip(samples, -1.0, 1.0)
    scaled *= 32767.0
    return np.rint(scaled, out=scaled).astype("<i2")
