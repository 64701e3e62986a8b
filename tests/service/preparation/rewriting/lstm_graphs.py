"""LSTMs in the form in which Kokoro is published."""

import numpy as np
from onnx import TensorProto, helper
from tests.service.preparation.rewriting.published_graphs import MICROSOFT

N_IN, N_HIDDEN = 6, 8


def recurrent(graph, x, *, kind=np.int8, zero=0, by_column=False, both_ways=True, peepholes=False, bias=True, **given):
    """The outputs of an LSTM in the published form of [T, 1, N_IN]; `state` and `weights` may be given."""
    n = 2 if both_ways else 1

    def matrix(n_rows):
        return graph.weights(n, n_rows, 4 * N_HIDDEN, kind=kind)

    def scales():
        shape = (n, 4 * N_HIDDEN) if by_column else (n,)
        return [graph.constant(graph.random.uniform(0.002, 0.006, shape)), graph.constant(np.full(shape, zero), kind)]

    w, r = given.get("weights") or (matrix(N_IN), matrix(N_HIDDEN))
    states, state = ["", ""], given.get("state", 0.0)
    if state is not None:
        value = helper.make_tensor("value", TensorProto.FLOAT, [1], [state])
        states = [graph.add("ConstantOfShape", graph.constant([n, 1, N_HIDDEN], np.int64), value=value)] * 2
    holes = graph.floats(n, 3 * N_HIDDEN) if peepholes else ""
    biases = graph.floats(n, 8 * N_HIDDEN, scale=0.3) if bias else ""
    return graph.add_many(
        "DynamicQuantizeLSTM", 3, x, w, r, biases, "", *states, holes, *scales(), *scales(),
        domain=MICROSOFT, hidden_size=N_HIDDEN, direction="bidirectional" if both_ways else "forward",
    )  # fmt: skip
