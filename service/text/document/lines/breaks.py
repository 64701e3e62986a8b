"""Whether a writer broke lines on purpose, as in verse and addresses, or only to fit a margin.

Hard-wrapped prose is the false friend of verse. It differs in what this module weighs: a program
that wraps never ends a line where the next word still had room, it ends lines with articles and
prepositions as readily as with commas, begins them with small letters, and sentences end inside of
them. Each observation adds the logarithm of how much more often it is made in verse and stacked
lines than in wrapped prose; the sum has to outweigh how much rarer those are.

The frequencies were counted in 8,000 breaks of prose in nine languages and German, wrapped at 30 to
64 columns, and in 160 breaks of poems. Where prose shows something almost never only because a
program wrapped it, the weight allows for people who wrap by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from service.text.document.lines.page import (
    FIRST_PERSON,
    ends_openly,
    ends_sentence,
    ends_with_pause,
    first_letter,
    is_solid,
    width,
)

WIDEST = 64
"""Columns beyond which no block counts as verse: prose is wrapped there, and verse hardly goes."""

_NEUTRAL = 56
_COLUMNS = 8
_MOST_FOR_WIDTH = 5.5
"""The weight of the widest row is 0 at 56 columns, and one more for each eight columns below: prose
is rarely wrapped at 40 columns and never at 20, and poems are that narrow."""
_PRIOR = -3.5
_PRIOR_OF_TWO = -4.5
"""Two rows are more often one thought with a line break in it than a poem."""
_NO_ROOM = -0.6
_ROOM = 1.2
_MUCH_ROOM = 2.0
_MUCH = 8
_SMALL_LETTER = -0.6
_CAPITAL = 0.55
"""Share of verse lines with a capital that no sentence asks for; in prose, the share of names."""
_FEWEST_CAPITALS = 0.08
_PAUSE = 1.3
_GOES_ON = -3.0
_SOLID_WITHOUT_PAUSE = -0.6
"""Scripts without spaces are wrapped between any two characters."""
_SENTENCE_INSIDE = -2.5
_PARALLEL = 1.5
_RHYME = 2.0
_RHYMING_LETTERS = 3
"""Letters that the ends of neighbouring rows, or of next but one, share: one pair in a hundred in
prose, one in four in rhymed verse."""
_RHYME_WINDOW = 8
_OPEN_END = 1.5
_CLOSED_END = -0.2
_SMALL_START = 1.2

_CODE = re.compile(r"\]\(|`|[{\[(<\\]$|^\W+$")
_SENTENCE_BREAK = re.compile(
    r"(?:[^\W\dA-Z_]{4}\.|\w[!?…])[\"”’»)]*\s+[\"“‘«(¿¡]*[^\W\d_]|[।॥]\s*\S|[。！？]\s*[^\s」』”]"
)


def are_deliberate(rows: Sequence[str]) -> bool:
    """Tell whether the line breaks between these rows are the writer's.

    Args:
        rows: without white space around them.
    """
    return evidence(rows) + prior(rows) > 0


def prior(rows: Sequence[str]) -> float:
    """Return the logarithm of the odds before anything but the number of rows is known."""
    return _PRIOR_OF_TWO if len(rows) < 3 else _PRIOR


def evidence(rows: Sequence[str]) -> float:
    """Return by how much these rows speak for breaks on purpose, as a logarithm of odds.

    Minus infinity where there is no break, where a row is too wide or looks like code, where links
    hide how wide it looks, and where nothing depends on it: where a sentence ends at each break,
    or any mark stands at the only one.
    """
    if len(rows) < 2 or max(map(len, rows)) > WIDEST:
        return -math.inf
    # A mark makes the only pause.
    if len(rows) == 2 and ends_with_pause(rows[0]):
        return -math.inf
    widths = [width(row) for row in rows]
    widest = max(widths)
    if widest > WIDEST or all(map(ends_sentence, rows[:-1])) or any(map(_CODE.search, rows)):
        return -math.inf
    total = min(_MOST_FOR_WIDTH, (_NEUTRAL - widest) / _COLUMNS)
    total += _CLOSED_END if ends_sentence(rows[-1]) else _OPEN_END
    total += _SMALL_START * rows[0][0].islower()
    total += _SENTENCE_INSIDE * sum(_SENTENCE_BREAK.search(row) is not None for row in rows)
    total += _RHYME * _n_rhymes(rows)
    capital = math.log(_CAPITAL / max(_FEWEST_CAPITALS, _share_of_capitals(rows)))
    for place, (above, below) in enumerate(pairwise(rows)):
        total += _of_room(above, below, widest - widths[place])
        total += _of_end(above, below)
        total += _of_start(above, below, capital)
    return total


def _share_of_capitals(rows: Sequence[str]) -> float:
    """Return how many words have a capital where no row begins: names, or German nouns."""
    inner = [word for row in rows for word in row.split()[1:] if word[0].isalpha()]
    return (sum(word[0].isupper() for word in inner) + 0.3) / (len(inner) + 3)


def _n_rhymes(rows: Sequence[str]) -> int:
    ends = ["".join(filter(str.isalnum, row[-_RHYME_WINDOW:]))[-_RHYMING_LETTERS:] for row in rows]
    pairs = [*pairwise(ends), *zip(ends, ends[2:], strict=False)]
    return sum(a == b and len(a) == _RHYMING_LETTERS and a.isalpha() for a, b in pairs)


def _of_room(above: str, below: str, left: int) -> float:
    """Weigh whether the next word had room in the row, which programs that wrap would have used."""
    if is_solid(above[-1]) or is_solid(below[0]):
        room = left - width(below[0])
    else:
        room = left - 1 - width(below.split(None, 1)[0])
    if room < 0:
        return _NO_ROOM
    return _ROOM if room < _MUCH else _MUCH_ROOM


def _of_end(above: str, below: str) -> float:
    """Weigh how a row ends."""
    if ends_sentence(above):
        return 0
    if ends_with_pause(above):
        return _PAUSE
    if ends_openly(above):
        return _GOES_ON
    return _SOLID_WITHOUT_PAUSE if is_solid(above[-1]) and is_solid(below[0]) else 0


def _of_start(above: str, below: str, capital: float) -> float:
    """Weigh how the next row begins."""
    first, second = above.split(None, 1)[0], below.split(None, 1)[0]
    total = 0.0
    if first == second or (first[0].isdigit() and second[0].isdigit()):
        total += _PARALLEL
    if below[0].isdigit() or ends_sentence(above):
        return total
    letter = first_letter(below)
    if letter.islower():
        return total + _SMALL_LETTER
    return total + capital if letter.isupper() and not FIRST_PERSON.match(below) else total
