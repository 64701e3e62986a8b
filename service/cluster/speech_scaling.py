"""How many replicas: by what is being spoken, not by what is connected."""

from __future__ import annotations

from typing import Any

from ray.serve.config import AutoscalingContext

_MOSTLY = 0.5
"""Of the look-back period."""


def replicas_for_speech(context: AutoscalingContext) -> tuple[float, dict[str, Any]]:
    """Return how many replicas are needed, and no state; Ray applies its bounds and delays.

    An open WebSocket on which nobody speaks is a request for Ray, and would hold a replica for
    hours.
    """
    if context.current_num_replicas == 0:
        return context.target_num_replicas, {}  # Ray itself starts one for whoever waits
    metrics = context.aggregated_metrics or {}
    speaking, full = metrics.get("speaking", {}), metrics.get("full", {})
    n_queued = float(context.total_queued_requests or 0)
    wanted = sum(speaking.values()) + n_queued
    n_replicas = wanted / context.config.get_target_ongoing_requests()
    if n_queued and full and min(full.values()) >= _MOSTLY:
        # Perhaps of WebSockets on which nobody speaks; whoever waits needs another one.
        n_replicas = max(n_replicas, context.current_num_replicas + 1)
    if len(speaking) < context.current_num_replicas:
        # One that has just started has told nothing yet, and may well be speaking.
        n_replicas = max(n_replicas, context.current_num_replicas)
    return n_replicas, {}
