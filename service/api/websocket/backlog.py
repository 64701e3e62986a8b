"""The backlog of a WebSocket session."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Literal

from service.api.websocket import messages
from service.api.websocket.messages import SampleFormat
from service.audio import SOURCE_RATE_HZ
from service.speech import Utterance
from service.text import Clause, UserLexicon


@dataclass(frozen=True)
class Manner:
    """How a clause is spoken and sent."""

    voice: str | None = None
    language: str | None = None
    speed: float = 1.0
    depth: Literal["word", "phoneme"] = "word"
    normalized: bool = True
    format: SampleFormat = "pcm"
    sample_rate_hz: int = SOURCE_RATE_HZ
    lexicon: UserLexicon | None = None

    def utterance(self, text: str) -> Utterance:
        """Return what to say for a clause."""
        return Utterance(
            text,
            voice=self.voice,
            speed=self.speed,
            language=self.language,
            normalized=self.normalized,
            lexicon=self.lexicon,
        )


@dataclass(frozen=True)
class Order:
    """A clause to be spoken."""

    clause: Clause
    manner: Manner


class Backlog:
    """Clauses that wait to be spoken, and messages that wait for the clauses before them.

    Used on the event loop only.

    Attributes:
        n_characters: of all clauses.
        n_messages: number of messages.
    """

    def __init__(self) -> None:
        self._items: deque[Order | messages.FromServer] = deque()
        self._filled = asyncio.Event()
        self.n_characters = 0
        self.n_messages = 0

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: Order | messages.FromServer) -> None:
        """Append an item."""
        self._items.append(item)
        self._count(item, 1)
        self._filled.set()

    async def take(self) -> Order | messages.FromServer:
        """Wait for the first item, and remove it."""
        while not self._items:
            self._filled.clear()
            await self._filled.wait()
        item = self._items.popleft()
        self._count(item, -1)
        return item

    def drop(self, *kinds: type[Order | messages.FromServer]) -> None:
        """Remove all items of these kinds."""
        items = list(self._items)
        self.clear()
        for item in items:
            if not isinstance(item, kinds):
                self.add(item)

    def clear(self) -> None:
        """Remove all items."""
        self._items.clear()
        self.n_characters = self.n_messages = 0

    def _count(self, item: Order | messages.FromServer, sign: int) -> None:
        if isinstance(item, Order):
            self.n_characters += sign * len(item.clause.text)
        else:
            self.n_messages += sign
