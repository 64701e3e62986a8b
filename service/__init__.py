"""Kokoro-82M text-to-speech as a service: text in, 24 kHz speech out."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("kokoro-service")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["__version__"]
