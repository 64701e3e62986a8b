"""Times of the parts of an answer, beside its audio: fetched when that is complete."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Generator, Iterable, Sequence

from pydantic import BaseModel, Field

from service.api.rendering import Rendering
from service.speech import AudioSegment

_MOST_KEPT = 64
"""How many answers' times are kept: those of the last."""


class PartTime(BaseModel):
    """A part of what is said, and its time in seconds."""

    text: str = Field(description="as it was sent; empty for a pause")
    start: float
    end: float
    voice: str | None = Field(None, description="if it is not that of the request")


class PartTimes:
    """The times of the last answers, by names that nobody can guess. Safe to share.

    A process knows only its own. Behind a balancer others do not find them.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Sequence[PartTime]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str) -> Sequence[PartTime] | None:
        """Return the times of an answer, once it is complete."""
        with self._lock:
            return self._kept.get(name)

    def keep(self, name: str, parts: Sequence[PartTime]) -> None:
        """Keep the times of an answer. The oldest are forgotten."""
        with self._lock:
            self._kept[name] = parts
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)


class TimedParts(Rendering):
    """Another rendering, whose times are kept when all of it is written.

    Args:
        rendering: writes the answer.
        text: what is said; offsets of words are those in it.
        kept: keeps the times.

    Attributes:
        name: of the times.
    """

    def __init__(self, rendering: Rendering, text: str, kept: PartTimes) -> None:
        self._rendering = rendering
        self._text = text
        self._kept = kept
        self.name = secrets.token_urlsafe(16)
        self.streams = rendering.streams
        self.media_type = rendering.media_type
        self.sample_rate_hz = rendering.sample_rate_hz
        self.bytes_per_s = rendering.bytes_per_s

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write what the other rendering writes."""
        times: dict[int, PartTime] = {}

        def noted() -> Generator[AudioSegment, None, None]:
            start = 0
            for segment in segments:
                if segment.chunk not in times:
                    start = segment.words[0].text_start if segment.words else 0
                    times[segment.chunk] = PartTime(
                        text="", start=round(segment.start_s, 6), end=0.0, voice=None
                    )
                part = times[segment.chunk]
                part.end = round(segment.start_s + segment.duration_s, 6)
                for word in segment.words:
                    part.text = self._text[start : word.text_end]
                    part.voice = word.voice
                yield segment

        self._rendering.coverage = self.coverage
        yield from self._rendering.parts(noted())
        self._kept.keep(self.name, list(times.values()))
