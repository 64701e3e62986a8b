"""The weights of the published model by PyTorch's names, as a checkpoint has them."""

import numpy as np
import onnx_ir as ir

from service.preparation.rewriting.filling import NAMED, dequantize, layer_of, own_name
from service.preparation.rewriting.graph import constant

GATES = (0, 2, 3, 1)
"""Places of i, f, g and o among ONNX's i, o, f and c."""


def published_weights(path):
    """Return float32 arrays: what is quantized is what its integers mean."""
    model = ir.load(path)
    dequantize(model)
    found = {}

    def keep(name, array):
        found.setdefault(name, np.ascontiguousarray(array))

    for value in model.graph.initializers.values():
        own = own_name(value.name)
        if own is not None and NAMED.search(own):
            keep(own, constant(value))
    tables = {}
    for node in model.graph:
        layer = layer_of(node.outputs[0].name)
        if node.op_type in ("Conv", "ConvTranspose") and ".stft." not in (own_name(node.inputs[1].name) or ""):
            keep(f"{layer}.weight", constant(node.inputs[1]))
        elif node.op_type == "MatMul" and constant(node.inputs[1]) is not None:
            layer = tables.setdefault(node.inputs[1].name, layer)
            keep(f"{layer}.weight", constant(node.inputs[1]).T)
        elif node.op_type == "Gather" and constant(node.inputs[0]) is not None and constant(node.inputs[0]).ndim == 2:
            keep(f"{layer}.weight", constant(node.inputs[0]))
        elif node.op_type == "LSTM":
            matrices = {"weight_ih": node.inputs[1], "weight_hh": node.inputs[2]}
            arrays = {name: constant(value) for name, value in matrices.items()}
            arrays["bias_ih"], arrays["bias_hh"] = np.split(constant(node.inputs[3]), 2, axis=1)
            for name, both in arrays.items():
                for end, one in zip(("", "_reverse"), both, strict=True):
                    gates = np.split(one, 4)
                    keep(f"{layer}.{name}_l0{end}", np.concatenate([gates[place] for place in GATES]))
    return found
