"""Embeddings by tables of floats."""

import numpy as np
import pytest
from service.preparation.rewriting.floats import dequantize_embeddings
from tests.service.preparation.rewriting.graph_checks import copied, operators, plain, tidied
from tests.service.preparation.rewriting.published_graphs import Published


def embedded(graph, *, kind=np.uint8, scale=0.005, zero=121):
    table = graph.constant(graph.random.integers(0, 120, (20, 6)), kind)
    ids = graph.given_array(graph.random.integers(0, 20, (1, 9)))
    rows = graph.add("Gather", table, ids, axis=0)
    given = [] if zero is None else [graph.constant(zero, kind)]
    return graph.add("DequantizeLinear", rows, graph.constant(scale), *given)


@pytest.mark.parametrize(("kind", "zero"), [(np.uint8, 121), (np.int8, 0), (np.int8, -7), (np.int8, None)])
def test_rows_are_taken_of_a_table_of_floats(kind, zero):
    graph = Published()
    published = graph.model(embedded(graph, kind=kind, zero=zero))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert dequantize_embeddings(model.graph) == 1
    assert operators(tidied(model)) == {"Gather": 1}
    (after,) = plain(model, graph.feeds)
    np.testing.assert_array_equal(after, before)


def test_an_embedding_that_is_looked_up_twice_is_there_once():
    graph = Published()
    table = graph.constant(graph.random.integers(0, 256, (20, 6)), np.uint8)
    given = [graph.constant(0.005), graph.constant(121, np.uint8)]
    outputs = [
        graph.add(
            "DequantizeLinear",
            graph.add("Gather", table, graph.given_array(graph.random.integers(0, 20, (1, n)))),
            *given,
        )
        for n in (3, 5)
    ]
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert dequantize_embeddings(model.graph) == 2
    assert operators(tidied(model)) == {"Gather": 2}
    assert len(model.graph.initializers) == 1
    for one, other in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(other, one)


def embedding_of_a_scale_for_each(graph):
    return embedded(graph, scale=[[[0.005] * 6]], zero=None)


def embedding_of_no_table(graph):
    quantized, scale, zero = graph.quantized(graph.given(20, 6))
    rows = graph.add("Gather", quantized, graph.constant([3, 5], np.int64))
    return graph.add("DequantizeLinear", rows, scale, zero)


def no_rows(graph):
    quantized, scale, zero = graph.quantized(graph.given(20, 6))
    return graph.add("DequantizeLinear", quantized, scale, zero)


@pytest.mark.parametrize("build", [embedding_of_no_table, no_rows])
def test_what_is_no_table_is_left_alone(build):
    graph = Published()
    model = graph.model(build(graph))
    before = operators(model)
    assert dequantize_embeddings(model.graph) == 0
    assert operators(model) == before


def test_a_table_of_several_scales_is_left_alone():
    graph = Published()
    rows = graph.add(
        "Gather",
        graph.constant(graph.random.integers(0, 120, (20, 2)), np.uint8),
        graph.given_array(graph.random.integers(0, 20, (4,))),
    )
    model = graph.model(graph.add("DequantizeLinear", rows, graph.constant([0.1, 0.2]), axis=1))
    assert dequantize_embeddings(model.graph) == 0
    assert plain(model, graph.feeds)[0].shape == (4, 2)
