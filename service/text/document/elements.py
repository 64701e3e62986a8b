"""Elements of HTML that may stand in a text, and what their tags mean to a reader.

Only elements that are known are tags. Others are words: `<name>`, `List<String>`, `<branch>`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from service.text.document.tree import Region, SpanKind
from service.text.offset_mapping import TracedText


def _names(*lists: str) -> frozenset[str]:
    return frozenset(" ".join(lists).split())


SPANS: dict[str, SpanKind] = {
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), "emphasis"),
    **dict.fromkeys(("s", "strike", "del"), "strike"),
    **dict.fromkeys(("code", "samp", "tt"), "code"),
    "mark": "highlight",
    "kbd": "key",
    "a": "link",
    "sup": "superscript",
    "sub": "subscript",
}  # fmt: skip
"""What the elements inside a line mean."""

Break = Literal["block", "heading", "item", "row", "cell", "line"]

BREAKS: dict[str, Break] = {
    **dict.fromkeys(
        _names(
            "address article aside blockquote body caption center dd details dialog dir div dl dt"
        " fieldset figcaption figure footer form head header hgroup hr html legend main menu nav"
        " ol optgroup p pre section summary table tbody template textarea tfoot thead ul"
                ),
        "block",
    ),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "title"), "heading"),
    **dict.fromkeys(("li", "option"), "item"),
    "tr": "row",
    **dict.fromkeys(("td", "th"), "cell"),
    "br": "line",
}  # fmt: skip
"""What ends at a tag, at the first as well as at the last of an element."""

RAW = frozenset(("pre", "script", "style", "textarea"))
"""Elements that the parser ends at their last tags, not at a blank line."""

MUTE = frozenset(("script", "style", "template"))
"""Elements whose text is for programs."""

REASONING = frozenset(("think", "thinking", "thought", "thoughts", "reasoning"))
"""What assistants put around that which they think before they answer."""

KNOWN = _names(
    # of lines
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q ruby rb rp rt rtc"
    " s samp small span strike strong sub sup time tt u var wbr",
    # without an end tag
    "area base br col embed hr img input link meta param source track",
    # others that are no blocks
    "audio button canvas colgroup data datalist frame frameset iframe label map marquee meter"
    " noframes noscript object output picture progress script search select slot style svg math"
    " video",
    # of SVG
    "animate circle clippath defs desc ellipse filter foreignobject g image line lineargradient"
    " marker mask metadata path pattern polygon polyline radialgradient rect stop symbol text"
    " textpath tspan use view",
    # of MathML
    "annotation maction merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot mrow ms"
    " mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics",
).union(BREAKS, REASONING)

# People write them as names of what is to be filled in: `cd <path>`, `mail to <address>`.
_ALSO_WORDS = _names(
    "address article aside audio base body button caption center cite code data dialog"
    " dir embed figure filter font footer form frame head header image input label legend line"
    " link main map mark marker mask menu meta metadata meter nav object option output param"
    " path pattern picture progress ruby search section select slot small source span stop"
    " strike strong style symbol table template text time title track use var video"
    " view thought thoughts"
)

_FLAGS = _names(
    "allowfullscreen async autofocus autoplay checked controls default defer disabled done"
    " formnovalidate hidden inert ismap itemscope loop multiple muted nomodule novalidate open"
    " playsinline readonly required reversed selected"
)
PUT_APART = REASONING | {"details"}
"""Elements that are told from the text around them."""
_REASONED = re.compile(
    r"<details[^<>]{0,200}type=[\"']?reasoning|<summary>[^\w<]{0,20}(?:thought|thinking|reasoning)",
    re.I,
)
_ENDS_LINE = re.compile(r"[ \t]*(?:\n|\Z)")
_REACH = 80
"""Characters around a tag that tell what it is."""

_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_VALUE = re.compile(r"=\s{0,9}[\"']")
_EQUALS = re.compile(r"(?<!\s)\s*=\s*")
_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_ALTERNATIVE = re.compile(
    r"(?<![^\s\"'])alt\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+))", re.I
)


_ESCAPED = re.compile(
    r"&(?:amp;)*lt;/?[A-Za-z](?:[^<>&\n]|&(?:amp;)*quot;){0,200}&(?:amp;)*gt;", re.I
)


def unescaped(text: TracedText) -> TracedText:
    """Return a text with the tags that were escaped, once or more often, as in feeds."""
    if "&" not in text.text:
        return text
    return text.sub(_ESCAPED, lambda tag: html.unescape(tag[0].replace("amp;", "")))


def name(tag: str) -> str:
    """Return the name of a tag in small letters, with a slash before that of an end tag.

    Returns nothing for comments, declarations and instructions.
    """
    found = _NAME.match(tag)
    if found is None:
        return ""
    return ("/" if tag[1] == "/" else "") + found[1].lower()


def names(text: str) -> set[str]:
    """Return the names of all that has the shape of a tag's beginning, as `name` returns them."""
    return {found[0][1:].lower() for found in _NAME.finditer(text)}


class Tags:
    """Tells the tags of a text from other words in angle brackets.

    Args:
        text: the whole text, or all of it that is known.
        before: names of tags that stand before the text, as `name` returns them.
    """

    def __init__(self, text: str, before: Iterable[str] = ()) -> None:
        self._text = text
        self._folded: str | None = None
        self._there_are = dict.fromkeys((f"<{element}" for element in before), True)

    def is_tag(self, tag: str, before: str, after: str) -> bool:
        """Tell whether something with the shape of a tag is one.

        Args:
            tag: from `<` to `>`. The parser has checked its shape.
            before: the character before it, if any.
            after: the character after it, if any.
        """
        element = name(tag)
        if not element:
            return tag[1] in "!?"
        is_end = element[0] == "/"
        element = element.removeprefix("/")
        attributes = tag[len(element) + 1 :].rstrip("/>").strip()
        if _VALUE.search(attributes) is not None or tag.endswith("/>"):
            return True  # nobody gives a value to what is to be filled in
        if element not in KNOWN:
            return False
        if is_end:
            return element not in _ALSO_WORDS or self._has(f"<{element}")
        if not attributes:
            if before.isalnum() and tag[1].isupper() and tag[2:3].islower():
                return False  # `List<Object>`
            is_apart = before in ("", "\n", ">") and after in ("\n", "<")
            return element not in _ALSO_WORDS or is_apart or self._has(f"</{element}")
        words = _EQUALS.sub("=", _QUOTED.sub("''", attributes)).lower().split()
        return all("=" in word or word in _FLAGS for word in words)

    def _has(self, beginning: str) -> bool:
        found = self._there_are.get(beginning)
        if found is None:
            if self._folded is None:
                self._folded = self._text.lower()
            found = self._there_are[beginning] = beginning in self._folded
        return found


def breaks(name: str) -> bool:
    """Tell whether words before and after a tag do not touch."""
    return name.removeprefix("/") in BREAKS


def is_known(name: str | None, attributes: str) -> bool:
    """Tell whether what has the shape of a tag's beginning may become a tag."""
    return name is not None and (name.lower() in KNOWN or "=" in attributes)


def alternative(tag: str) -> tuple[int, int] | None:
    """Return where the words stand that a tag has for those who see no image, if it has any."""
    found = _ALTERNATIVE.search(tag)
    if found is None or found.lastindex is None:
        return None
    return found.span(found.lastindex)


def regions(text: str, tags: Sequence[tuple[str, int, int]]) -> Iterator[Region]:
    """Yield what is put apart by tags, in order; none lies in another.

    What is never closed goes on to the end of the text, if it begins a line. What is closed but
    never opened begins with the text, as models do that think from their first word on.
    """
    found: list[tuple[int, int, Literal["reasoning", "details"]]] = []
    opened: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in tags:
        if name[0] != "/":
            opened.setdefault(name, []).append((start, end))
            continue
        starts = opened.get(name[1:])
        if starts:
            found.append((starts[-1][0], end, _kind(text, name[1:], *starts.pop())))
        elif (
            name[1:] in REASONING
            and not found
            and (_begins_line(text, start) or _ENDS_LINE.match(text, end) is not None)
        ):
            found.append((0, end, "reasoning"))
    for name, starts in opened.items():
        for start, end in starts:
            if _begins_line(text, start):
                found.append((start, len(text), _kind(text, name, start, end)))
    done = 0
    for start, end, kind in sorted(found, key=lambda region: (region[0], -region[1])):
        if start >= done:
            yield Region(kind, start, end)
            done = end


def beginning(text: str, name: str, start: int, end: int) -> Literal["reasoning", "details"] | None:
    """Return what begins with a first tag, if its last tag follows or a line begins with it."""
    if _begins_line(text, start) or text.find(f"</{name}>", end) >= 0:
        return _kind(text, name, start, end)
    return None


def _kind(text: str, name: str, start: int, end: int) -> Literal["reasoning", "details"]:
    is_reasoning = name in REASONING or _REASONED.search(text, start, end + _REACH)
    return "reasoning" if is_reasoning else "details"


def _begins_line(text: str, at: int) -> bool:
    first = max(0, at - _REACH)
    before = text[first:at].rstrip(" \t>")
    return before.endswith("\n") or (not before and not first)
