"""The languages of Kokoro's voices."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from service.errors import LanguageUnavailableError


@dataclass(frozen=True, slots=True)
class Language:
    """A language that can be spoken from text.

    Attributes:
        code: lower-case tag, such as `en-us`.
        name: in English.
        espeak_voice: voice file under `espeak-ng-data/lang`; None if espeak-ng does not read the
            language.
        extra: the extra of this package that reading it requires, if any.
        spaces_inside_numbers: whether the espeak-ng voice reads `1 000 000` as one number.
    """

    code: str
    name: str
    espeak_voice: str | None = None
    extra: str | None = None
    spaces_inside_numbers: bool = False


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
            Language("ja", "Japanese", extra="ja"),
            Language("pt-br", "Brazilian Portuguese", "roa/pt-BR"),
            Language("zh", "Mandarin Chinese", extra="zh"),
        )
    }
)
"""All languages, by code."""

_ALIASES = {"en": "en-us", "pt": "pt-br", "cmn": "zh", "zh-cn": "zh", "ja-jp": "ja"}

# The first letter of a Kokoro voice's name (`af_heart`, `bm_george`) stands for its language.
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
    """Return the language with this code, in any case. Also takes `_` for `-`, `en` and `pt`.

    Raises:
        LanguageUnavailableError: there is no such language.
    """
    wanted = code.strip().lower().replace("_", "-")
    language = LANGUAGES.get(_ALIASES.get(wanted, wanted))
    if language is None:
        raise LanguageUnavailableError(
            f"unknown language {code!r}; available: {', '.join(LANGUAGES)}"
        )
    return language


def language_of_voice(name: str) -> str | None:
    """Return the code of a voice's language, None if its name does not start with one."""
    return _LANGUAGE_OF_LETTER.get(name[:1].lower())
