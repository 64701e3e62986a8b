"""One client of Wyoming, from its connection to its end."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
)

from service.api.error_answers import service_error_detail
from service.api.patience import StalledError
from service.api.request_record import record_request
from service.api.request_statistics import RequestStatistics
from service.api.state import ServiceState
from service.api.wyoming import schemas
from service.api.wyoming.synthesis import PartialText, Speech, refuse, speak_whole
from service.api.wyoming.wire import IdleError, MalformedEventError, Wire
from service.errors import CancelledError, InvalidRequestError, ServiceError
from service.logs import describe
from service.model.kokoro import SAMPLE_RATE_HZ

logger = logging.getLogger(__name__)

WHOLE, IN_PARTS = "wyoming:synthesize", "wyoming:synthesize-start"
"""Paths of the two kinds of requests, in log lines and metrics."""

IDLE_S = 300.0
"""Seconds that a client may be silent while nothing is spoken for it."""

_MAX_WAITING = 16
"""Requests of a connection that may wait for the ones before them."""

_CHUNK_BYTES = 32_768
"""Size of a chunk of audio: 0.7 s, so that a client that reads in real time is not slow."""

_FORMAT = {"rate": SAMPLE_RATE_HZ, "width": 2, "channels": 1}


@dataclass
class _Request:
    """A text to be spoken."""

    path: str
    speech: Speech
    statistics: RequestStatistics
    text: PartialText | None = None
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)
    start: float = field(default_factory=time.perf_counter)
    outcome: str = "ok"
    n_samples: int | None = None  # sent so far; None before the audio has begun


class Connection:
    """Serve a client until one side ends the connection, then close it.

    One task reads events, another speaks what they ask for, one after the other. When the client
    leaves, what is being spoken is cancelled.

    Args:
        service: the state of the service.
        wire: to the client.
        info: the answer to `describe`.
        finishes: whether the client may stop writing before it has heard everything; otherwise it
            has left then.
        idle_s: see `IDLE_S`.
    """

    def __init__(
        self,
        service: ServiceState,
        wire: Wire,
        info: Event,
        *,
        finishes: bool = False,
        idle_s: float = IDLE_S,
    ) -> None:
        self._service = service
        self._wire = wire
        self._info = info
        self._finishes = finishes
        self._idle_s = idle_s
        self._requests: asyncio.Queue[_Request | None] = asyncio.Queue()
        self._n_unanswered = 0
        self._in_parts = False  # between synthesize-start and synthesize-stop
        self._text: PartialText | None = None  # None also if the start was refused

    async def run(self) -> None:
        """Serve the client."""
        works = (self._read(), self._answer(), self._end_with_service())
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            await asyncio.wait(tasks[:2], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        failures = [result for result in results if isinstance(result, Exception)]
        if any(isinstance(failure, StalledError) for failure in failures):
            self._wire.abort()
            return
        for failure in failures:
            if not isinstance(failure, OSError):  # the client has left
                await self._tell_failure(failure)
        await self._wire.close()

    async def _tell_failure(self, failure: Exception) -> None:
        logger.error("a connection of Wyoming failed: %s", describe(failure))
        with suppress(OSError, StalledError):
            await self._wire.send(Error("internal error", "internal_error").event())

    # Reading.

    async def _read(self) -> None:
        while True:
            try:
                event = await self._wire.receive(self._idle_s)
            except IdleError:
                if self._is_busy():
                    continue
                logger.debug("a connection of Wyoming was idle")
                return
            except MalformedEventError as error:
                logger.debug("a connection of Wyoming sent no event: %s", error)
                await self._complain(InvalidRequestError(str(error)))
                return
            if event is None:
                break
            try:
                await self._handle(event)
            except ServiceError as error:
                await self._complain(error)
            # With a fast client receiving never waits, so yield to the other tasks.
            await asyncio.sleep(0)
        if self._finishes:
            await self._finish()
            await asyncio.Event().wait()  # until everything is answered

    async def _handle(self, event: Event) -> None:
        if Ping.is_type(event.type):
            await self._wire.send(Pong(schemas.read(schemas.PingRequest, event).text).event())
        elif Describe.is_type(event.type):
            await self._wire.send(self._info)
        elif Synthesize.is_type(event.type):
            # Clients send the whole text once more before synthesize-stop, for services that take
            # no parts.
            if not self._in_parts:
                self._speak_whole(event)
        elif SynthesizeStart.is_type(event.type):
            if self._in_parts:
                raise InvalidRequestError("synthesize-start before synthesize-stop")
            self._in_parts = True
            self._speak_parts(event)
        elif SynthesizeChunk.is_type(event.type):
            part = schemas.read(schemas.TextPart, event)
            self._check_in_parts(event)
            if self._text is not None:
                await self._text.add(part.text)
        elif SynthesizeStop.is_type(event.type):
            self._check_in_parts(event)
            await self._end_text()
        # Others are for other kinds of services, which the protocol wants to be ignored.

    def _check_in_parts(self, event: Event) -> None:
        if not self._in_parts:
            raise InvalidRequestError(f"{event.type} without synthesize-start")

    def _speak_whole(self, event: Event) -> None:
        self._check_room()
        statistics = RequestStatistics()
        try:
            asked = schemas.read(schemas.SynthesisRequest, event)
            speech = speak_whole(self._service, asked, statistics)
        except ServiceError as error:
            speech = refuse(error)
        self._order(_Request(WHOLE, speech, statistics))

    def _speak_parts(self, event: Event) -> None:
        self._check_room()
        statistics = RequestStatistics()
        try:
            asked = schemas.read(schemas.SynthesisStart, event)
            self._text = PartialText(self._service, asked, statistics)
            speech = self._text.speak()
        except ServiceError as error:
            speech = refuse(error)
        self._order(_Request(IN_PARTS, speech, statistics, self._text))

    def _check_room(self) -> None:
        self._service.admission.check_open()
        if self._n_unanswered >= _MAX_WAITING:
            raise InvalidRequestError(f"{_MAX_WAITING} texts are waiting; this one was dropped")

    def _order(self, request: _Request) -> None:
        self._n_unanswered += 1
        self._requests.put_nowait(request)

    async def _end_text(self) -> None:
        self._in_parts = False
        text, self._text = self._text, None
        if text is not None:
            await text.end()

    async def _end_with_service(self) -> None:
        await self._service.admission.closing.wait()
        await self._finish()

    async def _finish(self) -> None:
        """Answer what has come, then end."""
        await self._end_text()
        self._requests.put_nowait(None)

    def _is_busy(self) -> bool:
        """Tell whether something is spoken, or will be without another event."""
        if self._text is None:
            return self._n_unanswered > 0
        return self._n_unanswered > 1 or self._text.is_busy

    # Answering.

    async def _answer(self) -> None:
        while (request := await self._requests.get()) is not None:
            with self._recorded(request):
                goes_on = await self._say(request)
            self._n_unanswered -= 1
            if not goes_on:
                return

    @contextmanager
    def _recorded(self, request: _Request) -> Iterator[None]:
        service = self._service
        with (
            service.metrics.request_in_flight(),
            service.telemetry.span("request", headers={}) as span,
        ):
            try:
                yield
            except (asyncio.CancelledError, OSError):
                request.outcome = CancelledError.code  # the client has left
                raise
            except StalledError:
                request.outcome = "stalled"
                raise
            except Exception:
                request.outcome = "internal_error"
                raise
            finally:
                record_request(
                    service,
                    span,
                    level=logging.INFO,
                    identity=request.identity,
                    method="WYOMING",
                    path=request.path,
                    status=None,
                    outcome=request.outcome,
                    seconds=time.perf_counter() - request.start,
                    statistics=request.statistics,
                )

    async def _say(self, request: _Request) -> bool:
        """Answer a request; tell whether the connection goes on."""
        try:
            async with aclosing(request.speech) as speech:
                async for given in speech:
                    if isinstance(given, ServiceError):
                        await self._fail(request, given)
                    else:
                        await self._send_pcm(request, given)
        except ServiceError as error:
            if self._text is request.text:
                self._text = None  # what else comes of it is dropped
            await self._fail(request, error)
            if request.n_samples is not None:
                # No audio-stop, and nothing after it: nobody shall take a part for the whole.
                return False
        if request.outcome == "ok":
            await self._begin(request)
        # After an error too, since there are clients that only wait for this.
        await self._wire.send(AudioStop(_milliseconds(request)).event())
        if request.path == IN_PARTS:
            await self._wire.send(SynthesizeStopped().event())
        return True

    async def _begin(self, request: _Request) -> None:
        if request.n_samples is None:
            request.n_samples = 0
            await self._wire.send(AudioStart(**_FORMAT, timestamp=0).event())

    async def _send_pcm(self, request: _Request, pcm: bytes) -> None:
        await self._begin(request)
        for start in range(0, len(pcm), _CHUNK_BYTES):
            part = pcm[start : start + _CHUNK_BYTES]
            chunk = AudioChunk(**_FORMAT, audio=part, timestamp=_milliseconds(request))
            await self._wire.send(chunk.event())
            request.statistics.sent()
            request.n_samples = (request.n_samples or 0) + len(part) // _FORMAT["width"]

    async def _fail(self, request: _Request, error: ServiceError) -> None:
        request.outcome = error.code
        await self._complain(error, request.identity)

    async def _complain(self, error: ServiceError, identity: str = "-") -> None:
        detail = service_error_detail(error, identity)
        await self._wire.send(Error(detail.message, detail.code).event())


def _milliseconds(request: _Request) -> int:
    return (request.n_samples or 0) * 1000 // SAMPLE_RATE_HZ
