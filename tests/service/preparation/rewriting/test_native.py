"""What is fused into the native operators; what they compute is tested in tests/native."""

import numpy as np
import onnx_ir as ir
import pytest
from onnx_ir.passes import common as passes

from service.preparation.layout import Layout
from service.preparation.rewriting import native, packing
from service.preparation.rewriting.blocks import fuse_blocks
from service.preparation.rewriting.laying_out import lay_out
from tests.service.preparation.checks import attributes_of, check_step, copied, operators, recognize, the_node, within
from tests.service.preparation.rewriting.published_graphs import Published

CONV = "kokoro.DynamicQuantizeConv"
STATISTICS = "kokoro.ChannelStatistics"
INPUTS = ("x", "weight", "weight_sums", "runs", "bias", "statistics", "style", "alpha", "residual", "addend")


def fused(graph, *outputs):
    """Return a graph with native operators, but nothing of the dialect put into stock ones yet."""
    model = recognize(copied(graph.model(*outputs)))
    count = native.fuse(model.graph)
    passes.RemoveUnusedNodesPass()(model)
    made = sum(node.domain == native.OPERATORS and node.op_type != "ChannelStatistics" for node in model.graph)
    assert count == made
    return model


def convolutions_of(model):
    return [node for node in model.graph if node.op_type == "DynamicQuantizeConv"]


def operands(node, names=INPUTS):
    return {name: value for name, value in zip(names, node.inputs, strict=False) if value}


def array(value):
    return value.const_value.numpy()


def number(node, attribute):
    return node.attributes[attribute].as_float()


def ended(graph, x):
    """Something behind that is not fused, and takes channels last."""
    return graph.add("Softmax", graph.add("Transpose", x, perm=[0, 2, 1]), axis=-1)


def convolved(graph):
    return graph.convolution(graph.frames(5), 5, 6)


def adain(graph, x, n=6):
    return graph.modulation(graph.norm(x), graph.given(1, 2 * n), n)


def half(graph, x, n, size, dilation=1, *, leaky=False, **given):
    """AdaIN, an activation and a convolution."""
    pad = dilation * (size - 1) // 2
    x = adain(graph, x, n)
    x = graph.add("LeakyRelu", x, alpha=0.2) if leaky else graph.snake(x, n)
    return graph.convolution(x, n, n, size, dilations=[dilation], pads=[pad, pad], **given)


WEIGHTS = {"x", "weight", "weight_sums", "runs"}


def the_conv(graph, *outputs):
    return the_node(fused(graph, *outputs), "DynamicQuantizeConv")


def test_a_convolution_alone(graph):
    x = graph.given(1, 9, 40)
    model = fused(graph, graph.convolution(x, 9, 17, 12, strides=[6], pads=[3, 2], weight_zero=70))
    assert operators(model) == {"Transpose": 2, CONV: 1}
    node = the_node(model, "DynamicQuantizeConv")
    assert set(operands(node)) == WEIGHTS | {"bias"}
    (weight,) = (
        array(value)
        for value in graph.model().graph.initializers.values()
        if value.dtype == ir.DataType.UINT8 and value.shape != ()
    )
    packed = packing.pack_integers(packing.centered(weight, 70))
    np.testing.assert_array_equal(array(node.inputs[1]), packed)
    np.testing.assert_array_equal(array(node.inputs[2]), packing.column_sums(packed, 17))
    np.testing.assert_array_equal(array(node.inputs[3]), packing.cut_runs(packed))
    assert array(node.inputs[4]).shape == (17,)
    assert attributes_of(node) == {
        "channels": 17, "kernel_size": 12, "dilation": 1, "stride": 6, "pad_begin": 3,
        "pad_end": 2, "weight_scale": pytest.approx(0.0021), "layout": Layout.CENTERED,
        "epsilon": 0.0, "negative_slope": 1.0, "output_scale": 1.0,
    }  # fmt: skip
    assert node.outputs[1].name == ""
    graph = Published()
    assert set(operands(the_conv(graph, graph.convolution(graph.given(1, 5, 9), 5, 6, bias=False)))) == WEIGHTS


def test_an_activation_is_taken_in():
    graph = Published()
    model = fused(graph, graph.convolution(graph.add("LeakyRelu", graph.frames(5), alpha=0.2), 5, 6))
    assert "LeakyRelu" not in operators(model)
    assert number(the_node(model, "DynamicQuantizeConv"), "negative_slope") == pytest.approx(0.2)
    graph = Published()
    model = fused(graph, graph.convolution(graph.snake(graph.frames(5), 5), 5, 6))
    assert operators(model) == {"Transpose": 1, CONV: 1}
    node = the_node(model, "DynamicQuantizeConv")
    assert (set(operands(node)), number(node, "negative_slope")) == (WEIGHTS | {"bias", "alpha"}, 1.0)


@pytest.mark.parametrize(("activation", "epsilon"), [("leaky", 1e-5), ("snake", 1e-3), ("none", 1e-5)])
def test_adain_is_taken_in_with_its_epsilon_and_statistics_of_its_own(graph, activation, epsilon):
    x = graph.modulation(graph.norm(graph.frames(6), epsilon=epsilon), graph.given(1, 12), 6)
    x = {"leaky": graph.add("LeakyRelu", x, alpha=0.2), "snake": graph.snake(x, 6), "none": x}[activation]
    model = fused(graph, graph.convolution(x, 6, 5))
    assert operators(model) == {"Transpose": 1, CONV: 1, STATISTICS: 1}
    node, statistics = (the_node(model, name) for name in ("DynamicQuantizeConv", "ChannelStatistics"))
    found = operands(node)
    assert {"statistics", "style"} <= set(found)
    assert ("alpha" in found) == (activation == "snake")
    assert found["statistics"] is statistics.outputs[0]
    assert statistics.inputs[0] is found["x"]
    assert found["style"] is model.graph.inputs[1]
    assert number(node, "epsilon") == pytest.approx(epsilon)


def test_statistics_come_from_the_convolution_before(graph):
    model = fused(graph, graph.convolution(graph.snake(adain(graph, convolved(graph)), 6), 6, 4))
    assert operators(model) == {"Transpose": 1, CONV: 2}
    first, second = convolutions_of(model)
    assert operands(second)["x"] is first.outputs[0]
    assert operands(second)["statistics"] is first.outputs[1]
    assert first.outputs[1].name == f"{first.outputs[0].name}_statistics"
    assert second.outputs[1].name == ""


@pytest.mark.parametrize(("before", "made_by"), [
    (lambda g: g.add("Add", convolved(g), g.frames(6)), "DynamicQuantizeConv"),
    (lambda g: g.upsampling(g.frames(4, 5), 4, 6, 2), "ConvTranspose"),
], ids=["a sum that a convolution gives", "upsampling"])  # fmt: skip
def test_statistics_come_from_what_is_before(graph, before, made_by):
    model = fused(graph, graph.convolution(adain(graph, before(graph)), 6, 4))
    assert STATISTICS not in operators(model)
    statistics = operands(convolutions_of(model)[-1])["statistics"]
    assert statistics.producer().op_type == made_by
    assert statistics is statistics.producer().outputs[1]


def test_what_is_put_together_has_its_statistics_taken_once(graph):
    normalized = graph.norm(graph.add("Concat", convolved(graph), graph.frames(2), axis=1))
    outputs = [graph.convolution(graph.modulation(normalized, graph.given(1, 16), 8), 8, 3) for _ in range(2)]
    model = fused(graph, *outputs)
    found = operators(model)
    assert (found[CONV], found[STATISTICS]) == (3, 1)
    one, other = convolutions_of(model)[1:]
    assert operands(one)["statistics"] is operands(other)["statistics"]
    assert operands(one)["style"] is not operands(other)["style"]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("n_sums", [0, 1, 2, 3])
def test_two_sums_and_a_quotient_are_taken_in(graph, n_sums, first):
    y = convolved(graph)
    for other in [graph.frames(6) for _ in range(n_sums)]:
        y = graph.add("Add", *((other, y) if first else (y, other)))
    model = fused(graph, ended(graph, graph.add("Div", y, graph.constant(3.0))))
    node = the_node(model, "DynamicQuantizeConv")
    found, left = operands(node), operators(model)
    assert [name for name in ("residual", "addend") if name in found] == (["residual", "addend"][:n_sums])
    assert number(node, "output_scale") == (1.0 if n_sums > 2 else pytest.approx(1 / 3))
    assert left["Add"] == left["Div"] == (n_sums > 2)


def test_two_convolutions_that_are_added_become_one_after_the_other(graph):
    total = graph.add("Add", convolved(graph), convolved(graph))
    model = fused(graph, ended(graph, graph.add("Div", total, graph.constant(1.4142135))))
    found = operators(model)
    assert (found[CONV], found["Add"], found["Div"]) == (2, 0, 0)
    first, second = convolutions_of(model)
    assert operands(second)["residual"] is first.outputs[0]


BEHIND = {
    "scaled": lambda g, y: g.add("Mul", y, g.constant(3.0)),
    "divided by something computed": lambda g, y: g.add("Div", y, g.frames(6)),
    "divisor": lambda g, y: g.add("Div", g.constant(3.0), y),
    "constant added": lambda g, y: g.add("Add", y, g.constant(3.0)),
    "added to itself": lambda g, y: g.add("Add", y, y),
    "subtracted": lambda g, y: g.add("Sub", y, g.frames(6)),
    "asked for twice": lambda g, y: g.add("Mul", g.add("Add", y, g.frames(6)), g.add("Sin", y)),
}


@pytest.mark.parametrize("behind", BEHIND.values(), ids=BEHIND)
def test_other_work_behind_a_convolution_stays(graph, behind, backend):
    output = ended(graph, behind(graph, convolved(graph)))
    model = fused(graph, output)
    node = the_node(model, "DynamicQuantizeConv")
    assert (set(operands(node)), number(node, "output_scale")) == (WEIGHTS | {"bias"}, 1.0)
    assert {"Mul", "Div", "Add", "Sub"} & set(operators(model))
    check_step(backend, graph, recognize, None, output, near=within(1e-5))


def test_an_activation_that_others_need_too_stays_for_them(graph, backend):
    x = graph.snake(adain(graph, convolved(graph)), 6)
    outputs = [graph.convolution(x, 6, 4), ended(graph, x)]
    model = fused(graph, *outputs)
    found = operators(model)
    assert (found["kokoro.rewriting.Snake"], found["kokoro.rewriting.Modulate"]) == (1, 1)
    _, second = convolutions_of(model)
    assert {"statistics", "style", "alpha"} <= set(operands(second))
    # A weight is at most 255 steps of 0.0021; a step of the input, which rounds the other way here and there, 0.03.
    check_step(backend, graph, recognize, None, *outputs, near=within(0.03 * 255 * 0.0021 * 6))


def test_a_sum_that_is_an_output_of_the_graph_keeps_its_name(graph):
    model = recognize(graph.model(ended(graph, graph.add("Add", convolved(graph), graph.frames(6)))))
    add = the_node(model, "Add").outputs[0]
    add.name, add.dtype = "sum", ir.DataType.FLOAT
    model.graph.outputs.append(add)
    assert native.fuse(model.graph) == 1
    assert [value.name for value in model.graph.outputs][1:] == ["sum"]
    assert model.graph.outputs[1].producer().op_type == "DynamicQuantizeConv"


def test_the_last_convolution_takes_in_leaky_relu_only(graph):
    x = graph.add("LeakyRelu", graph.frames(5), alpha=0.01)
    weight = graph.floats(22, 5, 7)
    y = graph.add("Conv", x, weight, graph.floats(22), pads=[3, 3])
    model = fused(graph, ended(graph, graph.add("Add", y, graph.frames(22))))
    assert operators(model) == {"kokoro.Conv": 1, "Add": 1, "Softmax": 1}
    node = the_node(model, "Conv")
    expected = {"channels": 22, "kernel_size": 7, "pad_begin": 3, "pad_end": 3, "negative_slope": pytest.approx(0.01)}
    assert attributes_of(node) == expected
    packed = packing.pack_floats(array(graph.model().graph.initializers[weight]))
    np.testing.assert_array_equal(array(node.inputs[1]), packed)
    assert len(node.outputs) == 1


def test_weights_that_are_shared_are_packed_once(graph):
    weight = graph.weights(5, 6, 3)
    outputs = []
    for _ in range(2):
        quantized, scale, zero = graph.quantized(graph.frames(6))
        sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(7, np.uint8))
        step = graph.add("Mul", scale, graph.constant(0.0021))
        outputs.append(graph.add("Mul", graph.cast(sums, ir.DataType.FLOAT), step))
    one, other = convolutions_of(fused(graph, *outputs))
    assert one.inputs[1] is other.inputs[1]
    assert one.inputs[2] is other.inputs[2]


def test_nothing_is_fused_where_nothing_is_recognized(graph):
    model = recognize(graph.model(graph.add("Exp", graph.snake(adain(graph, graph.frames(6)), 6))))
    names = operators(model)
    assert (native.fuse(model.graph), operators(model)) == (0, names)


@pytest.mark.parametrize("weight_zero", [0, 7, 255])
def test_weights_that_do_not_fit_int8_give_the_same_numbers(graph, backend, weight_zero):
    """No published model has any: they are packed as sums, which takes twice the time."""
    y = ended(graph, graph.convolution(graph.frames(9, 40), 9, 17, 5, weight_zero=weight_zero))
    assert array(the_conv(graph, y).inputs[1]).shape[1] == 2 * 5
    check_step(backend, graph, recognize, None, y, near=within(1e-4))


@pytest.mark.parametrize(("n_channels", "n_frames"), [(1, 1), (6, 2), (17, 31), (16, 64)])
@pytest.mark.parametrize(("size", "dilation"), [(3, 1), (7, 3), (11, 5)])
def test_a_residual_block_gives_the_same_numbers(graph, backend, n_channels, n_frames, size, dilation):
    def near(before, after):
        # Rounding that falls the other way here and there changes little against the whole.
        assert np.abs(after - before).mean() < 0.01 * (np.abs(before).mean() + 1)

    x = graph.frames(n_channels, n_frames)
    for spread in (dilation, 1):
        inner = half(graph, x, n_channels, size, spread)
        x = graph.add("Add", half(graph, inner, n_channels, size), x)
    mean = graph.add("Div", graph.add("Add", graph.frames(n_channels, n_frames), x), graph.constant(3.0))
    found = operators(fused(graph, ended(graph, mean)))
    assert (found[CONV], found[STATISTICS], found["Add"], found["Div"]) == (4, 1, 0, 0)
    check_step(backend, graph, recognize, None, mean, near=near)


# Upsampling.
def test_upsampling_takes_in_what_is_around_it(graph):
    upsampled = graph.upsampling(graph.add("LeakyRelu", graph.frames(5), alpha=0.1), 5, 3, 6)
    reflected = graph.add("Pad", upsampled, graph.constant([0, 0, 1, 0, 0, 0], np.int64), mode="reflect")
    total = graph.add("Add", reflected, graph.frames(3, 55))
    model = fused(graph, ended(graph, graph.add("Div", total, graph.constant(2.0))))
    assert operators(model) == {"kokoro.ConvTranspose": 1, "Div": 1, "Softmax": 1}
    node = the_node(model, "ConvTranspose")
    assert attributes_of(node) == {
        "channels": 3, "stride": 6, "pad": 3, "reflect": 1, "negative_slope": pytest.approx(0.1)
    }  # fmt: skip
    weight = next(iter(graph.model().graph.initializers.values()))
    np.testing.assert_array_equal(array(node.inputs[1]), packing.pack_strided(array(weight), 6))
    assert len(node.inputs) == 4


def test_upsampling_takes_in_one_sum_or_none(graph):
    total = graph.upsampling(graph.frames(5), 5, 3, 6)
    for _ in range(2):
        total = graph.add("Add", total, graph.frames(3, 54))
    assert operators(fused(graph, ended(graph, total))) == {"kokoro.ConvTranspose": 1, "Add": 1, "Softmax": 1}
    graph = Published()
    model = fused(graph, graph.upsampling(graph.frames(5), 5, 3, 10))
    assert operators(model) == {"kokoro.ConvTranspose": 1, "Transpose": 1}
    node = the_node(model, "ConvTranspose")
    assert attributes_of(node) == {"channels": 3, "stride": 10, "pad": 5, "reflect": 0, "negative_slope": 1.0}
    assert len(node.inputs) == 3


# Weights in the layout that the kernels of a processor read.
def two_convolutions():
    """One of an even number of groups of channels and one of an odd number."""
    graph = Published()
    return fused(graph, ended(graph, graph.convolution(graph.convolution(graph.frames(9), 9, 24), 24, 5)))


def test_only_weights_and_the_number_of_their_layout_change():
    first, same, paired = (two_convolutions() for _ in range(3))
    assert lay_out(same.graph, Layout.CENTERED) == lay_out(paired.graph, Layout.CENTERED_PAIRS) == 2
    nodes = list(zip(*map(convolutions_of, (first, same, paired)), strict=True))
    assert [array(one.inputs[1]).shape[2] for one, *_ in nodes] == [3, 6]
    for one, again, other in nodes:
        weight = array(one.inputs[1])
        # What is packed is in the first layout.
        assert attributes_of(again) == attributes_of(one)
        assert one.attributes["layout"].as_int() == Layout.CENTERED
        np.testing.assert_array_equal(array(again.inputs[1]), weight)
        assert attributes_of(other) == attributes_of(one) | {"layout": Layout.CENTERED_PAIRS}
        np.testing.assert_array_equal(array(other.inputs[1]), packing.pair_groups(weight))
        assert not np.array_equal(array(other.inputs[1]), weight)
        for name in ("weight_sums", "runs", "bias"):
            np.testing.assert_array_equal(array(operands(one)[name]), array(operands(other)[name]))


def test_weights_that_nodes_share_are_laid_out_once_and_a_graph_without_any_stays(graph):
    model = two_convolutions()
    one, other = convolutions_of(model)
    weight = array(one.inputs[1])
    other.replace_input_with(1, one.inputs[1])
    lay_out(model.graph, Layout.CENTERED_PAIRS)
    assert one.inputs[1] is other.inputs[1]
    np.testing.assert_array_equal(array(one.inputs[1]), packing.pair_groups(weight))
    model = graph.model(ended(graph, graph.frames(5)))
    assert [lay_out(model.graph, layout) for layout in Layout] == [0] * len(Layout)


# Blocks of the generator.
BLOCK = "kokoro.ResidualBlock"


def chain(graph, n=6, n_frames=9, size=3, *, dilations=(1, 3, 5), seconds=None, residual=True, between="", **given):
    """A block of the generator; its result and what else is asked for."""
    x, asked_for = graph.frames(n, n_frames), []
    for index, dilation in enumerate(dilations):
        y = half(graph, half(graph, x, n, size, dilation, **given), n, seconds or size, **given)
        x = graph.add("Add", y, x) if residual else y
        if between == "addend" and index == 0:
            x = graph.add("Add", x, graph.frames(n, n_frames))
        if between == "asked for" and index == 1:
            asked_for.append(turned(graph, x))
    return [x, *asked_for]


def turned(graph, x):
    return graph.add("Exp", graph.add("Transpose", x, perm=[0, 2, 1]))


def blocks_of(graph, *outputs):
    model = fused(graph, *outputs)
    return model, fuse_blocks(model.graph)


@pytest.mark.parametrize(("n_channels", "n_frames", "size"), [(1, 1, 3), (6, 2, 7), (17, 40, 11), (16, 33, 3)])
@pytest.mark.parametrize("summed", [False, True])
def test_three_pairs_become_one_operator(graph, native, n_channels, n_frames, size, summed):
    (y,) = chain(graph, n_channels, n_frames, size)
    if summed:
        y = graph.add("Div", graph.add("Add", graph.frames(n_channels, n_frames), y), graph.constant(3.0))
    model, count = blocks_of(graph, turned(graph, y))
    assert (count, operators(model)) == (1, {BLOCK: 1, "kokoro.ChannelStatistics": 1, "Exp": 1})
    node = the_node(model, "ResidualBlock")
    assert len(node.inputs) == 5 + 6 * 6
    for at in range(5, len(node.inputs), 6):
        weight, sums, runs = (array(value) for value in node.inputs[at : at + 3])
        parts = packing.with_differences(weight, size)
        np.testing.assert_array_equal(runs, packing.cut_runs(np.concatenate(parts, axis=1)))
        np.testing.assert_array_equal(sums, np.concatenate([packing.column_sums(part, n_channels) for part in parts]))
    # Statistics from elsewhere are for who carries them, see `carrying`.
    assert node.inputs[3] is node.inputs[4] is None
    assert (node.inputs[2] is not None) == summed
    assert node.inputs[1] is the_node(model, "ChannelStatistics").outputs[0]
    assert attributes_of(node) == {
        "kernel_size": size, "dilations": (1, 1, 3, 1, 5, 1), "weight_scales": (pytest.approx(0.0021),) * 6,
        "layout": Layout.CENTERED, "epsilon": pytest.approx(1e-5),
        "output_scale": pytest.approx(1 / 3 if summed else 1.0),
    }  # fmt: skip

    def near(before, after):
        # Rounding that falls the other way here and there changes little against the whole.
        assert np.abs(after - before).mean() < 0.02 * (np.abs(before).mean() + 1)

    check_step(native, graph, recognize, None, y, near=near)


def test_statistics_of_a_block_go_to_the_next_one(graph):
    (y,) = chain(graph)
    model, count = blocks_of(graph, turned(graph, half(graph, y, 6, 3)))
    assert count == 1
    assert operators(model) == {BLOCK: 1, CONV: 1, "kokoro.ChannelStatistics": 1, "Exp": 1}
    block, conv = the_node(model, "ResidualBlock"), the_node(model, "DynamicQuantizeConv")
    assert (conv.inputs[0], conv.inputs[5]) == tuple(block.outputs)


@pytest.mark.parametrize("given", [
    {"dilations": (1, 3)}, {"seconds": 5}, {"residual": False}, {"between": "addend"}, {"between": "asked for"},
    {"leaky": True}, {"bias": False},
], ids=str)  # fmt: skip
def test_other_chains_stay_convolutions(graph, given):
    model, count = blocks_of(graph, *(turned(graph, output) for output in chain(graph, **given)))
    found = operators(model)
    assert (count, found[BLOCK], found[CONV]) == (0, 0, 2 * len(given.get("dilations", (1, 3, 5))))
