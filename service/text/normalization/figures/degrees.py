"""Tell the ordinals that are written with `°` from degrees."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import SPACE
from service.text.normalization.locale import Locale

_WORD_BEFORE = re.compile(rf"([^\W\d_]+)['’]?{SPACE}?\Z")
_WORDS_BEFORE = re.compile(r"[^\W\d_]+")
_WORD_AFTER = re.compile(rf"{SPACE}([^\W\d_]{{2,}})")
_REACH = 40
"""Characters before a figure in which a word such as `temperatura` decides."""

_LARGEST_ALONE = 3
"""Who comes in `1°` has a place; `15°` alone is a temperature."""


def means_degrees(match: re.Match[str], locale: Locale) -> bool:
    """Tell whether a figure with `°` after it means degrees.

    An ordinal has its noun after it, and in some languages always its article before it.

    Args:
        match: of the figure, its group `value`, and the sign.
        locale: of the language.
    """
    before = match.string[max(0, match.start() - _REACH) : match.start()].lower()
    after = _WORD_AFTER.match(match.string, match.end())
    last = _WORD_BEFORE.search(before)
    has_article = last is not None and last[1] in locale.singular_articles
    is_measured = any(word in locale.degree_words for word in _WORDS_BEFORE.findall(before))
    if after is None or after[1].lower() in locale.not_counted:
        is_small = int(match["value"]) <= _LARGEST_ALONE
        is_place = is_small and not locale.ordinals_need_articles and not is_measured
        return not is_place or not _stands_alone(match)
    if locale.ordinals_need_articles:
        return not has_article
    return not has_article and is_measured


def _stands_alone(match: re.Match[str]) -> bool:
    """Tell whether no second figure follows, as in a range."""
    return not match.string[match.end() : match.end() + 2].strip("-– ").isdigit()
