"""Prepacked weights that sessions share."""

from __future__ import annotations

from ortffi._api import new
from ortffi._handle import Handle, Owner
from ortffi.environment import init


class PrepackedWeights(Owner):
    """Weights in the layout of the kernels, shared by sessions (`OrtPrepackedWeightsContainer`).

    Sessions of one model, or of models with equal weights, share one prepacked copy. ONNX Runtime
    shares only weights from `SessionOptions.initializers`, and only if the sessions get the same
    values. Sessions keep it alive. A context manager.
    """

    def __init__(self) -> None:
        api = init().api
        pointer = new(api.CreatePrepackedWeightsContainer)
        super().__init__(Handle(pointer, api.ReleasePrepackedWeightsContainer, "weights"))
