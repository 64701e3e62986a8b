"""Stop a request's speech from outside, also in the middle of a run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy

import ortffi
from service.errors import ServiceError


class Cancellation:
    """One request's way to stop, shared by who speaks and who may stop it. Thread-safe.

    A context manager. Needs a loaded ONNX Runtime.

    Attributes:
        run_options: what the model's runs are given, so that they stop before their next operator.
    """

    def __init__(self) -> None:
        self.run_options = ortffi.RunOptions()
        self._lock = threading.Lock()
        self._reason: ServiceError | None = None
        self._callbacks: list[Callable[[], None]] = []
        self._closed = False

    @property
    def reason(self) -> ServiceError | None:
        """Return why it was cancelled; None if it was not."""
        return self._reason

    def cancel(self, reason: ServiceError) -> None:
        """Stop the speech: whoever makes it has the reason raised. The first reason stays."""
        with self._lock:
            if self._closed or self._reason is not None:
                return
            self._reason = reason
            self.run_options.terminate()
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raise the reason if it was cancelled."""
        if self._reason is not None:
            # A copy each time: one that was raised holds the frames that it came through, which
            # hold us, and with us the whole answer until the garbage collector comes by.
            raise copy(self._reason)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Have a function called when it is cancelled within the `with` block, or was before."""
        with self._lock:
            self._callbacks.append(callback)
            cancelled = self._reason is not None
        try:
            if cancelled:
                callback()
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)

    def close(self) -> None:
        """Release the run options. Calling again is harmless; cancelling then does nothing."""
        with self._lock:
            self._closed = True
        self.run_options.close()

    def __enter__(self) -> Cancellation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
