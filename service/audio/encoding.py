"""Samples as bytes, in the formats that are offered."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import soundfile

AudioFormat = Literal["wav", "pcm"]


@dataclass(frozen=True)
class Format:
    """An audio format: what it is called on the web, and what it is."""

    media_type: str
    description: str


FORMATS: dict[AudioFormat, Format] = {
    "wav": Format("audio/wav", "RIFF WAVE, 16-bit PCM, mono"),
    "pcm": Format("audio/pcm", "16-bit signed little-endian samples, mono, no header"),
}


def encode(
    samples: Sequence[npt.NDArray[np.float32]], audio_format: AudioFormat, sample_rate_hz: int
) -> bytes:
    """Return speech as bytes.

    Args:
        samples: float32 arrays, in order; what is beyond -1 to 1 is clipped.
        audio_format: `wav` or `pcm`.
        sample_rate_hz: for the header of a WAV file.
    """
    pcm = np.concatenate([to_int16(part) for part in samples])
    if audio_format == "pcm":
        return pcm.tobytes()
    file = io.BytesIO()
    soundfile.write(file, pcm, sample_rate_hz, format="WAV", subtype="PCM_16")
    return file.getvalue()


def to_int16(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.int16]:
    """Return float samples as little-endian int16: 1.0 is 32767, beyond is clipped."""
    return np.round(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2")
