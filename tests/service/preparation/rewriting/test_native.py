"""What is fused into the native operators; what they compute is tested in tests/native."""

import numpy as np
import onnx_ir as ir
import pytest
from service.preparation.layout import Layout
from service.preparation.rewriting.packing import centered, column_sums, cut_runs, pack_floats, pack_integers
from tests.service.preparation.rewriting.graph_checks import (
    attributes_of,
    copied,
    operators,
    plain,
    recognize,
    the_node,
)
from tests.service.preparation.rewriting.native_graphs import (
    CONV,
    STATISTICS,
    adain,
    array,
    convolved,
    ended,
    frames,
    fused,
    operands,
)
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import native


def test_a_convolution_alone():
    graph = Published()
    x = graph.given(1, 9, 40)
    model = fused(graph, graph.convolution(x, 9, 17, 12, strides=[6], pads=[3, 2], weight_zero=70))
    assert operators(model) == {"Transpose": 2, CONV: 1}
    node = the_node(model, "DynamicQuantizeConv")
    assert set(operands(node)) == {"x", "weight", "weight_sums", "runs", "bias"}
    (weight,) = (
        array(value)
        for value in graph.model().graph.initializers.values()
        if value.dtype == ir.DataType.UINT8 and value.shape != ()
    )
    packed = pack_integers(centered(weight, 70))
    np.testing.assert_array_equal(array(node.inputs[1]), packed)
    np.testing.assert_array_equal(array(node.inputs[2]), column_sums(packed, 17))
    np.testing.assert_array_equal(array(node.inputs[3]), cut_runs(packed))
    assert array(node.inputs[4]).shape == (17,)
    assert attributes_of(node) == {
        "channels": 17, "kernel_size": 12, "dilation": 1, "stride": 6, "pad_begin": 3,
        "pad_end": 2, "weight_scale": pytest.approx(0.0021), "layout": Layout.CENTERED,
        "epsilon": 0.0, "negative_slope": 1.0, "output_scale": 1.0,
    }  # fmt: skip
    assert node.outputs[1].name == ""


def test_a_convolution_without_bias():
    graph = Published()
    model = fused(graph, graph.convolution(graph.given(1, 5, 9), 5, 6, bias=False))
    node = the_node(model, "DynamicQuantizeConv")
    assert set(operands(node)) == {"x", "weight", "weight_sums", "runs"}


def test_leaky_relu_is_taken_in():
    graph = Published()
    x = graph.add("LeakyRelu", frames(graph, 5), alpha=0.2)
    model = fused(graph, graph.convolution(x, 5, 6))
    assert "LeakyRelu" not in operators(model)
    node = the_node(model, "DynamicQuantizeConv")
    assert node.attributes["negative_slope"].as_float() == pytest.approx(0.2)


def test_snake_is_taken_in():
    graph = Published()
    model = fused(graph, graph.convolution(graph.snake(frames(graph, 5), 5), 5, 6))
    assert operators(model) == {"Transpose": 1, CONV: 1}
    node = the_node(model, "DynamicQuantizeConv")
    assert set(operands(node)) == {"x", "weight", "weight_sums", "runs", "bias", "alpha"}
    assert node.attributes["negative_slope"].as_float() == 1.0


@pytest.mark.parametrize("activation", ["leaky", "snake", "none"])
def test_adain_is_taken_in_with_statistics_of_its_own(activation):
    graph = Published()
    x = adain(graph, frames(graph, 6))
    if activation == "leaky":
        x = graph.add("LeakyRelu", x, alpha=0.2)
    elif activation == "snake":
        x = graph.snake(x, 6)
    model = fused(graph, graph.convolution(x, 6, 5))
    assert operators(model) == {"Transpose": 1, CONV: 1, STATISTICS: 1}
    node, statistics = (the_node(model, name) for name in ("DynamicQuantizeConv", "ChannelStatistics"))
    found = operands(node)
    assert {"statistics", "style"} <= set(found)
    assert ("alpha" in found) == (activation == "snake")
    assert found["statistics"] is statistics.outputs[0]
    assert statistics.inputs[0] is found["x"]
    assert found["style"] is model.graph.inputs[1]
    assert node.attributes["epsilon"].as_float() == pytest.approx(1e-5)


def test_statistics_come_from_the_convolution_before():
    graph = Published()
    x = graph.snake(adain(graph, convolved(graph)), 6)
    model = fused(graph, graph.convolution(x, 6, 4))
    assert operators(model) == {"Transpose": 1, CONV: 2}
    first, second = (node for node in model.graph if node.op_type == "DynamicQuantizeConv")
    assert operands(second)["x"] is first.outputs[0]
    assert operands(second)["statistics"] is first.outputs[1]
    assert first.outputs[1].name == f"{first.outputs[0].name}_statistics"
    assert second.outputs[1].name == ""


def test_statistics_come_from_the_sum_that_a_convolution_gives():
    graph = Published()
    total = graph.add("Add", convolved(graph), frames(graph, 6))
    model = fused(graph, graph.convolution(adain(graph, total), 6, 4))
    first, second = (node for node in model.graph if node.op_type == "DynamicQuantizeConv")
    assert "residual" in operands(first)
    assert operands(second)["statistics"] is first.outputs[1]
    assert STATISTICS not in operators(model)


def test_statistics_come_from_upsampling():
    graph = Published()
    upsampled = graph.upsampling(frames(graph, 4, 5), 4, 6, 2)
    model = fused(graph, graph.convolution(adain(graph, upsampled), 6, 4))
    assert (
        operands(the_node(model, "DynamicQuantizeConv"))["statistics"] is (the_node(model, "ConvTranspose").outputs[1])
    )
    assert STATISTICS not in operators(model)


def test_what_is_put_together_has_its_statistics_taken_once():
    graph = Published()
    both = graph.add("Concat", convolved(graph), frames(graph, 2), axis=1)
    normalized = graph.norm(both)
    outputs = [graph.convolution(graph.modulation(normalized, graph.given(1, 16), 8), 8, 3) for _ in range(2)]
    model = fused(graph, *outputs)
    found = operators(model)
    assert (found[CONV], found[STATISTICS]) == (3, 1)
    one, other = [n for n in model.graph if n.op_type == "DynamicQuantizeConv"][1:]
    assert operands(one)["statistics"] is operands(other)["statistics"]
    assert operands(one)["style"] is not operands(other)["style"]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("n_sums", [0, 1, 2, 3])
def test_two_sums_and_a_quotient_are_taken_in(n_sums, first):
    graph = Published()
    y = convolved(graph)
    others = [frames(graph, 6) for _ in range(n_sums)]
    for other in others:
        y = graph.add("Add", *((other, y) if first else (y, other)))
    y = graph.add("Div", y, graph.constant(3.0))
    model = fused(graph, ended(graph, y))
    node = the_node(model, "DynamicQuantizeConv")
    found, left = operands(node), operators(model)
    assert [name for name in ("residual", "addend") if name in found] == (["residual", "addend"][:n_sums])
    if n_sums > 2:
        assert node.attributes["output_scale"].as_float() == 1.0
        assert (left["Add"], left["Div"]) == (1, 1)
    else:
        assert node.attributes["output_scale"].as_float() == pytest.approx(1 / 3)
        assert (left["Add"], left["Div"]) == (0, 0)


def test_two_convolutions_that_are_added_become_one_after_the_other():
    graph = Published()
    total = graph.add("Add", convolved(graph), convolved(graph))
    model = fused(graph, ended(graph, graph.add("Div", total, graph.constant(1.4142135))))
    found = operators(model)
    assert (found[CONV], found["Add"], found["Div"]) == (2, 0, 0)
    first, second = (node for node in model.graph if node.op_type == "DynamicQuantizeConv")
    assert operands(second)["residual"] is first.outputs[0]


def scaled(graph, y):
    return graph.add("Mul", y, graph.constant(3.0))


def divided_by_something_computed(graph, y):
    return graph.add("Div", y, frames(graph, 6))


def divisor(graph, y):
    return graph.add("Div", graph.constant(3.0), y)


def constant_added(graph, y):
    return graph.add("Add", y, graph.constant(3.0))


def added_to_itself(graph, y):
    return graph.add("Add", y, y)


def subtracted(graph, y):
    return graph.add("Sub", y, frames(graph, 6))


def asked_for_twice(graph, y):
    return graph.add("Mul", graph.add("Add", y, frames(graph, 6)), graph.add("Sin", y))


@pytest.mark.parametrize(
    "behind",
    [scaled, divided_by_something_computed, divisor, constant_added, added_to_itself, subtracted, asked_for_twice],
)
def test_other_work_behind_a_convolution_stays(behind, backend):
    graph = Published()
    outputs = ended(graph, behind(graph, convolved(graph)))
    model = fused(graph, outputs)
    node = the_node(model, "DynamicQuantizeConv")
    assert set(operands(node)) == {"x", "weight", "weight_sums", "runs", "bias"}
    assert node.attributes["output_scale"].as_float() == 1.0
    assert {"Mul", "Div", "Add", "Sub"} & set(operators(model))
    check_numbers(graph, backend, outputs, atol=1e-5)


def test_an_activation_that_others_need_too_stays_for_them(backend):
    graph = Published()
    x = graph.snake(adain(graph, convolved(graph)), 6)
    outputs = [graph.convolution(x, 6, 4), ended(graph, x)]
    model = fused(graph, *outputs)
    found = operators(model)
    assert (found["kokoro.rewriting.Snake"], found["kokoro.rewriting.Modulate"]) == (1, 1)
    _, second = (node for node in model.graph if node.op_type == "DynamicQuantizeConv")
    assert {"statistics", "style", "alpha"} <= set(operands(second))
    check_numbers(graph, backend, *outputs, atol=flip(n_in=6))


def test_a_sum_that_is_an_output_of_the_graph_keeps_its_name():
    graph = Published()
    total = graph.add("Add", convolved(graph), frames(graph, 6))
    model = recognize(graph.model(ended(graph, total)))
    add = the_node(model, "Add").outputs[0]
    add.name, add.dtype = "sum", ir.DataType.FLOAT
    model.graph.outputs.append(add)
    assert native.fuse(model.graph) == 1
    assert [value.name for value in model.graph.outputs][1:] == ["sum"]
    maker = model.graph.outputs[1].producer()
    assert maker is not None
    assert maker.op_type == "DynamicQuantizeConv"


def test_the_last_convolution_takes_in_leaky_relu_only():
    graph = Published()
    x = graph.add("LeakyRelu", frames(graph, 5), alpha=0.01)
    weight = graph.floats(22, 5, 7)
    y = graph.add("Conv", x, weight, graph.floats(22), pads=[3, 3])
    model = fused(graph, ended(graph, graph.add("Add", y, frames(graph, 22))))
    assert operators(model) == {"kokoro.Conv": 1, "Add": 1, "Softmax": 1}
    node = the_node(model, "Conv")
    assert attributes_of(node) == {
        "channels": 22, "kernel_size": 7, "pad_begin": 3, "pad_end": 3,
        "negative_slope": pytest.approx(0.01),
    }  # fmt: skip
    expected = pack_floats(array(graph.model().graph.initializers[weight]))
    np.testing.assert_array_equal(array(node.inputs[1]), expected)
    assert len(node.outputs) == 1


def test_weights_that_are_shared_are_packed_once():
    graph = Published()
    weight = graph.weights(5, 6, 3)
    outputs = []
    for _ in range(2):
        quantized, scale, zero = graph.quantized(frames(graph, 6))
        sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(7, np.uint8))
        step = graph.add("Mul", scale, graph.constant(0.0021))
        outputs.append(graph.add("Mul", graph.cast(sums, ir.DataType.FLOAT), step))
    one, other = (n for n in fused(graph, *outputs).graph if n.op_type == "DynamicQuantizeConv")
    assert one.inputs[1] is other.inputs[1]
    assert one.inputs[2] is other.inputs[2]


def test_nothing_is_fused_where_nothing_is_recognized():
    graph = Published()
    model = recognize(graph.model(graph.add("Exp", graph.snake(adain(graph, frames(graph, 6)), 6))))
    names = operators(model)
    assert native.fuse(model.graph) == 0
    assert operators(model) == names


def flip(n_in):
    """By how much a convolution may differ whose input rounds the other way in a few places.

    Its input is some units wide, so that a step of the quantized input is about 0.02, and a weight
    at most 255 steps of 0.0021.
    """
    return 0.03 * 255 * 0.0021 * n_in


def check_numbers(graph, backend, *outputs, atol):
    """Check that a graph gives the same numbers before and after."""
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    after = backend.run(backend.lower(recognize(copied(published))), graph.feeds)
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=0, atol=atol)


@pytest.mark.parametrize("weight_zero", [0, 7, 255])
def test_weights_that_do_not_fit_int8_give_the_same_numbers(backend, weight_zero):
    """No published model has any: they are packed as sums, which takes twice the time."""
    graph = Published()
    y = graph.convolution(frames(graph, 9, 40), 9, 17, 5, weight_zero=weight_zero)
    node = the_node(fused(graph, ended(graph, y)), "DynamicQuantizeConv")
    assert array(node.inputs[1]).shape[1] == 2 * 5
    check_numbers(graph, backend, ended(graph, y), atol=1e-4)


@pytest.mark.parametrize(("n_channels", "n_frames"), [(1, 1), (6, 2), (17, 31), (16, 64)])
@pytest.mark.parametrize(("size", "dilation"), [(3, 1), (7, 3), (11, 5)])
def test_a_residual_block_gives_the_same_numbers(backend, n_channels, n_frames, size, dilation):
    graph = Published()
    x = frames(graph, n_channels, n_frames)
    for dilations in (dilation, 1):
        pad = dilations * (size - 1) // 2
        inner = graph.snake(adain(graph, x, n_channels), n_channels)
        inner = graph.convolution(inner, n_channels, n_channels, size, pads=[pad, pad], dilations=[dilations])
        inner = graph.snake(adain(graph, inner, n_channels), n_channels)
        inner = graph.convolution(inner, n_channels, n_channels, size)
        x = graph.add("Add", inner, x)
    mean = graph.add("Div", graph.add("Add", frames(graph, n_channels, n_frames), x), graph.constant(3.0))
    model = fused(graph, ended(graph, mean))
    found = operators(model)
    assert (found[CONV], found[STATISTICS], found["Add"], found["Div"]) == (4, 1, 0, 0)
    published = graph.model(mean)
    (before,) = plain(published, graph.feeds)
    (after,) = backend.run(backend.lower(recognize(copied(published))), graph.feeds)
    assert before.shape == after.shape
    # Rounding that falls the other way here and there changes little against the whole.
    assert np.abs(after - before).mean() < 0.01 * (np.abs(before).mean() + 1)
