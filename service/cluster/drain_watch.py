"""Know that this replica is being drained.

Ray waits for the requests of a replica that it stops, and tells the replica nothing. But its
controller tells every router which replicas run, so a replica that was among them and no longer is
knows. These are inner modules of Ray, so the extra `cluster` allows one minor version of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import ray
from ray.serve._private.common import ReplicaID
from ray.serve._private.constants import SERVE_CONTROLLER_NAME, SERVE_NAMESPACE
from ray.serve._private.long_poll import LongPollClient, LongPollNamespace


class DrainWatch:
    """Calls a function when a replica is no longer among those that requests go to.

    Args:
        replica: which.
        loop: in which to call it.
        act: the function; called at most once.
    """

    def __init__(
        self, replica: ReplicaID, loop: asyncio.AbstractEventLoop, act: Callable[[], None]
    ) -> None:
        self._replica = replica
        self._act = act
        self._was_there = self._acted = False
        controller = ray.get_actor(SERVE_CONTROLLER_NAME, namespace=SERVE_NAMESPACE)
        key = (LongPollNamespace.DEPLOYMENT_TARGETS, replica.deployment_id)
        self._client = LongPollClient(
            controller, {key: self._targets}, loop, f"kokoro-{replica.unique_id}"
        )

    def _targets(self, targets: Any) -> None:
        there_are = {each.replica_id for each in targets.running_replicas}
        if self._replica in there_are:
            self._was_there = True
        elif self._was_there and not self._acted:
            self._acted = True
            self._client.stop()
            self._act()
