"""Hindi."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from service.text.languages.language import Language, Sounds

if TYPE_CHECKING:
    from service.text.normalization.normalizer import LanguageRules


def _rules() -> LanguageRules:
    from service.text.languages.hindi.locale import ADDRESSES, LOCALE, PICTURES
    from service.text.normalization.figures import language_rules

    return language_rules(LOCALE, ADDRESSES, PICTURES)


# espeak-ng hears a consonant in these vowels if their nasal sign is a candrabindu.
_NASAL_VOWEL = re.compile(r"(?<=[\u0900-\u0963])(?P<vowel>[एआ])ँ")


def _sounds() -> Sounds:
    return Sounds(respellings=((_NASAL_VOWEL, lambda match: match["vowel"] + "ं"),))


LANGUAGE = Language(
    code="hi",
    name="Hindi",
    tags=("hi", "hin"),
    voice_letter="h",
    default_voice="hf_alpha",
    espeak_voice="inc/hi",
    keeps_joiners=True,
    load_rules=_rules,
    load_sounds=_sounds,
)
