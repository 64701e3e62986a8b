"""ResidualBlock against the six DynamicQuantizeConv that it stands for."""

from __future__ import annotations

from dataclasses import replace

import kokoro_reference as reference
import native_models
import numpy as np
import pytest
from onnx import helper

import ortffi

OPERANDS = ("weight", "weight_sums", "bias", "style", "alpha")
EPSILON = 1e-5


class Block:
    """Random operands of six convolutions."""

    def __init__(self, rows=70, channels=20, kernel=3, dilations=(1, 1, 3, 1, 5, 1)):
        random = np.random.default_rng(kernel)
        self.dilations = dilations
        self.x = random.standard_normal((rows, channels), np.float32)
        self.addend = random.standard_normal((rows, channels), np.float32)
        self.output_scale = 1 / 3
        parts = frozenset({"bias", "style", "alpha"})
        pads = (kernel // 2, kernel // 2)
        sizes = reference.Sizes(rows, channels, channels, kernel, pads=pads, parts=parts)
        self.convolutions = [
            replace(
                reference.random_convolution(sizes, seed),
                weight_scale=0.001 * (seed + 1),
                weight_zero_point=5 * seed - 9,
                dilation=dilation,
                pad_begin=dilation * (kernel - 1) // 2,
                pad_end=dilation * (kernel - 1) // 2,
                epsilon=EPSILON,
            )
            for seed, dilation in enumerate(dilations)
        ]

    def inputs(self, *, addend):
        inputs = {
            "x": self.x[None],
            "statistics": reference.statistics(self.x),
            "addend": self.addend[None] if addend else None,
        }
        for index, c in enumerate(self.convolutions):
            given = native_models.inputs_of(c)
            inputs |= {f"{name}_{index}": given[name] for name in OPERANDS}
        return inputs

    def attributes(self):
        return {
            "kernel_size": self.convolutions[0].kernel_size,
            "dilations": list(self.dilations),
            "weight_scales": [c.weight_scale for c in self.convolutions],
            "weight_zero_points": [c.weight_zero_point for c in self.convolutions],
            "epsilon": EPSILON,
            "output_scale": self.output_scale,
        }

    def chain(self, *, addend):
        """The same as six nodes."""
        nodes, x, statistics = [], "x", "statistics"
        for index, c in enumerate(self.convolutions):
            last = index == 5
            attributes = native_models.attributes_of(c)
            attributes["output_scale"] = self.output_scale if last else 1.0
            outputs = ["y", "s"] if last else [f"y{index}", f"s{index}"]
            weight, sums, bias, style, alpha = [f"{name}_{index}" for name in OPERANDS]
            inputs = [x if index % 2 == 0 else nodes[-1].output[0], weight, sums, bias]
            inputs += [statistics, style, alpha]
            if index % 2:
                inputs += [x, "addend"] if last and addend else [x]
                x = outputs[0]
            statistics = outputs[1]
            nodes.append(
                helper.make_node(
                    "DynamicQuantizeConv", inputs, outputs, domain="kokoro", **attributes
                )
            )
        return nodes


@pytest.fixture
def run_chain(library_path):
    def run_chain(block, *, addend):
        given = {n: a for n, a in block.inputs(addend=addend).items() if a is not None}
        model = native_models.chain(block.chain(addend=addend), given, ["y", "s"])
        builder = ortffi.SessionBuilder().with_custom_ops(library_path)
        with builder.commit_from_memory(model) as session:
            return session.run(given, copy=True)

    return run_chain


@pytest.mark.parametrize("addend", [True, False])
@pytest.mark.parametrize("outputs", [["y"], ["y", "s"]])
@pytest.mark.parametrize(
    "shape",
    [(70, 20, 3), (1, 1, 1), (5, 7, 11), (900, 128, 3), (300, 128, 11), (129, 33, 7)],
    ids=str,
)
def test_is_six_convolutions(run, run_chain, variant, shape, addend, outputs):
    if variant == "portable" and shape[0] * shape[1] * shape[2] > 100_000:
        pytest.skip("takes portable C too long")
    block = Block(*shape)
    found = run("ResidualBlock", block.inputs(addend=addend), block.attributes(), outputs)
    expected = run_chain(block, addend=addend)
    for one, other in zip(found, expected, strict=False):
        assert np.array_equal(one, other)
    np.testing.assert_allclose(
        expected[1], reference.statistics(expected[0][0]), rtol=1e-3, atol=1e-4
    )


def test_what_it_is_given_stays_as_it_was(run):
    block = Block()
    inputs = block.inputs(addend=True)
    before = {name: array.copy() for name, array in inputs.items()}
    run("ResidualBlock", inputs, block.attributes(), ["y"])
    for name, array in inputs.items():
        assert np.array_equal(array, before[name])


def zeros(*shape):
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": zeros(70, 20)}, "x should have shape"),
        ({"x": zeros(1, 0, 20), "addend": None}, "x is empty"),
        ({"x": zeros(1, 70, 24)}, r"statistics should have shape \[4, 24\]"),
        ({"statistics": zeros(2, 20)}, r"statistics should have shape \[4, 20\] and has \[2, 20\]"),
        ({"addend": zeros(1, 69, 20)}, r"addend should have shape \[1, 70, 20\]"),
        ({"weight_4": np.zeros((2, 3, 5, 16, 3), np.int8)}, "weight should have shape"),
        ({"weight_sums_5": np.zeros(19, np.int32)}, r"weight_sums should have shape \[20\]"),
        ({"bias_0": zeros(21)}, r"bias should have shape \[20\]"),
        ({"style_1": zeros(1, 20)}, r"style should have shape \[1, 40\]"),
        ({"alpha_3": zeros(1, 20)}, r"alpha should have shape \[20\]"),
        ({"kernel_size": 2}, "weight should have shape|kernel_size must be odd"),
        ({"dilations": [1, 1, 3, 1, 0, 1]}, "dilation must be"),
        ({"dilations": [1, 1, 3, 1, 2**40, 1]}, "dilation must be"),
        ({"weight_zero_points": [0, 0, 0, 0, 0, 128]}, "weight_zero_point must be"),
    ],
)
def test_what_cannot_be_is_refused(run, changes, message):
    block = Block()
    inputs, attributes = block.inputs(addend=True), block.attributes()
    for name, value in changes.items():
        (inputs if name in inputs else attributes)[name] = value
    with pytest.raises(ortffi.OrtError, match=rf"kokoro\.ResidualBlock: .*(?:{message})"):
        run("ResidualBlock", inputs, attributes, ["y"])


def test_an_even_kernel_is_refused(run):
    block = Block(kernel=4)
    with pytest.raises(ortffi.OrtError, match="kernel_size must be odd"):
        run("ResidualBlock", block.inputs(addend=False), block.attributes(), ["y"])


@pytest.mark.parametrize("name", ["dilations", "weight_scales", "weight_zero_points"])
@pytest.mark.parametrize("count", [5, 7])
def test_attributes_are_of_six(run, name, count):
    block = Block()
    attributes = block.attributes()
    attributes[name] = (attributes[name] * 2)[:count]
    with pytest.raises(ortffi.OrtError, match=rf"kokoro\.ResidualBlock: attribute {name}, 6 "):
        run("ResidualBlock", block.inputs(addend=False), attributes, ["y"])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(library_path, threads):
    block = Block(600, 128, 7)
    inputs = {n: a for n, a in block.inputs(addend=True).items() if a is not None}
    model = native_models.model("ResidualBlock", inputs, block.attributes(), ["y", "s"])
    results = []
    for count in (1, threads):
        builder = ortffi.SessionBuilder().with_custom_ops(library_path).with_intra_threads(count)
        with builder.commit_from_memory(model) as session:
            results.append(session.run(inputs, copy=True))
    for one, other in zip(*results, strict=True):
        assert np.array_equal(one, other)
