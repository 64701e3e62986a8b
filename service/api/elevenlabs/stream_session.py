"""A session of ElevenLabs' WebSockets: one text, or several in contexts of their own.

One task reads messages, one for each context speaks, one sends. Before the last there is room for a
single message, so a client that reads slowly slows synthesis down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence

import anyio
from starlette.websockets import WebSocket

from service.api.elevenlabs.input_messages import (
    InputMessage,
    error_message,
    final_message,
    from_client,
)
from service.api.elevenlabs.speech_context import Client, SpeechContext
from service.api.elevenlabs.stream_options import StreamOptions
from service.api.error_answers import error_detail, service_error_detail
from service.api.request_statistics import RequestStatistics
from service.api.socket_session import FAILED, GOING_AWAY, REFUSED, SocketSession
from service.api.state import ServiceState
from service.errors import (
    CancelledError,
    InputTimeoutError,
    InvalidRequestError,
    NotReadyError,
    ServiceError,
)
from service.speech import Synthesizer

_MAX_CONTEXTS = 16
"""Contexts of a session that are open, or still speaking."""


class StreamSession(SocketSession, Client):
    """Speak what comes on an accepted WebSocket; see `SocketSession`.

    Args:
        websocket: the connection.
        service: the state of the service.
        synthesizer: to use.
        request_id: of the session.
        statistics: counts what is spoken.
        options: how the session speaks.
        has_contexts: whether messages name a context; otherwise there is one text.
    """

    def __init__(
        self,
        websocket: WebSocket,
        service: ServiceState,
        synthesizer: Synthesizer,
        request_id: str,
        statistics: RequestStatistics,
        options: StreamOptions,
        *,
        has_contexts: bool,
    ) -> None:
        super().__init__(websocket, service, request_id)
        self._synthesizer = synthesizer
        self._statistics = statistics
        self._options = options
        self._has_contexts = has_contexts
        self._contexts: dict[str | None, SpeechContext] = {}
        self._speaking: dict[asyncio.Task[None], SpeechContext] = {}
        self._turn = asyncio.Lock()
        self._messages: asyncio.Queue[tuple[str, bool]] = asyncio.Queue(maxsize=1)
        self._is_sending = False
        self._is_ending = False
        self._changed = asyncio.Event()
        self._failure: BaseException | None = None

    def works(self) -> Sequence[Coroutine[None, None, None]]:
        """Return what the session does at the same time."""
        return self._read(), self._speak(), self._send()

    def is_busy(self) -> bool:
        """Tell whether something is not yet sent."""
        is_speaking = any(context.is_busy for context in self._speaking.values())
        return is_speaking or self._is_sending or not self._messages.empty()

    def stop(self, reason: CancelledError) -> None:
        """Stop speaking; `_speak` waits for the threads."""
        for task in self._speaking:
            task.cancel()

    async def end_early(self) -> None:
        """Speak the texts so far, then end."""
        if not self._is_ending:
            self.close_code = GOING_AWAY
            await self._finish()

    async def break_off(self, reason: NotReadyError) -> None:
        """Stop speaking, and end with an error."""
        await self._fail(reason, None)

    async def tell_failure(self) -> None:
        """Tell the client of an internal error."""
        detail = error_detail(self.outcome, "internal error", self.request_id)
        await self.send_text(error_message(None, detail, FAILED))

    async def tell(self, message: str, *, has_audio: bool = False) -> None:
        """Have a message sent after those before it."""
        await self._messages.put((message, has_audio))

    async def complain(self, error: ServiceError, context_id: str | None) -> None:
        """Tell of an error: it ends its context, and the session if all contexts suffer from it."""
        if self._has_contexts and error.status < 500:
            detail = service_error_detail(error, self.request_id)
            await self.tell(error_message(context_id, detail, None))
            await self.tell(final_message(context_id))
        else:
            await self._fail(error, context_id)

    # Reading.

    async def _read(self) -> None:
        while True:
            text = await self._receive_in_time()
            try:
                if not self._is_ending:
                    await self._handle(from_client(text))
            except ServiceError as error:
                await self._fail(error, None)
            # With a fast client receiving never waits, so yield to the other tasks.
            await asyncio.sleep(0)

    async def _receive_in_time(self) -> str | None:
        timeout_s = self._options.inactivity_timeout_s
        while True:
            with anyio.move_on_after(timeout_s):
                return await self.receive()
            # Text that waits for its end keeps nothing open, only speech does.
            if not (self._is_ending or self._turn.locked()):
                message = f"no message came for {timeout_s} s"
                await self._fail(InputTimeoutError(message), None)

    async def _handle(self, message: InputMessage) -> None:
        context_id = message.context_id if self._has_contexts else None
        context = self._contexts.get(context_id)
        if message.close_socket:
            self._end()
            for open_context in self._contexts.values():
                if not open_context.is_closing:
                    open_context.close()
        elif message.close_context:
            if context is not None:
                context.close()
        elif message.text == "" and not self._has_contexts:
            await self._finish()
        elif message.text or message.flush:
            if context is None or context.is_closing:
                if not message.text:
                    return  # it flushes nothing
                context = self._open(context_id)
            await context.hear(message)

    def _open(self, context_id: str | None) -> SpeechContext:
        if len(self._speaking) >= _MAX_CONTEXTS:
            raise InvalidRequestError(f"{_MAX_CONTEXTS} contexts are open already")
        context = SpeechContext(
            context_id, self, self.service, self._synthesizer, self._statistics, self._options,
            self._turn,
        )  # fmt: skip
        self._contexts[context_id] = context
        task = asyncio.ensure_future(context.run())
        self._speaking[task] = context
        task.add_done_callback(self._forget)
        return context

    # Ending.

    def _forget(self, task: asyncio.Task[None]) -> None:
        """Forget a context that is over."""
        context = self._speaking.pop(task)
        if self._contexts.get(context.context_id) is context:
            del self._contexts[context.context_id]
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()
        self._changed.set()

    async def _finish(self) -> None:
        """End after the speech of all texts so far."""
        if not self._contexts and not self._has_contexts:
            await self.tell(final_message(None))
        for context in tuple(self._contexts.values()):
            await context.finish()
        self._end()

    async def _fail(self, error: ServiceError, context_id: str | None) -> None:
        """End with an error."""
        self.outcome = error.code
        if error.status < 500:
            self.close_code = REFUSED
        else:
            self.close_code = GOING_AWAY if isinstance(error, NotReadyError) else FAILED
        for task in self._speaking:
            if task is not asyncio.current_task():
                task.cancel()
        detail = service_error_detail(error, self.request_id)
        await self.tell(error_message(context_id, detail, self.close_code))
        self._end()

    def _end(self) -> None:
        self._is_ending = True
        self._changed.set()

    async def _speak(self) -> None:
        """Wait until all contexts are over, and their messages sent."""
        try:
            while self._speaking or not self._is_ending:
                await self._changed.wait()
                self._changed.clear()
                if self._failure is not None:
                    raise self._failure
            await self._messages.join()
        finally:
            self.stop(CancelledError("the session is over"))
            await asyncio.gather(*self._speaking, return_exceptions=True)

    # Sending.

    async def _send(self) -> None:
        while True:
            message, has_audio = await self._messages.get()
            self._is_sending = True
            await self.send_text(message)
            self._is_sending = False
            if has_audio:
                self._statistics.sent()
            self._messages.task_done()
