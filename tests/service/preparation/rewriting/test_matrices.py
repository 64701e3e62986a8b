import numpy as np
import onnx_ir as ir
import pytest
from service.preparation.rewriting.matrices import fuse_products
from tests.service.preparation.rewriting.graph_checks import check_fused, operators
from tests.service.preparation.rewriting.published_graphs import Published


def check(native, graph, n, *outputs, rank=3):
    """Check n products of inputs whose rank is known, as of published ones; return the model."""
    model = graph.model(*[graph.add("Neg", output) for output in outputs])
    for value in model.graph.inputs:
        value.shape = ir.Shape([None] * rank)
    return check_fused(native, model, graph.feeds, fuse_products, n)


@pytest.mark.parametrize(("n_frames", "n_in"), [(1, 1), (3, 7), (16, 64), (33, 50)])
def test_products_of_one_input_are_one_operator_and_the_same_numbers(native, n_frames, n_in):
    graph = Published()
    one, other = (graph.quantized(graph.given(1, n_frames, n_in)) for _ in "ab")
    results = [graph.product(one, n_in, n_out) for n_out in (5, 16, 33)]
    results += [graph.product(one, n_in, 20, bias=False), graph.product(other, n_in, 8)]
    model = check(native, graph, 5, *results)
    assert operators(model) == {"kokoro.DynamicQuantizeMatMul": 3, "Split": 1, "Neg": 5}


@pytest.mark.parametrize(
    ("widths", "n_outputs"), [((16,), 1), ((32, 32), 2), ((16, 16, 16), 3), ((16,) * 4, 1), ((16, 32), 1), ((8, 8), 1)]
)
def test_equally_wide_products_are_outputs_as_far_as_there_are(native, widths, n_outputs):
    graph = Published()
    quantized = graph.quantized(graph.given(1, 7, 12))
    model = check(native, graph, None, *(graph.product(quantized, 12, width) for width in widths))
    (node,) = (node for node in model.graph if node.op_type == "DynamicQuantizeMatMul")
    assert len(node.outputs) == n_outputs
    assert operators(model)["Split"] == (n_outputs < len(widths))


def test_layers_with_the_same_weights_share_them(native):
    graph = Published()
    results = []
    for _ in range(3):
        graph.random = np.random.default_rng(7)
        results.append(graph.product(graph.quantized(graph.given(1, 4, 12)), 12, 10))
    model = check(native, graph, None, *results)
    taken = [node.inputs[1] for node in model.graph if node.op_type == "DynamicQuantizeMatMul"]
    assert (len(taken), len(set(taken))) == (3, 1)


@pytest.mark.parametrize(
    ("given", "shape", "n"),
    [({}, (4, 6), 0), ({"kind": np.uint8}, (1, 4, 6), 0), ({"zero": 3}, (1, 4, 6), 0), ({"bias": False}, (1, 4, 6), 1)],
    ids=["of rank two", "unsigned weights", "shifted weights", "a bias of frames"],
)
def test_other_products_stay(native, given, shape, n):
    graph = Published()
    result = graph.product(graph.quantized(graph.given(*shape)), 6, 5, **given)
    if "bias" in given:  # is not taken in
        result = graph.add("Add", result, graph.floats(4, 1))
    model = check(native, graph, n, result, rank=len(shape))
    assert operators(model)["kokoro.DynamicQuantizeMatMul"] == n


def test_a_result_that_is_asked_for_stays_under_its_name(native):
    graph = Published()
    result = graph.product(graph.quantized(graph.given(1, 4, 6)), 6, 5)
    published = graph.model(result)
    published.graph.inputs[0].shape = ir.Shape([1, None, 6])
    model = check_fused(native, published, graph.feeds, fuse_products)
    assert model.graph.outputs[0].name == result
