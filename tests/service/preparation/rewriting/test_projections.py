import numpy as np
import pytest
from onnx import TensorProto
from service.preparation.rewriting.projections import merge_projections
from tests.service.preparation.rewriting.graph_checks import copied, operators, plain, the_node, tidied
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import normalization


@pytest.mark.parametrize("bias_first", [False, True])
@pytest.mark.parametrize(("n_style", "sizes"), [(1, (1,)), (8, (3, 5)), (33, (16, 2, 7))])
def test_projections_of_a_style_become_one_product(backend, n_style, sizes, bias_first):
    graph = Published()
    style = graph.quantized(graph.given(1, n_style))
    outputs = []
    for n_channels in sizes:
        projected = graph.product(style, n_style, 2 * n_channels, bias_first=bias_first)
        x = graph.given(1, n_channels, 5)
        outputs.append(graph.modulation(graph.norm(x), projected, n_channels))
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)

    model = copied(published)
    normalization.rules().apply_to_model(model)
    assert merge_projections(model.graph) == len(sizes)
    found = operators(tidied(model))
    assert found["com.microsoft.MatMulIntegerToFloat"] == 1
    assert found["Split"] == (len(sizes) > 1)
    assert not found["MatMulInteger"] + found["Cast"]
    if len(sizes) > 1:
        widths = the_node(model, "Split").inputs[1].producer().attributes["value"].as_tensor()  # type: ignore[union-attr]
        assert widths.numpy().tolist() == [2 * n for n in sizes]

    for one, other in zip(before, backend.run(backend.lower(model), graph.feeds), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=3e-4 * (1 + np.abs(one).max()))


def test_styles_are_the_same_but_for_rounding():
    # One multiplication and one addition of float32 behind the same integers.
    graph = Published()
    style = graph.quantized(graph.given(1, 12))
    projected = [graph.product(style, 12, 10, bias_first=False) for _ in range(3)]
    normalized = [graph.norm(graph.given(1, 5, 2)) for _ in projected]
    modulated = [graph.modulation(x, each, 5) for x, each in zip(normalized, projected, strict=True)]
    # What is also asked for elsewhere stays where it is.
    published = graph.model(*modulated, *projected)
    before = plain(published, graph.feeds)
    model = copied(published)
    normalization.rules().apply_to_model(model)
    assert merge_projections(model.graph) == 3
    styles = [node.inputs[1] for node in model.graph if node.op_type == "Modulate"]
    for value, name in zip(styles, "abc", strict=True):
        assert value is not None
        value.name = name
        value.dtype = model.graph.outputs[0].dtype
    model.graph.outputs[:] = [*model.graph.outputs[3:], *styles]
    after = plain(tidied(model), graph.feeds)
    for one, unmerged, merged in zip(before[3:], after[:3], after[3:], strict=True):
        np.testing.assert_array_equal(unmerged, one)
        np.testing.assert_allclose(merged, one, rtol=3e-7, atol=3e-7)


def test_two_styles_are_projected_apart(backend):
    graph = Published()
    styles = [graph.quantized(graph.given(1, 8)) for _ in range(2)]
    outputs = [
        graph.modulation(graph.norm(graph.given(1, 3, 4)), graph.product(style, 8, 6, bias_first=False), 3)
        for style in (styles[0], styles[1], styles[0])
    ]
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    normalization.rules().apply_to_model(model)
    assert merge_projections(model.graph) == 3
    assert operators(tidied(model))["com.microsoft.MatMulIntegerToFloat"] == 2
    for one, other in zip(before, backend.run(backend.lower(model), graph.feeds), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=3e-4 * (1 + np.abs(one).max()))


def test_a_projection_that_two_layers_share_is_merged_once(backend):
    graph = Published()
    projected = graph.product(graph.quantized(graph.given(1, 8)), 8, 6, bias_first=False)
    published = graph.model(*(graph.modulation(graph.norm(graph.given(1, 3, 4)), projected, 3) for _ in range(2)))
    before = plain(published, graph.feeds)
    model = copied(published)
    normalization.rules().apply_to_model(model)
    assert merge_projections(model.graph) == 1
    for one, other in zip(before, backend.run(backend.lower(tidied(model)), graph.feeds), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=3e-4 * (1 + np.abs(one).max()))


def put_together(graph, *, kind=np.int8, zeros=0, bias=(6,), other_scale=False, zero_points=True):
    style = graph.given(1, 8)
    quantized, scale, zero = graph.quantized(style)
    weight = graph.weights(8, 6, kind=kind)
    points = (zero, graph.constant(np.full(6, zeros), kind)) if zero_points else ()
    sums = graph.add("MatMulInteger", quantized, weight, *points)
    if other_scale:
        scale = graph.quantized(graph.given(3))[1]
    factor = graph.add("Mul", graph.constant(np.full(6, 0.01)), scale)
    product = graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), factor)
    return graph.add("Add", product, graph.floats(*bias))


def unsigned_weights(graph):
    return put_together(graph, kind=np.uint8)


def shifted_weights(graph):
    return put_together(graph, zeros=3)


def bias_for_all(graph):
    return put_together(graph, bias=(1,))


def bias_of_two_dimensions(graph):
    return put_together(graph, bias=(1, 6))


def scale_of_something_else(graph):
    return put_together(graph, other_scale=True)


def no_zero_points(graph):
    return put_together(graph, zero_points=False)


def in_floats(graph):
    product = graph.add("MatMul", graph.given(1, 8), graph.floats(8, 6))
    return graph.add("Add", product, graph.floats(6))


def given_as_it_is(graph):
    return graph.given(1, 6)


NEAR_MISSES = [
    unsigned_weights, shifted_weights, bias_for_all, bias_of_two_dimensions,
    scale_of_something_else, no_zero_points, in_floats, given_as_it_is,
]  # fmt: skip


@pytest.mark.parametrize("build", NEAR_MISSES)
def test_other_styles_are_left_alone(build, backend):
    graph = Published()
    style = build(graph)
    published = graph.model(graph.modulation(graph.norm(graph.given(1, 3, 4)), style, 3))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    normalization.rules().apply_to_model(model)
    names = operators(model)
    assert merge_projections(model.graph) == 0
    assert operators(model) == names
    (after,) = backend.run(backend.lower(tidied(model)), graph.feeds)
    np.testing.assert_allclose(after, before, rtol=0, atol=3e-4 * (1 + np.abs(before).max()))


def test_what_modulates_nothing_is_left_alone():
    graph = Published()
    style = graph.quantized(graph.given(1, 8))
    model = graph.model(graph.product(style, 8, 6, bias_first=False))
    assert merge_projections(model.graph) == 0
    assert operators(model)["MatMulInteger"] == 1
