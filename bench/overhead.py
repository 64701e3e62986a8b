"""Time of `Session.run` where the model does nothing: `y = Identity(x)`, four floats, one thread.

Both sessions live in one process; every value is the mean of 5000 runs.
"""

from __future__ import annotations

import timeit

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import ortffi
from bench.processes import alternate
from bench.report import Bound, Row, ratio

REPEATS = 21
BOUND = Bound(1.5)

_RUNS = 5000


def measure(repeats: int) -> list[Row]:
    model = _identity()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    package = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    x = np.arange(4, dtype=np.float32)
    with ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model) as session:
        names = {"session": session, "package": package, "x": x}

        def microseconds(statement: str) -> float:
            return timeit.timeit(statement, globals=names, number=_RUNS) / _RUNS * 1e6

        pairs = alternate(
            lambda: microseconds('session.run({"x": x})'),
            lambda: microseconds('package.run(None, {"x": x})'),
            repeats,
            warm_ups=2,
        )
    return [ratio("overhead of a run", pairs, "µs", BOUND)]


def _identity() -> bytes:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", [x], [y])
    opset = helper.make_opsetid("", 13)
    model = helper.make_model(graph, ir_version=8, opset_imports=[opset])
    onnx.checker.check_model(model)
    return model.SerializeToString()
