"""German rules: those that all languages share, after its own."""

from __future__ import annotations

from service.text.languages.german.locale import ADDRESSES, LOCALE, PICTURES
from service.text.normalization.figures import language_rules
from service.text.normalization.normalizer import LanguageRules


def load_rules() -> LanguageRules:
    """Return what text normalization needs."""
    return language_rules(LOCALE, ADDRESSES, PICTURES)
