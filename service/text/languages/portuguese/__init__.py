"""Brazilian Portuguese."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules


def _rules() -> LanguageRules:
    from service.text.languages.portuguese.locale import ADDRESSES, LOCALE, PICTURES
    from service.text.normalization.figures import language_rules

    return language_rules(LOCALE, ADDRESSES, PICTURES)


LANGUAGE = Language(
    code="pt-br",
    name="Brazilian Portuguese",
    tags=("pt", "por"),
    voice_letter="p",
    default_voice="pf_dora",
    espeak_voice="roa/pt-BR",
    divisions="capítulo|parte",
    load_rules=_rules,
)
