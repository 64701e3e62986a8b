"""One WebSocket session: text comes in parts, speech goes out clause by clause.

Three tasks: one reads messages, one speaks clauses, one sends. Between the last two there is room
for a single segment, so a client that reads slowly slows synthesis down.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass

from starlette.websockets import WebSocket, WebSocketDisconnect

from service.api.error_answers import error_detail, service_error_detail
from service.api.job import SpeechJob
from service.api.patience import StalledError, send_patiently
from service.api.request_statistics import RequestStatistics
from service.api.state import Ready, ServiceState
from service.api.websocket import messages
from service.api.websocket.backlog import Backlog, Manner, Order
from service.api.websocket.clause_messages import SpokenSegment, clause_messages
from service.audio import require_rate
from service.errors import (
    CancelledError,
    EmptyTextError,
    InvalidRequestError,
    NothingToSayError,
    NotReadyError,
    ServiceError,
    TextTooLongError,
)
from service.logs import describe
from service.speech import Delivery
from service.text import Clause, ClauseBuffer

logger = logging.getLogger(__name__)

_FRAME_BYTES = 32_768
"""Size of a binary frame: 0.7 s of PCM at 24 kHz."""

_MAX_MESSAGES = 256
"""Messages that may wait for the speech before them. They have no text, so its limit does not bound
them."""

_STEP_CHARACTERS = 1000
"""Characters that are searched for clauses at a time, which takes three milliseconds at most."""

NORMAL = 1000
GOING_AWAY = 1001
FAILED = 1011
"""Close codes of RFC 6455."""

_LEFT_IN_ORDER = (NORMAL, GOING_AWAY, 1005)
"""Close codes of a client that leaves regularly; 1005 stands for none."""


@dataclass(frozen=True)
class _Parcel:
    """An item of the sending task: a message, and its audio."""

    message: messages.FromServer
    audio: bytes = b""
    round: int = 0
    is_last: bool = False


class Session:
    """Serve an accepted WebSocket until one side ends it.

    Args:
        websocket: the connection.
        service: the state of the service.
        ready: the synthesizer.
        request_id: of the session.
        statistics: counts what is spoken.
    """

    def __init__(
        self,
        websocket: WebSocket,
        service: ServiceState,
        ready: Ready,
        request_id: str,
        statistics: RequestStatistics,
    ) -> None:
        self._websocket = websocket
        self._service = service
        self._synthesizer = ready.synthesizer
        self._request_id = request_id
        self._statistics = statistics
        self._manner = Manner()
        self._clauses = ClauseBuffer()
        self._text_end = 0
        self._taking_text = asyncio.Lock()
        self._backlog = Backlog()
        self._parcels: asyncio.Queue[_Parcel] = asyncio.Queue(maxsize=1)
        self._round = 0  # `cancel` starts another round
        self._job: SpeechJob[SpokenSegment] | None = None
        self._starts_afresh = True
        self._spoken_to = 0  # offset in the text
        self._is_sending = False
        self._sent_s = 0.0
        self._ending = False
        self._close_code = NORMAL
        self._outcome = "ok"

    async def run(self) -> str:
        """Serve until the connection is closed; return `ok` or an error code.

        Raises:
            StalledError: the client reads nothing.
        """
        works = (self._read(), self._speak(), self._send(), self._end_with_service())
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            # None of the first three returns before the session ends or the task fails.
            await asyncio.wait(tasks[:3], return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_busy = self._is_busy()
            self._stop(CancelledError("the session is over"))
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        stalled = left = None
        for result in results:
            if isinstance(result, StalledError):
                stalled = result
            elif isinstance(result, WebSocketDisconnect):
                left = result
            elif isinstance(result, Exception):
                logger.error("session %s failed: %s", self._request_id, describe(result))
                self._outcome, self._close_code = "internal_error", FAILED
        if stalled is not None:
            raise stalled
        if left is None:
            await self._close()
        elif self._outcome == "ok" and is_busy:
            self._outcome = CancelledError.code
        elif self._outcome == "ok" and left.code not in _LEFT_IN_ORDER:
            self._outcome = "aborted"
        return self._outcome

    async def _close(self) -> None:
        try:
            if self._outcome == "internal_error":
                detail = error_detail(self._outcome, "internal error", self._request_id)
                await self._send_message(messages.Error(error=detail))
            await self._patiently(self._websocket.close(self._close_code))
        except WebSocketDisconnect:
            pass  # the client has left

    def _is_busy(self) -> bool:
        """Tell whether something is not yet sent."""
        return bool(
            self._clauses.pending
            or self._backlog
            or self._job is not None
            or self._is_sending
            or not self._parcels.empty()
        )

    # Reading.

    async def _read(self) -> None:
        try:
            opening: messages.FromServer = self._describe()
        except ServiceError as error:  # the default voice has no language of its own
            opening = messages.Error(error=service_error_detail(error, self._request_id))
        await self._say(opening)
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1005))
            try:
                await self._handle(messages.from_client(message.get("text")))
            except ServiceError as error:
                await self._complain(error)
            # With a fast client receiving never waits, so yield to the other tasks.
            await asyncio.sleep(0)

    async def _handle(self, message: messages.FromClient) -> None:
        if isinstance(message, messages.Cancel):
            self._cancel()
            return
        if self._ending:
            self._service.admission.check_open()
            raise InvalidRequestError("only cancel is accepted after end")
        if isinstance(message, messages.Text):
            await self._add(message.text)
        elif isinstance(message, messages.End):
            self._end()
        elif self._backlog.n_messages >= _MAX_MESSAGES:
            raise InvalidRequestError(
                f"{_MAX_MESSAGES} messages are waiting already; this one was dropped"
            )
        elif isinstance(message, messages.Config):
            manner = Manner(
                message.voice,
                message.language,
                message.speed,
                message.timestamps,
                message.normalize,
                message.format,
                require_rate(message.format, message.sample_rate),
                message.lexicon,
            )
            description = self._describe(manner)
            self._order(self._clauses.flush())
            self._manner = manner
            self._backlog.add(description)
        else:
            self._order(self._clauses.flush())
            self._backlog.add(messages.Flushed(text_end=self._text_end))

    async def _add(self, text: str) -> None:
        waiting = self._clauses.pending + self._backlog.n_characters
        limit = self._service.settings.max_text_length
        if waiting + len(text) > limit:
            raise TextTooLongError(
                f"{waiting} characters are waiting, and {len(text)} more exceed the limit of "
                f"{limit}; this message was dropped"
            )
        # Searching a long text at once would block the event loop.
        async with self._taking_text:
            for start in range(0, len(text), _STEP_CHARACTERS):
                step = text[start : start + _STEP_CHARACTERS]
                self._text_end += len(step)
                self._order(self._clauses.add(step))
                await asyncio.sleep(0)

    def _describe(self, manner: Manner | None = None) -> messages.Ready:
        manner = manner or self._manner
        blend, language = self._synthesizer.planner.settle(manner.voice, manner.language)
        return messages.Ready(
            request_id=self._request_id,
            voice="+".join(voice.name for voice, _ in blend.parts),
            language=language,
            speed=manner.speed,
            sample_rate_hz=manner.sample_rate_hz,
            format="pcm_s16le" if manner.format == "pcm" else manner.format,
        )

    def _cancel(self) -> None:
        self._round += 1
        self._clauses.clear()
        self._backlog.drop(Order, messages.Done)
        self._stop(CancelledError("cancelled by the client"))
        self._backlog.add(messages.Cancelled(text_end=self._text_end))
        if self._ending:
            self._backlog.add(messages.Done(text_end=self._text_end))

    def _end(self) -> None:
        self._ending = True
        self._order(self._clauses.flush())
        self._backlog.add(messages.Done(text_end=self._text_end))

    async def _end_with_service(self) -> None:
        await self._service.admission.closing.wait()
        async with self._taking_text:
            if not self._ending:
                self._close_code = GOING_AWAY
                self._end()

    def _order(self, clauses: list[Clause]) -> None:
        for clause in clauses:
            self._statistics.asked()
            self._backlog.add(Order(clause, self._manner))

    def _stop(self, reason: ServiceError) -> None:
        if self._job is not None:
            self._job.cancel(reason)

    # Speaking.

    async def _speak(self) -> None:
        while True:
            item = await self._backlog.take()
            if isinstance(item, Order):
                await self._speak_clause(item)
                continue
            # After a flush or a cancel, audio starts early again.
            self._starts_afresh |= isinstance(item, messages.Flushed | messages.Cancelled)
            await self._say(item, is_last=isinstance(item, messages.Done))

    async def _speak_clause(self, order: Order) -> None:
        start = order.clause.start
        end = start + len(order.clause.text)
        try:
            await self._produce_clause(order)
        except (EmptyTextError, NothingToSayError) as error:
            if order.clause.text.strip():
                await self._say(
                    messages.Skipped(text_start=start, text_end=end, reason=error.message)
                )
        except CancelledError:
            pass  # `cancelled` follows
        except ServiceError as error:
            start = max(start, self._spoken_to)
            if error.status < 500:
                await self._complain(error, start, end)
                return
            self._ending = True
            self._clauses.clear()
            self._backlog.clear()
            self._outcome = error.code
            self._close_code = GOING_AWAY if isinstance(error, NotReadyError) else FAILED
            await self._complain(error, start, end, is_last=True)

    async def _produce_clause(self, order: Order) -> None:
        spoken_round = self._round
        clause, manner, afresh = order.clause, order.manner, self._starts_afresh
        delivery = Delivery(
            streamed=True,
            timed=self._synthesizer.model.gives_durations,
            early=None if afresh else False,
            first=afresh,
            last=False,
            read_first=True,
        )
        try:
            async with SpeechJob(
                self._service,
                self._synthesizer,
                manner.utterance(clause.text),
                delivery,
                lambda plan, segments: clause_messages(order, plan, segments),
                statistics=self._statistics,
            ) as self._job:
                async for message, audio in self._job:
                    self._starts_afresh = False
                    self._spoken_to = message.text_end
                    await self._parcels.put(_Parcel(message, audio, spoken_round))
        finally:
            self._job = None

    # Sending.

    async def _say(self, message: messages.FromServer, *, is_last: bool = False) -> None:
        await self._parcels.put(_Parcel(message, is_last=is_last))

    async def _complain(
        self,
        error: ServiceError,
        text_start: int | None = None,
        text_end: int | None = None,
        *,
        is_last: bool = False,
    ) -> None:
        detail = service_error_detail(error, self._request_id)
        message = messages.Error(error=detail, text_start=text_start, text_end=text_end)
        await self._say(message, is_last=is_last)

    async def _send(self) -> None:
        is_over = False
        while not is_over:
            parcel = await self._parcels.get()
            self._is_sending = True
            await self._send_parcel(parcel)
            self._is_sending = False
            is_over = parcel.is_last

    async def _send_parcel(self, parcel: _Parcel) -> None:
        message = parcel.message
        if isinstance(message, messages.Audio) and parcel.round != self._round:
            return  # it was cancelled before it was sent
        if isinstance(message, messages.Audio | messages.Done):
            message = message.after(self._sent_s)
        await self._send_message(message)
        if parcel.audio:
            self._statistics.sent()
        for start in range(0, len(parcel.audio), _FRAME_BYTES):
            frame = parcel.audio[start : start + _FRAME_BYTES]
            await self._patiently(self._websocket.send_bytes(frame))
        if isinstance(parcel.message, messages.Audio):
            self._sent_s += parcel.message.end_s - parcel.message.start_s

    async def _send_message(self, message: messages.FromServer) -> None:
        content = message.model_dump_json(exclude_none=True)
        await self._patiently(self._websocket.send_text(content))

    async def _patiently(self, sending: Awaitable[None]) -> None:
        """Send; raises WebSocketDisconnect or StalledError."""
        try:
            await send_patiently(sending, self._service.settings.send_timeout_s)
        except RuntimeError as error:
            # When uvicorn closes the connection itself (a message was too long, a ping was not
            # answered), sending raises this until the disconnect message arrives.
            raise WebSocketDisconnect(1006) from error
