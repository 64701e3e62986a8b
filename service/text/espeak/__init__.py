"""G2P by espeak-ng, with its IPA converted to Kokoro's phonemes."""

from service.text.espeak.engine import Espeak

__all__ = ["Espeak"]
