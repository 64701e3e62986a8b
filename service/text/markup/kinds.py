"""The kinds of `say-as`, as W3C, Google, Azure, Polly and VoiceXML name them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from service.text.markup.passages import Interpretation
from service.text.markup.values import quote

_KINDS: Mapping[str, Interpretation] = {
    "cardinal": "cardinal",
    "number": "cardinal",
    "number:cardinal": "cardinal",
    "ordinal": "ordinal",
    "number:ordinal": "ordinal",
    "digits": "digits",
    "digit": "digits",
    "number_digit": "digits",
    "number:digits": "digits",
    "characters": "characters",
    "spell-out": "characters",
    "spell": "characters",
    "verbatim": "characters",
    "letters": "characters",
    "acronym": "characters",
    "fraction": "fraction",
    "unit": "unit",
    "measure": "unit",
    "date": "date",
    "time": "time",
    "duration": "duration",
    "telephone": "telephone",
    "phone": "telephone",
    "number:telephone": "telephone",
    "currency": "currency",
    "address": "address",
    "alphanumeric": "characters",
    "alpha-numeric": "characters",
}
_AS_WRITTEN = frozenset({"name", "net", "text", "media", "number:text", "boolean"})
"""Kinds that text normalization recognises by themselves."""

_BLEEPS = frozenset({"expletive", "bleep"})

_DATES = frozenset(
    ["mdy", "dmy", "ymd", "ydm", "myd", "dym", "md", "dm", "ym", "my", "y", "m", "d"]
)
_TIMES = frozenset(
    ["hms12", "hms24", "hms", "hm12", "hm24", "hm", "h12", "h24", "h", "ms", "s", "m"]
)
_SPELLINGS = frozenset({"characters", "glyphs", "digits", "alphanumeric", "strict"})
_SEPARATORS = re.compile(r"[-/.:, ]")
_COUNTRY = re.compile(r"\+?[0-9]{1,3}|[a-z]{2}")


@dataclass(frozen=True, slots=True)
class Kind:
    """How a text is read.

    Attributes:
        interpretation: its kind; None to read it as it is written.
        detail: as in `Hint`.
        is_bleeped: whether a tone sounds instead.
        type_reason: why the type has no effect; empty if it has.
        format_reason: likewise of the format.
    """

    interpretation: Interpretation | None = None
    detail: str = ""
    is_bleeped: bool = False
    type_reason: str = ""
    format_reason: str = ""


def kind_of(written: str, form: str) -> Kind:
    """Return the kind of a text.

    Args:
        written: the type, such as `date`, or `date:mdy` as in SSML 1.0.
        form: the format, such as `mdy` or `yyyymmdd`; empty for none.
    """
    name = written.strip().lower().removeprefix("vxml:")
    if f"{name}:{form.strip().lower()}" in _KINDS:
        name, form = f"{name}:{form.strip().lower()}", ""
    if name not in _KINDS and ":" in name:
        name, _, own = name.partition(":")
        form = form or own
    if name in _BLEEPS:
        return Kind(is_bleeped=True)
    if name in _AS_WRITTEN:
        return Kind()
    interpretation = _KINDS.get(name)
    if interpretation is None:
        reason = f"the type {quote(written)} is unknown; the text is read as it is written"
        return Kind(type_reason=reason)
    form = form.strip().lower()
    if not form:
        return Kind(interpretation)
    short = _SEPARATORS.sub("", form)
    if interpretation == "date":
        short = "".join(letter for letter, _ in groupby(short))
        if short in _DATES:
            return Kind(interpretation, short)
    elif interpretation in ("time", "duration"):
        if not short[-1:].isdigit():
            short = "".join(letter for letter, _ in groupby(short))
        if short in _TIMES:
            return Kind(interpretation, short)
    elif interpretation == "telephone" and _COUNTRY.fullmatch(form):
        return Kind(interpretation)
    elif interpretation == "currency" and re.fullmatch("[a-z]{3}", form):
        return Kind(interpretation, form)
    elif interpretation == "ordinal" and re.fullmatch("f|feminine|m|masculine", form):
        return Kind(interpretation, form[0])
    elif interpretation in ("characters", "digits") and form in _SPELLINGS:
        return Kind(interpretation)
    reason = f"the format {quote(form)} is unknown for {interpretation}"
    return Kind(interpretation, format_reason=reason)
