"""Text front end: text in, phonemes of Kokoro's vocabulary out.

What is imported from here is loaded then: who only asks for languages, as the process that reads
documents does, loads nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from service.text.characters import check_text, encodable, is_blank, longest_in_words
    from service.text.clauses import Clause, ClauseBuffer
    from service.text.espeak import Espeak
    from service.text.frontend import READ_AT_ONCE, FrontEnd, words_of
    from service.text.languages import (
        LANGUAGES,
        Language,
        find_language,
        is_variety,
        language_of_voice,
        tag_of_name,
    )
    from service.text.lattice import Decision, Option
    from service.text.markup import (
        Fit,
        Ignored,
        Mark,
        MarkPause,
        Notes,
        Passage,
        Pause,
        VoiceWish,
        moved,
        opens_ssml,
        parse,
        shown,
        tagged_text,
        unmarked,
        voices_after,
        without_voice_tags,
    )
    from service.text.normalization import USUAL, Normalization
    from service.text.offset_mapping import TracedText
    from service.text.readers import EspeakSounds
    from service.text.reading import Reading, Word, read_phonemes
    from service.text.user_lexicon import UserLexicon
    from service.text.vocabulary import Vocabulary, load_vocabulary

__all__ = [
    "LANGUAGES",
    "READ_AT_ONCE",
    "USUAL",
    "Clause",
    "ClauseBuffer",
    "Decision",
    "Espeak",
    "EspeakSounds",
    "Fit",
    "FrontEnd",
    "Ignored",
    "Language",
    "Mark",
    "MarkPause",
    "Normalization",
    "Notes",
    "Option",
    "Passage",
    "Pause",
    "Reading",
    "TracedText",
    "UserLexicon",
    "Vocabulary",
    "VoiceWish",
    "Word",
    "check_text",
    "encodable",
    "find_language",
    "is_blank",
    "is_variety",
    "language_of_voice",
    "load_vocabulary",
    "longest_in_words",
    "moved",
    "opens_ssml",
    "parse",
    "read_phonemes",
    "shown",
    "tag_of_name",
    "tagged_text",
    "unmarked",
    "voices_after",
    "without_voice_tags",
    "words_of",
]

_MODULES = {
    "characters": "check_text encodable is_blank longest_in_words",
    "clauses": "Clause ClauseBuffer",
    "espeak": "Espeak",
    "frontend": "READ_AT_ONCE FrontEnd words_of",
    "lattice": "Decision Option",
    "languages": "LANGUAGES Language find_language is_variety language_of_voice tag_of_name",
    "markup": "Fit Ignored Mark MarkPause Notes Passage Pause VoiceWish moved opens_ssml parse"
    " shown tagged_text unmarked voices_after without_voice_tags",
    "normalization": "USUAL Normalization",
    "offset_mapping": "TracedText",
    "readers": "EspeakSounds",
    "reading": "Reading Word read_phonemes",
    "user_lexicon": "UserLexicon",
    "vocabulary": "Vocabulary load_vocabulary",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value
