"""DynamicQuantizeMatMul against its definition and against ONNX Runtime's own, to the last bit."""

import numpy as np
import pytest
from hypothesis import strategies as st
from onnx import helper

from tests.native import kokoro_reference as reference
from tests.native import native_library, native_models
from tests.native.kokoro_reference import EXACT_EVERYWHERE
from tests.profiles import costly, given

MODEST = costly()
# What bert multiplies: rows, channels in, channels out.
BERT = [(rows, *sizes) for rows in (16, 100) for sizes in ((768, 768), (768, 2304), (2048, 768))]
SIZES = [(1, 1, 1), (1, 768, 50), (3, 5, 17), (13, 130, 33), (26, 512, 178), *BERT, (400, 768, 2048)]
KINDS = ["tame", "zero", "constant", "tiny", "huge", "ties", "outlier"]


def activations(kind, shape, random):
    x = random.standard_normal(shape, np.float32)
    return {
        "tame": x,
        "zero": np.zeros_like(x),
        "constant": np.full_like(x, -0.7),
        "tiny": x * np.float32(1e-41),
        "huge": x * np.float32(1e36),
        # Halves of a step: the range is 255 steps.
        "ties": (random.integers(-255, 256, shape) / 2).astype(np.float32),
        "outlier": np.where(random.random(shape) < 0.001, np.float32(1e4), x),
    }[kind]


def random_matmul(rows, inner, out, *, bias=True, kind="tame", seed=0, widest=128):
    random = np.random.default_rng(seed)
    low, high = -widest, min(widest, 127)
    extremes = random.choice(np.array([low, low + 1, high]), (inner, out))
    w = np.where(random.random((inner, out)) < 0.5, random.integers(low, high + 1, (inner, out)), extremes)
    scales = random.random(out, np.float32) / 100
    return reference.matmul(
        activations(kind, (rows, inner), random),
        w.astype(np.int8),
        scales.astype(np.float32),
        random.standard_normal(out, np.float32) if bias else None,
    )


def inputs_of(c):
    return {"x": c.x[None], **native_models.operands_of(c), "weight_scales": c.weight_scales, "bias": c.float_bias}


def run_matmul(run, c):
    (y,) = run("DynamicQuantizeMatMul", inputs_of(c), {"channels": c.w.shape[0]}, ["y"])
    return y


@pytest.mark.usefixtures("variant")
class TestDefinition:
    @MODEST
    @given(
        shape=st.tuples(st.integers(1, 40), st.integers(1, 70), st.integers(1, 70)),
        bias=st.booleans(),
        kind=st.sampled_from(KINDS),
        seed=st.integers(0, 99),
    )
    def test_is_kept_to_the_last_bit(self, shape, bias, kind, seed):
        c = random_matmul(*shape, bias=bias, kind=kind, seed=seed)
        y, _ = native_library.convolve(c)
        assert np.array_equal(y, c.result())

    def test_two_biases_are_refused(self):
        c = random_matmul(3, 4, 5)
        c.bias = c.float_bias
        with pytest.raises(native_library.RefusedError, match="exclude each other"):
            native_library.convolve(c)


def fused(c, names):
    return [helper.make_node("DynamicQuantizeMatMul", names, ["y"], domain="com.microsoft")]


def to_float(c, names):
    x, weight, scales, zero, *bias = names
    names = ["q", weight, "scale", scales, "zero_point", zero, *bias]
    return [
        helper.make_node("DynamicQuantizeLinear", [x], ["q", "scale", "zero_point"]),
        helper.make_node("MatMulIntegerToFloat", names, ["y"], domain="com.microsoft"),
    ]


def apart(c, names):
    x, weight, scales, _, *bias = names
    nodes = [
        helper.make_node("DynamicQuantizeLinear", [x], ["q", "scale", "zero_point"]),
        helper.make_node("MatMulInteger", ["q", weight, "zero_point"], ["sums"]),
        helper.make_node("Cast", ["sums"], ["floats"], to=1),
        helper.make_node("Mul", ["scale", scales], ["both"]),
        helper.make_node("Mul", ["floats", "both"], ["scaled" if bias else "y"]),
    ]
    return [*nodes, *([helper.make_node("Add", ["scaled", *bias], ["y"])] if bias else [])]


def stock(nodes, c):
    if nodes is apart and c.float_bias is not None and reference.FUSES_BIAS:
        pytest.skip("on arm64 ONNX Runtime's own nodes differ: one rounds once, five twice")
    given = {
        "x": c.x[None], "w": np.ascontiguousarray(c.w[:, :, 0].T), "scales": c.weight_scales,
        "zero": np.zeros(c.w.shape[0], np.int8),
    }  # fmt: skip
    if c.float_bias is not None:
        given["bias"] = c.float_bias
    made = nodes(c, list(given))
    used = {name for node in made for name in node.input}
    return native_models.run_stock(made, {name: array for name, array in given.items() if name in used})


@pytest.mark.parametrize("nodes", [fused, to_float, apart])
@pytest.mark.parametrize("bias", [True, False])
class TestOnnxRuntime:
    @pytest.mark.parametrize("shape", SIZES, ids=str)
    def test_gives_the_same_bits(self, run, nodes, bias, shape):
        c = random_matmul(*shape, bias=bias, widest=EXACT_EVERYWHERE)
        assert np.array_equal(run_matmul(run, c), stock(nodes, c))

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
    def test_gives_the_same_bits_for_hostile_values(self, run, nodes, bias, kind, seed):
        c = random_matmul(29, 131, 67, bias=bias, kind=kind, seed=seed, widest=EXACT_EVERYWHERE)
        assert np.array_equal(run_matmul(run, c), stock(nodes, c))

    def test_gives_the_same_bits_for_the_widest_weights(self, run, nodes, bias):
        if native_library.runnable()[0] in ("avx2", "portable"):
            pytest.skip("without VNNI ONNX Runtime cuts off products of such weights; needs VNNI")
        c = random_matmul(29, 131, 67, bias=bias)
        assert np.array_equal(run_matmul(run, c), stock(nodes, c))


@pytest.mark.parametrize("rows", [1, 3, 16, 100])
@pytest.mark.parametrize(("inner", "out", "count"), [(5, 16, 1), (12, 96, 2), (131, 48, 3)])
def test_several_outputs_are_the_columns_times_their_scales(run, rows, inner, out, count):
    c = random_matmul(rows, inner, out)
    scales = np.array([0.3535534, 1.0, -3.0], np.float32)[:count]
    names = ["y", "y2", "y3"][:count]
    outputs = run("DynamicQuantizeMatMul", inputs_of(c) | {"output_scales": scales}, {"channels": out}, names)
    whole = np.split(run_matmul(run, c), count, axis=2)
    for output, columns, scale in zip(outputs, whole, scales, strict=True):
        assert np.array_equal(output, columns * scale)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_gives_a_result(run, value):
    c = random_matmul(29, 131, 67)
    c.x[3, 4] = value
    assert run_matmul(run, c).shape == (1, 29, 67)


def floats(*shape):
    return np.zeros(shape, np.float32)


def test_what_cannot_be_is_refused(assert_refused):
    c = random_matmul(9, 4, 16)
    rows = [
        ({"x": floats(1, 0, 4)}, "x is empty"), ({"x": floats(9, 4)}, "x should have shape"),
        ({"x": floats(1, 9, 5)}, r"weight should have shape \[1, 1, 2, 16, 4\]"),
        ({"channels": 17}, r"weight should have shape \[2, 1, 1, 16, 4\]"),
        ({"channels": 0}, "weight should have shape|channels must be"),
        ({"weight_sums": np.zeros(15, np.int32)}, "weight_sums should have shape"),
        ({"runs": np.ones((1, 1, 2), np.uint8)}, r"runs should have shape \[1, 1, 1\]"),
        ({"layout": 1}, r"packed in layout 1, and \w+ reads layout"),
        ({"weight_scales": floats(1)}, "weight_scales should have shape"),
        ({"bias": floats(1, 16)}, "bias should have shape"),
        ({"output_scales": floats(1, 1)}, "output_scales should have shape"),
        ({"output_scales": floats(0)}, "output_scales must be 1 to 3 numbers"),
        ({"output_scales": floats(4)}, "output_scales must be 1 to 3 numbers"),
        ({"output_scales": floats(2)}, "channels must be a multiple of 16 for each"),
    ]  # fmt: skip
    scales = {"output_scales": np.ones(1, np.float32)}
    assert_refused("DynamicQuantizeMatMul", lambda: (inputs_of(c) | scales, {"channels": 16}), rows)
    wide = random_matmul(9, 4, 32)
    rows = [({"output_scales": np.ones(2, np.float32)}, "an output is missing for one of output_scales")]
    assert_refused("DynamicQuantizeMatMul", lambda: (inputs_of(wide), {"channels": 32}), rows)


def test_runs_that_do_not_add_up_are_refused_where_they_are_read(assert_refused, reads_runs):
    c = random_matmul(9, 4, 16)
    rows = [({"runs": np.zeros((1, 1, 1), np.uint8)}, "runs must add up to the groups")]
    assert_refused("DynamicQuantizeMatMul", lambda: (inputs_of(c), {"channels": 16}), rows)
