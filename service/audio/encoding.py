"""Encode samples as a complete audio file."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from service.audio.adts import AdtsCoder
from service.audio.formats import FORMATS, AudioFormat, require_rate
from service.audio.limiting import limited
from service.audio.sample_rates import resampled
from service.audio.sound_file import open_file


def encode(
    samples: Iterable[npt.NDArray[np.float32]],
    audio_format: AudioFormat,
    sample_rate_hz: int | None = None,
) -> bytes:
    """Return an audio file; see `Resampler` for how many samples it has. AAC has more.

    Args:
        samples: float32 arrays at 24 kHz in order, each taken after the one before is written;
            loud ones are limited; see `limited`.
        audio_format: one of `FORMATS`.
        sample_rate_hz: of the file, one of the format's rates; None for its usual one.

    Raises:
        UnsupportedFormatError: the format is unknown, cannot be written here, or has no such rate.
    """
    sample_rate_hz = require_rate(audio_format, sample_rate_hz)
    form = FORMATS[audio_format]
    parts = resampled(samples, sample_rate_hz)
    if not form.container:
        coder = AdtsCoder(sample_rate_hz)
        return b"".join([*map(coder.encode, parts), coder.finish()])
    content = io.BytesIO()
    with open_file(content, form.container, form.subtype, sample_rate_hz) as file:
        for part in parts:
            file.write(to_int16(part))
    return content.getvalue()


def to_int16(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.int16]:
    """Return float samples as little-endian int16, loud ones limited; 32767 is full scale."""
    scaled = limited(samples) * np.float32(32767)
    result: npt.NDArray[np.int16] = np.rint(scaled, out=scaled).astype("<i2")
    return result
