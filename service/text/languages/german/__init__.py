"""German, for which the model has no voice: it is spoken by voices of other languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules


def _rules() -> LanguageRules:
    from service.text.languages.german.rules import load_rules

    return load_rules()


def _sounds() -> Sounds:
    # The diphthong of `heute`, as all voices write it.
    return Sounds(espeak={"ɔø": "Y", "ɔ^ø": "Y"})


LANGUAGE = Language(
    code="de",
    name="German",
    tags=("de", "deu", "ger"),
    voice_letter="d",
    default_voice=None,
    espeak_voice="gmw/de",
    divisions="kapitel|teil|buch|band|akt|aufzug|szene|gesang",
    load_rules=_rules,
    load_sounds=_sounds,
)
