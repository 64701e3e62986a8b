"""Remove Markdown's marks, and keep its lines separate."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from service.text.normalization import emphasis_pairs
from service.text.normalization.emphasis_pairs import is_ideographic, is_solid
from service.text.normalization.rules import Rule

# A line that ends with one of these needs no full stop. Quotes or brackets may close after it.
_PAUSES = ".!?…:;,—。！？：；，、।॥"
_CLOSING = "”’\"')]}»›」』】》）*_~`"

# Patterns start with a literal or a set, so a text without it costs next to nothing. Patterns for
# the start of a line exist twice: after a line break, and at the start of the text.
_FIRST = r"(?<!(?s:..))"
_LINE_END = r"[ \t]*(?=\n|\Z)"

_ESCAPED = re.compile(r"\\(?<!\\\\)\\*(?:(?P<character>[-!#$()*+.<>\[\]_`{|}~])|(?=\n))")
# In paths a backslash escapes nothing.
_WINDOWS_PATH = re.compile(r"[(\[\"'“‘]*(?:[A-Za-z]:\\|\\\\\w)")

_TRAILING = re.compile(r"[ \t](?<![ \t]{2})[ \t]*(?=\n)")
# With the name of a language, but only if code follows.
_FENCE = re.compile(
    r"\n[ \t]*(?:(?:>|[-*+](?=[ \t]))[ \t]*)*"
    r"(?:```+(?:[^\n`]*(?=\n)|[ \t]*\Z)|~~~+(?:[^\n~]*(?=\n)|[ \t]*\Z))"
)
_FIRST_FENCE = re.compile(
    rf"[`~]{_FIRST}(?:(?<=`)``+(?:[^\n`]*(?=\n)|[ \t]*\Z)|(?<=~)~~+(?:[^\n~]*(?=\n)|[ \t]*\Z))"
)

_FOOTNOTE = re.compile(r"\[\^[\w-]{1,32}\](?P<colon>:[ \t]*)?")
_DEFINITION = re.compile(
    r"\n[ \t]*\[[^\[\]\n]+\]:[ \t]*(?:<[^<>\n]*>|(?:https?://|mailto:|[./#])[^\s]+)"
    rf"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?{_LINE_END}"
)
_AUTOLINK = re.compile(r"<(?:mailto:)?((?:[a-zA-Z][a-zA-Z0-9+.-]{1,31}://|[\w.+-]+@)[^\s<>]+)>")

# The target of a link looks like an address: `[sic](perhaps)` is not a link.
_TARGET = (
    r"\([ \t]*(?:<(?P<pointed>[^<>\n]*)>|(?P<bare>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"
)
_ADDRESS = re.compile(r"[./#:@]|\A(?:url|link)\Z|\A\Z", re.IGNORECASE)
_INLINE = re.compile(
    r"[`!\[\]\n](?:(?<=`)(?P<ticks>`*)|(?<=!)(?P<image>\[)|(?<=\[)(?P<bracket>)"
    rf"|(?<=\])(?:(?P<link>{_TARGET})|(?P<reference>\[[^\[\]\n]*\])|(?P<end>))"
    r"|(?<=\n)(?P<paragraph>[ \t]*\n))"
)

_BULLETS = "•‣◦⁃▪▫●○■□◆◇▶►▸➤➔➢✓✔✗✘☐☑☒"
# Emoji may be bullets too. Other rules decide whether they are read.
_PICTURES = "\u2600-\u27bf\U0001f300-\U0001faff"
_MARK_END = r"(?=[ \t\n]|\Z)"
_MARKS = (
    rf"(?:(?:[-*+]|#{{1,6}}|\[[ xX]\]){_MARK_END}[ \t]*|[{_BULLETS}]\ufe0f?[ \t]*"
    r"|>(?=[\s>A-Za-z]|\Z)[ \t]*)"
)
_PREFIX = re.compile(
    rf"\n(?:[ \t]*(?P<marks>{_MARKS}+)"
    r"|(?=[ \t]*(?P<item>(?P<number>\d{1,3})[.)]|(?P<letter>[a-z])[.)]|\d{1,2}\.\d{1,2})[ \t])"
    rf"|(?=[ \t]*(?P<picture>[{_PICTURES}]))|(?=.))"
)
_FIRST_PREFIX = re.compile(
    rf"[-*+#\[>{_BULLETS}]{_FIRST}(?:(?<=[-*+]){_MARK_END}|(?<=#)#{{0,5}}{_MARK_END}"
    rf"|(?<=\[)[ xX]\]{_MARK_END}|(?<=>)(?=[\s>A-Za-z]|\Z)|(?<=[{_BULLETS}])\ufe0f?)[ \t]*{_MARKS}*"
)
_BOX = re.compile(rf"\[(?<=[0-9][.)][ \t].)[ xX]\]{_MARK_END}[ \t]*")
_ITEM = re.compile(rf"[ \t]*(?:\d{{1,3}}[.)]|[-*+{_BULLETS}])[ \t]")
_HEADING = re.compile(r"[ \t]*(?:(?:>|[-*+](?=[ \t]))[ \t]*)*#{1,6}[ \t]+\S")
_CLOSING_HASHES = re.compile(r"#(?<=[ \t]#)#*[ \t]*(?=\n|\Z)")
_RULER = re.compile(rf"\n[ \t]*(?:(?P<mark>[-*_])(?:[ \t]*(?P=mark)){{2,}}|===+){_LINE_END}")
_FIRST_RULER = re.compile(rf"(?P<mark>[-*_=]){_FIRST}(?:[ \t]*(?P=mark)){{2,}}{_LINE_END}")

_CELL_EDGE = re.compile(
    r"[ \t|\n](?:(?<=\n)(?=[^\n|]*\|)|(?<=\|)[ \t|]*|(?<=[ \t])(?<![ \t]{2})[ \t]*\|[ \t|]*)"
)
_RULED_CELL = r"[ \t]*:?-+:?[ \t]*"
_TABLE_RULER = re.compile(rf"\n(?:{_RULED_CELL})?(?:\|{_RULED_CELL})+\|?{_LINE_END}")

# A rule needs the parse of its text once for each match.
_TEXTS_KEPT = 8


def _drop(match: re.Match[str]) -> str:
    return ""


def _unescape(match: re.Match[str]) -> str | None:
    text, start = match.string, match.start()
    token = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    if _WINDOWS_PATH.match(text, token):
        return None
    return match["character"] or ""


def _drop_line(match: re.Match[str]) -> str:
    """Return the replacement of a line that is not read: the full stop of the line before."""
    return _stop(match.string, match.start())


def _drop_note(match: re.Match[str]) -> str:
    """Return nothing for a footnote mark, except the colon of one inside a line."""
    is_line_start = match.string[: match.start()].rpartition("\n")[2].strip() == ""
    return "" if is_line_start else match["colon"] or ""


def _stop(text: str, end: int) -> str:
    """Return a full stop if the line before `end` lacks one, otherwise nothing."""
    line = text[text.rfind("\n", 0, end) + 1 : end].rstrip()
    said = line.rstrip(_CLOSING)
    if not said or said[-1] in _PAUSES:
        return ""
    return "。" if is_ideographic(said[-1]) else "."


class _Inline:
    """One pass over the code and the links inside the paragraphs of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.edits: dict[int, str] = {}
        """Replacements of the matches of `_INLINE`, by their start."""
        self._brackets: list[re.Match[str]] = []
        self._ticks: dict[int, int] = {}
        for match in _INLINE.finditer(text):
            kind = match.lastgroup
            if kind == "paragraph":
                self._brackets.clear()
                self._ticks.clear()
            elif kind == "ticks":
                self._pair_ticks(match)
            elif kind in ("bracket", "image"):
                self._brackets.append(match)
            elif self._brackets:
                self._close(self._brackets.pop(), match)

    def _pair_ticks(self, match: re.Match[str]) -> None:
        opening = self._ticks.pop(len(match[0]), None)
        if opening is None:
            self._ticks[len(match[0])] = match.start()
            return
        self.edits[opening] = self.edits[match.start()] = ""
        # Two backticks enclose code that contains one, which is not read.
        for length, start in list(self._ticks.items()):
            if start > opening:
                self.edits[start] = ""
                del self._ticks[length]

    def _close(self, opening: re.Match[str], match: re.Match[str]) -> None:
        said = self._text[opening.end() : match.start()]
        is_word = is_solid(self._text[opening.start() - 1 : opening.start()])
        is_image = opening.lastgroup == "image"
        if match["link"] is not None:
            target = match["bare"] or match["pointed"] or ""
            if _ADDRESS.search(target) is None or (is_word and "://" not in target):
                return
            self.edits[match.start()] = "" if said.strip() or is_image else target
        elif match["reference"] is not None:
            if is_word or not any(map(str.isalpha, said)):
                return
            self.edits[match.start()] = ""
        else:
            return
        self.edits[opening.start()] = ""


@lru_cache(_TEXTS_KEPT)
def _inlined(text: str) -> _Inline:
    return _Inline(text)


def _inline(match: re.Match[str]) -> str | None:
    return _inlined(match.string).edits.get(match.start())


def _prefix(match: re.Match[str]) -> str | None:
    """Return a line break, after a full stop if the mark or the line before calls for one."""
    text, end = match.string, match.start()
    start = text.rfind("\n", 0, end) + 1
    ends = _HEADING.match(text, start) is not None
    if match["marks"] is not None:
        ends = ends or match["marks"].strip("> \t") != ""
    elif match["picture"] is not None:
        ends = True
    elif match["item"] is not None:
        ends = ends or _is_item(match) or _ITEM.match(text, start) is not None
    said = (_stop(text, end) if ends else "") + "\n"
    return None if said == match[0] else said


def _is_item(match: re.Match[str]) -> bool:
    """Tell whether a line starts with the number or letter of an item: the first, or the next."""
    text, sign = match.string, re.escape(match["item"][-1])
    number, letter = match["number"], match["letter"]
    if number is not None:
        return number == "1" or _has_line(text[: match.start()], f"{int(number) - 1}{sign}")
    if letter == "a":
        return _has_line(text[match.end() :], f"b{sign}")
    if letter is not None:
        return _has_line(text[: match.start()], f"{chr(ord(letter) - 1)}{sign}")
    whole, _, part = match["item"].partition(".")
    before = rf"{whole}[.)]" if part == "1" else rf"{whole}\.{int(part) - 1}"
    return int(part) > 0 and _has_line(text[: match.start()], before)


def _has_line(text: str, start: str) -> bool:
    return re.search(rf"(?m:^)[ \t]*{start}[ \t]", text) is not None


def _closing_hashes(match: re.Match[str]) -> str | None:
    start = match.string.rfind("\n", 0, match.start()) + 1
    return "" if _HEADING.match(match.string, start) else None


@lru_cache(_TEXTS_KEPT)
def _rows(text: str) -> Set[int]:
    """Return the starts of table rows: lines with bars, next to a ruler or framed by bars."""
    rows: set[int] = set()
    waiting: list[int] = []
    is_table = False
    start = 0
    for line in text.split("\n"):
        if "|" not in line:
            is_table = False
            waiting.clear()
        elif _TABLE_RULER.fullmatch(f"\n{line}"):
            is_table = True
            rows.update(waiting)
        else:
            waiting = [start]
            if is_table or _is_framed(line):
                rows.add(start)
        start += len(line) + 1
    return rows


def _is_framed(line: str) -> bool:
    """Tell whether a line has bars at its ends, beside spaces, and another between them."""
    row = line.strip(" \t")
    is_open, is_closed = row.startswith(("| ", "|\t")), row.endswith((" |", "\t|"))
    return is_open and is_closed and "|" in row[2:-2]


def _cell_edge(match: re.Match[str]) -> str | None:
    """Return the mark between two cells or at the end of a row."""
    text, start, end = match.string, match.start(), match.end()
    line_start = text.rfind("\n", 0, start) + 1
    if line_start not in _rows(text):
        return None
    if match[0] == "\n":
        if text[line_start:start].rstrip().endswith("|"):
            return None
        return f"{_stop(text, start)}\n"
    before = text[line_start:start].rstrip()
    if not before:
        return ""
    if end == len(text) or text[end] == "\n":
        return _stop(text, start)
    if before[-1] in _PAUSES:
        return " "
    return "、" if is_ideographic(before[-1]) else ", "


LINE_STARTS: Sequence[Rule] = (Rule(_PREFIX, _prefix), Rule(_FIRST_PREFIX, _drop))
"""The rules for headings, items and quotations. Also for rules that remove the start of a line."""

RULES: Sequence[Rule] = (
    Rule(_ESCAPED, _unescape),
    Rule(_FENCE, _drop_line),
    Rule(_FIRST_FENCE, _drop),
    Rule(_DEFINITION, _drop_line),
    Rule(_FOOTNOTE, _drop_note),
    Rule(_AUTOLINK, lambda match: match[1]),
    Rule(_INLINE, _inline),
    *emphasis_pairs.RULES,
    # `- - -` is a horizontal rule and not a list. A list item may be one too.
    Rule(_RULER, _drop_line),
    Rule(_FIRST_RULER, _drop),
    Rule(_CLOSING_HASHES, _closing_hashes),
    Rule(_TRAILING, _drop),
    Rule(_BOX, _drop),
    *LINE_STARTS,
    Rule(_RULER, _drop_line),
    Rule(_CELL_EDGE, _cell_edge),
    Rule(_TABLE_RULER, _drop_line),
)
"""Emphasis, code, links, headings, lists, quotations, rules and tables lose their marks. Headings,
items and rows end like sentences. Cells are separated by commas. A link becomes its text, an image
its description. The numbers of a list stay."""
