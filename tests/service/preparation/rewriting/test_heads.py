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
from tests.service.preparation.rewriting.graph_checks import (
    STOCK,
    check_near_misses,
    check_run,
    copied,
    operators,
    tidied,
)
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
        queries = graph.add("Transpose", self.parted(graph, query), perm=[0, 2, 1, 3])
        keys = graph.add("Transpose", self.parted(graph, key), perm=[0, 2, 3, 1])
        values = graph.add("Transpose", self.parted(graph, value), perm=[0, 2, 1, 3])
        root = self.root(graph, queries)
        alike = graph.add("MatMul", graph.add("Mul", queries, root), graph.add("Mul", keys, root))
        weights = graph.add("Softmax", alike, axis=-1)
        together = graph.add("Transpose", graph.add("MatMul", weights, values), perm=[0, 2, 1, 3])
        of = {"x": x, "query": query}[self.joined_by]
        result = graph.add("Reshape", together, self.shape(graph, of, channels))
        return [result, graph.add("Neg", queries)] if self.asked_twice else [result]

    def parted(self, graph, x):
        return graph.add("Reshape", x, self.shape(graph, x, self.heads, self.size))

    def shape(self, graph, x, *sizes):
        lengths = lengths_of(graph, graph.add("Shape", x), self.axes)
        return graph.add("Concat", *lengths, *(graph.constant([size], np.int64) for size in sizes), axis=0)

    def root(self, graph, queries):
        bounds = [graph.constant([bound], np.int64) for bound in (self.start, END)]
        size = graph.add("Slice", graph.add("Shape", queries), *bounds)
        norm = graph.add("Sqrt", graph.cast(size, TensorProto.FLOAT))
        return graph.add("Sqrt", graph.add("Div", graph.constant([self.first]), norm))


def lengths_of(graph, shape, axes):
    numbers = [graph.add("Gather", shape, graph.constant(axis, np.int64), axis=0) for axis in axes]
    return [graph.add("Unsqueeze", number, graph.constant([0], np.int64)) for number in numbers]


def published(attention):
    graph = Published()
    model = graph.model(*attention.build(graph))
    model.graph.inputs[0].shape = ir.Shape([1, None, None])
    # As in published graphs, where another pass has put it there.
    for node in list(model.graph):
        if node.op_type == "Shape":
            transpose = node.inputs[0].producer()
            if transpose is not None and transpose.op_type == "Transpose":
                look_through(model.graph, node, transpose)
    return model, graph.feeds


def look_through(graph, shape, transpose):
    """Take the shape before a transpose, and put its numbers in order."""
    perm = ir.tensor(np.array(transpose.attributes["perm"].as_ints(), np.int64))
    order = ir.Value(name=f"{shape.outputs[0].name}_order", const_value=perm)
    graph.register_initializer(order)
    before = ir.node("Shape", [transpose.inputs[0]])
    ordered = ir.node("Gather", [before.outputs[0], order], attributes={"axis": 0})
    graph.insert_before(shape, [before, ordered])
    ir.convenience.replace_all_uses_with(shape.outputs[0], ordered.outputs[0])
    graph.remove(shape, safe=True)


def check_attention(native, attention, shapes_and_scales):
    """Check how many shapes and scales are done with, and that bits are the same; return the operators."""
    published_model, feeds = published(attention)
    model = copied(published_model)
    settled = settle_heads(model.graph)
    tidied(model)
    fuse_products(model.graph)
    assert (settled, scale_products(model.graph)) == shapes_and_scales
    model.graph.opset_imports[OPERATORS] = 1
    passes.TopologicalSortPass()(tidied(model))
    check_run(native, published_model, model, feeds)
    return operators(model)


@pytest.mark.parametrize(("heads", "size", "frames"), [(1, 16, 1), (2, 16, 5), (12, 64, 33)])
def test_attention_computes_neither_shapes_nor_scale_and_gives_the_same_bits(native, heads, size, frames):
    found = check_attention(native, Attention(heads=heads, size=size, frames=frames), (4, 2))
    assert found == {"kokoro.DynamicQuantizeMatMul": 1, "Reshape": 4, "Transpose": 4, "MatMul": 2, "Softmax": 1}


def test_shapes_are_settled_for_any_number_of_frames():
    model, feeds = published(Attention())
    settled = copied(model)
    assert settle_heads(settled.graph) == 4
    (name,) = feeds
    for frames in (1, 9):
        check_run(STOCK, model, settled, {name: np.resize(feeds[name], (1, frames, 32))})


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
    check_attention(native, Attention(**changes), (settled, scaled))


def shape_of_the_end(graph):
    """The first number of what Shape gives from the second axis on is not that of the first."""
    x = graph.given(2, 3, 4)
    lengths = lengths_of(graph, graph.add("Shape", x, start=1), (0, 1))
    return graph.add("Reshape", x, graph.add("Concat", *lengths, graph.constant([2], np.int64), axis=0))


def sizes_of_another(graph):
    x, other = graph.given(3, 2, 4), graph.given(2, 3, 4)
    return graph.add("Reshape", x, Attention().shape(graph, other, 2, 2))


def test_other_shapes_stay():
    shapes = {"of the end": shape_of_the_end, "of another": sizes_of_another}
    check_near_misses(lambda model: settle_heads(model.graph), shapes)
