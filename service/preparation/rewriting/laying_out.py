"""Lay out packed weights as the kernels of this processor read them, the last step for them."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from service.preparation.layout import Layout
from service.preparation.rewriting.graph import constant
from service.preparation.rewriting.packing import pair_groups


def lay_out(graph: ir.Graph, layout: Layout) -> int:
    """Change packed weights from `CENTERED` to a layout; return how many nodes have such weights.

    In: nodes with an attribute `layout`. Out: the same with the number of the new layout, and with
    weights in it. Sums and runs stay as they are.
    """
    nodes = [node for node in graph if "layout" in node.attributes]
    if layout is Layout.CENTERED:
        return len(nodes)
    inputs = {value for node in nodes for value in node.inputs if value is not None}
    for value in inputs:  # each once: nodes may share one
        array = constant(value)
        if array is not None and array.dtype == np.int8:  # of all inputs only packed weights
            value.const_value = ir.tensor(pair_groups(array), name=value.name)
    for node in nodes:
        node.attributes["layout"] = ir.AttrInt64("layout", layout)
    return len(nodes)
