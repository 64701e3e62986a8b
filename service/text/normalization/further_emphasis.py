"""Remove stars that are meant as emphasis, though CommonMark's rules take them for none.

`**and**/**or**` and `5%**off**` have signs beside their stars, which rule emphasis out there.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

from service.text.normalization.rules import Rule

FIRST_IDEOGRAPHIC = "\u2e80"
NOT_EMPHASISED = " \t\n/\\\xa0"
"""Characters that no emphasis starts or ends with."""

_STARS_LEFT = re.compile(r"\*(?<!\*\*)\*{0,2}(?!\*)")
# What may be a factor or a base beside a star, or a sign of its formula.
_OPERAND_BEFORE = re.compile(r"(?:(?<![^\W_])(?:[0-9](?:[0-9.,]*[0-9])?|[A-Za-z])|[)\]²³])\Z")
_OPERAND_AFTER = re.compile(r"[-−]?(?:[0-9]+|[A-Za-z](?![^\W_])|[(√π])")
_FORMULA_BEFORE = re.compile(r"[=+^(][ ]?[\w*]*\Z")
_FORMULA_AFTER = re.compile(r"[\w*]*[ ]?[=+^]")
_ADDRESS_BEFORE = re.compile(r"(?:://|\\|(?:\A|\s)[~.]{0,2}/)\S*\Z")
_PATH_BEFORE = re.compile(r"[/\\]\S*\Z")
_SUFFIX = re.compile(r"(?:e?s|ed|d|ing|er|ers|ly|ish|ness)(?![^\W_])")
_FIRST_WORD = re.compile(r"[^\W\d_]*")
_REACH = 40
"""Characters before and after a star that tell what it is."""
_TELLING = 4
"""Letters from which a part of a word is more than what hidden letters leave of one."""

_TEXTS_KEPT = 8


def is_solid(character: str) -> bool:
    """Tell whether a character forms one word with a letter next to it."""
    return character.isalnum() and character < FIRST_IDEOGRAPHIC


@lru_cache(_TEXTS_KEPT)
def _paired(text: str) -> Set[int]:
    """Return the starts of the stars that enclose something in a line."""
    paired: set[int] = set()
    opened: dict[int, re.Match[str]] = {}
    line_end = -1
    for match in _STARS_LEFT.finditer(text):
        if match.start() > line_end:
            opened.clear()
            line_end = text.find("\n", match.end())
            line_end = len(text) if line_end < 0 else line_end
        if _is_operator(match):
            continue
        length = len(match[0])
        opening = opened.pop(length, None)
        if opening is not None and _is_emphasised(opening, match):
            paired.update((opening.start(), match.start()))
        else:
            opened[length] = match
    return paired


def _is_operator(match: re.Match[str]) -> bool:
    """Tell whether stars stand between numbers or single letters, as in a product."""
    text = match.string
    before = text[max(0, match.start() - _REACH) : match.start()]
    after = text[match.end() : match.end() + _REACH]
    return bool(_OPERAND_BEFORE.search(before) and _OPERAND_AFTER.match(after))


def _is_emphasised(opening: re.Match[str], closing: re.Match[str]) -> bool:
    text, (start, end) = opening.string, (opening.end(), closing.start())
    inside, is_single = text[start:end], len(opening[0]) == 1
    if inside[0] in NOT_EMPHASISED or inside[-1] in NOT_EMPHASISED:
        return False
    # `(*args, **kwargs)(*more)`, `*.py,*.ts`
    if len(inside) > 1 and (inside[-1] in "([{,=" or (inside[0] == "." and is_single)):
        return False
    before = text[max(0, opening.start() - _REACH) : opening.start()]
    after = text[closing.end() : closing.end() + _REACH]
    if _ADDRESS_BEFORE.search(before):
        return False
    is_spaced = any(map(str.isspace, inside))
    if is_solid(before[-1:] or " "):
        # Letters on both sides may be those of a hidden word: `f*ck and sh*t`, `b*tch*s`.
        word = _FIRST_WORD.match(inside)
        if word is None or len(word[0]) < _TELLING or _PATH_BEFORE.search(before):
            return False
        if is_spaced:
            return not is_single and not is_solid(after[:1] or " ")
        return not (is_single and (_FORMULA_BEFORE.search(before) or _FORMULA_AFTER.match(after)))
    if not is_solid(after[:1] or " ") or not inside[-1].isalnum():
        return True
    if is_spaced:
        return _SUFFIX.match(after) is not None
    return len(inside) > 1 or not is_single


def _drop(match: re.Match[str]) -> str | None:
    return "" if match.start() in _paired(match.string) else None


# Numbers in words would no longer show that `2**3**2` is a formula.
RULES = (Rule(_STARS_LEFT, _drop, needs="*", original=True),)
"""The rule for stars that other rules for Markdown leave. It comes after those for emphasis."""
