"""Sound files for writing, with libsndfile's parameters."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

LOSSY_KBPS = 64
"""Bit rate of mp3, opus and aac, right for 24 kHz mono by what was measured with Kokoro's speech:

- Opus follows the waveform at a distance of 12.6 dB at 48 kbit/s, where it still models the voice,
  22 dB at 64, where it stops to, and 28 dB at 96.
- LAME reaches 21 dB at 64 kbit/s and 24 dB at 160. At 32 it cuts what is above 8 kHz. 64 is the
  lowest constant rate at which it writes the frame that tells decoders its delay and padding.
"""

_OPUS_KBPS = (6, 256)
"""Least and greatest bit rate of libsndfile's levels."""


def open_file(file: Any, container: str, subtype: str, sample_rate_hz: int) -> soundfile.SoundFile:
    """Open a mono sound file for writing.

    Args:
        file: an object with `write`, `seek` and `tell`.
        container: libsndfile's name of the file format.
        subtype: libsndfile's name of the encoding.
        sample_rate_hz: of the samples.

    Raises:
        ValueError: libsndfile does not know this combination.
        soundfile.SoundFileError: it cannot write it.
    """
    return soundfile.SoundFile(
        file,
        "w",
        sample_rate_hz,
        1,
        subtype,
        format=container,
        compression_level=_compression_level(subtype, container, sample_rate_hz),
        # Constant, so that players tell times from places in a stream that has no table of
        # contents.
        bitrate_mode="CONSTANT" if container == "MP3" else None,
    )


def read_samples(content: bytes) -> npt.NDArray[np.float32]:
    """Return the samples of a complete sound file: float32 [n], mono, -1 to 1.

    Raises:
        soundfile.SoundFileError: it is damaged.
    """
    samples: npt.NDArray[np.float32] = soundfile.read(io.BytesIO(content), dtype="float32")[0]
    return samples


def can_write(container: str, subtype: str) -> bool:
    """Try to write: libsndfile also lists encodings that it was built without."""
    content = io.BytesIO()
    try:
        with open_file(content, container, subtype, 24_000) as file:
            file.write(np.zeros(2_400, np.int16))
    # ValueError: soundfile's, for what `sf_format_check` refuses.
    except (soundfile.SoundFileError, ValueError):
        return False
    return bool(content.getvalue())


def _compression_level(subtype: str, container: str, sample_rate_hz: int) -> float | None:
    """Return libsndfile's level, 0 to 1, which it translates for each encoding."""
    if container == "FLAC":
        # Level 0 has blocks of 1,152 samples instead of 4,096, so a stream lags less, and speech
        # comes out no larger: 54 % of PCM at every level.
        return 0.0
    if container == "MP3":
        least, greatest = _mp3_kbps(sample_rate_hz)
    elif subtype == "OPUS":
        least, greatest = _OPUS_KBPS
    else:
        return None
    return (greatest - LOSSY_KBPS) / (greatest - least)


def _mp3_kbps(sample_rate_hz: int) -> tuple[int, int]:
    """Return the least and the greatest bit rate of libsndfile's levels: MPEG-1, 2 and 2.5."""
    if sample_rate_hz >= 32_000:
        return 32, 320
    return (8, 160) if sample_rate_hz >= 16_000 else (8, 64)
