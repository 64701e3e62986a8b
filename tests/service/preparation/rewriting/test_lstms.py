"""LSTMs that become native ones."""

import numpy as np
import pytest
from service.preparation.rewriting.lstms import fuse_lstms
from tests.service.preparation.rewriting.graph_checks import check_fused, operators, plain
from tests.service.preparation.rewriting.lstm_graphs import N_HIDDEN, N_IN, recurrent
from tests.service.preparation.rewriting.published_graphs import Published


def time_first(graph, x):
    return graph.add("Transpose", x, perm=[1, 0, 2])


def joined(graph, states, sizes=(0, 0, -1)):
    """[T, 1, 2 N_HIDDEN] of the states of both directions."""
    turned = graph.add("Transpose", states, perm=[0, 2, 1, 3])
    return graph.add("Reshape", turned, graph.constant(sizes, np.int64))


def states_of(graph, n=6, **given):
    return recurrent(graph, graph.given(n, 1, N_IN), **given)[0]


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
    found = check_fused(native, model, graph.feeds, fuse_lstms, 1)
    assert operators(found) == {"kokoro.DynamicQuantizeLSTM": 1, "Neg": 2}
    assert np.abs(plain(model, graph.feeds)[0]).max() > 0.1


def test_transposes_that_do_not_cancel_stay(native):
    graph = Published()
    model = graph.model(graph.add("Neg", joined(graph, states_of(graph, 9), (0, 0, 2 * N_HIDDEN))))
    found = check_fused(native, model, graph.feeds, fuse_lstms, 1)
    assert operators(found) == {"kokoro.DynamicQuantizeLSTM": 1, "Neg": 1, "Transpose": 2}


def with_states(graph):
    states, last, _ = recurrent(graph, graph.given(5, 1, N_IN))
    return graph.model(joined(graph, states), last)


def used_twice(graph):
    states = states_of(graph)
    return graph.model(joined(graph, states), graph.add("Neg", states))


def of_computed_weights(graph):
    given = graph.given_array(graph.random.integers(-60, 60, (2, N_IN, 4 * N_HIDDEN), np.int64))
    return published(graph, weights=(graph.cast(given, 3), graph.weights(2, N_HIDDEN, 4 * N_HIDDEN, kind=np.int8)))


NEAR_MISSES = {
    "forward alone": lambda graph: graph.model(states_of(graph, both_ways=False)),
    "a state before the first step": lambda graph: published(graph, state=0.5),
    "peepholes": lambda graph: published(graph, peepholes=True),
    "weights that do not fit int8": lambda graph: published(graph, kind=np.uint8, zero=250),
    "the last state is wanted too": with_states,
    "another shape": lambda graph: graph.model(joined(graph, states_of(graph), (0, 2, -1))),
    "directions that stay apart": lambda graph: graph.model(states_of(graph)),
    "directions that are wanted apart too": used_twice,
    "computed weights": of_computed_weights,
}


def test_what_is_not_alike_is_left_alone(monkeypatch):
    def is_left_alone(build):
        model = build(Published())
        before = operators(model)
        return fuse_lstms(model.graph) == 0 and operators(model) == before

    assert not [what for what, build in NEAR_MISSES.items() if not is_left_alone(build)]
    # A width that leaves panels open.
    monkeypatch.setattr("tests.service.preparation.rewriting.lstm_graphs.N_HIDDEN", 6)
    assert is_left_alone(published)
