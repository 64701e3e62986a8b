"""The languages that are read: those of Kokoro's voices, and others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from service.errors import LanguageUnavailableError
from service.text.languages.language import Language

__all__ = [
    "LANGUAGES",
    "Language",
    "find_language",
    "is_variety",
    "language_of_voice",
    "tag_of_name",
]


def _found() -> Iterator[Language]:
    """Yield the language of each folder here."""
    for folder in iter_modules(__path__):
        if folder.ispkg:
            language: Language = import_module(f"{__name__}.{folder.name}").LANGUAGE
            yield language


LANGUAGES = MappingProxyType(
    {
        language.code: language
        for language in sorted(
            _found(), key=lambda one: (one.default_voice is None, one.voice_letter)
        )
    }
)
"""All languages, by code; those for which the model has no voice come last."""

_TAG = re.compile(
    r"(?P<primary>[a-z]{2,3})(?:-(?P<extended>[a-z]{3}))?(?:-[a-z]{4})?"
    r"(?:-(?P<region>[a-z]{2}|[0-9]{3}))?(?:-[a-z0-9]{1,8})*"
)
"""Language, extended language, script and region of RFC 5646; variants and extensions follow."""

_SHOWN = 40
_TAGS_KEPT = 256


@lru_cache(_TAGS_KEPT)
def find_language(tag: str) -> Language:
    """Return the language of a tag of BCP 47, or of a locale's name, in any case.

    Script, region, variants and extensions do not matter, except that a region may have a variety
    of its own: `es-419`, `fr_CA`, `zh-Hans-CN`, `en-AU-u-ca-gregory` and `pt_PT.UTF-8` have one.

    Raises:
        LanguageUnavailableError: there is no such language.
    """
    # A locale's name ends with its encoding, and perhaps with a modifier.
    written = re.split("[.@]", tag.strip(), maxsplit=1)[0].lower().replace("_", "-")
    match = _TAG.fullmatch(written)
    # In Chinese an extended language is a language of its own, such as Cantonese.
    primary = "" if match is None else match["extended"] or match["primary"]
    varieties = [language for language in LANGUAGES.values() if primary in language.tags]
    if match is None or not varieties:
        shown = tag if len(tag) <= _SHOWN else f"{tag[:_SHOWN]}…"
        raise LanguageUnavailableError(
            f"unknown language {shown!r}; available: {', '.join(LANGUAGES)}"
        )
    of_region = (language for language in varieties if match["region"] in language.regions)
    return next(of_region, varieties[0])


def is_variety(code: str, tag: str) -> bool:
    """Tell whether a language, by its code, is what a tag asks for.

    A tag without a region, such as `en`, asks for any variety.

    Raises:
        LanguageUnavailableError: there is no language of the tag.
    """
    found = find_language(tag).code
    names_no_region = len(re.split("[-_.@]", tag.strip(), maxsplit=1)) == 1
    return code == found or (names_no_region and code.partition("-")[0] == found.partition("-")[0])


def language_of_voice(name: str) -> str | None:
    """Return the code of a voice's language, None if its name does not start with one."""
    letter = name[:1].lower()
    found = (one.code for one in LANGUAGES.values() if one.voice_letter == letter)
    return next(found, None)


def tag_of_name(name: str) -> str | None:
    """Return the tag of a language by its name in English, such as `French`, None if unknown."""
    word = name.strip().lower()
    found = (one.tags[0] for one in LANGUAGES.values() if one.name.lower().split()[-1] == word)
    return next(found, None)
