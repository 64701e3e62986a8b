"""Acronyms that the reader's lexicon gets wrong."""

from __future__ import annotations

import re

from service.text.normalization.rules import Rule

_ACRONYMS = {
    "LED": "L E D",
    "LEDs": "L E D's",
    "WWI": "World War one",
    "WWII": "World War two",
    "LAX": "L A X",
    "JSON": "Jason",
    "YAML": "yammel",
    "WIFI": "Wi-Fi",
    "WiFi": "Wi-Fi",
    "wifi": "Wi-Fi",
    "Wifi": "Wi-Fi",
    "wi-fi": "Wi-Fi",
}
_ACRONYM = re.compile(r"\b(?:" + "|".join(_ACRONYMS) + r")(?![\w-])")


def rules() -> tuple[Rule, ...]:
    """Return the rules for acronyms."""
    return (Rule(_ACRONYM, lambda match: _ACRONYMS[match[0]]),)
