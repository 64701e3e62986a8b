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

from service.api.backlog import Manner
from service.api.clause_speech import ClauseSpeech, Spoken, Unspoken
from service.api.error_answers import error_detail, service_error_detail
from service.api.patience import StalledError, send_patiently
from service.api.request_statistics import RequestStatistics
from service.api.state import Ready, ServiceState
from service.api.websocket import messages
from service.api.websocket.clause_messages import SpokenSegment, clause_messages
from service.audio import require_rate
from service.errors import (
    CancelledError,
    EmptyTextError,
    InvalidRequestError,
    NothingToSayError,
    NotReadyError,
    ServiceError,
)
from service.logs import describe

logger = logging.getLogger(__name__)

_FRAME_BYTES = 32_768
"""Size of a binary frame: 0.7 s of PCM at 24 kHz."""

_MAX_MESSAGES = 256
"""Messages that may wait for the speech before them. They have no text, so its limit does not bound
them."""

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
        self._speech: ClauseSpeech[SpokenSegment, messages.FromServer] = ClauseSpeech(
            service, ready.synthesizer, statistics, clause_messages
        )
        self._parcels: asyncio.Queue[_Parcel] = asyncio.Queue(maxsize=1)
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
            self._speech.stop(CancelledError("the session is over"))
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
        return self._speech.is_busy or self._is_sending or not self._parcels.empty()

    # Reading.

    async def _read(self) -> None:
        try:
            opening: messages.FromServer = self._describe(Manner())
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
            await self._speech.add(message.text)
        elif isinstance(message, messages.End):
            self._end()
        elif self._speech.n_marks >= _MAX_MESSAGES:
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
            self._speech.flush()
            self._speech.manner = manner
            self._speech.mark(description)
        else:
            self._speech.flush()
            self._speech.mark(messages.Flushed(text_end=self._speech.text_end))

    def _describe(self, manner: Manner) -> messages.Ready:
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
        self._speech.cancel(messages.Done)
        self._speech.mark(messages.Cancelled(text_end=self._speech.text_end))
        if self._ending:
            self._speech.mark(messages.Done(text_end=self._speech.text_end))

    def _end(self) -> None:
        self._ending = True
        self._speech.flush()
        self._speech.mark(messages.Done(text_end=self._speech.text_end))

    async def _end_with_service(self) -> None:
        await self._service.admission.closing.wait()
        async with self._speech.taking_text:
            if not self._ending:
                self._close_code = GOING_AWAY
                self._end()

    # Speaking.

    async def _speak(self) -> None:
        async with self._speech:
            async for given in self._speech:
                if isinstance(given, Spoken):
                    message, audio = given.item
                    self._spoken_to = message.text_end
                    await self._parcels.put(_Parcel(message, audio, given.round))
                elif isinstance(given, Unspoken):
                    await self._tell_unspoken(given)
                else:
                    if isinstance(given, messages.Flushed | messages.Cancelled):
                        self._speech.start_afresh()
                    await self._say(given, is_last=isinstance(given, messages.Done))

    async def _tell_unspoken(self, unspoken: Unspoken) -> None:
        error, start = unspoken.error, unspoken.clause.start
        end = start + len(unspoken.clause.text)
        if isinstance(error, EmptyTextError | NothingToSayError):
            await self._say(messages.Skipped(text_start=start, text_end=end, reason=error.message))
            return
        start = max(start, self._spoken_to)
        if error.status < 500:
            await self._complain(error, start, end)
            return
        self._ending = True
        self._speech.clear()
        self._outcome = error.code
        self._close_code = GOING_AWAY if isinstance(error, NotReadyError) else FAILED
        await self._complain(error, start, end, is_last=True)

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
        if isinstance(message, messages.Audio) and parcel.round != self._speech.round:
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
