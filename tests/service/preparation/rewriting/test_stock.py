"""Which of ONNX Runtime's operators are put in; what they give is tested with each pass."""

import numpy as np
import onnx_ir as ir
import pytest

from service.preparation.rewriting import stock
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import nodes_of
from service.preparation.rewriting.lengths import share_lengths
from tests.service.preparation.checks import STOCK, operators, plain, recognize, the_node
from tests.service.preparation.rewriting.published_graphs import Published

TO_FLOAT = "com.microsoft.MatMulIntegerToFloat"


def lowered(graph, *outputs):
    """Return the graph, whose outputs are turned, so that no transposes are left in it."""
    turned = [graph.add("Transpose", output, perm=[0, 2, 1]) for output in outputs]
    return STOCK.lower(recognize(graph.model(*[graph.add("Softmax", output, axis=-1) for output in turned])))


def array(value):
    return ir.convenience.get_const_tensor(value).numpy()


def test_a_kernel_of_one_frame_is_a_product_and_a_longer_one_sees_gathered_frames(graph):
    model = lowered(graph, graph.convolution(graph.frames(5), 5, 6, 1, bias=False))
    assert operators(model) == {"DynamicQuantizeLinear": 1, TO_FLOAT: 1, "Softmax": 1}
    graph = Published()
    model = lowered(graph, graph.convolution(graph.frames(5), 5, 6, 3, bias=False))
    found = operators(model)
    assert (found["Pad"], found["Gather"], found[TO_FLOAT]) == (1, 1, 1)
    assert "Transpose" not in found
    assert the_node(model, "Pad").inputs[2] is the_node(model, "DynamicQuantizeLinear").outputs[2]


@pytest.mark.parametrize("weight_zero", [128, 69, 0])
def test_weights_are_signed_if_their_pairs_fit_16_bits(graph, weight_zero):
    model = lowered(graph, graph.convolution(graph.frames(5), 5, 6, 3, weight_zero=weight_zero))
    node = the_node(model, "MatMulIntegerToFloat")
    matrix, zero = array(node.inputs[1]), array(node.inputs[5])
    signed = weight_zero == 128
    assert matrix.shape == (15, 6)
    assert matrix.dtype == zero.dtype == (np.int8 if signed else np.uint8)
    assert zero == (0 if signed else weight_zero)
    held = (value.const_value.numpy() for value in graph.model().graph.initializers.values())
    (kernel,) = (each for each in held if each.dtype == np.uint8 and each.ndim == 3)
    for k, channel, out in np.ndindex(3, 5, 6):
        expected = int(kernel[out, channel, k]) - (128 if signed else 0)
        assert matrix[k * 5 + channel, out] == expected


@pytest.mark.parametrize(("weights", "signed"), [
    ((192, 192), True), ((193, 192), False), ((0, 255), True), ((64, 64), True), ((63, 64), False),
    ((255, 129), True), ((255, 130), False),
])  # fmt: skip
def test_the_widest_pairs_of_weights_are_multiplied_exactly(graph, weights, signed):
    """The largest activations; the numbers are those of 64-bit integers."""
    x = np.array([[0.0, 0.0], [255.0, 255.0], [255.0, 0.0], [0.0, 255.0]], np.float32)
    quantized, scale, zero = graph.quantized(graph.add("Transpose", graph.given_array(x[None]), perm=[0, 2, 1]))
    kernel = np.array(weights, np.uint8).reshape(1, 2, 1)
    sums = graph.add(
        "ConvInteger", quantized, graph.constant(kernel, np.uint8), zero,
        graph.constant(128, np.uint8), kernel_shape=[1],
    )  # fmt: skip
    step = graph.add("Mul", scale, graph.constant(1.0))
    model = STOCK.lower(recognize(graph.model(graph.add("Mul", graph.cast(sums, ir.DataType.FLOAT), step))))
    assert (array(the_node(model, "MatMulIntegerToFloat").inputs[1]).dtype == np.int8) == signed
    (found,) = STOCK.run(model, graph.feeds)
    np.testing.assert_array_equal(found.ravel(), x @ (np.array(weights, np.float32) - 128))


def test_adain_takes_its_sums_as_products(graph):
    x = graph.norm(graph.frames(6))
    styles = [graph.given(1, 12) for _ in range(2)]
    found = operators(lowered(graph, *(graph.modulation(x, style, 6) for style in styles)))
    assert "ReduceMean" not in found
    assert "Transpose" not in found
    # Two for each style: what both have in common is done once.
    assert found["MatMul"] == 2


def test_snake_has_no_powers_and_after_adain_no_sine_either():
    graph = Published()
    found = operators(lowered(graph, graph.snake(graph.frames(6), 6)))
    assert found == {"Mul": 3, "Sin": 1, "Add": 1, "Softmax": 1}
    graph = Published()
    x, style = graph.norm(graph.frames(6)), graph.given(1, 12)
    found = operators(lowered(graph, graph.snake(graph.modulation(x, style, 6), 6)))
    assert "Sin" not in found
    assert found["Floor"] == 1


def test_the_polynomial_is_as_near_to_the_sine_as_it_says():
    f = np.linspace(0, 1, 100_001)
    h = f * (1 - f)
    first, second = stock.SINE
    found = (h * (first + second * h)) ** 2
    assert np.abs(found - np.sin(np.pi * f) ** 2).max() < 6.7e-4
    # HardSigmoid stays within 0..1.
    assert 0 < first < first + second / 4 < 4 * np.sqrt(np.pi)


def test_snake_after_adain_is_near_whatever_alpha_is(graph):
    alpha = np.array([1.4, 0.2, -0.3, 0.02, -0.006, 1e-5], np.float32)
    n_frames = 400
    style = graph.given_array(np.repeat([[2.0, 0.5]], 6, axis=1).astype(np.float32))
    v = graph.modulation(graph.norm(graph.given(1, 6, n_frames)), style, 6)
    sine = graph.add("Sin", graph.add("Mul", graph.constant(alpha[None, :, None]), v))
    quotient = graph.add("Mul", graph.constant(1 / alpha[None, :, None]), graph.add("Pow", sine, graph.constant(2.0)))
    y = graph.add("Add", v, quotient)
    exact, modulated = plain(graph.model(y, v), graph.feeds)
    found = STOCK.run(STOCK.lower(recognize(graph.model(y))), graph.feeds)[0]
    # Off by the polynomial's error, or, where the sine is small, by a thirty-fifth of its square.
    squares = np.sin(alpha[:, None] * modulated[0].astype(np.float64)) ** 2
    bound = np.minimum(6.7e-4, squares * 0.03) / np.abs(alpha[:, None]) + 1e-4
    assert np.abs(modulated).max() > 7
    assert (np.abs(found - exact)[0] <= bound).all()


def test_upsampling_and_the_last_convolution_are_one_product_each(graph):
    upsampled = graph.upsampling(graph.frames(5), 5, 6, 4)
    last = graph.add("Conv", upsampled, graph.floats(7, 6, 3), graph.floats(7), pads=[1, 1])
    found = operators(lowered(graph, last))
    assert found["MatMul"] == 2
    assert not {"Conv", "ConvTranspose", "Transpose"} & set(found)


# Lengths: which operators are told how many frames they get by one and the same value.
def told(model):
    """Return how many values tell convolutions and normalizations of lengths."""
    nodes = [*nodes_of(model.graph, "QuantizedConv"), *nodes_of(model.graph, "InstanceNorm")]
    return len({id(node.inputs[-1]) for node in nodes if node.domain == DOMAIN})


def activated(graph, x, n_channels):
    style = graph.given(1, 2 * n_channels)
    return graph.snake(graph.modulation(graph.norm(x), style, n_channels), n_channels)


def test_a_residual_block_counts_its_frames_once(graph):
    x = graph.frames(6)
    for dilation in (1, 3):
        y = graph.convolution(activated(graph, x, 6), 6, 6, 3, dilations=[dilation], pads=[dilation, dilation])
        x = graph.add("Add", x, y)
    model = recognize(graph.model(x))
    assert (share_lengths(model.graph), told(model), operators(model)["Shape"]) == (4, 1, 1)


@pytest.mark.parametrize(
    ("pad", "stride", "expected"), [(1, 1, 1), (0, 1, 2), (1, 2, 2)], ids=["as many", "no padding", "stride"]
)
def test_only_a_convolution_that_keeps_frames_passes_their_number_on(graph, pad, stride, expected):
    first = graph.convolution(graph.given(1, 5, 9), 5, 6, 3, pads=[pad, pad], strides=[stride])
    model = recognize(graph.model(graph.convolution(first, 6, 6, 3)))
    assert (share_lengths(model.graph), told(model)) == (2, expected)


def test_sums_of_frames_of_two_origins_are_counted_anew(graph):
    total = graph.add("Add", *(graph.convolution(graph.given(1, 5, 9), 5, 6, 3) for _ in "ab"))
    model = recognize(graph.model(graph.convolution(total, 6, 6, 3)))
    assert (share_lengths(model.graph), told(model)) == (3, 3)


def test_frames_that_are_equally_many_are_named_alike(graph):
    y = graph.convolution(activated(graph, graph.frames(5), 5), 5, 6)
    model = recognize(graph.model(graph.add("Transpose", y, perm=[0, 2, 1]), y))
    share_lengths(model.graph)
    modulated, convolved = (the_node(model, name).outputs[0].shape for name in ("Modulate", "QuantizedConv"))
    assert modulated[1] == convolved[1]
    assert convolved[2] == 6


def test_what_was_told_changes_no_bit(graph):
    x = graph.given(1, 6, 9)
    total = graph.add("Add", x, graph.convolution(activated(graph, x, 6), 6, 6, 3, dilations=[3], pads=[3, 3]))
    strided = graph.convolution(total, 6, 5, 3, strides=[2])
    one, other = (recognize(graph.model(total, strided)) for _ in range(2))
    assert share_lengths(other.graph) == 3
    for before, after in zip(*(STOCK.run(STOCK.lower(each), graph.feeds) for each in (one, other)), strict=True):
        np.testing.assert_array_equal(after, before)
