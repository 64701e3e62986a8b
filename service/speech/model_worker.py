"""A worker: a place for a model, which may leave memory while nobody speaks."""

from __future__ import annotations

from collections.abc import Callable

from service.model import Model

Reopen = Callable[[Model], Model]
"""Opens a closed model anew, and returns the new one."""


class Worker:
    """An opened model, or a closed one that can be opened again.

    Not locked: `Turns` lends it to one thread at a time.

    Args:
        model: opened; owned from now on.
        reopen: used after `close`.

    Attributes:
        model: the model. A closed one still tells what it is.
        is_open: whether the model is open.
    """

    def __init__(self, model: Model, reopen: Reopen) -> None:
        self.model = model
        self.is_open = True
        self._reopen = reopen

    def open(self) -> None:
        """Open the model if it is closed.

        Raises:
            StartupError: it cannot be opened; see `service.model.open`.
            SynthesisError: it does not run.
        """
        if not self.is_open:
            self.model = self._reopen(self.model)
            self.is_open = True

    def close(self) -> None:
        """Close the model. May be called again."""
        self.is_open = False
        self.model.close()
