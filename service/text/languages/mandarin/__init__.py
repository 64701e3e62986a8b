"""Mandarin: jieba finds the words, pypinyin has their pinyin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language, ReaderParts, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules
    from service.text.reader import Reader


def _rules() -> LanguageRules:
    from service.text.languages.mandarin.normalization import language_rules

    return language_rules()


def _sounds() -> Sounds:
    from service.text.languages.mandarin import syllables

    return Sounds(read_syllable=syllables.phonemes)


def _reader(parts: ReaderParts) -> Reader:
    from service.text.languages.mandarin.reader import MandarinReader

    return MandarinReader(strict=parts.strict, in_bopomofo=bool(_variant(parts.symbols)))


def _variant(symbols: frozenset[str]) -> str:
    from service.text.languages.mandarin.bopomofo import LANDMARK

    return "bopomofo" if LANDMARK in symbols else ""


LANGUAGE = Language(
    code="zh",
    name="Mandarin Chinese",
    tags=("zh", "zho", "chi", "cmn"),
    voice_letter="z",
    default_voice="zf_xiaoxiao",
    g2p="pypinyin",
    extra="zh",
    packages=("jieba", "pypinyin"),
    load_rules=_rules,
    load_sounds=_sounds,
    make_reader=_reader,
    variant=_variant,
)
