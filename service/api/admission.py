"""Admission of a bounded number of requests and of sessions."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from service.errors import NotReadyError, OverloadedError
from service.speech import Cancellation

_CLOSED = "the service is shutting down"
_POLL_S = 0.05
_CANCEL_S = 5.0
"""Time for cancelled requests to end; the server closes the connections that remain."""

_MAX_RETRY_AFTER_S = 60
_FIRST_GUESS_S = 1.0
_SMOOTHING = 0.1
"""Weight of the newest request in the mean duration of recent ones."""


class Admission:
    """The places of a service. Used on the event loop only, so it needs no lock.

    Args:
        max_requests: in progress or waiting at a time.
        max_sessions: open at a time.
        has_memory: tells whether the machine has memory for another request.
        answer_bytes: memory that all answers may take; 0 is no limit. One answer alone has none.

    Attributes:
        n_requests: requests in progress or waiting for their turn.
        n_sessions: WebSocket sessions and Wyoming connections that are open.
        closing: set when the service shuts down.
        ending: set when sessions are to finish their text and end: when the service shuts down, or
            is a replica that others take over from.
        overdue: set when sessions that are still ending are to break off what they say.
    """

    def __init__(
        self,
        max_requests: int,
        max_sessions: int,
        has_memory: Callable[[], bool] = lambda: True,
        answer_bytes: int = 0,
    ) -> None:
        self._max_requests = max_requests
        self._has_memory = has_memory
        self._max_sessions = max_sessions
        self._answer_bytes = answer_bytes
        self._holders: list[Callable[[], int]] = []
        self.n_requests = 0
        self.n_sessions = 0
        self._mean_s = _FIRST_GUESS_S
        self._cancellations: set[Cancellation] = set()
        self.closing = asyncio.Event()
        self.ending = asyncio.Event()
        self.overdue = asyncio.Event()

    @property
    def held_bytes(self) -> int:
        """Return how much memory the answers in progress may take. Thread-safe."""
        return sum(held() for held in tuple(self._holders))

    @contextmanager
    def request(self, held_bytes: Callable[[], int] = lambda: 0) -> Iterator[None]:
        """Admit a request for the duration of the block.

        Args:
            held_bytes: returns how much memory its answer may take, as far as is known.

        Raises:
            OverloadedError: too many requests are in progress, or memory for its answer is short.
            NotReadyError: the service is shutting down.
        """
        self.check_open()
        if self.n_requests >= self._max_requests:
            raise OverloadedError(
                f"too many requests: {self._max_requests} are in progress or waiting",
                self._retry_after_s(),
            )
        self._check_memory()
        others = self.held_bytes
        if self._answer_bytes and others and others + held_bytes() > self._answer_bytes:
            raise OverloadedError(
                f"too little memory for the answer: {others} of {self._answer_bytes} bytes "
                "are in use",
                self._retry_after_s(),
            )
        self.n_requests += 1
        self._holders.append(held_bytes)
        start = time.monotonic()
        try:
            yield
        finally:
            self.n_requests -= 1
            self._holders.remove(held_bytes)
            self._mean_s += _SMOOTHING * (time.monotonic() - start - self._mean_s)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Admit a session for the duration of the block; raises as `request` does."""
        self.check_open()
        if self.n_sessions >= self._max_sessions:
            raise OverloadedError(
                f"too many sessions: {self._max_sessions} are open",
                self._retry_after_s(),
            )
        self._check_memory()
        self.n_sessions += 1
        try:
            yield
        finally:
            self.n_sessions -= 1

    @contextmanager
    def cancellable(self, cancellation: Cancellation) -> Iterator[None]:
        """Cancel what is spoken in the block when the service stops."""
        self._cancellations.add(cancellation)
        try:
            yield
        finally:
            self._cancellations.discard(cancellation)

    async def close(self, timeout_s: float, is_urgent: Callable[[], bool]) -> None:
        """Admit nobody any more, wait for requests in progress, and cancel those that remain.

        Args:
            timeout_s: seconds to wait.
            is_urgent: tells whether to stop waiting earlier.
        """
        self.closing.set()
        self.ending.set()
        until = time.monotonic() + timeout_s
        while self._is_busy() and time.monotonic() < until and not is_urgent():
            await asyncio.sleep(_POLL_S)
        until = time.monotonic() + _CANCEL_S
        # Repeated: a session between two utterances has nothing to cancel yet.
        while self._is_busy() and time.monotonic() < until:
            for cancellation in list(self._cancellations):
                cancellation.cancel(NotReadyError(_CLOSED))
            await asyncio.sleep(_POLL_S)

    def end_sessions(self, timeout_s: float) -> None:
        """Have sessions finish their text and end, while requests are admitted as before.

        Args:
            timeout_s: seconds that they have; then they break off.
        """
        self.ending.set()
        asyncio.get_running_loop().call_later(timeout_s, self.overdue.set)

    def _is_busy(self) -> bool:
        return bool(self.n_requests or self.n_sessions)

    def check_open(self) -> None:
        """Raise NotReadyError if the service is shutting down."""
        if self.closing.is_set():
            raise NotReadyError(_CLOSED)

    def _check_memory(self) -> None:
        if not self._has_memory():
            raise OverloadedError("the machine has too little free memory", self._retry_after_s())

    def _retry_after_s(self) -> int:
        """Return in how many seconds a request may be admitted: they end one after the other."""
        return min(_MAX_RETRY_AFTER_S, max(1, math.ceil(self._mean_s / self._max_requests)))
