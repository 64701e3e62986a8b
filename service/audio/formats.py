"""The audio formats, and libsndfile's parameters for them."""

from __future__ import annotations

import functools
import io
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import soundfile

from service.errors import UnsupportedFormatError

AudioFormat = Literal["wav", "pcm", "flac", "mp3", "opus"]

_LOSSY_KBPS = 64
"""Bit rate of mp3 and opus, right for 24 kHz mono speech by what was measured with Kokoro's own:

- Opus follows the waveform at a distance of 12.6 dB at 48 kbit/s, where it still models the voice,
  22 dB at 64, where it stops to, and 28 dB at 96.
- LAME reaches 21 dB at 64 kbit/s and 24 dB at 160. At 32 it cuts what is above 8 kHz. 64 is the
  lowest constant rate at which it writes the frame that tells decoders its delay and padding.
"""


_PCM = 2 * 24_000
_LOSSY = _LOSSY_KBPS * 1000 // 8
"""Bytes of a second at 24 kHz."""


@dataclass(frozen=True)
class Format:
    """An audio format: what it is called on the web, what it is, and how libsndfile makes it.

    Attributes:
        media_type: for `Content-Type`.
        description: for people.
        streamable: whether a file of it can leave before its length is known.
        container: libsndfile's name of the file format.
        subtype: libsndfile's name of the encoding.
        bytes_per_s: of a file, at most, at 24 kHz.
        compression_level: 0 to 1, which libsndfile translates for each encoding; None for its
            default.
        bitrate_mode: of MP3.
    """

    media_type: str
    description: str
    streamable: bool
    container: str
    subtype: str
    bytes_per_s: int
    compression_level: float | None = None
    bitrate_mode: str | None = None


FORMATS: dict[AudioFormat, Format] = {
    "wav": Format("audio/wav", "RIFF WAVE, 16-bit PCM, mono", False, "WAV", "PCM_16", _PCM),
    "pcm": Format(
        "audio/pcm",
        "16-bit signed little-endian samples, mono, no header",
        True,
        "RAW",
        "PCM_16",
        _PCM,
    ),
    # Level 0 has blocks of 1,152 samples instead of 4,096, so a stream lags less, and speech comes
    # out no larger: 54 % of PCM at every level.
    "flac": Format("audio/flac", "FLAC, lossless, 16-bit, mono", True, "FLAC", "PCM_16", _PCM, 0.0),
    # Constant, so that players tell times from places in a stream that has no table of contents.
    # libsndfile's level goes from 160 kbit/s down to 8 for 16 to 24 kHz.
    "mp3": Format(
        "audio/mpeg",
        f"MP3, {_LOSSY_KBPS} kbit/s at 24 kHz, mono",
        True,
        "MP3",
        "MPEG_LAYER_III",
        _LOSSY,
        (160 - _LOSSY_KBPS) / (160 - 8),
        "CONSTANT",
    ),
    # libsndfile's level goes from 256 kbit/s a channel down to 6.
    "opus": Format(
        "audio/ogg",
        f"Opus in Ogg, about {_LOSSY_KBPS} kbit/s, mono",
        True,
        "OGG",
        "OPUS",
        _LOSSY,
        (256 - _LOSSY_KBPS) / (256 - 6),
    ),
}


def check_formats() -> list[AudioFormat]:
    """Return the formats that this libsndfile can write, in the order of `FORMATS`.

    libsndfile can be built without FLAC and Opus, and has MP3 since 1.1; the library in soundfile's
    wheels writes all. Each format is tried once per process, in some milliseconds.
    """
    return list(_writable())


def require_format(name: str) -> Format:
    """Return the format of a name.

    Raises:
        UnsupportedFormatError: the format is unknown, or this libsndfile cannot write it.
    """
    for known in _writable():
        if known == name:
            return FORMATS[known]
    supported = f"supported: {', '.join(_writable())}"
    if name in FORMATS:
        version = soundfile.__libsndfile_version__
        raise UnsupportedFormatError(f"libsndfile {version} cannot write {name}; {supported}")
    raise UnsupportedFormatError(f"unknown audio format; {supported}")


def open_file(file: Any, form: Format, sample_rate_hz: int) -> soundfile.SoundFile:
    """Open a mono sound file for writing, on an object with `write`, `seek` and `tell`."""
    return soundfile.SoundFile(
        file,
        "w",
        sample_rate_hz,
        1,
        form.subtype,
        format=form.container,
        compression_level=form.compression_level,
        bitrate_mode=form.bitrate_mode,
    )


@functools.cache
def _writable() -> tuple[AudioFormat, ...]:
    return tuple(name for name, form in FORMATS.items() if _can_write(form))


def _can_write(form: Format) -> bool:
    """Try to write: libsndfile also lists encodings that it was built without."""
    content = io.BytesIO()
    try:
        with open_file(content, form, 24_000) as file:
            file.write(np.zeros(2_400, np.int16))
    # ValueError: soundfile's, for what `sf_format_check` refuses.
    except (soundfile.SoundFileError, ValueError):
        return False
    return bool(content.getvalue())
