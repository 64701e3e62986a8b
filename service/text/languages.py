"""The languages of Kokoro's voices, and what turns each one's text into phonemes."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from service.errors import LanguageUnavailableError


@dataclass(frozen=True, slots=True)
class Language:
    """A language that can be spoken from text."""

    code: str
    """Lower-case tag, such as `en-us`."""
    name: str
    """English name."""
    espeak_voice: str
    """Voice file of espeak-ng that reads it, under `espeak-ng-data/lang`."""
    spaces_inside_numbers: bool = False
    """Whether that voice reads `1 000 000` as one number."""


LANGUAGES = MappingProxyType(
    {
        language.code: language
        for language in (
            Language("en-us", "American English", "gmw/en-US"),
            Language("en-gb", "British English", "gmw/en"),
            Language("es", "Spanish", "roa/es"),
            Language("fr", "French", "roa/fr", spaces_inside_numbers=True),
            Language("hi", "Hindi", "inc/hi"),
            Language("it", "Italian", "roa/it"),
            Language("pt-br", "Brazilian Portuguese", "roa/pt-BR"),
        )
    }
)
"""The languages with a phonemizer, by code."""

_PHONEMES_ONLY = {"ja": "Japanese", "zh": "Mandarin Chinese"}

_ALIASES = {"en": "en-us", "pt": "pt-br"}

# The first letter of a Kokoro voice's name (`af_heart`, `bm_george`) is its language.
_LANGUAGE_OF_LETTER = {
    "a": "en-us",
    "b": "en-gb",
    "e": "es",
    "f": "fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-br",
    "z": "zh",
}


def find_language(code: str) -> Language:
    """Return the language with this code; case, `_` for `-` and the short `en`, `pt` are allowed.

    Raises LanguageUnavailableError for a language that is unknown or has no phonemizer here.
    """
    wanted = code.strip().lower().replace("_", "-")
    wanted = _ALIASES.get(wanted, wanted)
    language = LANGUAGES.get(wanted)
    if language is not None:
        return language
    problem = (
        f"{_PHONEMES_ONLY[wanted]} ({wanted}) has no phonemizer yet"
        if wanted in _PHONEMES_ONLY
        else f"unknown language {code!r}"
    )
    raise LanguageUnavailableError(
        f"{problem}; available: {', '.join(LANGUAGES)}; phonemes can be sent directly instead"
    )


def language_of_voice(name: str) -> str | None:
    """Return the code of the language that a voice was made for, or None if its name tells none.

    The code may be one that `find_language` refuses: `ja` and `zh` have voices but no phonemizer.
    """
    return _LANGUAGE_OF_LETTER.get(name[:1].lower())
