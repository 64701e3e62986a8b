"""Speech of a text that comes in parts, which the doors share that take such texts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from service.api.backlog import Backlog, Manner, Order
from service.api.job import SpeechJob
from service.api.request_statistics import RequestStatistics
from service.api.ssml_in_parts import SsmlInParts
from service.api.state import ServiceState
from service.errors import (
    CancelledError,
    EmptyTextError,
    NothingToSayError,
    ServiceError,
    TextTooLongError,
)
from service.speech import AudioSegment, Delivery, Plan, Synthesizer
from service.text import Clause, ClauseBuffer, is_blank, voices_after, without_voice_tags

T = TypeVar("T")
M = TypeVar("M")

WriteClause = Callable[[Order, Plan, Generator[AudioSegment, None, None]], Generator[T, None, None]]
"""Makes a door's items of the segments of a clause. Runs in a thread."""

_SILENT = "the text has nothing to pronounce"

_STEP_CHARACTERS = 250
"""Characters that are searched for clauses at a time: two milliseconds for Markdown, and some tens
for the worst texts."""


@dataclass(frozen=True)
class Spoken(Generic[T]):
    """An item of a clause's speech, and the round in which it was spoken."""

    item: T
    round: int


@dataclass(frozen=True)
class Unspoken:
    """A clause of which nothing, or nothing more, is spoken, and the reason."""

    clause: Clause
    error: ServiceError


class ClauseSpeech(Generic[T, M]):
    """Speak a text that comes in parts, clause by clause, each as soon as its end is certain.

    One task adds text; another enters the block and iterates, without an end of its own:

        async with speech:
            async for given in speech:
                ...

    Iterating gives what `write` makes of each clause, in order, as `Spoken`. It gives `Unspoken`
    for a clause that fails, whatever the reason, and goes on; nothing for blank clauses and for
    those that were cancelled. It gives each mark after the speech of all text before it. The next
    item is made while one is taken, and no more. The block is left only when no thread works any
    more. Used on the event loop only.

    Args:
        service: the state of the service.
        synthesizer: to use.
        statistics: counts what is spoken.
        write: makes the items.
        turn: held while a clause is spoken, so that several texts of one client take turns.

    Attributes:
        manner: how the clauses are spoken that end from now on. What is read of the text changes
            with the next `flush` only.
        text_end: characters of all text so far.
        taking_text: held while text is added, for who ends the text meanwhile.
        round: how often speech was cancelled. What was spoken in an earlier round is not wanted.
    """

    def __init__(
        self,
        service: ServiceState,
        synthesizer: Synthesizer,
        statistics: RequestStatistics,
        write: WriteClause[T],
        turn: asyncio.Lock | None = None,
    ) -> None:
        self._clauses = ClauseBuffer()
        self._documents = SsmlInParts(service.settings.max_text_length)
        self.manner = Manner()
        self.text_end = 0
        self.taking_text = asyncio.Lock()
        self.round = 0
        self._service = service
        self._synthesizer = synthesizer
        self._statistics = statistics
        self._write = write
        self._turn = turn or asyncio.Lock()
        self._open_voices: tuple[str, ...] = ()
        self._backlog: Backlog[M] = Backlog()
        self._job: SpeechJob[T] | None = None
        self._broken_off: ServiceError | None = None
        self._starts_afresh = True
        self._has_words = False  # whether something of this text is said
        self._given = self._give()

    async def __aenter__(self) -> ClauseSpeech[T, M]:
        """Return itself."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Stop speaking, and wait for the thread."""
        await self._given.aclose()

    def __aiter__(self) -> AsyncIterator[Spoken[T] | Unspoken | M]:
        """Return what is spoken, and the marks."""
        return self._given

    @property
    def manner(self) -> Manner:
        """Return how clauses are spoken; see above."""
        return self._manner

    @manner.setter
    def manner(self, manner: Manner) -> None:
        self._manner = manner
        normalization = manner.normalization
        self._clauses.choose(None if normalization is None else normalization.of_document)

    @property
    def n_marks(self) -> int:
        """Return the number of marks that wait for the speech before them."""
        return self._backlog.n_marks

    @property
    def is_busy(self) -> bool:
        """Tell whether something waits, or is being spoken."""
        return bool(self._clauses.pending or self._documents.n_waiting) or self.is_speaking

    @property
    def is_speaking(self) -> bool:
        """Tell whether something is being spoken, or about to be; text may wait for its end."""
        return bool(self._backlog or self._job is not None)

    async def add(self, text: str) -> None:
        """Add text as its manner says; the cuts of SSML that is a whole document matter only.

        Raises:
            TextTooLongError: more than `max_text_length` characters would wait; none is added.
        """
        kind = self.manner.kind
        if kind == "text":
            await self._add_text(text)
        elif kind == "auto":
            self._check_room(self._documents.n_waiting + len(text))
            for part, is_document in self._documents.add(text):
                if is_document:
                    self.add_document(part)
                else:
                    await self._add_text(part)
        else:
            self.add_document(text)

    async def _add_text(self, text: str) -> None:
        self._check_room(len(text))
        # Searching a long text at once would block the event loop.
        async with self.taking_text:
            for start in range(0, len(text), _STEP_CHARACTERS):
                step = text[start : start + _STEP_CHARACTERS]
                self.text_end += len(step)
                self._order(self._clauses.add(step))
                await asyncio.sleep(0)

    def add_document(self, text: str) -> None:
        """Add a text that is said as a whole, such as SSML; what waits for its end is flushed.

        Raises:
            TextTooLongError: more than `max_text_length` characters would wait; it is not added.
        """
        self._check_room(len(text))
        self._flush()
        start = self.text_end
        self.text_end += len(text)
        self._clauses.skip(len(text))
        self._order([Clause(text, start)], is_document=True)
        self._open_voices = ()

    def flush(self, *, is_end: bool = True) -> None:
        """Speak the text so far, as if it ended here.

        Args:
            is_end: whether what is added next is another text; see `ClauseBuffer.flush`.
        """
        self._release()
        self._flush(is_end=is_end)

    def _release(self) -> None:
        """Add what waits for the rest of a document."""
        for part, _ in self._documents.rest():
            self.add_document(part)

    def _flush(self, *, is_end: bool = True) -> None:
        clauses = self._clauses.flush(is_end=is_end)
        if clauses and is_end and not self._has_words:
            # A text of nothing but signs is for the planner to refuse, or to answer with silence.
            clauses[-1] = replace(clauses[-1], is_silent=False)
        self._order(clauses)
        self._open_voices = ()
        self._has_words = self._has_words and not is_end

    def mark(self, mark: M) -> None:
        """Have the mark given after the clauses so far; `flush` first, for all text."""
        self._backlog.add(mark)

    def start_afresh(self) -> None:
        """Let the next clause start early, and without a pause, as at the beginning."""
        self._starts_afresh = True

    def cancel(self, *kinds: type[Any]) -> None:
        """Start another round: drop the text that is not spoken, and marks of these kinds."""
        self.round += 1
        self._release()  # so that it is counted
        self._clauses.clear()
        self._open_voices, self._has_words = (), False
        self._backlog.drop(Order, *kinds)
        self.stop(CancelledError("cancelled by the client"))

    def clear(self) -> None:
        """Drop all text and marks that wait."""
        self._release()
        self._clauses.clear()
        self._open_voices, self._has_words = (), False
        self._backlog.clear()

    def stop(self, reason: ServiceError) -> None:
        """Stop the clause that is being spoken."""
        if self._job is not None:
            self._job.cancel(reason)

    def break_off(self, reason: ServiceError) -> None:
        """Have the clause that is being spoken, and all after it, fail."""
        self._broken_off = reason
        self.stop(reason)

    def _check_room(self, n_characters: int) -> None:
        waiting = self._clauses.pending + self._backlog.n_characters
        limit = self._service.settings.max_text_length
        if waiting + n_characters > limit:
            raise TextTooLongError(
                f"{waiting} characters are waiting, and {n_characters} more exceed the limit of "
                f"{limit}; this message was dropped"
            )

    def _order(self, clauses: list[Clause], *, is_document: bool = False) -> None:
        manner = self.manner
        if manner.kind == "auto" and not is_document:
            manner = replace(manner, kind="text")  # however a clause of it opens
        for clause in clauses:
            self._statistics.asked()
            self._has_words = self._has_words or not clause.is_silent
            self._backlog.add(Order(clause, manner, self._open_voices))
            self._open_voices = voices_after(clause.text, self._open_voices)

    async def _give(self) -> AsyncGenerator[Spoken[T] | Unspoken | M, None]:
        while True:
            order = await self._backlog.take()
            if not isinstance(order, Order):
                yield order
                continue
            spoken_round = self.round
            if order.clause.is_silent:
                if not is_blank(order.clause.text):
                    yield Unspoken(order.clause, EmptyTextError(_SILENT))
                continue
            try:
                async with self._turn:
                    if spoken_round != self.round:
                        continue  # cancelled while it waited
                    async with self._speaking(order) as job:
                        async for item in job:
                            self._starts_afresh = False
                            yield Spoken(item, spoken_round)
            except CancelledError:
                pass  # whoever cancels knows
            except (EmptyTextError, NothingToSayError) as error:
                if not is_blank(without_voice_tags(order.clause.text)):
                    yield Unspoken(order.clause, error)
            except ServiceError as error:
                yield Unspoken(order.clause, error)

    @asynccontextmanager
    async def _speaking(self, order: Order) -> AsyncIterator[SpeechJob[T]]:
        try:
            async with self._job_of(order) as self._job:
                if self._broken_off is not None:  # while the job was started, or before
                    self._job.cancel(self._broken_off)
                yield self._job
        finally:
            self._job = None

    def _job_of(self, order: Order) -> SpeechJob[T]:
        afresh, write = self._starts_afresh, self._write
        delivery = Delivery(
            streamed=True,
            timed=self._synthesizer.model.gives_durations,
            chunking=None if afresh else "even",
            first=afresh,
            last=False,
            read_first=True,
            gain=order.manner.gain,
        )
        return SpeechJob(
            self._service,
            self._synthesizer,
            order.manner.utterance(order.clause, order.open_voices),
            delivery,
            lambda plan, segments: write(order, plan, segments),
            statistics=self._statistics,
        )
