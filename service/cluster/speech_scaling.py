"""How many replicas: by what is being spoken, not by what is connected."""

from __future__ import annotations

from copy import copy
from typing import Any

from ray.serve.autoscaling_policy import replica_queue_length_autoscaling_policy
from ray.serve.config import AutoscalingContext


def replicas_for_speech(context: AutoscalingContext) -> tuple[int | float, dict[str, Any]]:
    """Return what Ray's own policy would if only speech counted, and the policy's state.

    An open WebSocket on which nobody speaks is a request for Ray, and would hold a replica for
    hours.
    """
    speaking = (context.aggregated_metrics or {}).get("speaking", {})
    queued = float(context.total_queued_requests or 0)
    of_speech = copy(context)
    of_speech.__dict__["total_num_requests"] = sum(speaking.values()) + queued
    decision: tuple[int | float, dict[str, Any]] = replica_queue_length_autoscaling_policy(
        of_speech
    )
    return decision
