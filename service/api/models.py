"""The models that a request may choose besides the server's own; each is loaded when first used."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import anyio.to_thread

from service.api.idleness import Idleness
from service.errors import NotReadyError, ServiceError, UnknownModelError
from service.settings import nearest
from service.speech import Synthesizer

logger = logging.getLogger(__name__)

_RETRY_S = 10.0
"""After this a model that could not be loaded is tried again."""


@dataclass(frozen=True)
class _Loaded:
    synthesizer: Synthesizer
    idleness: Idleness


class OtherModels:
    """Models by name. Used on the event loop only, except for `close`.

    Who asks for a model while it is being loaded waits for that. A model that nobody has spoken
    with for `idle_unload_s` leaves memory, by its own count, and comes back as the server's own.

    Args:
        names: of the models.
        load: loads one, in a thread, and tests it.
        idle_unload_s: the setting.
    """

    def __init__(
        self, names: tuple[str, ...], load: Callable[[str], Synthesizer], idle_unload_s: float
    ) -> None:
        self.names = names
        self._load = load
        self._idle_unload_s = idle_unload_s
        self._loading: dict[str, asyncio.Task[_Loaded]] = {}
        self._loaded: dict[str, _Loaded] = {}

    @property
    def synthesizers(self) -> list[Synthesizer]:
        """Return those of the models that are loaded, or were and are unloaded."""
        return [one.synthesizer for one in list(self._loaded.values())]

    def idleness_of(self, synthesizer: Synthesizer) -> Idleness | None:
        """Return what counts how long nobody has used a synthesizer; None if it is not here."""
        found = (one for one in self._loaded.values() if one.synthesizer is synthesizer)
        return next((one.idleness for one in found), None)

    async def get(self, name: str) -> Synthesizer:
        """Return the synthesizer of a model.

        Raises:
            UnknownModelError: there is no such model.
            NotReadyError: it cannot be loaded; the log says why.
        """
        if name not in self.names:
            raise UnknownModelError(f"no model {name!r}{nearest(name, self.names)}")
        task = self._loading.get(name)
        if task is None:
            task = self._loading[name] = asyncio.ensure_future(self._open(name))
            task.add_done_callback(partial(self._forget_failure, name))
        try:
            loaded = await asyncio.shield(task)  # a client that leaves does not stop it for others
        except ServiceError as error:
            raise NotReadyError(f"the model {name} cannot be loaded") from error
        return loaded.synthesizer

    def _forget_failure(self, name: str, task: asyncio.Task[_Loaded]) -> None:
        """Let a model that could not be loaded be tried again, but not with every request."""
        if task.cancelled() or task.exception() is not None:
            asyncio.get_running_loop().call_later(_RETRY_S, self._loading.pop, name, None)

    async def _open(self, name: str) -> _Loaded:
        logger.info("loading the model %s", name)
        try:
            synthesizer = await anyio.to_thread.run_sync(self._load, name)
        except ServiceError as error:
            logger.error("the model %s cannot be loaded: %s", name, error.message)
            raise

        def unload() -> None:
            logger.info("unloading the model %s after %g s", name, self._idle_unload_s)
            asyncio.get_running_loop().run_in_executor(None, synthesizer.unload)

        loaded = self._loaded[name] = _Loaded(synthesizer, Idleness(self._idle_unload_s, unload))
        loaded.idleness.count()
        return loaded

    def close(self) -> None:
        """Close the synthesizers after the chunks in progress. May be called again."""
        for synthesizer in self.synthesizers:
            synthesizer.close()
