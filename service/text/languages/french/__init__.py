"""French."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.text.languages.language import Language, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules


def _rules() -> LanguageRules:
    from service.text.languages.french.locale import ADDRESSES, LOCALE, PICTURES
    from service.text.normalization.figures import language_rules

    return language_rules(LOCALE, ADDRESSES, PICTURES)


def _sounds() -> Sounds:
    from service.text.languages.french.respellings import NAMES, RESPELLINGS

    return Sounds(respellings=RESPELLINGS, names=NAMES)


LANGUAGE = Language(
    code="fr",
    name="French",
    tags=("fr", "fra", "fre"),
    voice_letter="f",
    default_voice="ff_siwis",
    espeak_voice="roa/fr",
    spaces_inside_numbers=True,
    divisions="chapitre|livre",
    load_rules=_rules,
    load_sounds=_sounds,
)
