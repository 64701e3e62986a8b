"""Signs of emphasis: those that are text although the parser would pair them, and the reverse.

CommonMark asks only what stands beside a sign. A reader knows arithmetic, hidden letters and names
of programs, and forgives a writer who put a space or a quotation mark in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from service.text.document.source import TEXT, Edit
from service.text.document.tree import SpanKind
from service.text.scripts import joins_letters

_REACH = 40
"""Characters before and after a sign that are its word."""

# Stars that may be text, because they touch words on both sides or hide something. Few texts have
# any, and only those are looked at more closely.
_SUSPICIOUS = re.compile(
    r"\*(?:(?<=[\w)\]}²³]\*)\*{0,8}(?=[^\s*.,;:!?)\]}\"'”’])"
    r"|(?<=\w\*)\*\*|\.\w|[-/.]\*|(?<=[/\\]\*))"
)
_STARS = re.compile(r"\*+|\n[ \t]*(?=\n)")
_MASK = re.compile(r"(?<![^\s(:\"'])\*+(?:[-/.]\*+)+(?:[-/.]?[0-9]+)?(?![^\s,.;:!?)\"'])")
"""Stars in the place of digits: `***-**-1234`."""
_APART = re.compile(r"[^\w*]")
_NO_LETTER = re.compile(r"[^\w'’]|[\d_]")
_SUFFIX = re.compile(r"(?:e?s|ed|d|ing|er|ers|ly|ish|ness)(?![^\W_])")
_OPERAND_BEFORE = re.compile(r"(?:(?<![\w'’])(?:[0-9]{1,16}|[a-z])|[)\]²³])\Z")
_OPERAND_AFTER = re.compile(r"[-−]?(?:[0-9]+|[a-z](?![^\W_])|[(√π])")
MEASURES = frozenset("长長宽寬高厚深縦横幅奥径底")
"""What is multiplied without spaces in Chinese and Japanese: `长*宽*高`."""
_OPENING, _CLOSING = frozenset("([{“„«「『（《"), frozenset(")]}.,;:!?”»」』）》。、，")
_MANY = 12
"""Stars of one word, of which none can be told to be emphasis."""
_TELLING = 3
"""Letters from which a part of a word is more than what hidden letters leave of one."""

_TILDE = re.compile(r"(?<!~)~(?!~)")
_MANGLED = r"__[A-Za-z0-9]{1,40}(?:_[A-Za-z0-9]{1,40}){0,9}__"
_BLANK = r"(?<!\w)_{1,9}(?:[/.-]_{1,9}){1,9}(?!\w)"
_LOW_LINES = re.compile(rf"(?<!\w){_MANGLED}(?=[./](?:__)?[^\W_]|\()|(?<=\w\.){_MANGLED}|{_BLANK}")


def text_signs(text: str) -> Iterator[Edit]:
    """Yield the signs that emphasise nothing, whatever the parser would find around them."""
    if "*" in text and _SUSPICIOUS.search(text) is not None:
        yield from _Stars(text).text_stars()
    if "~" in text:
        # `~15 min`, `~/notes`: to strike out takes two.
        yield from (Edit(m.start(), m.end(), TEXT) for m in _TILDE.finditer(text))
    if "__" in text:
        # `__init__.py`, `cls.__name__`, `__/__/____`
        yield from (Edit(m.start(), m.end(), TEXT) for m in _LOW_LINES.finditer(text))


class _Run(NamedTuple):
    start: int
    end: int
    opens: bool
    closes: bool
    is_doubtful: bool


class _Stars:
    """One pass over the stars of a text, paragraph by paragraph."""

    def __init__(self, text: str) -> None:
        self._text = text

    def text_stars(self) -> Iterator[Edit]:
        runs: list[_Run] = []
        masks = {
            at for mask in _MASK.finditer(self._text) for at in range(mask.start(), mask.end())
        }
        for match in _STARS.finditer(self._text):
            start, end = match.span()
            if match[0][0] != "*":
                if runs:
                    yield from self._settled(runs)
                    runs = []
                continue
            before = self._text[start - 1] if start else "\n"
            after = self._text[end] if end < len(self._text) else "\n"
            if before == "\\":
                continue
            if start in masks:
                yield Edit(start, end, TEXT)
            elif before.isspace() or after.isspace():
                is_start = before.isspace()
                if not (is_start and after.isspace()):
                    hides = not is_start and end - start >= _TELLING and self._is_short(start)
                    runs.append(_Run(start, end, is_start, not is_start, hides))
            elif self._is_text(start, end, before, after):
                yield Edit(start, end, TEXT)
            else:
                left, right = joins_letters(before), joins_letters(after)
                doubtful = left and right and self._is_doubtful(start, end)
                begins = before in _OPENING or self._is_quote(before, start - 2)
                ends = after in _CLOSING or self._is_quote(after, end + 1)
                opens = begins or (not ends and (right or not left))
                closes = ends or (not begins and (left or not right))
                runs.append(_Run(start, end, opens, closes, doubtful))
        if runs:
            yield from self._settled(runs)

    def _is_quote(self, character: str, beyond: int) -> bool:
        """Tell whether a character is a straight quote with nothing beyond it."""
        return character in "\"'" and not self._text[max(0, beyond) : beyond + 1].strip()

    def _settled(self, runs: Sequence[_Run]) -> Iterator[Edit]:
        """Yield the doubtful runs of a paragraph that nothing needs.

        `f**k` closes nothing in `**What the f**k is that**`, because another sign does.
        """
        if not any(run.is_doubtful for run in runs):
            return
        closes_later = [False] * len(runs)
        for index in range(len(runs) - 2, -1, -1):
            later = runs[index + 1]
            closes_later[index] = (
                closes_later[index + 1] if later.is_doubtful else later.closes and not later.opens
            )
        n_open = 0
        for run, later_closes in zip(runs, closes_later, strict=True):
            length = run.end - run.start
            if run.is_doubtful:
                if n_open >= length and not later_closes:
                    n_open -= length
                elif not n_open and later_closes:
                    n_open += length  # `rock**s!**`
                else:
                    yield Edit(run.start, run.end, TEXT)
            elif run.closes and (n_open >= length or not run.opens):
                n_open = max(0, n_open - length)
            elif run.opens:
                n_open += length

    def _is_text(self, start: int, end: int, before: str, after: str) -> bool:
        """Tell whether stars between other characters are surely no emphasis."""
        text, is_single = self._text, end - start == 1
        if before in "/\\" and (after in "/\\." or not joins_letters(after)):
            return True  # `src/**/*.ts`
        if is_single and after == "." and not joins_letters(before):
            return text[end + 1 : end + 2].isalnum() and before not in ".!?"  # `*.py`
        if before.isdigit() and after.isdigit():
            return not self._encloses(start, end)
        if before in MEASURES and after in MEASURES:
            return True
        if not (joins_letters(before) or before in ")]}²³"):
            return False
        if is_single and after == "(" and joins_letters(before):
            return not self._encloses(start, end)  # `price*(1+r)`
        head, tail = text[max(0, start - _REACH) : start], text[end : end + _REACH]
        if _OPERAND_BEFORE.search(head) and _OPERAND_AFTER.match(tail):
            return not self._encloses(start, end)
        if not (is_single and joins_letters(before) and joins_letters(after)):
            return False
        if self._encloses(start, end):
            return False
        is_word = len(_NO_LETTER.split(head)[-1]) >= _TELLING
        return not (is_word and _SUFFIX.match(tail))

    def _is_short(self, end: int) -> bool:
        """Tell whether few letters stand before stars that may hide the others: `f***`."""
        return 0 < len(_NO_LETTER.split(self._text[max(0, end - _REACH) : end])[-1]) <= _TELLING

    def _is_doubtful(self, start: int, end: int) -> bool:
        """Tell whether two or more stars inside a word may hide letters."""
        if end - start == 1 or self._encloses(start, end):
            return False
        head = self._text[max(0, start - _REACH) : start]
        n_before = len(_NO_LETTER.split(head)[-1])
        n_after = len(_NO_LETTER.split(self._text[end : end + _REACH], maxsplit=1)[0])
        is_hidden = n_before < _TELLING or n_after < _TELLING or end - start >= _TELLING
        return is_hidden or (n_before == 0 and n_after == 0)

    def _encloses(self, start: int, end: int) -> bool:
        """Tell whether stars in a word can only be those of emphasis.

        Such as begin or end the word come in pairs, which no sign of arithmetic does: `word**s**`,
        `*un*signed`, `*24*-7`. Two pairs inside a word are no powers, but of numbers: `L**O**L`,
        `2**3**2`.
        """
        text, sign = self._text, self._text[start:end]
        first = _APART.split(text[max(0, start - _REACH) : start])[-1]
        last = _APART.split(text[end : end + _REACH], maxsplit=1)[0]
        word = f"{first}{sign}{last}"
        if word.count("*") > _MANY:
            return False
        runs = [run for run in _RUNS.finditer(word) if run[0] == sign]
        # In `(1+r)*price*time` what ends before the word is its first factor.
        is_factor = text[: start - len(first)][-1:] in (")", "]") and word.startswith(sign)
        n_at_edges = sum(run.start() == 0 or run.end() == len(word) for run in runs)
        if len(runs) % 2 == 0 and n_at_edges == 1 and not is_factor:
            return True
        if len(runs) == n_at_edges == 2 and not is_factor:
            return True  # `*24*-7`
        inside = len(runs) == 2 and n_at_edges == 0 and len(sign) > 1
        return inside and word.count("*") == 2 * len(sign) and not _NUMERIC.fullmatch(word)


_RUNS = re.compile(r"\*+")
_NUMERIC = re.compile(r"(?:[a-z]|[0-9.()+−-]*)(?:\*\*(?:[a-z]|[0-9.()+−-]*)){2}")


class Left(NamedTuple):
    """A sign that the parser left in the text.

    Attributes:
        start: offset in the plain text.
        end: likewise, of its end.
        before: the character before it, white space where words begin.
        after: the character after it, white space where words end.
        line: number of its line in the paragraph.
        is_part: whether it is one of two signs that touch: `****`.
    """

    start: int
    end: int
    before: str
    after: str
    line: int
    is_part: bool = False


_KINDS: dict[str, SpanKind] = {
    "**": "strong", "__": "strong", "***": "strong", "*": "emphasis", "~~": "strike",
    "==": "highlight",
}  # fmt: skip
LEFT = re.compile(
    r"(?<!\*)\*{1,4}(?!\*)|(?<!_)__(?!_)|(?<!~)(?:~~){1,2}(?!~)|(?<!=)(?:==){1,2}(?!=)"
)
"""Signs that may emphasise. They are looked for only in text, where the parser has none."""
_WORD = re.compile(r"[^\W_]")
_ARGUMENTS = re.compile(r"\*\*[A-Za-z_]\w*\s*[,)=]")
_QUOTES = frozenset("\"'“”„‘’«»‹›「」『』（）()《》【】")


class Pair(NamedTuple):
    """Two signs around what they emphasise.

    Attributes:
        kind: as of a span.
        opening: the first sign.
        closing: the second.
    """

    kind: SpanKind
    opening: Left
    closing: Left


def pairs(text: str, left: Sequence[Left]) -> tuple[list[Pair], list[Left]]:
    """Pair the signs of a paragraph that CommonMark refused because of what stands beside them.

    A sign with something on its right opens, one with something on its left closes; so `**"a"**b`
    and `**「字」**字` are strong. Two signs with spaces on both sides are a pair on the same line,
    if no operands stand around one of them: `** a **`, but not `2 ** 3 ** 4`. The last sign of a
    paragraph closes what is open on its line, though it seems to open: `**a **b`. A sign of two
    characters that begins a word and has no partner is silent, because a writer who stops midway
    has not finished what that began. All other signs without partners are text: `a ** b`.

    Args:
        text: the plain text.
        left: the signs that the parser left in one paragraph, in order.

    Returns:
        The pairs, and the signs that are silent without a partner.
    """
    found: list[Pair] = []
    stacks: dict[str, list[Left]] = {}
    last = {text[sign.start : sign.end]: sign for sign in left}
    for sign in left:
        mark = text[sign.start : sign.end]
        before, after = sign.before, sign.after
        opens, closes = not after.isspace(), not before.isspace()
        opened = stacks.setdefault(mark, [])
        opening = opened[-1] if opened else None
        if mark == "*" and not (
            (opens and after in _QUOTES) or (closes and before in _QUOTES and opening is not None)
        ):
            continue
        if mark in ("==", "__"):
            # They are signs of programs too: `x==y`, `my__name`.
            opens, closes = opens and not joins_letters(before), closes and not joins_letters(after)
            if not (opens or closes) and not (before.isspace() and after.isspace()):
                continue
        if _is_arguments(text, sign, before):
            continue
        if (
            not opens
            and not closes
            and (mark in ("~~", "==") or is_operator(text, sign.start, sign.end))
        ):
            continue
        is_pair = opening is not None and (
            (closes and not opening.after.isspace())
            or (opening.line == sign.line and (closes or not opens or last[mark] is sign))
        )
        if is_pair and opening is not None and _encloses(text, opening.end, sign.start):
            found.append(Pair(_KINDS[mark], opening, sign))
            opened.pop()
        elif opens or not closes:
            opened.append(sign)
    silent = [
        sign
        for mark, opened in stacks.items()
        if len(mark) > 1
        for sign in opened
        if not (sign.is_part or joins_letters(sign.before))
        and (sign.after.isalnum() or sign.after in _QUOTES or sign.after == "`")
    ]
    return found, silent


def _encloses(text: str, start: int, end: int) -> bool:
    """Tell whether words begin between two signs: `__/__/____` is to be filled in."""
    return _WORD.search(text, start, min(end, start + _REACH)) is not None


def _is_arguments(text: str, sign: Left, before: str) -> bool:
    """Tell whether two stars are those of Python: `f(**options)`, `(*args, **kwargs)`."""
    if before not in "(, " or _ARGUMENTS.match(text, sign.start, sign.start + _REACH) is None:
        return False
    return text[max(0, sign.start - _REACH) : sign.start].rstrip()[-1:] in ("(", ",")


def is_operator(text: str, start: int, end: int) -> bool:
    """Tell whether a sign stands between what is multiplied or raised: `2 *3`, `x ** y`."""
    before = text[max(0, start - _REACH) : start].rstrip(" \t")
    after = text[end : end + _REACH].lstrip(" \t")
    return bool(_OPERAND_BEFORE.search(before) and _OPERAND_AFTER.match(after))
