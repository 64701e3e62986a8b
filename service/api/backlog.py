"""What waits to be spoken."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from service.api.schemas import Depth
from service.audio import SOURCE_RATE_HZ
from service.speech import Speaker, TextKind, Utterance
from service.text import USUAL, Clause, Normalization, UserLexicon

M = TypeVar("M")

SampleFormat = Literal["pcm", "mulaw", "alaw"]
"""Audio formats without a header, in which each sample is a whole number of bytes."""


@dataclass(frozen=True)
class Manner:
    """How a clause is spoken and sent."""

    voice: str | None = None
    language: str | None = None
    speed: float = 1.0
    depth: Depth = "word"
    normalization: Normalization | None = USUAL
    format: SampleFormat = "pcm"
    sample_rate_hz: int = SOURCE_RATE_HZ
    lexicon: UserLexicon | None = None
    silence_s: float | None = None
    gain: float = 1.0
    cast: Mapping[str, str | Speaker] | None = None
    kind: TextKind = "text"

    def utterance(self, clause: Clause, open_voices: tuple[str, ...]) -> Utterance:
        """Return what to say for a clause; for `open_voices` see `Utterance`."""
        return Utterance(
            clause.text,
            self.kind,
            voice=self.voice,
            speed=self.speed,
            language=self.language,
            normalization=self.normalization,
            lexicon=self.lexicon,
            silence_s=self.silence_s,
            open_voices=open_voices,
            words=clause.words,
            cast=self.cast,
        )


@dataclass(frozen=True)
class Order:
    """A clause to be spoken.

    Attributes:
        clause: its text and place.
        manner: how.
        open_voices: of the tags in the text before it.
    """

    clause: Clause
    manner: Manner
    open_voices: tuple[str, ...] = ()


class Backlog(Generic[M]):
    """Clauses that wait to be spoken, and a door's marks that wait for the clauses before them.

    Used on the event loop only.

    Attributes:
        n_characters: of all clauses.
        n_marks: number of marks.
    """

    def __init__(self) -> None:
        self._items: deque[Order | M] = deque()
        self._filled = asyncio.Event()
        self.n_characters = 0
        self.n_marks = 0

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: Order | M) -> None:
        """Append an item."""
        self._items.append(item)
        self._count(item, 1)
        self._filled.set()

    async def take(self) -> Order | M:
        """Wait for the first item, and remove it."""
        while not self._items:
            self._filled.clear()
            await self._filled.wait()
        item = self._items.popleft()
        self._count(item, -1)
        return item

    def drop(self, *kinds: type[Any]) -> None:
        """Remove all items of these kinds."""
        items = list(self._items)
        self.clear()
        for item in items:
            if not isinstance(item, kinds):
                self.add(item)

    def clear(self) -> None:
        """Remove all items."""
        self._items.clear()
        self.n_characters = self.n_marks = 0

    def _count(self, item: Order | M, sign: int) -> None:
        if isinstance(item, Order):
            self.n_characters += sign * len(item.clause.text)
        else:
            self.n_marks += sign
