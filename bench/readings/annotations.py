"""Annotated texts: what may be said of each, and which of them nobody reads.

A line is `CLASS<TAB>ANNOTATED TEXT`. `{raw|reading|...}` says how `raw` is said, `{raw|}` that it
is silent, `{raw|/phonemes/}` how it sounds, `{|,}` that a pause must be there. All else is said as
written. `\\n` is a line break, and a backslash stands before braces, bars and backslashes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from service.text.languages.english.grammars.said import is_spelled

FOLDER = Path(__file__).parents[2] / "tests" / "data" / "annotated"
TABLES = Path(__file__).parents[2] / "tests" / "data" / "reading"
N_FOLDS = 5

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PART = re.compile(r"(?P<braces>\{(?:\\.|[^{}\\])*\})|(?P<plain>(?:\\.|[^{}\\])+)", re.DOTALL)
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}")
_WORD = re.compile(r"[^\W_]+(?:['\u0300-\u036f]+[^\W_]*)*")


class Item(NamedTuple):
    """A part of a text.

    Attributes:
        start: offset in the text.
        end: likewise.
        readings: what may be said, each as its words.
        is_annotated: whether a person has said so; otherwise it is said as written.
    """

    start: int
    end: int
    readings: tuple[tuple[str, ...], ...]
    is_annotated: bool


class Text(NamedTuple):
    """An annotated text.

    Attributes:
        place: file and line.
        kind: its class.
        text: what is to be read.
        items: its parts, in order.
        unread: whether it is one of those that authors of grammars must not look at.
        fold: in which part of the cross-validation it is tested.
        is_written: whether readings are compared as they are written, character by character.
        is_british: whether it is British English.
    """

    place: str
    kind: str
    text: str
    items: tuple[Item, ...]
    unread: bool
    fold: int
    is_written: bool = False
    is_british: bool = False


def units(words: str) -> tuple[str, ...]:
    """Return words as they are compared: small, apart, without marks."""
    low = words.lower().replace("’", "'").replace("‘", "'").replace("per cent", "percent")
    low = _INITIALS.sub(lambda match: " ".join(match[0].replace(".", " ").split()) + " ", low)
    low = re.sub(r"(?<=[a-z])-(?=[a-z])", " ", low)
    low = re.sub(r"(?<![^\W_])'|'(?![^\W_])", " ", low)
    return tuple(_WORD.findall(low))


def load(folder: Path = FOLDER, language: str = "en") -> list[Text]:
    """Return the annotated texts of a language; files of British ones begin with `en-gb`."""
    return [
        parse(f"{file.stem}:{number}", line)._replace(is_british=file.stem.startswith("en-gb"))
        for file in sorted(folder.glob(f"{language}*.tsv"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]


def load_cases() -> list[Text]:
    """Return the texts of tests/data/reading: written in one way, and so if read again."""
    found: list[Text] = []
    for name in ("en-us", "en-gb", "awkward", "common", "common-other", "awkward-other", "marks"):
        lines = (TABLES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if not line or line.startswith("#"):
                continue
            kind, *language, text, reading = line.replace("\\n", "\n").split("\t")
            spoken = language[0] if language else name if name.startswith("en-") else "en-us"
            if spoken in ("en-us", "en-gb"):
                for source in (text, reading):
                    case = _case(f"{name}:{number}", kind, source, reading)
                    found.append(case._replace(is_british=spoken == "en-gb"))
    return found


_APART = re.compile(r"(?<![A-Za-z.])[A-Z] (?=[A-Z](?![A-Za-z]|\.[A-Za-z]))")
_TOGETHER = re.compile(r"(?<![A-Za-z.])[A-Z]{2,8}(?![A-Za-z]|\.[A-Za-z])")


def joined_letters(words: str, *, apart: bool = True) -> str:
    """Return words in which letters that are named cannot be taken for a word in capitals.

    Args:
        words: as written.
        apart: whether letters apart are joined too.
    """
    if apart:
        words = _APART.sub(lambda match: f"{match[0][0]}·", words)
    return _TOGETHER.sub(
        lambda match: "·".join(match[0]) if is_spelled(match[0]) else match[0], words
    )


def characters(words: str) -> tuple[str, ...]:
    """Return words as they are compared when written: without spaces, and without stops, which
    the structure of a text brings."""
    return tuple(character for character in words if not character.isspace() and character != ".")


def _case(place: str, kind: str, text: str, reading: str) -> Text:
    reading = joined_letters(reading, apart=_APART.search(text) is None)
    item = Item(0, len(text), (characters(reading),), True)
    return Text(place, kind, text, (item,), False, _byte(text, 1), is_written=True)


def parse(place: str, line: str) -> Text:
    """Return the text of a line. Raises ValueError if it is not well formed."""
    kind, annotated = line.split("\t", 1)
    items: list[Item] = []
    written: list[str] = []
    at = done = 0
    for match in _PART.finditer(annotated):
        if match.start() != done:
            raise ValueError(f"{place}: a brace is not closed")
        done = match.end()
        if match["plain"]:
            plain = _unescaped(match["plain"])
            for word in re.finditer(r"\S+\s*|\s+", plain):
                span = at + word.start(), at + word.end()
                items.append(Item(*span, (units(word[0]),), False))
            written.append(plain)
            at += len(plain)
            continue
        raw, *readings = map(_unescaped, re.split(r"(?<!\\)\|", match["braces"][1:-1]))
        if not readings:
            raise ValueError(f"{place}: {raw} has no reading")
        written.append(raw)
        if raw:
            said = [reading for reading in readings if not _is_sound(reading)] or [raw]
            options = tuple(dict.fromkeys(map(units, said)))
            annotated_here = not any(map(_is_sound, readings))
            items.append(Item(at, at + len(raw), options, annotated_here))
        at += len(raw)
    if done != len(annotated):
        raise ValueError(f"{place}: a brace is not closed")
    text = "".join(written)
    return Text(place, kind, text, tuple(items), _byte(text, 0) == 0, _byte(text, 1))


def _byte(text: str, index: int) -> int:
    return hashlib.sha256(text.encode()).digest()[index] % N_FOLDS


def _is_sound(reading: str) -> bool:
    return len(reading) > 2 and reading[0] == reading[-1] == "/"


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)


class Allowed:
    """What may be said of a text, as states between words.

    A state is somewhere in a reading of an item. In the state before an item, `begin[item]`, all
    items before are said. Where an item is wild, anything may be said of it.

    Attributes:
        items: of the text.
        begin: the state before each item, and the last one.
    """

    def __init__(self, items: tuple[Item, ...]) -> None:
        self.items = items
        self._item: list[int] = []
        self._steps: list[dict[str, list[int]]] = []
        self.begin = [self._new(index) for index in range(len(items) + 1)]
        self._wild = [self._new(index) for index in range(len(items))]
        self._silent = [() in item.readings for item in items]
        for index, item in enumerate(items):
            states: dict[tuple[str, ...], int] = {(): self.begin[index]}
            for reading in item.readings:
                for length, word in enumerate(reading):
                    head, path = reading[:length], reading[: length + 1]
                    if length + 1 == len(reading):
                        target = self.begin[index + 1]
                    else:
                        if path not in states:
                            states[path] = self._new(index)
                        target = states[path]
                    targets = self._steps[states[head]].setdefault(word, [])
                    if target not in targets:
                        targets.append(target)

    def _new(self, item: int) -> int:
        self._item.append(item)
        self._steps.append({})
        return len(self._item) - 1

    def is_at(self, state: int, place: int) -> bool:
        """Tell whether a state fits an offset of the text."""
        index = self._item[state]
        if index == len(self.items):
            return not self.items or place >= self.items[-1].start
        item = self.items[index]
        if state == self.begin[index]:
            return (self.items[index - 1].start if index else 0) <= place <= item.end
        return item.start <= place <= item.end

    def closed(
        self, states: dict[int, frozenset[int]], wild: frozenset[int] | None
    ) -> dict[int, frozenset[int]]:
        """Add the states that are reached without a word.

        Args:
            states: each with the items that were wild on the way.
            wild: items that may be wild; None for all.
        """
        todo = list(states)
        while todo:
            state = todo.pop()
            used, index = states[state], self._item[state]
            if index == len(self.items):
                continue
            nexts: list[tuple[int, frozenset[int]]] = []
            if state == self.begin[index]:
                if self._silent[index]:
                    nexts.append((self.begin[index + 1], used))
                if wild is None or index in wild:
                    nexts.append((self._wild[index], used | {index}))
            elif state == self._wild[index]:
                nexts.append((self.begin[index + 1], used))
            for target, items in nexts:
                if target not in states or len(items) < len(states[target]):
                    states[target] = items
                    todo.append(target)
        return states

    def after(
        self,
        states: dict[int, frozenset[int]],
        words: tuple[str, ...],
        wild: frozenset[int] | None,
    ) -> dict[int, frozenset[int]]:
        """Return the states after some words, which may be none."""
        states = self.closed(dict(states), wild)
        for word in words:
            reached: dict[int, frozenset[int]] = {}
            for state, used in states.items():
                targets = list(self._steps[state].get(word, ()))
                index = self._item[state]
                if index < len(self.items) and state == self._wild[index]:
                    targets.append(state)
                for target in targets:
                    if target not in reached or len(used) < len(reached[target]):
                        reached[target] = used
            states = self.closed(reached, wild)
        return states


class Gold(NamedTuple):
    """The allowed paths of a lattice.

    Attributes:
        size: number of nodes; paths begin at 0.
        edges: from node to node, in order, with the number of the candidate.
        ends: the nodes where paths end.
        wild: the items of which no candidate says what is allowed.
    """

    size: int
    edges: list[tuple[int, int, int]]
    ends: list[int]
    wild: frozenset[int]


def allowed_paths(
    edges: list[tuple[int, int]],
    said: list[tuple[str, ...]],
    places: list[int],
    items: tuple[Item, ...],
) -> Gold | None:
    """Return the paths of a lattice that say what is allowed.

    Args:
        edges: of the lattice, from place to place, in order.
        said: what each edge says.
        places: the offset in the text of each place.
        items: of the text.
    """
    allowed = Allowed(items)
    outgoing: dict[int, list[int]] = {}
    for number, (start, _) in enumerate(edges):
        outgoing.setdefault(start, []).append(number)
    last, final = len(places) - 1, allowed.begin[-1]
    wild = _unsayable(allowed, outgoing, edges, said, places)
    if wild is None:
        return None
    first = frozenset(allowed.closed({allowed.begin[0]: frozenset()}, wild))
    nodes: dict[tuple[int, frozenset[int]], int] = {(0, first): 0}
    at_place: dict[int, list[frozenset[int]]] = {0: [first]}
    found: list[tuple[int, int, int]] = []
    for place in range(last):
        for states in at_place.get(place, ()):
            node = nodes[place, states]
            for number in outgoing.get(place, ()):
                end = edges[number][1]
                reached = allowed.after(dict.fromkeys(states, frozenset()), said[number], wild)
                kept = frozenset(
                    state
                    for state in reached
                    if (state == final if end == last else allowed.is_at(state, places[end]))
                )
                if not kept:
                    continue
                if (end, kept) not in nodes:
                    nodes[end, kept] = len(nodes)
                    at_place.setdefault(end, []).append(kept)
                found.append((node, nodes[end, kept], number))
    ends = {number for (place, _), number in nodes.items() if place == last}
    if not ends:
        return None
    return _useful(found, ends, {number: place for (place, _), number in nodes.items()}, wild)


def _unsayable(
    allowed: Allowed,
    outgoing: dict[int, list[int]],
    edges: list[tuple[int, int]],
    said: list[tuple[str, ...]],
    places: list[int],
) -> frozenset[int] | None:
    """Return the smallest set of items that must be wild for a path to be allowed."""
    best: dict[int, dict[int, frozenset[int]]] = {
        0: allowed.closed({allowed.begin[0]: frozenset()}, None)
    }
    last = len(places) - 1
    for place in range(last):
        states = best.get(place, {})
        if place:
            states = {s: used for s, used in states.items() if allowed.is_at(s, places[place])}
        for number in outgoing.get(place, ()) if states else ():
            reached = allowed.after(states, said[number], None)
            here = best.setdefault(edges[number][1], {})
            for state, used in reached.items():
                if state not in here or len(used) < len(here[state]):
                    here[state] = used
    return best.get(last, {}).get(allowed.begin[-1])


def _useful(
    edges: list[tuple[int, int, int]],
    ends: set[int],
    place_of: dict[int, int],
    wild: frozenset[int],
) -> Gold:
    """Return the edges that lead to an end, with their nodes numbered in the order of places."""
    incoming: dict[int, list[int]] = {}
    for start, end, _ in edges:
        incoming.setdefault(end, []).append(start)
    useful, todo = set(ends), list(ends)
    while todo:
        for start in incoming.get(todo.pop(), ()):
            if start not in useful:
                useful.add(start)
                todo.append(start)
    order = {node: rank for rank, node in enumerate(sorted(useful, key=lambda n: (place_of[n], n)))}
    kept = sorted(
        (order[a], order[b], number) for a, b, number in edges if b in useful and a in useful
    )
    return Gold(len(order), kept, sorted(order[end] for end in ends), wild)


def right_spans(
    items: tuple[Item, ...], spans: list[tuple[int, int, tuple[str, ...]]]
) -> Iterator[tuple[Item, bool]]:
    """Yield each annotated item, and whether it is said as allowed.

    Args:
        items: of a text.
        spans: what is said of which part of it, in order.
    """
    for item in items:
        if not item.is_annotated:
            continue
        inside = [span for span in spans if span[0] < item.end and item.start < span[1] and span[2]]
        straddles = any(start < item.start or end > item.end for start, end, _ in inside)
        words = tuple(word for span in inside for word in span[2])
        yield item, words in item.readings and not straddles
