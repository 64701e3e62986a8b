"""Cancel the synthesis of a request, even during a run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy

import ortffi
from service.errors import ServiceError


class Cancellation:
    """The cancellation of one request, shared by those who synthesize and cancel it. Thread-safe.

    A context manager. Needs a loaded ONNX Runtime.

    Args:
        is_background: whether it is of work that gives way to requests.

    Attributes:
        is_background: see above.
        run_options: for the model's runs, which then stop before their next operator.
    """

    def __init__(self, *, is_background: bool = False) -> None:
        self.is_background = is_background
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
        """Stop the synthesis, which then raises the reason. Only the first call counts."""
        with self._lock:
            if self._closed or self._reason is not None:
                return
            self._reason = reason
            self.run_options.terminate()
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    def give_way(self) -> None:
        """Stop the run in progress, which raises TerminatedError, until `resume`."""
        with self._lock:
            if not self._closed:
                self.run_options.terminate()

    def resume(self) -> None:
        """Allow runs again after `give_way`, unless it was cancelled."""
        with self._lock:
            if not self._closed and self._reason is None:
                self.run_options.resume()

    def check(self) -> None:
        """Raise the reason if it was cancelled."""
        if self._reason is not None:
            # A copy each time: a raised exception holds its frames, which hold this object and the
            # whole answer, until the garbage collector runs.
            raise copy(self._reason)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call a function when it is cancelled within the block, or at once if it already is."""
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
        """Release the run options. May be called again; cancelling then does nothing."""
        with self._lock:
            self._closed = True
        self.run_options.close()

    def __enter__(self) -> Cancellation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
