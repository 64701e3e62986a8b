"""Character references and tags of HTML, as in text pasted from a page."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from html.entities import html5

from service.text.characters import clean_text
from service.text.normalization.rules import Rule
from service.text.offset_mapping import TracedText

# Text that was escaped more than once has chains: `&amp;amp;lt;`.
_REFERENCE = re.compile(
    r"&(?P<escaped>(?:amp;|#0*38;|#[xX]0*26;)*)"
    r"(?P<name>[A-Za-z][A-Za-z0-9]{1,31};|#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};)"
)

# The result of `html.unescape` for a number without a character.
_NO_CHARACTER = ("", "\ufffd")
_CONTROLS = ("Cc", "Cs", "Co")

_INLINE = (
    "a abbr acronym b bdi bdo big center cite code data del dfn em font i ins kbd label mark nobr"
    " q ruby s samp small span strike strong sub sup time tt u var wbr"
)
_BLOCK = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li"
    " main menu nav ol optgroup option p pre section select summary table tbody textarea tfoot"
    " thead title tr ul"
)
_UNHEARD = (
    "area audio base canvas col colgroup embed iframe img input link map meta meter noscript object"
    " output param picture progress rp rt script slot source style svg template track video"
)
_CELLS = "td th"
_BREAKING = frozenset(_BLOCK.split())
_TABULAR = frozenset(_CELLS.split())

_NAMES = "|".join(sorted(f"{_INLINE} {_BLOCK} {_UNHEARD} {_CELLS}".split(), key=len, reverse=True))
_VALUE = r"\"[^\"]*\"|'[^']*'|[^\s\"'<>=`]+"
_ATTRIBUTE = (
    rf"\s+(?:[A-Za-z_:@][\w:.@-]*\s*=\s*(?:{_VALUE})"
    r"|(?:async|autofocus|checked|controls|defer|disabled|hidden|loop|multiple|muted|readonly"
    r"|required|reversed|selected)\b)"
)
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>(?i:{_NAMES}))(?P<attributes>(?:{_ATTRIBUTE})*)\s*/?>")
_ALTERNATIVE = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_CELL_FOLLOWS = re.compile(r"\s*<t[dh]\b", re.IGNORECASE)

# 10<sup>2</sup> is not 102.
_RAISED = re.compile(r"<sup>([-+−]?[0-9]{1,4})</sup>", re.IGNORECASE)
_SUPERSCRIPTS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")

_NOT_TEXT = re.compile(r"<!--.*?-->|<!doctype\b[^<>]*>", re.IGNORECASE | re.DOTALL)


def _refer(match: re.Match[str]) -> str | None:
    """Return the character of a reference, None if HTML or a text has no such character."""
    name = match["name"]
    if name[0] != "#" and name not in html5:
        return f"&{name}" if match["escaped"] else None
    text = html.unescape(f"&{name}")
    if text in _NO_CHARACTER or any(unicodedata.category(c) in _CONTROLS for c in text.strip()):
        return None
    return clean_text(TracedText(text)).text


def _tag(match: re.Match[str]) -> str | None:
    """Return a line break for a block tag, nothing for an inline tag."""
    name = match["name"].lower()
    is_end = match["end"] != ""
    before = match.string[match.start() - 1 : match.start()]
    is_capitalized = match["name"] == name.capitalize() and not is_end
    if before.isalnum() and is_capitalized and not match["attributes"]:
        # List<Object>: tags do not start in the middle of a word.
        return None
    if name in _TABULAR:
        if is_end:
            return "," if _CELL_FOLLOWS.match(match.string, match.end()) else ""
        return " "
    if name == "img":
        alternative = _ALTERNATIVE.search(match["attributes"])
        return (alternative[1] or alternative[2] or "") if alternative else ""
    return "\n" if name in _BREAKING else ""


def _raise(match: re.Match[str]) -> str:
    return match[1].translate(_SUPERSCRIPTS)


RULES: Sequence[Rule] = (
    Rule(_REFERENCE, _refer),
    Rule(_NOT_TEXT, lambda match: ""),
    Rule(_RAISED, _raise),
    Rule(_TAG, _tag),
)
"""Character references that end in `;` become their characters. HTML tags are removed; those that
start or end a block become a line break. Other text in angle brackets stays."""
