"""Text front end: text in, phonemes of Kokoro's vocabulary out."""

from service.text.characters import check_text, encodable, is_blank, longest_in_words
from service.text.clauses import Clause, ClauseBuffer
from service.text.espeak import Espeak
from service.text.frontend import READ_AT_ONCE, FrontEnd
from service.text.languages import (
    LANGUAGES,
    Language,
    find_language,
    is_variety,
    language_of_voice,
    tag_of_name,
)
from service.text.markup import (
    Passage,
    Pause,
    parse,
    plain_text,
    voices_after,
    without_voice_tags,
)
from service.text.normalization import USUAL, Normalization
from service.text.offset_mapping import TracedText
from service.text.reading import Reading, Word, read_phonemes
from service.text.user_lexicon import UserLexicon
from service.text.vocabulary import Vocabulary, load_vocabulary

__all__ = [
    "LANGUAGES",
    "READ_AT_ONCE",
    "USUAL",
    "Clause",
    "ClauseBuffer",
    "Espeak",
    "FrontEnd",
    "Language",
    "Normalization",
    "Passage",
    "Pause",
    "Reading",
    "TracedText",
    "UserLexicon",
    "Vocabulary",
    "Word",
    "check_text",
    "encodable",
    "find_language",
    "is_blank",
    "is_variety",
    "language_of_voice",
    "load_vocabulary",
    "longest_in_words",
    "parse",
    "plain_text",
    "read_phonemes",
    "tag_of_name",
    "voices_after",
    "without_voice_tags",
]
