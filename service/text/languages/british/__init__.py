"""British English, as far as it differs from American: see `service.text.languages.english`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.english import make_reader
from service.text.languages.language import Language, ReaderParts, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules
    from service.text.reader import Reader


def _rules() -> LanguageRules:
    from service.text.languages.english.normalization import language_rules

    return language_rules(british=True)


def _sounds() -> Sounds:
    from service.text.languages.english.sounds import BRITISH

    return BRITISH


_REGIONS = frozenset((
    "001", "150", "au", "bd", "bw", "cy", "gb", "gg", "gh", "gi", "hk", "ie", "im", "in", "je",
    "ke", "lk", "mt", "mw", "my", "ng", "np", "nz", "pk", "sg", "sl", "sz", "tz", "ug", "uk", "za",
    "zm", "zw",
))  # fmt: skip
"""Those whose English is closer to that of Britain than to that of America; UN M.49 has 001 for the
world and 150 for Europe."""


def _reader(parts: ReaderParts) -> Reader:
    return make_reader(LANGUAGE, parts)


LANGUAGE = Language(
    code="en-gb",
    name="British English",
    tags=("en", "eng"),
    voice_letter="b",
    default_voice="bf_emma",
    regions=_REGIONS,
    g2p="lexicon",
    espeak_voice="gmw/en",
    load_rules=_rules,
    load_sounds=_sounds,
    make_reader=_reader,
)
