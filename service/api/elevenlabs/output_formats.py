"""ElevenLabs' names of output formats."""

from __future__ import annotations

from dataclasses import dataclass

from service.audio import FORMATS, AudioFormat, format_name
from service.errors import UnsupportedFormatError
from service.settings import nearest


@dataclass(frozen=True)
class OutputFormat:
    """A format, and its samples per second."""

    audio_format: AudioFormat
    sample_rate_hz: int


DEFAULT_OUTPUT_FORMAT = "mp3_44100_128"
"""For requests that name none."""

_KBPS = (32, 64, 96, 128, 192)
_PCM_RATES_HZ = (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)

OUTPUT_FORMATS = {
    "mp3_22050_32": OutputFormat("mp3", 22_050),
    "mp3_24000_48": OutputFormat("mp3", 24_000),
    **{f"mp3_44100_{kbps}": OutputFormat("mp3", 44_100) for kbps in _KBPS},
    **{f"opus_48000_{kbps}": OutputFormat("opus", 48_000) for kbps in _KBPS},
    **{f"pcm_{rate}": OutputFormat("pcm", rate) for rate in _PCM_RATES_HZ},
    **{f"wav_{rate}": OutputFormat("wav", rate) for rate in _PCM_RATES_HZ},
    "ulaw_8000": OutputFormat("mulaw", 8_000),
    "alaw_8000": OutputFormat("alaw", 8_000),
}
"""By name. The bit rate is that of the format, whatever the name asks for."""


def require_output_format(name: str, *, streamed: bool = False) -> OutputFormat:
    """Return the format of a name.

    Args:
        name: one of `OUTPUT_FORMATS`, in any case, or with another name of the format in it.
        streamed: whether the audio is sent while it is made.

    Raises:
        UnsupportedFormatError: there is no such format, or it cannot be streamed.
    """
    output = OUTPUT_FORMATS.get(name) or OUTPUT_FORMATS.get(_own_name(name))
    if output is None:
        raise UnsupportedFormatError(
            f"no output format {name!r}{nearest(name, OUTPUT_FORMATS)}; supported: "
            f"{', '.join(OUTPUT_FORMATS)}"
        )
    if streamed and not FORMATS[output.audio_format].streamable:
        raise UnsupportedFormatError(f"{name} cannot be sent in parts")
    return output


def _own_name(name: str) -> str:
    """Return ElevenLabs' name of a format for another, such as `mulaw_8000` or `MP3_44100_128`."""
    audio_format, mark, rest = name.partition("_")
    audio_format = format_name(audio_format)
    return {"mulaw": "ulaw"}.get(audio_format, audio_format) + mark + rest
