"""Where a reader knows better than CommonMark what a sign is: the parser does not see it.

Each rule finds the signs of one kind and has its reason. What it finds is text, or a mark, whatever
stands around it; nothing here reads a construct of Markdown, which is the parser's business. Inside
code a rule does no harm, because a leaf takes its text from the caller's text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from service.text.document import emphasis
from service.text.document.elements import RAW
from service.text.document.source import FORMULA, NOTHING, TEXT, Edit

MAX_DEPTH = 32
"""Quotes and items inside each other. The parser's time grows with their number times the lines,
and nobody keeps track of so many."""

_METADATA = re.compile(
    r"(?P<fence>---|\+\+\+)[ \t]*\n(?!\n)"
    r"(?:(?!---|\+\+\+)(?:[\w\"'][\w\"'.-]*[ \t]*[:=].*|[ \t#\]}-].*|)\n){0,200}"
    r"(?P=fence)[ \t]*(?:\n|\Z)"
)
_METADATUM = re.compile(r"(?m)^[\w\"'.-]+[ \t]*[:=]")

_DEEP = re.compile(rf"(?m)^(?:[ \t]*(?:[>*+-]|[0-9]{{1,9}}[.)])){{{MAX_DEPTH}}}")
_CONTAINER = re.compile(r"[ \t]*(?:>|(?:[*+-]|[0-9]{1,9}[.)])(?=[ \t]))")

_QUOTE = re.compile(r"(?m)^[ \t]*>")
_COMPARISON = re.compile(r"(?m)^[ \t]*(>)(?=[ \t]*[=$€£0-9.])")
_TAG = re.compile(
    rf"(?m)^[ \t>*+0-9.)-]*(?=<(?!/?(?:{'|'.join(sorted(RAW))})\b)/?[A-Za-z])", re.IGNORECASE
)
_NUMBER = re.compile(r"(?m)^[ \t>*+-]*([0-9]{1,9})[.)](?:[ \t]|$)")
_QUANTITY = re.compile(r"\s*([-+#>])[ \t]+[0-9][^\n]*(?:\n\s*)?\Z")
_NUMBER_OF = re.compile(r"(?m)^[ \t>*+-]*(#)(?=[ \t]+of\b)")
_WINDOWS_PATH = re.compile(r"(?<![^\s(\[\"'“‘`])(?:[A-Za-z]:\\|\\\\\w)[^\s`]*")
_ARM = re.compile(r"(?<=¯)\\(?=_)")
"""Of `¯\\_(ツ)_/¯`."""
_CALL = re.compile(r"(?<=\w)(\[)[^\[\]\n]{1,80}\]\((?![^()\n]{0,200}://)")

_URL = re.compile(r"(?<=://)[^\s<>()\[\]`|\"']{1,2000}")
_SIGNS_OF_URL = re.compile(r"[*_~](?=[^\s.,;:!?]{0,80}[A-Za-z0-9/])")

_LETTER = re.compile(r"(?m)^[ \t>]*([a-z])\)[ \t]+(?=\S)")
_DOCTYPE = re.compile(r"(?i)<!DOCTYPE[^<>\n]{0,300}>")

_OVERRIDE = re.compile(
    r"\{(?:\\(?:an?|[biusp]|fs|fsp|fr[xyz]?|k[fo]?|K|q|be|blur|[xy]?(?:bord|shad))[0-9.-]{1,6}"
    r"|\\(?:pos|move|fade?|org|i?clip|t)\([^()\n]{0,80}\)|\\(?:[1-4]?(?:c|a)|alpha)&H[0-9A-Fa-f]{1,8}&?"
    r"|\\(?:fn|r)[\w ]{0,40})+\}"
)
"""What subtitles have for their players, as in `{\\an8}Next stop`."""

_DOLLARS = re.compile(r"\\[^\n]|\$+|\n[ \t]*(?=\n)")
_LATEX = re.compile(r"\\[()\[\]]|\\.|\n[ \t]*(?=\n)", re.DOTALL)

_LONGEST_FORMULA = 2_000
_NUMERAL = re.compile(r"[-+−±]?\s?[0-9][0-9.,]*\s?(?:\\?%|°)?")
_AMOUNT = re.compile(
    r"[0-9][0-9.,]*[KMBkmb]?(?:/[A-Za-z]|[,;:.!?]?\s+\(?(?:[A-Za-z]{2,}|a\b)|[,;!?)]\s|[-–]\$)"
)
_SIGN_OF_FORMULA = re.compile(r"\\[A-Za-z{}|,;!]|[\^_=<>≤≥≠≈∈∉⊂∪∩∞√∑∫±×÷]")
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")
_FUNCTION = re.compile(
    r"(?:sin|cos|tan|cot|sec|csc|log|ln|exp|lim|max|min|sup|inf|det|dim|gcd|lcm|mod|arg|d[xyt])"
)
_LONGEST_NAME = 3
"""Letters of `$AB$` and `$PQR$`, which are lines and triangles."""


def metadata_end(text: str) -> int:
    """Return where the metadata end that a text begins with, 0 if there are none.

    The parser would take every two rules for the fences of metadata, wherever they stand.
    """
    if not text.startswith(("---", "+++")):
        return 0
    found = _METADATA.match(text)
    return found.end() if found is not None and _METADATUM.search(found[0]) else 0


def edits(text: str, *, is_whole: bool = True) -> list[Edit]:
    """Return what the parser should not see of a plain text. Takes time in proportion to it.

    Args:
        text: the plain text.
        is_whole: whether this is all of it.
    """
    found = list(_deep(text))
    found += _lettered(text)
    if "<" in text:
        found += (Edit(*doctype.span(), NOTHING) for doctype in _DOCTYPE.finditer(text))
        # What a block of HTML holds is Markdown to those who write it, with the tags between.
        found += (
            Edit(tag.end(), tag.end(), TEXT)
            for tag in _TAG.finditer(text)
            if not text.endswith("]:\n", 0, tag.start())  # the target of a definition
        )
    if ">" in text:
        found += _comparisons(text)
    if "$" in text:
        found += _dollars(text)
    if "\\" in text:
        found += _backslashes(text)
        found += (Edit(*override.span(), NOTHING) for override in _OVERRIDE.finditer(text))
    if "://" in text:
        found += _links(text)
    if "](" in text:
        # `f[x](y)` is no link, because a link's text is apart from the word before it.
        found += (Edit(m.start(1), m.end(1), TEXT) for m in _CALL.finditer(text))
    if "#" in text:
        # `# of guests` is the number of them.
        found += (Edit(m.start(1), m.end(1), TEXT) for m in _NUMBER_OF.finditer(text))
    if is_whole:
        found += _quantity(text)
    found += emphasis.text_signs(text)
    return found


def _lettered(text: str) -> Iterator[Edit]:
    """Yield the letters of items, which the parser sees as numbers: `a) ... b) ...`.

    They need a neighbour, like numbers; the parser ends no paragraph before a list whose first
    number is not 1, so each is 1 where it comes after a line that is no item of its own.
    """
    letters = list(_LETTER.finditer(text))
    there_are = {letter[1] for letter in letters}
    for letter in letters:
        code = ord(letter[1])
        if chr(code - 1) in there_are or chr(code + 1) in there_are:
            yield Edit(letter.start(1), letter.end(1), "1")


def _links(text: str) -> Iterator[Edit]:
    """Yield the signs inside bare URLs, but for those at the end: `https://a.b/_c_/*d*`."""
    for url in _URL.finditer(text):
        for sign in _SIGNS_OF_URL.finditer(text, url.start(), url.end()):
            yield Edit(sign.start(), sign.end(), TEXT)


def _deep(text: str) -> Iterator[Edit]:
    """Yield the signs of quotes and items that are nested too deep: they are silent."""
    for line in _DEEP.finditer(text):
        at, depth = line.start(), 0
        while (found := _CONTAINER.match(text, at)) is not None:
            depth += 1
            at = found.end()
            if depth > MAX_DEPTH:
                yield Edit(*found.span(), NOTHING)


def _comparisons(text: str) -> Iterator[Edit]:
    """Yield `>` before a number where nobody quotes: `>5`, and `> 90` inside a paragraph.

    People quote more than one line that starts with a number, or after a colon.
    """
    quoted: set[int] | None = None
    for found in _COMPARISON.finditer(text):
        if quoted is None:
            quoted = {line.start() for line in _QUOTE.finditer(text)}
        start = found.start()
        next_start = text.find("\n", start) + 1
        before = text.rfind("\n", 0, max(start - 1, 0)) + 1
        is_quote = (start and before in quoted) or (next_start and next_start in quoted)
        line = text[before : max(start - 1, 0)].strip()
        if is_quote or line.endswith(":"):
            continue
        if line or text[found.end()] not in " \t":
            yield Edit(found.start(1), found.end(1), TEXT)


def _quantity(text: str) -> Iterator[Edit]:
    """Yield the sign of a quantity that is all that a text has: `- 5 degrees`, `+ 5`, `# 5`."""
    found = _QUANTITY.match(text)
    if found is not None:
        yield Edit(found.start(1), found.end(1), TEXT)


def line_numbers(text: str) -> Counter[int]:
    """Return the numbers at the starts of lines, with how many lines start with each."""
    return Counter(map(int, _NUMBER.findall(text)))


def item_numbers(text: str, before: Iterable[int] = ()) -> set[int]:
    """Return the numbers at the starts of lines that may be those of items.

    `1986. A great year.` and `3. Oktober` have no neighbour: an item's number needs the one before
    or after it, or the same once more, at the start of another line.

    Args:
        text: the plain text.
        before: numbers at the starts of lines before it.
    """
    there_are = line_numbers(text)
    if not there_are:
        return set()
    there_are.update(before)
    return {
        number
        for number, times in there_are.items()
        if times > 1 or number - 1 in there_are or number + 1 in there_are
    }


def _backslashes(text: str) -> Iterator[Edit]:
    """Yield the backslashes of Windows' paths and of a face, which escape nothing, and formulas."""
    for path in _WINDOWS_PATH.finditer(text):
        for at in range(path.start(), path.end()):
            if text[at] == "\\":
                yield Edit(at, at + 1, TEXT)
    for arm in _ARM.finditer(text):
        yield Edit(*arm.span(), TEXT)
    opening: re.Match[str] | None = None
    for sign in _LATEX.finditer(text):
        if sign[0] in ("\\(", "\\["):
            opening = sign
        elif sign[0][0] == "\n":
            opening = None
        elif opening is not None and sign[0] == {"(": "\\)", "[": "\\]"}[opening[0][1]]:
            inside = text[opening.end() : sign.start()]
            if "$" not in inside and "`" not in inside and is_formula(inside):
                yield Edit(opening.start(), opening.end(), FORMULA)
                yield Edit(sign.start(), sign.end(), FORMULA)
            opening = None


def _dollars(text: str) -> Iterator[Edit]:
    """Yield the dollar signs around what is no formula: `$5 and $6, or 5$`.

    Only the next sign of the same length in the same paragraph may close, as in Pandoc: not after a
    space, and not before a letter or a digit.
    """
    opening: re.Match[str] | None = None
    for sign in _DOLLARS.finditer(text):
        kind = sign[0][0]
        if kind == "\n":
            if opening is not None:
                yield Edit(opening.start(), opening.end(), TEXT)
            opening = None
        if kind != "$":
            continue
        if len(sign[0]) > len("$$"):
            yield Edit(sign.start(), sign.end(), TEXT)
            continue
        if opening is not None:
            if sign[0] == opening[0] and _closes(text, opening, sign):
                opening = None
                continue
            yield Edit(opening.start(), opening.end(), TEXT)
        opening = sign
    if opening is not None:
        yield Edit(opening.start(), opening.end(), TEXT)


def _closes(text: str, opening: re.Match[str], sign: re.Match[str]) -> bool:
    inside = text[opening.end() : sign.start()]
    if len(sign[0]) == 1:
        after = text[sign.end() : sign.end() + 1]
        if inside[:1].isspace() or inside[-1:].isspace() or (after.isascii() and after.isalnum()):
            return False
    return is_formula(inside)


def is_amount(text: str, at: int) -> bool:
    """Tell whether what follows a dollar sign is an amount, whatever comes behind it."""
    return _AMOUNT.match(text, at) is not None


def is_formula(inside: str) -> bool:
    """Tell whether what stands between two dollar signs is a formula, not amounts and prose.

    It is a number by itself, has a sign or a command of formulas, or has no words.
    """
    inside = inside.strip()
    if not inside or len(inside) > _LONGEST_FORMULA:
        return False
    if _NUMERAL.fullmatch(inside):
        return True
    if _AMOUNT.match(inside):
        return False
    if _SIGN_OF_FORMULA.search(inside):
        return True
    words = [word for word in _WORD.findall(inside) if not _FUNCTION.fullmatch(word)]
    return not words or (len(words) == 1 and len(inside) <= _LONGEST_NAME)


_DEFINITION = re.compile(
    r"(?m)^[ \t>]{0,200}(\[)(?!\^)([^\[\]\n]{1,200})\]:[ \t]*(?P<target>[^\s<]\S*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$"
)
_ADDRESS = re.compile(r"[/#]|\w[.:@]\w|\A[.]")


class Definitions:
    """Definitions whose targets do not look like addresses: `[Dana]: Yes.`

    They define something only if their labels are used.

    Args:
        text: the plain text.
    """

    def __init__(self, text: str) -> None:
        self._found: list[re.Match[str]] = []
        if "]:" in text:
            self._found = [
                found
                for found in _DEFINITION.finditer(text)
                if _ADDRESS.search(found["target"]) is None
            ]

    def __bool__(self) -> bool:
        return bool(self._found)

    def unused(self, used: set[str]) -> list[Edit]:
        """Return the edits that make those text whose labels, folded, are not in a set."""
        return [
            Edit(found.start(1), found.end(1), TEXT)
            for found in self._found
            if fold(found[2]) not in used
        ]


def fold(label: str) -> str:
    """Return a label as CommonMark compares it."""
    return " ".join(label.casefold().split())
