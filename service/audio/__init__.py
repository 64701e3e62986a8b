"""Audio: float samples to audio files, complete or streamed; subtitles."""

from service.audio.encoding import encode
from service.audio.formats import (
    FORMATS,
    AudioFormat,
    Format,
    SampleRate,
    check_formats,
    format_name,
    require_format,
    require_rate,
)
from service.audio.sample_rates import SOURCE_RATE_HZ
from service.audio.streaming import Encoder, open_encoder
from service.audio.subtitles import (
    SRT_MEDIA_TYPE,
    VTT_MEDIA_TYPE,
    Cue,
    ass,
    cues_of_words,
    srt,
    vtt,
)

__all__ = [
    "FORMATS",
    "SOURCE_RATE_HZ",
    "SRT_MEDIA_TYPE",
    "VTT_MEDIA_TYPE",
    "AudioFormat",
    "Cue",
    "Encoder",
    "Format",
    "SampleRate",
    "ass",
    "check_formats",
    "cues_of_words",
    "encode",
    "format_name",
    "open_encoder",
    "require_format",
    "require_rate",
    "srt",
    "vtt",
]
