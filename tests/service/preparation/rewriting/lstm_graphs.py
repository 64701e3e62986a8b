"""LSTMs in the form in which Kokoro is published."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from tests.service.preparation.rewriting.published_graphs import MICROSOFT, Published

N_IN, N_HIDDEN = 6, 8


def recurrent(
    graph: Published,
    x: str,
    *,
    kind: type = np.int8,
    zero: int = 0,
    by_column: bool = False,
    both_ways: bool = True,
    state: float | None = 0.0,
    peepholes: bool = False,
    bias: bool = True,
    weights: tuple[str, str] | None = None,
) -> list[str]:
    """The outputs of an LSTM in the published form of [T, 1, N_IN]."""
    n = 2 if both_ways else 1

    def matrix(n_rows: int) -> str:
        return graph.weights(n, n_rows, 4 * N_HIDDEN, kind=kind)

    def scales() -> list[str]:
        shape = (n, 4 * N_HIDDEN) if by_column else (n,)
        return [
            graph.constant(graph.random.uniform(0.002, 0.006, shape)),
            graph.constant(np.full(shape, zero), kind),
        ]

    w, r = weights or (matrix(N_IN), matrix(N_HIDDEN))
    states = ["", ""]
    if state is not None:
        shape = graph.constant([n, 1, N_HIDDEN], np.int64)
        value = helper.make_tensor("value", TensorProto.FLOAT, [1], [state])
        states = [graph.add("ConstantOfShape", shape, value=value)] * 2
    holes = graph.floats(n, 3 * N_HIDDEN) if peepholes else ""
    biases = graph.floats(n, 8 * N_HIDDEN, scale=0.3) if bias else ""
    return graph.add_many(
        "DynamicQuantizeLSTM", 3, x, w, r, biases, "", *states, holes, *scales(), *scales(),
        domain=MICROSOFT, hidden_size=N_HIDDEN,
        direction="bidirectional" if both_ways else "forward",
    )  # fmt: skip
