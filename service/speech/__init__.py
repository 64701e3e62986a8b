"""Speech: voices, pieces of text that the model can say, and saying them."""

from service.speech.cancellation import Cancellation
from service.speech.synthesizer import AudioChunk, Plan, Synthesizer, Utterance
from service.speech.timing import PhonemeTime, WordTime
from service.speech.voices import Blend, Voice, VoiceLibrary

__all__ = [
    "AudioChunk",
    "Blend",
    "Cancellation",
    "PhonemeTime",
    "Plan",
    "Synthesizer",
    "Utterance",
    "Voice",
    "VoiceLibrary",
    "WordTime",
]
