"""LSTMs of floats."""

import numpy as np
import pytest
from onnx import TensorProto
from service.preparation.rewriting.floats import dequantize_lstms
from tests.service.preparation.rewriting.float_graphs import held
from tests.service.preparation.rewriting.graph_checks import copied, operators, plain, the_node, tidied
from tests.service.preparation.rewriting.lstm_graphs import N_HIDDEN, N_IN, recurrent
from tests.service.preparation.rewriting.published_graphs import MICROSOFT, Published


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"both_ways": False},
        {"kind": np.uint8, "zero": 128},
        {"by_column": True},
        {"state": None},
        {"state": 0.7},
        {"peepholes": True},
    ],
    ids=str,
)
def test_an_lstm_is_one_of_floats(given):
    graph = Published()
    published = graph.model(*recurrent(graph, graph.given(11, 1, N_IN), **given))
    before = plain(published, graph.feeds)
    old = the_node(published, "DynamicQuantizeLSTM")
    model = copied(published)
    assert dequantize_lstms(model.graph) == 1
    found = operators(tidied(model))
    assert found == {"LSTM": 1} | ({"ConstantOfShape": 1} if given.get("state") else {})
    node = the_node(model, "LSTM")
    for place, scale_place in ((1, 8), (2, 10)):
        integers, scale, zero = (held(old.inputs[k]).astype(np.float32) for k in (place, scale_place, scale_place + 1))
        columns = (len(integers), 1, -1)
        expected = (integers - zero.reshape(columns)) * scale.reshape(columns)
        np.testing.assert_array_equal(held(node.inputs[place]), expected.transpose(0, 2, 1))
    after = plain(model, graph.feeds)
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        # In and state are rounded to 1/255 of their ranges, at each step anew.
        np.testing.assert_allclose(other, one, rtol=0, atol=0.02)
        assert np.abs(other).max() > 0.1


def test_lstms_of_the_same_weights_have_them_once():
    graph = Published()
    weights = tuple(graph.weights(2, n, 4 * N_HIDDEN, kind=np.int8) for n in (N_IN, N_HIDDEN))
    scale, zero = graph.constant([0.004, 0.005]), graph.constant([0, 0], np.int8)
    outputs = [
        graph.add_many(
            "DynamicQuantizeLSTM", 1, graph.given(4, 1, N_IN), *weights, "", "", "", "", "",
            scale, zero, scale, zero, domain=MICROSOFT, hidden_size=N_HIDDEN,
            direction="bidirectional",
        )[0]
        for _ in range(2)
    ]  # fmt: skip
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert dequantize_lstms(model.graph) == 2
    assert operators(tidied(model)) == {"LSTM": 2}
    assert len(model.graph.initializers) == 2
    for one, other in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=0.02)


def test_an_lstm_whose_weights_are_computed_is_left_alone():
    graph = Published()
    shape = (1, N_IN, 4 * N_HIDDEN)
    given = graph.given_array(graph.random.integers(-127, 128, shape).astype(np.int64))
    weight = graph.cast(given, TensorProto.INT8)
    recurrence = graph.weights(1, N_HIDDEN, 4 * N_HIDDEN, kind=np.int8)
    x = graph.given(3, 1, N_IN)
    model = graph.model(*recurrent(graph, x, both_ways=False, weights=(weight, recurrence))[:1])
    before = operators(model)
    assert dequantize_lstms(model.graph) == 0
    assert operators(model) == before
