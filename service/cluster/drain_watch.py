"""Know that this replica is being drained.

Ray waits for the requests of a replica that it stops, and tells the application nothing; but the
replica's actor knows. What the controller tells the routers is no sign of it: it also takes a
replica off their list while it is reconfigured. The actor is an inner matter of Ray, so the extra
`cluster` allows one minor version of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ray._private.worker import global_worker

_POLL_S = 0.2


class DrainWatch:
    """Calls a function once, when the replica of this process is asked to stop.

    Made in the event loop in which the function is called.

    Args:
        act: the function.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        (actor,) = global_worker.actors.values()
        self._replica: Any = actor._replica_impl
        self._act = act
        self._task = asyncio.create_task(self._watch())  # kept, or it might be collected

    async def _watch(self) -> None:
        while not self._replica._shutting_down:
            await asyncio.sleep(_POLL_S)
        self._act()
