"""Text front end: text in, phonemes of Kokoro's vocabulary out."""

from service.text.characters import check_text
from service.text.clauses import Clause, ClauseBuffer
from service.text.espeak import Espeak
from service.text.frontend import FrontEnd
from service.text.languages import LANGUAGES, Language, find_language, language_of_voice
from service.text.reading import Reading, Word, read_phonemes
from service.text.vocabulary import Vocabulary, load_vocabulary

__all__ = [
    "LANGUAGES",
    "Clause",
    "ClauseBuffer",
    "Espeak",
    "FrontEnd",
    "Language",
    "Reading",
    "Vocabulary",
    "Word",
    "check_text",
    "find_language",
    "language_of_voice",
    "load_vocabulary",
    "read_phonemes",
]
