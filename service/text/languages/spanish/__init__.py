"""Spanish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules


def _rules() -> LanguageRules:
    from service.text.languages.spanish.locale import ADDRESSES, LOCALE, PICTURES
    from service.text.normalization.figures import language_rules

    return language_rules(LOCALE, ADDRESSES, PICTURES)


LANGUAGE = Language(
    code="es",
    name="Spanish",
    tags=("es", "spa"),
    voice_letter="e",
    default_voice="ef_dora",
    espeak_voice="roa/es",
    divisions="capítulo|libro|parte",
    load_rules=_rules,
)
