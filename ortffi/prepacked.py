"""Weights in the order that kernels like, shared by sessions."""

from __future__ import annotations

from ortffi._api import new
from ortffi._handle import Handle, Owner
from ortffi.environment import init


class PrepackedWeights(Owner):
    """Rearranged weights, for all sessions that are made with it (`OrtPrepackedWeightsContainer`).

    Sessions of one model, or of models with equal weights, then hold one rearranged copy between
    them. ONNX Runtime shares what was given by `SessionOptions.initializers` only, for which the
    sessions must be given the same values. Sessions keep it alive. A context manager.
    """

    def __init__(self) -> None:
        api = init().api
        pointer = new(api.CreatePrepackedWeightsContainer)
        super().__init__(Handle(pointer, api.ReleasePrepackedWeightsContainer, "weights"))
