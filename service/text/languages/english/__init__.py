"""American English, and what it shares with British: the lexicons of misaki and our own rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language, ReaderParts, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules
    from service.text.reader import Reader


def make_reader(language: Language, parts: ReaderParts) -> Reader:
    """Return the reader of a variety."""
    from service.text.espeak.reader import EspeakReader
    from service.text.languages.english import spacy_tagger
    from service.text.languages.english.reader import EnglishReader

    espeak = EspeakReader(parts.espeak, language, strict=parts.strict)
    british = language.code == "en-gb"
    return EnglishReader(british=british, espeak=espeak, tagger=spacy_tagger.installed())


def _rules() -> LanguageRules:
    from service.text.languages.english.normalization import language_rules

    return language_rules(british=False)


def _sounds() -> Sounds:
    from service.text.languages.english.sounds import AMERICAN

    return AMERICAN


def _reader(parts: ReaderParts) -> Reader:
    return make_reader(LANGUAGE, parts)


LANGUAGE = Language(
    code="en-us",
    name="American English",
    tags=("en", "eng"),
    voice_letter="a",
    default_voice="af_heart",
    g2p="lexicon",
    espeak_voice="gmw/en-US",
    divisions="chapter|book|part|volume|act|canto|stave|letter",
    load_rules=_rules,
    load_sounds=_sounds,
    make_reader=_reader,
)
