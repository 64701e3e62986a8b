"""Pair the marks of emphasis, and remove them: stars, low lines and tildes.

CommonMark's rules decide, but signs beside marks may be emphasised too (`**and**/**or**`,
`5%**off**`), and stars inside words enclose only what can be no factor and no rest of a hidden
word: `un**believ**able`, but neither `width*height*depth` nor `f**k you b**ch`. What stars mean
that are left is for `stars`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from service.text.normalization.rules import Rule

FIRST_IDEOGRAPHIC = "\u2e80"
APART = " \t\n/\\\xa0"
"""Characters that no emphasis starts or ends with."""
ADDRESS_BEFORE = re.compile(r"(?:://|\\|(?:\A|\s)[~.]{0,2}/)\S{0,40}\Z")
FORMULA_BEFORE = re.compile(r"(?:[=+^≤≥≈×÷]|\w\()[ ]?[\w*]{0,40}\Z")
FORMULA_AFTER = re.compile(r"[\w*]{0,40}(?:[ ]?[=+^≤≥≈×÷]|\()")
REACH = 40
"""Characters before and after a star that tell what it is."""

_MARKS = re.compile(r"[*_~\n](?:(?<=\*)\**|(?<=_)_*|(?<=~)~*|(?<=\n)(?P<paragraph>[ \t]*\n))")
_BEFORE_EMPHASIS = frozenset(" \t\n([{<>\"'-:;,!?|*_~`")
_OPENING = frozenset("([{\"'“‘*_~`")
_SPACE = re.compile(r"\s")
_AROUND = "()[]{}\"'“”‘’«».,;:!?…"
"""What may stand around a word."""

# What may be a factor or a base beside a star.
_OPERAND_BEFORE = re.compile(r"(?:(?<![^\W_])(?:[0-9](?:[0-9.,]*[0-9])?|[A-Za-z])|[)\]²³])\Z")
_OPERAND_AFTER = re.compile(r"[-−]?(?:[0-9]+|[A-Za-z](?![^\W_])|[(√π])")
MEASURES = frozenset("长長宽寬高厚深縦横幅奥径底")
"""What is multiplied without spaces in Chinese and Japanese: `长*宽*高`."""
_PATH_BEFORE = re.compile(r"[/\\]\S{0,40}\Z")
_WORD_BEFORE = re.compile(r"[^\W\d_]*\Z")
_FIRST_WORD = re.compile(r"[^\W\d_]*")
# `(note)*important*`, but `(1+r)*price`
_ENCLOSED = re.compile(r"[^*\n]{1,80}\*(?![\w*])")
_SUFFIX = re.compile(r"(?:e?s|ed|d|ing|er|ers|ly|ish|ness)(?![^\W_])")
_TELLING = 3
"""Letters from which a part of a word is more than what hidden letters leave of one."""

# A rule needs the pairs of its text once for each match.
_TEXTS_KEPT = 8


def is_solid(character: str) -> bool:
    """Tell whether a character forms one word with a letter next to it."""
    is_sign = "\u0900" <= character <= "\u0963"  # Devanagari's vowels
    return is_sign or (character.isalnum() and character < FIRST_IDEOGRAPHIC)


def is_ideographic(character: str) -> bool:
    """Tell whether a character belongs to a script without spaces."""
    return character >= FIRST_IDEOGRAPHIC and character.isalnum()


def _lengths(run: re.Match[str]) -> tuple[int, ...]:
    """Return the lengths of the marks in a run. Three count as one and two."""
    length = len(run[0])
    if run[0][0] == "~":
        return (2,) if length == 2 else ()
    return (length,) if length < 3 else (1, length - 1)


def _encloses(run: re.Match[str]) -> bool:
    """Tell whether stars in a word can only be those of emphasis.

    Such as begin or end it come in pairs, which no sign of arithmetic does: `word**s**`, `*p*H`,
    `2*x*`. Two pairs of stars inside a word are no powers, but of numbers: `L**O**L`, `2**3**2`.
    """
    text, (start, end) = run.string, run.span()
    head = text[max(0, start - REACH) : start]
    if ADDRESS_BEFORE.search(head):
        return False
    first = _SPACE.split(head)[-1]
    last = _SPACE.split(text[end : end + REACH], maxsplit=1)[0]
    word = "".join((first, run[0], last)).strip(_AROUND)
    runs = [each for each in re.finditer(r"\*+", word) if each[0] == run[0]]
    n_at_edges = sum(each.start() == 0 or each.end() == len(word) for each in runs)
    if len(runs) % 2 == 0 and n_at_edges == 1:
        return True
    inside = len(runs) == 2 and n_at_edges == 0 and run[0] == "**"
    return inside and not re.fullmatch(r"[0-9.*()+−-]*", word) and word.count("*") == 4


class _Pairs:
    """One pass over the marks of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.edits: dict[int, str] = {}
        """What is left of runs of marks, by their start."""
        self._opened: dict[tuple[str, int], re.Match[str]] = {}
        for match in _MARKS.finditer(text):
            if match["paragraph"] is not None:
                self._opened.clear()
            elif match[0][0] != "\n":
                self._pair(match)

    def _pair(self, match: re.Match[str]) -> None:
        """Pair marks of equal kind and length."""
        mark, text, (start, end) = match[0][0], self._text, match.span()
        lengths = _lengths(match)
        before, after = text[start - 1 : start] or "\n", text[end : end + 1] or "\n"
        encloses = mark == "*" and _encloses(match)
        is_operator = mark == "*" and not encloses and self._is_operator(match)
        opens = after not in APART and not is_operator
        opens = opens and (encloses or self._may_open(match, before))
        closes = before not in APART and not (is_operator and after.isalnum())
        # `f**k` and `f***` may stand in emphasis.
        doubtful = is_solid(after) or any((mark, length) not in self._opened for length in lengths)
        doubtful = doubtful and not encloses
        for length in lengths:
            opening = self._opened.get((mark, length))
            if (
                opening is not None
                and closes
                and (encloses or self._may_close(opening, match, before, after))
                and not (doubtful and self._ends_later(mark, length, end))
            ):
                del self._opened[mark, length]
                for run in (opening, match):
                    left = self.edits.get(run.start(), run[0])
                    self.edits[run.start()] = left[length:]
            elif opens:
                self._opened[mark, length] = match

    def _is_operator(self, match: re.Match[str]) -> bool:
        """Tell whether stars stand between numbers, single letters or measures."""
        before = self._text[max(0, match.start() - REACH) : match.start()]
        after = self._text[match.end() : match.end() + REACH]
        if is_ideographic(before[-1:]) and is_ideographic(after[:1]) and match[0] == "*":
            is_formula = FORMULA_BEFORE.search(before) or FORMULA_AFTER.match(after)
            return is_formula is not None or MEASURES.issuperset((before[-1], after[0]))
        return bool(_OPERAND_BEFORE.search(before) and _OPERAND_AFTER.match(after))

    def _may_open(self, match: re.Match[str], before: str) -> bool:
        if match[0][0] == "_":
            is_sign = not before.isascii() and not before.isalnum()
            return before in _BEFORE_EMPHASIS or is_sign  # quotes, dashes, pictures
        head = self._text[max(0, match.start() - REACH) : match.start()]
        if is_solid(before):
            word = _WORD_BEFORE.search(head)
            is_whole = before.isdigit() or (word is not None and len(word[0]) > 1)
            return is_whole and len(match[0]) == 2 and _PATH_BEFORE.search(head) is None
        if ADDRESS_BEFORE.search(head):
            return False
        is_factor = match[0] == "*" and before in ")]" and is_solid(self._text[match.end()])
        return not is_factor or _ENCLOSED.match(self._text, match.end()) is not None

    def _may_close(
        self, opening: re.Match[str], match: re.Match[str], before: str, after: str
    ) -> bool:
        mark, is_single, end = match[0][0], len(match[0]) == 1, match.end()
        inside = self._text[opening.end() : match.start()]
        if mark == "_":
            # The last low lines of `__init__.py` close nothing.
            goes_on = after in "./" and self._text[end : end + 2][1:].isalnum()
            return not after.isalnum() and not goes_on
        is_spaced = any(map(str.isspace, inside))
        if opening.start() and is_solid(self._text[opening.start() - 1]):
            # Letters on both sides may be those of a hidden word: `f**k you b**ch`.
            word = _FIRST_WORD.match(inside)
            is_telling = word is not None and len(word[0]) >= _TELLING
            return is_telling and not (is_spaced and is_solid(after))
        if not is_solid(after):
            return True
        if not is_solid(before) and not is_ideographic(before):
            # `(*args, **kwargs)(*more)`, `*.py,*.ts`
            return before not in "([{,=" and not (is_single and inside[0] == ".")
        if not is_single:
            return True
        if is_spaced:
            return _SUFFIX.match(self._text, end) is not None
        return "*" not in inside

    def _ends_later(self, mark: str, length: int, end: int) -> bool:
        """Tell whether the next marks of this kind and length in the paragraph close emphasis.

        A further star in the same word is the sign of a product: `*width*height*depth`.
        """
        text, stop = self._text, self._text.find("\n\n", end)
        for run in _MARKS.finditer(text, end, stop if stop >= 0 else len(text)):
            if run[0][0] != mark or length not in _lengths(run):
                continue
            before, after = text[run.start() - 1], text[run.end() : run.end() + 1] or "\n"
            if not (is_solid(before) and is_solid(after)):
                opens = before in _BEFORE_EMPHASIS and (after.isalnum() or after in _OPENING)
                return before not in APART and not opens
            if run[0] == "*" and text[end : run.start()].isalnum():
                return True
        return False


@lru_cache(_TEXTS_KEPT)
def _pairs(text: str) -> _Pairs:
    return _Pairs(text)


def _left(match: re.Match[str]) -> str | None:
    return _pairs(match.string).edits.get(match.start())


RULES = (Rule(_MARKS, _left, needs="*_~"),)
"""The rule for emphasis, strong emphasis and struck words: they lose their marks."""
