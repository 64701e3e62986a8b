"""A session on a WebSocket: its admission, its tasks, its end and its outcome."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import ExitStack
from typing import cast

from starlette.websockets import WebSocket, WebSocketDisconnect

from service.api.error_answers import service_error_answer
from service.api.patience import StalledError, abort_of, send_patiently
from service.api.request_statistics import RequestStatistics
from service.api.schemas import without_halves
from service.api.state import ServiceState
from service.errors import CancelledError, NotReadyError, ServiceError
from service.logs import describe
from service.speech import Synthesizer

logger = logging.getLogger(__name__)

NORMAL = 1000
GOING_AWAY = 1001
REFUSED = 1008
TOO_BIG = 1009
FAILED = 1011
"""Close codes of RFC 6455."""

_LEFT_IN_ORDER = (NORMAL, GOING_AWAY, 1005)
"""Close codes of a client that leaves regularly; 1005 stands for none."""


class _TooBigError(Exception):
    """A message is longer than the service takes."""


class SocketSession(ABC):
    """Serve an accepted WebSocket until one side ends it.

    Args:
        websocket: the connection.
        service: the state of the service.
        request_id: of the session.

    Attributes:
        service: see above.
        request_id: likewise.
        outcome: `ok` or an error code.
        close_code: with which the session ends.
    """

    def __init__(self, websocket: WebSocket, service: ServiceState, request_id: str) -> None:
        self.service = service
        self.request_id = request_id
        self.outcome = "ok"
        self.close_code = NORMAL
        self._websocket = websocket

    async def run(self) -> str:
        """Serve until the connection is closed; return the outcome.

        Raises:
            StalledError: the client reads nothing.
        """
        works = [asyncio.ensure_future(work) for work in self.works()]
        ending = asyncio.ensure_future(self._end_with_service())
        try:
            # None of them returns before the session ends or the task fails.
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            was_busy = self.is_busy()
            self.stop(CancelledError("the session is over"))
            for task in (*works, ending):
                task.cancel()
            results = await asyncio.gather(*works, ending, return_exceptions=True)
        stalled = left = None
        for result in results:
            if isinstance(result, StalledError):
                stalled = result
            elif isinstance(result, _TooBigError):
                self.outcome, self.close_code = "body_too_large", TOO_BIG
            elif isinstance(result, WebSocketDisconnect):
                left = result
            elif isinstance(result, Exception):
                logger.error("session %s failed: %s", self.request_id, describe(result))
                self.outcome, self.close_code = "internal_error", FAILED
        if stalled is not None:
            raise stalled
        if left is None:
            await self._close()
        elif self.outcome == "ok" and was_busy:
            self.outcome = CancelledError.code
        elif self.outcome == "ok" and left.code not in _LEFT_IN_ORDER:
            self.outcome = "aborted"
        return self.outcome

    @abstractmethod
    def works(self) -> Sequence[Coroutine[None, None, None]]:
        """Return what the session does at the same time, until the first of them returns."""

    @abstractmethod
    def is_busy(self) -> bool:
        """Tell whether something is not yet sent."""

    @abstractmethod
    def stop(self, reason: CancelledError) -> None:
        """Stop speaking, because the session is over."""

    @abstractmethod
    async def end_early(self) -> None:
        """End the text here, because the service shuts down."""

    @abstractmethod
    async def break_off(self, reason: NotReadyError) -> None:
        """Stop speaking, tell the client the reason, and end. Called after `end_early`."""

    @abstractmethod
    async def tell_failure(self) -> None:
        """Tell the client of an internal error, before the session is closed."""

    async def receive(self) -> str | None:
        """Return the next message, in JSON; None if it is a binary frame.

        Raises:
            WebSocketDisconnect: the client has left.
        """
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1005))
        text: str | None = message.get("text")
        # The service's own server refuses it before it is read whole.
        if text is not None and len(text.encode()) > self.service.max_body_bytes:
            raise _TooBigError
        if text is None or self.service.settings.strict_characters:
            return text
        return without_halves(text)

    async def send_text(self, text: str) -> None:
        """Send a text frame.

        Raises:
            WebSocketDisconnect: the client has left.
            StalledError: it reads nothing.
        """
        await self._patiently(self._websocket.send_text(text))

    async def send_bytes(self, data: bytes) -> None:
        """Send a binary frame; raises as `send_text` does."""
        await self._patiently(self._websocket.send_bytes(data))

    async def _end_with_service(self) -> None:
        admission = self.service.admission
        await admission.ending.wait()
        await self.end_early()
        await admission.overdue.wait()
        await self.break_off(NotReadyError("the service is shutting down"))

    async def _close(self) -> None:
        try:
            if self.outcome == "internal_error":
                await self.tell_failure()
            await self._patiently(self._websocket.close(self.close_code))
        except WebSocketDisconnect:
            pass  # the client has left

    async def _patiently(self, sending: Awaitable[None]) -> None:
        try:
            await send_patiently(sending, self.service.settings.send_timeout_s)
        except RuntimeError as error:
            # When uvicorn closes the connection itself (a message was too long, a ping was not
            # answered), sending raises this until the disconnect message arrives.
            raise WebSocketDisconnect(1006) from error


async def serve_session(
    websocket: WebSocket,
    choose: Callable[[ServiceState], Awaitable[Synthesizer]],
    open_session: Callable[[ServiceState, Synthesizer, str, RequestStatistics], SocketSession],
    subprotocol: str | None = None,
) -> None:
    """Admit a session, accept its WebSocket and serve it.

    A session that cannot be opened is refused with an HTTP answer before the upgrade.

    Args:
        websocket: the connection.
        choose: returns the synthesizer of the model that is wanted; may raise a ServiceError.
        open_session: makes the session; may raise a ServiceError.
        subprotocol: the one that is spoken; told to a client that offers it.
    """
    service = cast("ServiceState", websocket.app.state.service)
    state = websocket.scope["state"]
    with ExitStack() as stack:
        statistics = RequestStatistics()
        try:
            service.require()
            stack.enter_context(service.admission.session())
            synthesizer = await choose(service)
            session = open_session(service, synthesizer, state["request_id"], statistics)
        except ServiceError as error:
            await websocket.send_denial_response(service_error_answer(websocket.scope, error))
            return
        offered = websocket.scope.get("subprotocols", ())
        await websocket.accept(subprotocol if subprotocol in offered else None)
        state["statistics"] = statistics
        state["outcome"] = await session.run()
    # A client that does not read the close would keep the connection open for ever.
    asyncio.get_running_loop().call_later(service.settings.send_timeout_s, abort_of(state))
