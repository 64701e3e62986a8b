"""Italian."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules


def _rules() -> LanguageRules:
    from service.text.languages.italian.locale import ADDRESSES, LOCALE, PICTURES
    from service.text.normalization.figures import language_rules

    return language_rules(LOCALE, ADDRESSES, PICTURES)


def _sounds() -> Sounds:
    # The double s, for which the Italian voices have a symbol.
    return Sounds(espeak={"s^s": "S"})


LANGUAGE = Language(
    code="it",
    name="Italian",
    tags=("it", "ita"),
    voice_letter="i",
    default_voice="if_sara",
    espeak_voice="roa/it",
    divisions="capitolo|libro|parte",
    load_rules=_rules,
    load_sounds=_sounds,
)
