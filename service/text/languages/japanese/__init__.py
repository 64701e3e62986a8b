"""Japanese: Open JTalk says how text is read, and ours how that is written for Kokoro's voices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language, ReaderParts, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules
    from service.text.reader import Reader


def _rules() -> LanguageRules:
    from service.text.languages.japanese.normalization import language_rules

    return language_rules()


def _sounds() -> Sounds:
    from service.text.languages.japanese import kana

    return Sounds(read_syllable=kana.read)


def _reader(parts: ReaderParts) -> Reader:
    from service.text.languages.japanese.reader import JapaneseReader

    return JapaneseReader(strict=parts.strict)


LANGUAGE = Language(
    code="ja",
    name="Japanese",
    tags=("ja", "jpn"),
    voice_letter="j",
    default_voice="jf_alpha",
    g2p="pyopenjtalk",
    extra="ja",
    packages=("pyopenjtalk",),
    load_rules=_rules,
    load_sounds=_sounds,
    make_reader=_reader,
)
