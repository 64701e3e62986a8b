from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx_ir.passes import common as passes
from service.preparation.rewriting.constants import END
from service.preparation.rewriting.heads import scale_products, settle_heads
from service.preparation.rewriting.matrices import fuse_products
from service.preparation.rewriting.native import OPERATORS
from tests.service.preparation.rewriting.graph_checks import copied, operators, plain, tidied
from tests.service.preparation.rewriting.published_graphs import Published


@dataclass
class Attention:
    """Attention as published; what is set otherwise makes it something else."""

    heads: int = 2
    size: int = 16
    frames: int = 5
    axes: tuple[int, int] = (0, 1)
    first: float = 1.0
    start: int = -1
    joined_by: str = "x"
    swapped: bool = False
    asked_twice: bool = False

    def build(self, graph):
        channels = self.heads * self.size
        x = graph.given(1, self.frames, channels)
        quantized = graph.quantized(x)
        query, key, value = (graph.product(quantized, channels, channels) for _ in range(3))
        parted = self.parted(graph, query)
        queries = graph.add("Transpose", parted, perm=[0, 2, 1, 3])
        keys = graph.add("Transpose", self.parted(graph, key), perm=[0, 2, 3, 1])
        values = graph.add("Transpose", self.parted(graph, value), perm=[0, 2, 1, 3])
        root = self.root(graph, queries)
        scaled = graph.add("Mul", queries, root)
        alike = graph.add("MatMul", scaled, graph.add("Mul", keys, root))
        weights = graph.add("Softmax", alike, axis=-1)
        given = graph.add("MatMul", weights, values)
        together = graph.add("Transpose", given, perm=[0, 2, 1, 3])
        of = {"x": x, "query": query}[self.joined_by]
        result = graph.add("Reshape", together, self.shape(graph, of, channels))
        return [result, graph.add("Neg", queries)] if self.asked_twice else [result]

    def parted(self, graph, x):
        return graph.add("Reshape", x, self.shape(graph, x, self.heads, self.size))

    def shape(self, graph, x, *sizes):
        shape = graph.add("Shape", x)
        lengths = [
            graph.add(
                "Unsqueeze",
                graph.add("Gather", shape, graph.constant(axis, np.int64), axis=0),
                graph.constant([0], np.int64),
            )
            for axis in self.axes
        ]
        numbers = [graph.constant([size], np.int64) for size in sizes]
        return graph.add("Concat", *lengths, *numbers, axis=0)

    def root(self, graph, queries):
        bounds = [graph.constant([bound], np.int64) for bound in (self.start, END)]
        size = graph.add("Slice", graph.add("Shape", queries), *bounds)
        norm = graph.add("Sqrt", graph.cast(size, TensorProto.FLOAT))
        return graph.add("Sqrt", graph.add("Div", graph.constant([self.first]), norm))


def published(attention):
    graph = Published()
    model = graph.model(*attention.build(graph))
    model.graph.inputs[0].shape = ir.Shape([1, None, None])
    # As in published graphs, where another pass has put it there.
    for node in list(model.graph):
        if node.op_type == "Shape" and node.inputs[0].producer() is not None:  # type: ignore[union-attr]
            _look_through(model.graph, node)
    return model, graph.feeds


def _look_through(graph, shape):
    """Take the shape before a transpose, and put its numbers in order."""
    transpose = shape.inputs[0].producer()  # type: ignore[union-attr]
    if transpose is None or transpose.op_type != "Transpose":
        return
    order = ir.Value(
        name=f"{shape.outputs[0].name}_order",
        const_value=ir.tensor(np.array(transpose.attributes["perm"].as_ints(), np.int64)),
    )
    graph.register_initializer(order)
    before = ir.node("Shape", [transpose.inputs[0]])
    ordered = ir.node("Gather", [before.outputs[0], order], attributes={"axis": 0})
    graph.insert_before(shape, [before, ordered])
    ir.convenience.replace_all_uses_with(shape.outputs[0], ordered.outputs[0])
    graph.remove(shape, safe=True)


def rewritten(model):
    """Return the model with both done, and how many shapes and scales there were."""
    model = copied(model)
    settled = settle_heads(model.graph)
    tidied(model)
    fuse_products(model.graph)
    scaled = scale_products(model.graph)
    model.graph.opset_imports[OPERATORS] = 1
    passes.TopologicalSortPass()(tidied(model))
    return model, settled, scaled


@pytest.mark.parametrize(("heads", "size", "frames"), [(1, 16, 1), (2, 16, 5), (12, 64, 33)])
def test_attention_computes_neither_shapes_nor_scale_and_gives_the_same_bits(native, heads, size, frames):
    model, feeds = published(Attention(heads=heads, size=size, frames=frames))
    before = plain(copied(model), feeds)
    after, settled, scaled = rewritten(model)
    assert (settled, scaled) == (4, 2)
    assert operators(after) == {
        "kokoro.DynamicQuantizeMatMul": 1, "Reshape": 4, "Transpose": 4, "MatMul": 2, "Softmax": 1
    }  # fmt: skip
    for one, two in zip(before, native.run(after, feeds), strict=True):
        np.testing.assert_array_equal(two, one)


def test_shapes_are_settled_for_any_number_of_frames():
    model, feeds = published(Attention())
    settled = copied(model)
    assert settle_heads(settled.graph) == 4
    for frames in (1, 9):
        (name,) = feeds
        other = {name: np.resize(feeds[name], (1, frames, 32))}
        for one, two in zip(plain(copied(model), other), plain(settled, other), strict=True):
            np.testing.assert_array_equal(two, one)


@pytest.mark.parametrize(
    ("changes", "settled", "scaled"),
    [
        # The shape says where the axes go: exchanged, it is another one.
        ({"axes": (1, 0), "frames": 1}, 0, 0),
        # Of the queries it cannot be said that the values are as long; and they are asked for.
        ({"joined_by": "query"}, 3, 1),
        ({"first": 2.0}, 4, 0),
        # Not the last number of the shape but the last two: a scale for each of them.
        ({"start": -2, "heads": 8, "size": 2, "frames": 2}, 4, 0),
        # Others see the queries as they are; the keys are scaled all the same.
        ({"asked_twice": True}, 4, 1),
    ],
    ids=str,
)
def test_what_is_not_quite_attention_keeps_its_meaning(native, changes, settled, scaled):
    model, feeds = published(Attention(**changes))
    before = plain(copied(model), feeds)
    after, n_settled, n_scaled = rewritten(model)
    assert (n_settled, n_scaled) == (settled, scaled)
    for one, two in zip(before, native.run(after, feeds), strict=True):
        np.testing.assert_array_equal(two, one)


Build = Callable[[Published], list[str]]


def shape_of_the_end(graph):
    """The first number of what Shape gives from the second axis on is not that of the first."""
    x = graph.given(2, 3, 4)
    shape = graph.add("Shape", x, start=1)
    lengths = [
        graph.add(
            "Unsqueeze",
            graph.add("Gather", shape, graph.constant(axis, np.int64), axis=0),
            graph.constant([0], np.int64),
        )
        for axis in (0, 1)
    ]
    sizes = graph.add("Concat", *lengths, graph.constant([2], np.int64), axis=0)
    return [graph.add("Reshape", x, sizes)]


def sizes_of_another(graph):
    x, other = graph.given(3, 2, 4), graph.given(2, 3, 4)
    return [graph.add("Reshape", x, Attention().shape(graph, other, 2, 2))]


@pytest.mark.parametrize("build", [shape_of_the_end, sizes_of_another])
def test_other_shapes_stay(build):
    graph = Published()
    model = graph.model(*build(graph))
    before = plain(copied(model), graph.feeds)
    assert settle_heads(model.graph) == 0
    for one, two in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(two, one)
