"""The elements and attributes of SSML, and those of which strict mode is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from service.errors import InvalidTextError
from service.text.characters import check_text
from service.text.markup.passages import VoiceSettings
from service.text.markup.values import is_blank, quote

NAMESPACES = {
    "http://www.w3.org/2001/10/synthesis": "",
    "http://www.w3.org/2001/mstts": "mstts",
    "https://www.w3.org/2001/mstts": "mstts",
}
"""Prefixes by which elements of namespaces are known, whatever the document calls them."""

LONGER_NAMES = {"paragraph": "p", "sentence": "s", "token": "w"}

EVERYWHERE = frozenset(
    {"xmlns", "xml:base", "xml:id", "id", "xml:lang", "xml:space", "onlangfailure"}
)
_OTHER_NAMES = {"lang": "xml:lang", "xml:gender": "gender"}
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "speak": frozenset({"version", "xsi:schemaLocation"}),
    "p": frozenset(),
    "s": frozenset(),
    "w": frozenset({"role"}),
    "lang": frozenset(),
    "voice": frozenset(
        [
            "name",
            "gender",
            "age",
            "variant",
            "language",
            "languages",
            "required",
            "ordering",
            "onvoicefailure",
        ]
    ),
    "break": frozenset({"time", "strength"}),
    "mark": frozenset({"name"}),
    "bookmark": frozenset({"mark"}),
    "phoneme": frozenset({"alphabet", "ph", "type"}),
    "say-as": frozenset({"interpret-as", "type", "format", "detail", "language", "google:style"}),
    "sub": frozenset({"alias"}),
    "prosody": frozenset({"rate", "pitch", "volume", "duration", "amazon:max-duration"}),
    "emphasis": frozenset({"level"}),
    "desc": frozenset(),
    "meta": frozenset({"name", "http-equiv", "content"}),
    "metadata": frozenset(),
    "mstts:silence": frozenset({"type", "value"}),
    "mstts:audioduration": frozenset({"value"}),
    "mstts:dialog": frozenset(),
    "mstts:turn": frozenset({"speaker"}),
    "par": frozenset(),
    "seq": frozenset(),
    "media": frozenset({"begin", "end", "repeatCount", "soundLevel"}),
}
"""The attributes of each element that has an effect, besides those that all elements may have."""

REASONS = {
    "audio": "no audio is fetched; its content is read",
    "lexicon": "no lexicon is fetched",
    "lookup": "no lexicon is fetched; its content is read",
    "mstts:backgroundaudio": "no audio is fetched",
    "mstts:viseme": "there are no visemes",
    "amazon:breath": "the voices have no breaths of their own",
    "amazon:auto-breaths": "the voices have no breaths of their own",
}
_USUAL_REASON = "the model cannot do this; its content is read"
_UNKNOWN_REASON = "the element is unknown; its content is read"

BREAKS_S = {
    "none": 0.0,
    "x-weak": 0.1,
    "weak": 0.25,
    "medium": 0.5,
    "strong": 0.75,
    "x-strong": 1.0,
}
EMPHASES = {"strong": 1.0, "moderate": 0.5, "none": 0.0, "reduced": -1.0}


_ANY = ""
_UNCHANGED = "default|medium"
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"
STRICT: Mapping[str, Mapping[str, str]] = {
    "speak": {"version": _ANY, "xsi:schemaLocation": _ANY},
    "p": {},
    "s": {},
    "lang": {},
    "voice": {"name": _ANY},
    "break": {"time": rf"\s*{_NUMBER}\s*m?s\s*", "strength": "|".join(BREAKS_S)},
    "phoneme": {"alphabet": "ipa|kokoro", "ph": _ANY},
    "say-as": {
        "interpret-as": "cardinal|number|ordinal|digits|characters|spell-out|verbatim|date|time|"
        "telephone|currency|unit",
        "format": _ANY,
    },
    "sub": {"alias": _ANY},
    "prosody": {
        "rate": rf"\s*(?:default|(?:x-)?(?:slow|fast)|medium|{_NUMBER}\s*%?|[+-]{_NUMBER}\s*%)\s*",
        "pitch": _UNCHANGED,
        "volume": _UNCHANGED,
    },
    "emphasis": {"level": "|".join(EMPHASES)},
}
"""The elements of strict mode, with their attributes and patterns of values, which must not be told
either. All may have `xml:lang`."""

_STRICT_XML = frozenset({"xmlns", "xml:base", "xml:id", "xml:lang", "xml:space"})
_REQUIRED = {"phoneme": "ph", "say-as": "interpret-as", "sub": "alias", "lang": "xml:lang"}
_WITH_FORMAT = frozenset({"date", "time"})
ONLY_TEXT = frozenset({"phoneme", "say-as", "sub", "break"})
"""Elements that have no elements inside in strict mode."""


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


OF_HTML = frozenset(
    ["a", "abbr", "b", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "q",
     "small", "span", "strike", "strong", "sup", "tt", "u", "var"]
)  # fmt: skip
"""Elements of HTML that may stand inside a word, which SSML does not know."""

KNOWN = frozenset([*ATTRIBUTES, *REASONS, *LONGER_NAMES])


def canonical_attribute(element: str, name: str) -> str:
    """Return the name of an attribute that is written in capitals, or without its prefix."""
    known = ATTRIBUTES.get(element, frozenset())
    if name in known or name in EVERYWHERE:
        return name
    folded = {one.lower(): one for one in (*known, *EVERYWHERE)}
    return folded.get(name.lower(), _OTHER_NAMES.get(name.lower(), name))


def canonical_attributes(element: str, attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Return attributes by their names; one that is written right counts more."""
    renamed = {canonical_attribute(element, name): value for name, value in attributes.items()}
    return {**renamed, **{name: attributes[name] for name in renamed if name in attributes}}


def reason_of(name: str) -> str:
    """Return why an element has no effect."""
    usual = _USUAL_REASON if ":" in name else _UNKNOWN_REASON
    return REASONS.get(name, usual)


def check_strict(element: Element, parent: Element | None) -> None:
    """Refuse an element that is not of strict mode, or out of place, and its attributes.

    Raises:
        ValueError: with the reason.
    """
    name, attributes = element.name, element.attributes
    if name not in STRICT:
        raise ValueError(f"the element {quote(name)} is not allowed")
    if parent is None and name != "speak":
        raise ValueError(f"the root must be <speak>, not {quote(name)}")
    if parent is not None and name == "speak":
        raise ValueError("<speak> must be the root")
    if parent is not None and parent.name in ONLY_TEXT:
        raise ValueError(f"<{parent.name}> must not contain elements, but contains {quote(name)}")
    for attribute, value in attributes.items():
        if attribute in _STRICT_XML or attribute.startswith("xmlns:"):
            continue
        pattern = STRICT[name].get(attribute)
        if pattern is None:
            raise ValueError(f"the attribute {quote(attribute)} of <{name}> is not allowed")
        if pattern and re.fullmatch(pattern, value, re.ASCII) is None:
            raise ValueError(f"<{name}>: {attribute} is {quote(value)}, which strict mode lacks")
    required = _REQUIRED.get(name)
    if name == "voice" and ("name" in attributes or "xml:lang" not in attributes):
        required = "name"
    if required is not None and is_blank(attributes.get(required, "")):
        raise ValueError(f"<{name}>: {required} is required")
    kind = attributes.get("interpret-as", "")
    if attributes.get("format") and kind not in _WITH_FORMAT:
        raise ValueError(f"<{name}>: format is not allowed with {kind}")


def check_characters(text: str) -> None:
    """Refuse characters that a caller may not send, even as character references."""
    try:
        check_text(f"{text}.")
    except InvalidTextError as error:
        raise ValueError(f"there is a {error.message.partition(' at ')[0]}") from None
