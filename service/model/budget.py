"""How long a chunk may be where memory is limited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from service.errors import StartupError
from service.model.prepared import Variant

SHORTEST_CHUNK_S = 2.0
"""Shorter chunks have no melody, and much of their sound is beginning and end."""


class _Demand(NamedTuple):
    weights_bytes: int
    second_bytes: int


_FRAME_S = 0.025
_MIB = 1 << 20
_DEMANDS: dict[Variant | None, _Demand] = {
    "native": _Demand(87 * _MIB, 14 * _MIB),
    "stock": _Demand(87 * _MIB, 28 * _MIB),
    "float32": _Demand(310 * _MIB, 34 * _MIB),
    "float16": _Demand(203 * _MIB, 17 * _MIB),
    None: _Demand(89 * _MIB, 45 * _MIB),
}
"""The memory of a model: its weights, and what each second of a chunk takes.

`python -m bench.demand` measured 13.7, 27.9 and, in float32, 4.2 for the encoder and 22.8 for the
decoder, on the CPU; buckets add up to a quarter of that. In float16 it is half. As published, it is
400 MB after 5.5 s of speech and 1,150 after 22. A GPU's libraries need workspaces in addition."""


def affordable(
    buckets: Sequence[int], budget_bytes: int, variant: Variant | None
) -> tuple[int, ...]:
    """Return the numbers of frames that a run has memory for, the smallest in any case.

    Raises:
        StartupError: see `longest_chunk_s`.
    """
    most = longest_chunk_s(budget_bytes, variant) / _FRAME_S
    return tuple(n_frames for n_frames in buckets if n_frames <= max(most, buckets[0]))


_ENCODER_WEIGHTS_BYTES: dict[Variant | None, int] = {"float32": 235 * _MIB, "float16": 166 * _MIB}
_ENCODER_SHARE = 0.18
"""Of what each second of a chunk takes: 4.2 of 27 MiB, and a little more."""


def encoder_bytes(budget_bytes: int, variant: Variant | None) -> int:
    """Return the encoder's part of a budget; on a GPU encoder and decoder each have their own."""
    for_speech = budget_bytes - _DEMANDS[variant].weights_bytes
    return _ENCODER_WEIGHTS_BYTES[variant] + int(_ENCODER_SHARE * for_speech)


def longest_chunk_s(
    budget_bytes: int, variant: Variant | None, n_workers: int = 1, more_bytes: int = 0
) -> float:
    """Return how many seconds of speech a run has memory for.

    Args:
        budget_bytes: for weights and tensors.
        variant: of the prepared model; None for a model that is used as it is.
        n_workers: that may run at the same time. They share the weights.
        more_bytes: by which the weights are larger than those of the included model.

    Raises:
        StartupError: not for the shortest chunk; the message names the least budget.
    """
    demand = _DEMANDS[variant]
    weights_bytes = demand.weights_bytes + more_bytes
    second_bytes = n_workers * demand.second_bytes
    chunk_s = (budget_bytes - weights_bytes) / second_bytes
    if chunk_s < SHORTEST_CHUNK_S:
        least = weights_bytes + int(SHORTEST_CHUNK_S * second_bytes)
        raise StartupError(
            f"memory_budget_bytes = {budget_bytes} is too little for this model "
            f"({variant or 'as it is'}): it needs at least {least}"
        )
    return chunk_s
