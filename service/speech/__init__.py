"""Speech: planning chunks, synthesizing them, and voices."""

from service.speech.cancellation import Cancellation
from service.speech.chunking import LONGEST_CHUNK_S
from service.speech.delivery import AudioSegment
from service.speech.levelling import BYTES_PER_S as LEVELLING_BYTES_PER_S
from service.speech.model_worker import Worker
from service.speech.plan import LONGEST_SEGMENT_S, Chunk, Coverage, Manner, Plan, Preview
from service.speech.planning import Planner
from service.speech.synthesizer import Synthesizer
from service.speech.timing import MarkTime, PhonemeTime, WordTime, merge_parts
from service.speech.utterance import (
    SILENCE_S,
    Delivery,
    Speaker,
    TextKind,
    Turn,
    Utterance,
    gain_of,
)
from service.speech.voices import Blend, Voice, VoiceLibrary, add_voice, read_styles

__all__ = [
    "LEVELLING_BYTES_PER_S",
    "LONGEST_CHUNK_S",
    "LONGEST_SEGMENT_S",
    "SILENCE_S",
    "AudioSegment",
    "Blend",
    "Cancellation",
    "Chunk",
    "Coverage",
    "Delivery",
    "Manner",
    "MarkTime",
    "PhonemeTime",
    "Plan",
    "Planner",
    "Preview",
    "Speaker",
    "Synthesizer",
    "TextKind",
    "Turn",
    "Utterance",
    "Voice",
    "VoiceLibrary",
    "WordTime",
    "Worker",
    "add_voice",
    "gain_of",
    "merge_parts",
    "read_styles",
]
