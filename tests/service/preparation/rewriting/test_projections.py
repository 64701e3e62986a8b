import numpy as np
import pytest
from onnx import TensorProto

from service.preparation.rewriting import normalization
from service.preparation.rewriting.projections import merge_projections
from tests.service.preparation.checks import check_step, copied, operators, plain, the_node, tidied, within
from tests.service.preparation.rewriting.published_graphs import Published


def merged(model):
    normalization.rules().apply_to_model(model)
    return merge_projections(model.graph)


def check(backend, graph, n, *outputs):
    """Check that n projections are merged, and that numbers are the same; return which operators there are."""
    model = check_step(backend, graph, merged, n, *outputs, near=within(3e-4, relative=3e-4))
    return model, operators(model)


def modulated(graph, style, n):
    return graph.modulation(graph.norm(graph.given(1, n, 5)), style, n)


@pytest.mark.parametrize("bias_first", [False, True])
@pytest.mark.parametrize(("n_style", "sizes"), [(1, (1,)), (8, (3, 5)), (33, (16, 2, 7))])
def test_projections_of_a_style_become_one_product(graph, backend, n_style, sizes, bias_first):
    style = graph.quantized(graph.given(1, n_style))
    outputs = [modulated(graph, graph.product(style, n_style, 2 * n, bias_first=bias_first), n) for n in sizes]
    model, found = check(backend, graph, len(sizes), *outputs)
    assert (found["com.microsoft.MatMulIntegerToFloat"], found["Split"]) == (1, len(sizes) > 1)
    assert not found["MatMulInteger"] + found["Cast"]
    if len(sizes) > 1:
        widths = the_node(model, "Split").inputs[1].producer().attributes["value"].as_tensor()
        assert widths.numpy().tolist() == [2 * n for n in sizes]


def test_styles_are_the_same_but_for_rounding(graph):
    # One multiplication and one addition of float32 behind the same integers.
    style = graph.quantized(graph.given(1, 12))
    projected = [graph.product(style, 12, 10, bias_first=False) for _ in range(3)]
    # What is also asked for elsewhere stays where it is.
    published = graph.model(*(modulated(graph, each, 5) for each in projected), *projected)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert merged(model) == 3
    styles = [node.inputs[1] for node in model.graph if node.op_type == "Modulate"]
    for value, name in zip(styles, "abc", strict=True):
        value.name, value.dtype = name, model.graph.outputs[0].dtype
    model.graph.outputs[:] = [*model.graph.outputs[3:], *styles]
    after = plain(tidied(model), graph.feeds)
    for one, unmerged, other in zip(before[3:], after[:3], after[3:], strict=True):
        np.testing.assert_array_equal(unmerged, one)
        np.testing.assert_allclose(other, one, rtol=3e-7, atol=3e-7)


def test_two_styles_are_projected_apart_and_what_two_layers_share_once(graph, backend):
    styles = [graph.quantized(graph.given(1, 8)) for _ in range(2)]
    projected = [graph.product(styles[k], 8, 6, bias_first=False) for k in (0, 1, 0)]
    _, found = check(backend, graph, 3, *(modulated(graph, each, 3) for each in projected))
    assert found["com.microsoft.MatMulIntegerToFloat"] == 2
    graph = Published()
    projected = graph.product(graph.quantized(graph.given(1, 8)), 8, 6, bias_first=False)
    check(backend, graph, 1, *(modulated(graph, projected, 3) for _ in range(2)))


def put_together(*, kind=np.int8, zeros=0, bias=(6,), other_scale=False, zero_points=True):
    def build(graph):
        quantized, scale, zero = graph.quantized(graph.given(1, 8))
        points = (zero, graph.constant(np.full(6, zeros), kind)) if zero_points else ()
        sums = graph.add("MatMulInteger", quantized, graph.weights(8, 6, kind=kind), *points)
        if other_scale:
            scale = graph.quantized(graph.given(3))[1]
        factor = graph.add("Mul", graph.constant(np.full(6, 0.01)), scale)
        product = graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), factor)
        return graph.add("Add", product, graph.floats(*bias))

    return build


NEAR_MISSES = {
    "unsigned weights": put_together(kind=np.uint8), "shifted weights": put_together(zeros=3),
    "a bias for all": put_together(bias=(1,)), "a bias of two dimensions": put_together(bias=(1, 6)),
    "the scale of something else": put_together(other_scale=True), "no zero points": put_together(zero_points=False),
    "in floats": lambda g: g.add("Add", g.add("MatMul", g.given(1, 8), g.floats(8, 6)), g.floats(6)),
    "given as it is": lambda g: g.given(1, 6),
}  # fmt: skip


@pytest.mark.parametrize("build", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_other_styles_are_left_alone(graph, build, backend):
    _, found = check(backend, graph, 0, *[modulated(graph, build(graph), 3)])
    assert "com.microsoft.MatMulIntegerToFloat" not in found


def test_what_modulates_nothing_is_left_alone(graph):
    model = graph.model(graph.product(graph.quantized(graph.given(1, 8)), 8, 6, bias_first=False))
    assert (merge_projections(model.graph), operators(model)["MatMulInteger"]) == (0, 1)
