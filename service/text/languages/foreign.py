"""Languages that are read only where a text of another has words in their script."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple, NoReturn

from service.text.languages.language import Language, Sounds


class Script(NamedTuple):
    """A script, and who reads it.

    Attributes:
        letters: for the inside of `[...]`.
        least: letters of the shortest word. Fewer may be a sign, as in `πr`.
        language: with a voice of espeak-ng; None for one of `LANGUAGES`.
    """

    letters: str
    least: int = 1
    language: Language | None = None


def _no_rules() -> NoReturn:
    raise NotImplementedError("the text around the words is normalized in its own language")


# Tones of Thai and Burmese; marks of phonemes that espeak-ng has no IPA for.
_WITHOUT_TONES = Sounds(espeak=dict.fromkeys("0123456789", ""))


def _script(code: str, name: str, voice: str, letters: str, least: int = 1) -> Script:
    language = Language(
        code=code,
        name=name,
        tags=(code,),
        voice_letter="",
        default_voice=None,
        load_rules=_no_rules,
        load_sounds=lambda: _WITHOUT_TONES,
        espeak_voice=voice,
    )
    return Script(letters, least, language)


SCRIPTS = MappingProxyType(
    {
        "ru": _script("ru", "Russian", "zle/ru", "\u0400-\u052f"),
        "el": _script("el", "Greek", "grk/el", "\u0370-\u03ff\u1f00-\u1fff", 3),
        "he": _script("he", "Hebrew", "sem/he", "\u0591-\u05f4"),
        "ar": _script("ar", "Arabic", "sem/ar", "\u0620-\u065f\u066e-\u06d3\u0750-\u077f"),
        "ko": _script("ko", "Korean", "ko", "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"),
        "th": _script("th", "Thai", "tai/th", "\u0e01-\u0e3a\u0e40-\u0e4e"),
        "hy": _script("hy", "Armenian", "ine/hy", "\u0531-\u0587"),
        "ka": _script("ka", "Georgian", "ccs/ka", "\u10a0-\u10ff"),
        "hi": Script("\u0900-\u0963"),
        "bn": _script("bn", "Bengali", "inc/bn", "\u0980-\u09e3"),
        "pa": _script("pa", "Punjabi", "inc/pa", "\u0a01-\u0a4d"),
        "gu": _script("gu", "Gujarati", "inc/gu", "\u0a81-\u0ae3"),
        "ta": _script("ta", "Tamil", "dra/ta", "\u0b82-\u0bcd"),
        "te": _script("te", "Telugu", "dra/te", "\u0c00-\u0c63"),
        "kn": _script("kn", "Kannada", "dra/kn", "\u0c80-\u0ce3"),
        "ml": _script("ml", "Malayalam", "dra/ml", "\u0d00-\u0d63"),
        "si": _script("si", "Sinhala", "inc/si", "\u0d82-\u0ddf"),
        "am": _script("am", "Amharic", "sem/am", "\u1200-\u137f"),
        "my": _script("my", "Burmese", "sit/my", "\u1000-\u103f\u1050-\u109f"),
    }
)
"""By the code of the language that reads them. Persian and Urdu are read as Arabic."""


def foreign_language(code: str) -> Language | None:
    """Return the language of a script; None if its code is in `LANGUAGES`."""
    script = SCRIPTS.get(code)
    return None if script is None else script.language
