"""Replace the synthesis window's data-dependent division by constants."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.rewriting.constants import END
from service.preparation.rewriting.graph import (
    Array,
    constant,
    initializer,
    maker,
    nodes_of,
    scalar,
)


def settle_windows(graph: ir.Graph) -> int:
    """Multiply the first samples by constants; return the number of replacements.

    In: where the window's sum, a constant, is above a threshold, samples are gathered, divided by
    it and scattered back (NonZero, Gather, Div, ScatterND). A GPU would have to tell the CPU how
    many these are. Out: the first samples times constants, then the other samples.
    """
    count = 0
    for node in nodes_of(graph, "ScatterND"):
        found = _window(node)
        samples = node.inputs[0]
        if found is None or samples is None:
            continue
        factors = initializer(graph, found, f"{node.name}_factors")

        def constants(*values: int) -> ir.Value:
            return initializer(graph, np.array(values, np.int64), "window_constant")

        size, along = constants(found.size), constants(1)
        first = ir.node("Slice", [samples, constants(0), size, along])
        scaled = ir.node("Mul", [first.outputs[0], factors])
        rest = ir.node("Slice", [samples, size, constants(END), along])
        whole = ir.node("Concat", [scaled.outputs[0], rest.outputs[0]], {"axis": 1})
        for made in (first, scaled, rest, whole):
            graph.insert_before(node, made)
        convenience.replace_all_uses_with(node.outputs[0], whole.outputs[0])
        count += 1
    return count


def _window(node: ir.Node) -> Array | None:
    """Return the factors of the first samples, float32 [n]; None if the node is something else."""
    shaped = maker(node.inputs[2], "Reshape")
    divided = maker(shaped.inputs[0], "Div") if shaped is not None else None
    if divided is None:
        return None
    taken, sums = (maker(value, "Gather") for value in divided.inputs)
    if taken is None or sums is None or taken.inputs[0] is not node.inputs[0]:
        return None
    part, indices = maker(sums.inputs[0], "Slice"), maker(sums.inputs[1], "Transpose")
    places = maker(indices.inputs[0], "NonZero") if indices is not None else None
    above = maker(places.inputs[0], "Greater") if places is not None else None
    if part is None or above is None or above.inputs[0] is not sums.inputs[0]:
        return None
    window, start = constant(part.inputs[0]), scalar(part.inputs[1])
    threshold = scalar(above.inputs[1])
    if window is None or window.ndim != 1 or start != 0 or threshold is None:
        return None
    is_large = window > threshold
    factors: Array = np.where(is_large, 1 / np.where(is_large, window, 1), 1).astype(np.float32)
    return factors
