"""The elements and attributes of strict SSML, and what they mean.

Every function raises ValueError with the reason. Its caller adds the position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace

from service.errors import InvalidTextError
from service.text.characters import check_text
from service.text.languages import find_language, language_of_voice
from service.text.markup.ipa import kokoro_phonemes
from service.text.markup.passages import Interpretation, VoiceSettings
from service.text.markup.prosody import RATES
from service.text.markup.values import check_rate, is_blank, parse_duration, parse_phonemes, quote

BREAKS_S = {
    "none": 0.0,
    "x-weak": 0.1,
    "weak": 0.25,
    "medium": 0.5,
    "strong": 0.75,
    "x-strong": 1.0,
}
EMPHASES = {"strong": 1.0, "moderate": 0.5, "none": 0.0, "reduced": -1.0}

_ALPHABETS = ("ipa", "kokoro")

_INTERPRETATIONS: Mapping[str, Interpretation] = {
    "cardinal": "cardinal",
    "number": "cardinal",
    "ordinal": "ordinal",
    "digits": "digits",
    "characters": "characters",
    "spell-out": "characters",
    "verbatim": "characters",
    "date": "date",
    "time": "time",
    "telephone": "telephone",
    "currency": "currency",
    "unit": "unit",
}
_FORMATS = {
    "date": ("mdy", "dmy", "ymd", "ydm", "md", "dm", "ym", "my", "y", "m", "d"),
    "time": ("hms12", "hms24", "hms", "hm12", "hm24", "hm"),
}

ATTRIBUTES: Mapping[str, Set[str]] = {
    "speak": {"version", "xsi:schemaLocation"},
    "p": set(),
    "s": set(),
    "lang": set(),
    "voice": {"name"},
    "break": {"time", "strength"},
    "phoneme": {"alphabet", "ph"},
    "say-as": {"interpret-as", "format"},
    "sub": {"alias"},
    "prosody": {"rate", "pitch", "volume"},
    "emphasis": {"level"},
}
"""The attributes of each element, besides those that all elements may have."""

_EVERYWHERE = frozenset({"xmlns", "xml:base", "xml:id", "xml:lang", "xml:space"})
ONLY_TEXT = frozenset({"phoneme", "say-as", "sub"})
_WITHOUT_ELEMENTS = ONLY_TEXT | {"break"}
BLOCKS = frozenset({"p", "s"})
_UNCHANGED = frozenset({"default", "medium"})
"""Values of pitch and volume that change nothing."""

_RATE = re.compile(r"(?P<sign>[+-]?)(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<percent>%)?", re.ASCII)
_REPEATED = re.compile(r"d(?=d)|m(?=m)|y(?=y)|[-/. ]")


@dataclass(frozen=True, slots=True)
class Element:
    """An element that is open.

    Attributes:
        name: the name of the element.
        attributes: its attributes.
        start: offset of its start tag in the source.
        content_start: offset of the end of its start tag.
        voice_settings: how its text is spoken.
        stress: steps by which the stress of its words is raised.
        is_silent: whether its text is not read.
    """

    name: str
    attributes: Mapping[str, str]
    start: int
    content_start: int
    voice_settings: VoiceSettings = field(default_factory=VoiceSettings)
    stress: float = 0.0
    is_silent: bool = False


def check_element(name: str, attributes: Mapping[str, str], parent: Element | None) -> None:
    """Refuse an element that is unknown or out of place, and unknown attributes."""
    if name not in ATTRIBUTES:
        raise ValueError(f"the element {quote(name)} is not allowed")
    if parent is None and name != "speak":
        raise ValueError(f"the root must be <speak>, not {quote(name)}")
    if parent is not None and name == "speak":
        raise ValueError("<speak> must be the root")
    if parent is not None and parent.name in _WITHOUT_ELEMENTS:
        raise ValueError(f"<{parent.name}> must not contain elements, but contains {quote(name)}")
    for attribute in attributes:
        is_known = attribute in ATTRIBUTES[name] or attribute in _EVERYWHERE
        if not is_known and not attribute.startswith("xmlns:"):
            raise ValueError(f"the attribute {quote(attribute)} of <{name}> is not allowed")


def styled(element: Element) -> Element:
    """Return the element with voice settings and stress changed by its attributes."""
    attributes, voice_settings, stress = element.attributes, element.voice_settings, element.stress
    if element.name == "voice":
        if "name" in attributes:
            # A new voice speaks its own language.
            voice_settings = replace(
                voice_settings, voice=_required(attributes, "name").strip(), language=None
            )
        elif "xml:lang" not in attributes:
            raise ValueError("name or xml:lang is required")
    elif element.name == "prosody":
        for unchangeable in ("pitch", "volume"):
            if attributes.get(unchangeable, "default") not in _UNCHANGED:
                raise ValueError(f"{unchangeable} cannot be changed")
        voice_settings = replace(
            voice_settings, rate=_rate(attributes.get("rate", "100%"), voice_settings.rate)
        )
    elif element.name == "emphasis":
        level = _one_of("level", attributes.get("level", "moderate"), EMPHASES)
        stress = EMPHASES[level]
    elif element.name == "lang":
        _required(attributes, "xml:lang")
    if attributes.get("xml:space", "default") != "default":
        raise ValueError("xml:space is not supported: white space is always folded")
    if "xml:lang" in attributes:
        voice_settings = replace(
            voice_settings, language=find_language(attributes["xml:lang"]).code
        )
    return replace(element, voice_settings=voice_settings, stress=stress)


def alias_of(attributes: Mapping[str, str]) -> str:
    """Return the alias of a `sub`, with white space folded."""
    alias = " ".join(_required(attributes, "alias").split())
    check_characters(alias)
    return alias


def phonemes_of(
    attributes: Mapping[str, str], voice_settings: VoiceSettings, default: str | None
) -> str:
    """Return the phonemes of a `phoneme` element, in Kokoro's symbols.

    Args:
        attributes: of the element.
        voice_settings: those of its text. The language decides how IPA is converted.
        default: code of the language if `voice_settings` has neither a language nor a voice.
    """
    ph = _required(attributes, "ph")
    if _one_of("alphabet", attributes.get("alphabet", "ipa"), _ALPHABETS) == "kokoro":
        return parse_phonemes(ph)
    language = voice_settings.language
    if language is None and voice_settings.voice is not None:
        language = language_of_voice(voice_settings.voice)
    return kokoro_phonemes(ph, language or default)


def interpretation_of(attributes: Mapping[str, str]) -> tuple[Interpretation, str]:
    """Return the interpretation and the detail of a `say-as`, as in `Hint`."""
    interpretation = _INTERPRETATIONS[
        _one_of("interpret-as", _required(attributes, "interpret-as"), _INTERPRETATIONS)
    ]
    return interpretation, _detail(interpretation, attributes.get("format", ""))


def check_characters(text: str) -> None:
    """Refuse characters that a caller may not send, even as character references."""
    try:
        check_text(f"{text}.")
    except InvalidTextError as error:
        raise ValueError(f"there is a {error.message.partition(' at ')[0]}") from None


def _required(attributes: Mapping[str, str], name: str) -> str:
    value = attributes.get(name, "")
    if is_blank(value):
        raise ValueError(f"{name} is required")
    return value


def _one_of(attribute: str, value: str, known: Iterable[str]) -> str:
    if value not in known:
        raise ValueError(f"{attribute} is {quote(value)}, but must be one of {', '.join(known)}")
    return value


def break_s(attributes: Mapping[str, str]) -> float:
    """Return the seconds of a `break`."""
    strength = _one_of("strength", attributes.get("strength", "medium"), BREAKS_S)
    return parse_duration(attributes["time"]) if "time" in attributes else BREAKS_S[strength]


def _rate(value: str, outer: float) -> float:
    """Return the rate of a `prosody` element inside an element with the rate `outer`."""
    wanted = value.strip()
    if wanted == "default":
        return 1.0
    factor = RATES.get(wanted)
    if factor is None:
        match = _RATE.fullmatch(wanted)
        if match is None or (match["sign"] and not match["percent"]):
            raise ValueError(
                f"rate is {quote(value)}, but must be one of {', '.join(RATES)}, or a number such"
                " as 80%, 1.2 or +10%"
            )
        factor = float(match["number"]) / (100 if match["percent"] else 1)
        if match["sign"]:
            factor = 1 + factor if match["sign"] == "+" else 1 - factor
    # Rounded, so that 80 % of 125 % is exactly 1.
    return check_rate(round(check_rate(factor) * outer, 6))


def _detail(interpretation: Interpretation, written: str) -> str:
    """Return the format of a date or time in its short form: `mdy` for `mm/dd/yyyy`."""
    known = _FORMATS.get(interpretation)
    if not written:
        return ""
    if known is None:
        raise ValueError(f"format is not allowed with {interpretation}")
    if interpretation == "date":
        return _one_of("format", _REPEATED.sub("", written.strip().lower()), known)
    return _one_of("format", written.strip().lower(), known)
