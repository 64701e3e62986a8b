"""LSTMs that become native ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx_ir as ir
import pytest
from service.preparation.rewriting.lstms import fuse_lstms
from tests.service.preparation.rewriting.graph_checks import copied, fused, operators, plain
from tests.service.preparation.rewriting.lstm_graphs import N_HIDDEN, N_IN, recurrent
from tests.service.preparation.rewriting.published_graphs import MICROSOFT, Published


def time_first(graph, x):
    return graph.add("Transpose", x, perm=[1, 0, 2])


def joined(graph, states, sizes=(0, 0, -1)):
    """[T, 1, 2 N_HIDDEN] of the states of both directions."""
    turned = graph.add("Transpose", states, perm=[0, 2, 1, 3])
    return graph.add("Reshape", turned, graph.constant(sizes, np.int64))


def published(graph, n_rows=11, **given):
    x = graph.add("Neg", graph.given(1, n_rows, N_IN))
    states = recurrent(graph, time_first(graph, x), **given)[0]
    return graph.model(graph.add("Neg", time_first(graph, joined(graph, states))))


@pytest.mark.parametrize("n_rows", [1, 2, 11, 40])
@pytest.mark.parametrize(
    "given", [{}, {"kind": np.uint8, "zero": 128}, {"by_column": True}, {"state": None}, {"bias": False}], ids=str
)
def test_an_lstm_is_one_operator_and_the_same_numbers(native, n_rows, given):
    graph = Published()
    model = published(graph, n_rows, **given)
    before = plain(copied(model), graph.feeds)
    found, count = fused(model, fuse_lstms)
    assert count == 1
    assert operators(found) == {"kokoro.DynamicQuantizeLSTM": 1, "Neg": 2}
    for one, two in zip(before, native.run(found, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, two)
        assert np.abs(one).max() > 0.1


def test_transposes_that_do_not_cancel_stay(native):
    graph = Published()
    states = recurrent(graph, graph.given(9, 1, N_IN))[0]
    model = graph.model(graph.add("Neg", joined(graph, states, (0, 0, 2 * N_HIDDEN))))
    before = plain(copied(model), graph.feeds)
    found, count = fused(model, fuse_lstms)
    assert count == 1
    assert operators(found) == {"kokoro.DynamicQuantizeLSTM": 1, "Neg": 1, "Transpose": 2}
    for one, two in zip(before, native.run(found, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, two)


def with_states(graph):
    x = graph.given(5, 1, N_IN)
    states, last, _ = recurrent(graph, x)
    return graph.model(joined(graph, states), last)


def with_other_shape(graph):
    states = recurrent(graph, graph.given(6, 1, N_IN))[0]
    return graph.model(joined(graph, states, (0, 2, -1)))


def apart(graph):
    return graph.model(recurrent(graph, graph.given(6, 1, N_IN))[0])


def used_twice(graph):
    states = recurrent(graph, graph.given(6, 1, N_IN))[0]
    return graph.model(joined(graph, states), graph.add("Neg", states))


def wide(graph):
    return published(graph, kind=np.uint8, zero=250)


NEAR_MISSES: dict[str, Callable[[Published], ir.Model]] = {
    "forward alone": lambda graph: graph.model(recurrent(graph, graph.given(6, 1, N_IN), both_ways=False)[0]),
    "a state before the first step": lambda graph: published(graph, state=0.5),
    "peepholes": lambda graph: published(graph, peepholes=True),
    "weights that do not fit int8": wide,
    "the last state is wanted too": with_states,
    "another shape": with_other_shape,
    "directions that stay apart": apart,
    "directions that are wanted apart too": used_twice,
}


@pytest.mark.parametrize("build", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_what_is_not_alike_is_left_alone(build):
    graph = Published()
    model = build(graph)
    before = plain(copied(model), graph.feeds)
    found, count = fused(model, fuse_lstms)
    assert count == 0
    assert operators(found)[f"{MICROSOFT}.DynamicQuantizeLSTM"] == 1
    for one, two in zip(before, plain(found, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, two)


def test_computed_weights_are_left_alone():
    graph = Published()
    given = graph.given_array(graph.random.integers(-60, 60, (2, N_IN, 4 * N_HIDDEN), np.int64))
    weights = (graph.cast(given, 3), graph.weights(2, N_HIDDEN, 4 * N_HIDDEN, kind=np.int8))
    model = published(graph, weights=weights)
    assert fused(model, fuse_lstms)[1] == 0


def test_a_width_that_leaves_panels_open_is_left_alone(monkeypatch):
    monkeypatch.setattr("tests.service.preparation.rewriting.lstm_graphs.N_HIDDEN", 6)
    assert fused(published(Published()), fuse_lstms)[1] == 0
