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

_WAIT_S = 5.0

_NAMESPACE = "kokoro"


class MetricsBoard:
    """An actor, on which each replica puts its metrics."""

    def __init__(self) -> None:
        self._families: dict[str, tuple[float, list[Family]]] = {}

    def put(self, replica: str, families: list[Family]) -> None:
        """Put the metrics of a replica on the board, in the place of its earlier ones."""
        self._families[replica] = time.monotonic(), families

    def take(self) -> dict[str, list[Family]]:
        """Return the metrics of all replicas that have put some lately, by replica."""
        oldest_s = time.monotonic() - _FORGET_S
        self._families = {
            name: (at_s, kept) for name, (at_s, kept) in self._families.items() if at_s >= oldest_s
        }
        return {name: kept for name, (_, kept) in self._families.items()}


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
            )
            .remote()
        )

    def start(self, metrics: Metrics) -> None:
        """Begin to put metrics on the board, in a thread, for as long as the process lives."""
        metrics.expose(self._of_all)
        threading.Thread(target=self._run, args=(metrics,), name="metrics", daemon=True).start()

    def _run(self, metrics: Metrics) -> None:
        while True:
            self._board.put.remote(self._replica, list(metrics.collect()))
            time.sleep(_EVERY_S)

    def _of_all(self, own: list[Family]) -> Iterator[Family]:
        """Return the metrics of all replicas; of this one alone, with a warning, if it must be."""
        try:
            others: dict[str, list[Family]] = ray.get(self._board.take.remote(), timeout=_WAIT_S)
        except RayError as error:
            others = {}
            logger.warning("metrics of other replicas are unknown: %s", type(error).__name__)
        return _merged({**others, self._replica: own})


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
