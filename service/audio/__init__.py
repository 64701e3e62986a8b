"""Audio: float samples to bytes of int16 PCM."""

from service.audio.encoding import FORMATS, AudioFormat, encode

__all__ = ["FORMATS", "AudioFormat", "encode"]
