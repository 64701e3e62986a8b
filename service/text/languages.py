"""The languages of Kokoro's voices."""

from __future__ import annotations

import re
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

_CODES = {
    "en": "en-us", "eng": "en-us", "es": "es", "spa": "es", "fr": "fr", "fra": "fr", "fre": "fr",
    "hi": "hi", "hin": "hi", "it": "it", "ita": "it", "ja": "ja", "jpn": "ja", "pt": "pt-br",
    "por": "pt-br", "zh": "zh", "zho": "zh", "chi": "zh", "cmn": "zh",
}  # fmt: skip
"""Languages by the codes of ISO 639; without a region, in their first variety."""

_BRITISH = frozenset((
    "001", "150", "au", "bd", "bw", "cy", "gb", "gg", "gh", "gi", "hk", "ie", "im", "in", "je",
    "ke", "lk", "mt", "mw", "my", "ng", "np", "nz", "pk", "sg", "sl", "sz", "tz", "ug", "uk",
    "za", "zm", "zw",
))  # fmt: skip
"""Regions whose English is closer to that of Britain than to that of America; UN M.49 has 001 for
the world and 150 for Europe."""

_TAG = re.compile(
    r"(?P<primary>[a-z]{2,3})(?:-(?P<extended>[a-z]{3}))?(?:-[a-z]{4})?"
    r"(?:-(?P<region>[a-z]{2}|[0-9]{3}))?(?:-[a-z0-9]{1,8})*"
)
"""Language, extended language, script and region of RFC 5646; variants and extensions follow."""

_SHOWN = 40

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


def find_language(tag: str) -> Language:
    """Return the language of a tag of BCP 47, or of a locale's name, in any case.

    Script, region, variants and extensions do not matter, but that English is British in `_BRITISH`
    regions: `es-419`, `fr_CA`, `zh-Hans-CN`, `en-AU-u-ca-gregory` and `pt_PT.UTF-8` have one.

    Raises:
        LanguageUnavailableError: there is no such language.
    """
    # A locale's name ends with its encoding, and perhaps with a modifier.
    written = re.split("[.@]", tag.strip(), maxsplit=1)[0].lower().replace("_", "-")
    match = _TAG.fullmatch(written)
    # In Chinese an extended language is a language of its own, such as Cantonese.
    primary = "" if match is None else match["extended"] or match["primary"]
    if match is None or primary not in _CODES:
        shown = tag if len(tag) <= _SHOWN else f"{tag[:_SHOWN]}…"
        raise LanguageUnavailableError(
            f"unknown language {shown!r}; available: {', '.join(LANGUAGES)}"
        )
    if _CODES[primary] == "en-us" and match["region"] in _BRITISH:
        return LANGUAGES["en-gb"]
    return LANGUAGES[_CODES[primary]]


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
    return _LANGUAGE_OF_LETTER.get(name[:1].lower())
