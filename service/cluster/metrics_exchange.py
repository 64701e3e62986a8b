"""The metrics of all replicas at the `/metrics` of any of them, under their own names."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import ray
from prometheus_client.metrics_core import Metric as Family
from ray.exceptions import RayError

from service.api.metrics import Metrics

logger = logging.getLogger(__name__)

_EVERY_S = 2.0
_FORGET_S = 30.0
"""A replica that has told nothing for so long is gone."""

_NAMESPACE = "kokoro"


class MetricsBoard:
    """An actor, on which each replica puts its metrics and from which it takes those of others."""

    def __init__(self) -> None:
        self._families: dict[str, tuple[float, list[Family]]] = {}

    def exchange(self, replica: str, families: list[Family]) -> dict[str, list[Family]]:
        """Put the metrics of a replica on the board; return those of the others."""
        now_s = time.monotonic()
        self._families[replica] = now_s, families
        self._families = {
            name: (at_s, kept)
            for name, (at_s, kept) in self._families.items()
            if now_s - at_s <= _FORGET_S
        }
        return {name: kept for name, (_, kept) in self._families.items() if name != replica}


class MetricsExchange:
    """Has the metrics of this replica exposed together with those of the others.

    Each sample gets the label `replica`. Those of others are some seconds old.

    Args:
        application: whose replicas belong together.
        replica: the name of this one.
    """

    def __init__(self, application: str, replica: str) -> None:
        self._replica = replica
        self._board: Any = (
            ray.remote(MetricsBoard)
            .options(
                name=f"metrics-{application}",
                namespace=_NAMESPACE,
                get_if_exists=True,
                lifetime="detached",
                num_cpus=0,
                max_restarts=-1,
                max_task_retries=0,
            )
            .remote()
        )
        self._others: dict[str, list[Family]] = {}

    def start(self, metrics: Metrics) -> None:
        """Begin to exchange, in a thread, for as long as the process lives."""
        metrics.expose(lambda own: _merged({self._replica: own, **self._others}))
        threading.Thread(target=self._run, args=(metrics,), name="metrics", daemon=True).start()

    def _run(self, metrics: Metrics) -> None:
        while True:
            try:
                asked = self._board.exchange.remote(self._replica, list(metrics.collect()))
                self._others = ray.get(asked, timeout=_FORGET_S)
            except RayError as error:
                self._others = {}
                logger.warning("metrics of other replicas are unknown: %s", type(error).__name__)
            time.sleep(_EVERY_S)


def _merged(families: dict[str, list[Family]]) -> Iterator[Family]:
    """Yield one family for each name, with the samples of all replicas."""
    merged: dict[str, Family] = {}
    for replica, own in families.items():
        for family in own:
            known = merged.get(family.name)
            if known is None:
                known = merged[family.name] = Family(
                    family.name, family.documentation, family.type, family.unit
                )
            known.samples += [
                sample._replace(labels={**sample.labels, "replica": replica})
                for sample in family.samples
            ]
    yield from merged.values()
