"""Audio: float samples to audio files, complete or streamed; subtitles."""

from service.audio.encoding import encode
from service.audio.formats import FORMATS, AudioFormat, Format, check_formats, require_format
from service.audio.streaming import Encoder, open_encoder
from service.audio.subtitles import (
    SRT_MEDIA_TYPE,
    VTT_MEDIA_TYPE,
    Cue,
    cues_of_words,
    srt,
    vtt,
)

__all__ = [
    "FORMATS",
    "SRT_MEDIA_TYPE",
    "VTT_MEDIA_TYPE",
    "AudioFormat",
    "Cue",
    "Encoder",
    "Format",
    "check_formats",
    "cues_of_words",
    "encode",
    "open_encoder",
    "require_format",
    "srt",
    "vtt",
]
