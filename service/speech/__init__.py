"""Speech: voices, pieces of text that the model can say, and saying them."""

from service.speech.cancellation import Cancellation
from service.speech.chunking import LONGEST_PIECE_S
from service.speech.delivery import AudioChunk
from service.speech.planning import Piece, Plan, Planner, Preview, Utterance
from service.speech.synthesizer import Synthesizer
from service.speech.timing import PhonemeTime, WordTime
from service.speech.voices import Blend, Voice, VoiceLibrary

__all__ = [
    "LONGEST_PIECE_S",
    "AudioChunk",
    "Blend",
    "Cancellation",
    "PhonemeTime",
    "Piece",
    "Plan",
    "Planner",
    "Preview",
    "Synthesizer",
    "Utterance",
    "Voice",
    "VoiceLibrary",
    "WordTime",
]
