"""Kokoro-82M text-to-speech as a service: text in, 24 kHz speech out."""

__version__ = "0.1.0"
