"""Annotated texts in other letters and with other numbers: what must be read alike."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from zlib import crc32

from bench.readings.annotations import Item, Text

_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_FAMILIES = (
    "Mon Tue Wed Thu Fri", _DAYS, "Jan Feb Apr Aug Sept Oct Nov Dec",
    "January February April June July August September October November December",
    "kg lb oz", "mg mcg mL", "cm mm km", "tsp tbsp", "hrs mins secs", "GB MB TB", "mph kph",
    "Smith Jones Garcia Miller Okafor Ruiz",
)  # fmt: skip
"""Words of which one may stand for another: weekdays, months, units, names."""

_OTHERS = {
    word: [other for other in family.split() if other != word]
    for family in _FAMILIES
    for word in family.split()
}
_BOUNDS = (9, 12, 28, 59, 99)
"""Numbers up to each are of one kind: hours, months, days, minutes."""

_CHANGED = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_OTHERS)})(?![^\W\d_])|[0-9]+")


def lowered(text: Text) -> Text | None:
    """Return a text in lower case; None if its length would change."""
    return _written(text, str.lower, "lower")


def shouted(text: Text) -> Text | None:
    """Return a text in capitals, where words that were in capitals do not count."""
    items = tuple(
        item._replace(is_annotated=item.is_annotated and not _has_acronym(text, item))
        for item in text.items
    )
    return _written(text._replace(items=items), str.upper, "capitals")


def _written(text: Text, write: Callable[[str], str], name: str) -> Text | None:
    words = write(text.text)
    if len(words) != len(text.text):
        return None
    return text._replace(place=f"{text.place} {name}", text=words)


def _has_acronym(text: Text, item: Item) -> bool:
    return re.search(r"[A-Z]{2}", text.text[item.start : item.end]) is not None


def siblings(text: Text, n: int) -> Iterator[tuple[Item, str, tuple[int, int]]]:
    """Yield other texts, in each of which one annotated span has other numbers, days or units.

    Args:
        text: annotated.
        n: number of siblings of each span.

    Yields:
        The span, the text, and where the span lies in it.
    """
    for item in text.items:
        written = text.text[item.start : item.end]
        if not item.is_annotated or _CHANGED.search(written) is None:
            continue
        chance = random.Random(crc32(f"{text.text}{item.start}".encode()))
        for other in sorted({_sibling(written, chance) for _ in range(n)} - {written}):
            whole = text.text[: item.start] + other + text.text[item.end :]
            yield item, whole, (item.start, item.start + len(other))


def _sibling(written: str, chance: random.Random) -> str:
    return _CHANGED.sub(lambda match: _other(match[0], chance), written)


def _other(part: str, chance: random.Random) -> str:
    if not part.isdecimal():
        return chance.choice(_OTHERS[part])
    value, length = int(part), len(part)
    if part[0] == "0" or length > 4:
        return part[0] + "".join(chance.choice("123456789") for _ in part[1:])
    if length < 3:
        low = -1
        for high in _BOUNDS:
            if value <= high:
                break
            low = high
        number = chance.randint(max(low + 1, 10 ** (length - 1), 2), high)
        return str(1 if value == 1 else number)
    if length == 4 and 1700 <= value < 2030:
        return str(chance.randint(1700, 2029))
    if value % 100 == 0:
        return f"{chance.randint(1, 9)}{part[1:]}"
    return part[0] + "".join(chance.choice("123456789") for _ in part[1:])


def classes(kinds: Iterable[tuple[str, int, int]], start: int, end: int) -> tuple[str, ...]:
    """Return the classes by which a span is read.

    Args:
        kinds: class and form of each part of a text, and its span.
        start: of the span in question.
        end: likewise.
    """
    return tuple(
        kind.partition(".")[0]
        for kind, first, last in kinds
        if first < end and start < last and not kind.startswith("space")
    )
