"""Text front end: text in, phonemes of Kokoro's vocabulary out."""

from service.text.characters import check_text
from service.text.espeak import Espeak
from service.text.languages import LANGUAGES, Language, find_language, language_of_voice
from service.text.phonemizer import Phonemizer
from service.text.vocabulary import Vocabulary, load_vocabulary

__all__ = [
    "LANGUAGES",
    "Espeak",
    "Language",
    "Phonemizer",
    "Vocabulary",
    "check_text",
    "find_language",
    "language_of_voice",
    "load_vocabulary",
]
