"""Measure the results of ONNX Runtime's operators on this machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx_ir as ir

import ortffi
from service.preparation.rewriting.graph import Array

_OPSET = 20


def result_of(op_type: str, x: Array, *constants: Array, **attributes: int) -> Array:
    """Return the result of an operator for a tensor; other inputs are constants.

    Raises:
        ortffi.OrtError: it cannot be run.
    """
    value = ir.Value(name="x", shape=ir.Shape(x.shape), type=ir.TensorType(ir.DataType.FLOAT))
    others = [
        ir.Value(name=f"c{index}", const_value=ir.tensor(array, name=f"c{index}"))
        for index, array in enumerate(constants)
    ]
    node = ir.node(op_type, [value, *others], attributes=attributes)
    y = node.outputs[0]
    y.name, y.type = "y", ir.TensorType(ir.DataType.FLOAT)
    graph = ir.Graph(
        [value], [y], nodes=[node], initializers=others, opset_imports={"": _OPSET}, name="one"
    )
    model = ir.to_proto(ir.Model(graph, ir_version=9)).SerializeToString()
    with ortffi.SessionBuilder().with_cpu().commit_from_memory(model) as session:
        outputs: list[npt.NDArray[np.generic]] = session.run({"x": x}, copy=True)
    return outputs[0]
