"""Speech: voices, pieces of text that the model can say, and saying them."""

from service.speech.synthesizer import AudioChunk, Plan, Synthesizer, Utterance
from service.speech.voices import Blend, Voice, VoiceLibrary

__all__ = ["AudioChunk", "Blend", "Plan", "Synthesizer", "Utterance", "Voice", "VoiceLibrary"]
