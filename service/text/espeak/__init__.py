"""espeak-ng, and the way from its IPA to Kokoro's phonemes."""

from service.text.espeak.engine import Espeak

__all__ = ["Espeak"]
