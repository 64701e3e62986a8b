"""The speech job, which every door uses to synthesize."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Generic, TypeVar

from service.api.production import produce
from service.api.request_statistics import RequestStatistics
from service.api.state import ServiceState
from service.errors import CancelledError, DeadlineError, ServiceError
from service.speech import (
    LEVELLING_BYTES_PER_S,
    LONGEST_SEGMENT_S,
    AudioSegment,
    Cancellation,
    Coverage,
    Delivery,
    Plan,
    Synthesizer,
    Utterance,
)

T = TypeVar("T")

Write = Callable[[Plan, Generator[AudioSegment, None, None]], Generator[T, None, None]]
"""Makes a door's items of the segments of a plan. Runs in a thread."""

_TOO_LATE = (CancelledError, DeadlineError)
"""Errors of requests that are not refused: somebody has worked for them."""

_ITEMS_HELD = 2
"""Items that a job holds: one is taken while the next is made."""


@dataclass(frozen=True)
class AnswerMemory:
    """How much memory an answer takes while it is made and sent.

    Attributes:
        bytes_per_s: memory for each second of audio that is held.
        is_whole: whether the whole answer is held, not only the part being sent and the next.
    """

    bytes_per_s: int
    is_whole: bool

    def bytes_of(self, audio_s: float) -> int:
        """Return the bytes for so many seconds of audio."""
        if not self.is_whole:
            audio_s = min(audio_s, _ITEMS_HELD * LONGEST_SEGMENT_S)
        return round(audio_s * self.bytes_per_s)


class SpeechJob(Generic[T]):
    """Synthesize an utterance in a thread, one item ahead of the consumer.

    An async context manager and iterator, to be used once:

        async with SpeechJob(service, synthesizer, utterance, delivery, write) as job:
            async for item in job:
                ...

    The job is admitted if it needs to be, counts for the caller's API key (unless it is refused, or
    fails before any audio) and has its lexicon, ends with its deadline or with the service, and
    counts what is said. The block is left only when no thread works for the job any more. Items
    that nobody takes are not finished. Entering and iterating raise the errors of admission, of the
    key, planning, synthesis and writing, and the reason of a cancellation.

    Args:
        service: the state of the service.
        synthesizer: to use.
        utterance: what to say.
        delivery: how to deliver it.
        write: makes the items.
        statistics: of the request, which may have several jobs; default: new ones.
        memory: of the answer; None if the request is already admitted.

    Attributes:
        statistics: of the request.
    """

    def __init__(
        self,
        service: ServiceState,
        synthesizer: Synthesizer,
        utterance: Utterance,
        delivery: Delivery,
        write: Write[T],
        *,
        statistics: RequestStatistics | None = None,
        memory: AnswerMemory | None = None,
    ) -> None:
        self.statistics = RequestStatistics() if statistics is None else statistics
        self._service = service
        self._synthesizer = synthesizer
        self._utterance = utterance
        self._delivery = delivery
        self._write = write
        self._memory = memory
        self._is_spoken = False
        self._take_back: Callable[[], None] = lambda: None
        self._stack = AsyncExitStack()
        self._coverage = Coverage()

    async def __aenter__(self) -> SpeechJob[T]:
        """Get admitted and start."""
        admission, deadline_s = self._service.admission, self._service.settings.deadline_s
        async with AsyncExitStack() as stack:
            if self._memory is not None:
                stack.enter_context(admission.request(self._held_bytes(self._memory)))
            callers = self._service.callers
            self._utterance = callers.adapt(self._utterance)
            stack.callback(self._note)
            stack.enter_context(self._service.idleness_of(self._synthesizer).speaking())
            self._cancellation = stack.enter_context(Cancellation())
            stack.enter_context(admission.cancellable(self._cancellation))
            deadline = asyncio.get_running_loop().call_later(
                deadline_s,
                self._cancellation.cancel,
                DeadlineError(f"the request took longer than {deadline_s:g} s"),
            )
            stack.callback(deadline.cancel)
            self._take_back = callers.charge(len(self._utterance.text))
            self._items = await stack.enter_async_context(
                produce(self._service.executor, self._make(), self._stop)
            )
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Stop the job, and wait for its thread. What was refused does not count for the key."""
        error = exception[1]
        is_refused = isinstance(error, ServiceError) and not isinstance(error, _TOO_LATE)
        if is_refused and not self._is_spoken:
            self._take_back()
        await self._stack.aclose()

    def __aiter__(self) -> AsyncIterator[T]:
        """Return the items."""
        return self._items

    def cancel(self, reason: ServiceError) -> None:
        """Stop the job; iterating it then raises the reason."""
        self._cancellation.cancel(reason)

    def check(self) -> None:
        """Raise the reason if the job was cancelled, also if all is said but not yet sent."""
        self._cancellation.check()

    def _note(self) -> None:
        """Count what was spoken beyond the characters that were charged."""
        n_characters = self._coverage.n_characters - len(self._utterance.text)
        if self._is_spoken:
            self._service.callers.note(max(0, n_characters))

    def _make(self) -> Generator[T, None, None]:
        plan = self._synthesizer.plan(self._utterance, self._delivery)
        self._coverage = plan.coverage
        self.statistics.planned(self._utterance, plan)
        segments = self._synthesizer.stream(plan, self._cancellation)
        yield from self._write(plan, self.statistics.counted(self._spoken(segments)))

    def _spoken(self, segments: Iterable[AudioSegment]) -> Iterator[AudioSegment]:
        for segment in segments:
            self._is_spoken = True
            yield segment

    def _stop(self) -> None:
        # The consumer has left, so nobody sees this error.
        self._cancellation.cancel(CancelledError("the job is over"))

    def _held_bytes(self, memory: AnswerMemory) -> Callable[[], int]:
        likely_s, statistics = self._utterance.likely_s, self.statistics
        levelling = 0 if self._delivery.loudness_lufs is None else LEVELLING_BYTES_PER_S

        def held() -> int:
            audio_s = max(likely_s, statistics.audio_s)
            return memory.bytes_of(audio_s) + round(audio_s * levelling)

        return held
