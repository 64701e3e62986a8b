"""One WebSocket session: text comes in parts, speech goes out clause by clause.

Three tasks: one reads messages, one speaks clauses, one sends. Between the last two there is room
for a single segment, so a client that reads slowly slows synthesis down.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass

import anyio
from starlette.websockets import WebSocket

from service.api.backlog import Manner
from service.api.clause_speech import ClauseSpeech, Spoken, Unspoken
from service.api.error_answers import error_detail, service_error_detail
from service.api.normalize_field import normalization_of
from service.api.request_statistics import RequestStatistics
from service.api.schemas import cast_of, text_kind
from service.api.socket_session import FAILED, GOING_AWAY, SocketSession
from service.api.state import ServiceState
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
from service.speech import Synthesizer, gain_of

_FRAME_BYTES = 32_768
"""Size of a binary frame: 0.7 s of PCM at 24 kHz."""

_MAX_MESSAGES = 256
"""Messages that may wait for the speech before them. They have no text, so its limit does not bound
them."""


@dataclass(frozen=True)
class _Parcel:
    """An item of the sending task: a message, and its audio."""

    message: messages.FromServer
    audio: bytes = b""
    round: int = 0
    is_last: bool = False


class Session(SocketSession):
    """Speak what comes on an accepted WebSocket; see `SocketSession`.

    Args:
        websocket: the connection.
        service: the state of the service.
        synthesizer: of the model that is wanted.
        request_id: of the session.
        statistics: counts what is spoken.
    """

    def __init__(
        self,
        websocket: WebSocket,
        service: ServiceState,
        synthesizer: Synthesizer,
        request_id: str,
        statistics: RequestStatistics,
    ) -> None:
        super().__init__(websocket, service, request_id)
        self._synthesizer = synthesizer
        self._statistics = statistics
        self._speech: ClauseSpeech[SpokenSegment, messages.FromServer] = ClauseSpeech(
            service, synthesizer, statistics, clause_messages
        )
        self._parcels: asyncio.Queue[_Parcel] = asyncio.Queue(maxsize=1)
        self._spoken_to = 0  # offset in the text
        self._is_sending = False
        self._sent_s = 0.0
        self._ending = False
        self._idle_since_s = asyncio.get_running_loop().time()

    def works(self) -> Sequence[Coroutine[None, None, None]]:
        """Return what the session does at the same time."""
        return self._read(), self._speak(), self._send()

    def is_busy(self) -> bool:
        """Tell whether something is not yet sent."""
        return self._speech.is_busy or self._is_sending or not self._parcels.empty()

    def stop(self, reason: CancelledError) -> None:
        """Stop speaking, because the session is over."""
        self._speech.stop(reason)

    async def end_early(self) -> None:
        """End the text here, because the service shuts down, or nothing happens."""
        async with self._speech.taking_text:
            if not self._ending:
                self.close_code = GOING_AWAY
                self._end()

    async def break_off(self, reason: NotReadyError) -> None:
        """Have the clause in progress, or the next one, fail, which ends the session."""
        self._speech.break_off(reason)

    async def tell_failure(self) -> None:
        """Tell the client of an internal error, before the session is closed."""
        detail = error_detail(self.outcome, "internal error", self.request_id)
        await self._send_message(messages.Error(error=detail))

    # Reading.

    async def _read(self) -> None:
        try:
            opening: messages.FromServer = self._describe(Manner())
        except ServiceError as error:  # the default voice has no language of its own
            opening = messages.Error(error=service_error_detail(error, self.request_id))
        await self._say(opening)
        while True:
            text = await self._receive_in_time()
            try:
                await self._handle(messages.from_client(text))
            except ServiceError as error:
                await self._complain(error)
            # With a fast client receiving never waits, so yield to the other tasks.
            await asyncio.sleep(0)

    async def _receive_in_time(self) -> str | None:
        """Return the next message; end the text if none comes and nothing is said for too long."""
        while True:
            with anyio.move_on_after(self._patience_s()):
                text = await self.receive()
                self._idle_since_s = asyncio.get_running_loop().time()
                return text
            if self._patience_s() <= 0:
                await self.end_early()

    def _patience_s(self) -> float:
        """Return in how many seconds the session has been idle for too long, if it stays so."""
        limit_s = self.service.settings.session_idle_s
        if not limit_s or self._ending:
            return math.inf
        # Text that waits for its end keeps nothing open, only speech does.
        if self._speech.is_speaking or self._is_sending or not self._parcels.empty():
            return limit_s
        return max(0.0, self._idle_since_s + limit_s - asyncio.get_running_loop().time())

    async def _handle(self, message: messages.FromClient) -> None:
        if isinstance(message, messages.Cancel):
            self._cancel()
            return
        if self._ending:
            self.service.admission.check_open()
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
                normalization_of(message.normalize),
                message.format,
                require_rate(message.format, message.sample_rate),
                message.lexicon,
                gain=gain_of(message.volume),
                cast=cast_of(message.speakers),
                kind=text_kind(message.ssml, auto=False),
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
            request_id=self.request_id,
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
        self.outcome = error.code
        self.close_code = GOING_AWAY if isinstance(error, NotReadyError) else FAILED
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
        detail = service_error_detail(error, self.request_id)
        message = messages.Error(error=detail, text_start=text_start, text_end=text_end)
        await self._say(message, is_last=is_last)

    async def _send(self) -> None:
        is_over = False
        while not is_over:
            parcel = await self._parcels.get()
            self._is_sending = True
            await self._send_parcel(parcel)
            self._is_sending = False
            self._idle_since_s = asyncio.get_running_loop().time()
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
            await self.send_bytes(frame)
        if isinstance(parcel.message, messages.Audio):
            self._sent_s += parcel.message.end_s - parcel.message.start_s

    async def _send_message(self, message: messages.FromServer) -> None:
        content = message.model_dump_json(exclude_none=True)
        await self.send_text(content)
