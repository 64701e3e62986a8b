"""The operators in ONNX Runtime, through ortffi."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from onnx import helper

import ortffi
from service.preparation.layout import Layout
from tests.native import kokoro_reference as reference
from tests.native import native_library, native_models
from tests.native.native_models import made_of

OPTIONAL = ["bias", "style", "alpha", "residual", "addend"]
COMBINATIONS = [frozenset(chosen) for n in range(len(OPTIONAL) + 1) for chosen in itertools.combinations(OPTIONAL, n)]


def run_convolution(run, c, outputs=("y", "statistics_out"), **changes):
    inputs, attributes = made_of(c)
    return run("DynamicQuantizeConv", inputs, attributes | changes, outputs)


def assert_is_result(y, c):
    q, scale, zero_point = native_library.quantize(c)
    expected = c.finish(c.accumulators(q, zero_point), np.float32(scale))
    largest = np.abs(expected).max()
    assert y.shape == (1, *expected.shape)
    np.testing.assert_allclose(y[0], expected, rtol=1e-5, atol=1e-6 * largest)


@pytest.mark.parametrize("parts", COMBINATIONS, ids=lambda parts: "+".join(sorted(parts)) or "none")
@pytest.mark.parametrize("last", ["nothing", "leaky", "output_scale"])
def test_every_combination_of_optional_inputs(run, parts, last):
    sizes = reference.Sizes(47, 22, 35, kernel=7, dilation=3, pads=(9, 9), parts=parts | {last})
    c = reference.random_convolution(sizes)
    if "alpha" in parts:
        c.negative_slope = 1.0
    y, statistics = run_convolution(run, c)
    assert_is_result(y, c)
    np.testing.assert_allclose(statistics, reference.statistics(y[0]), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("width", [0.5, 1.0, 2.0])
def test_statistics_without_style_only_tell_the_range(run, variant, width):
    c = reference.random_convolution(reference.Sizes(47, 22, 35, parts=frozenset({"bias"})))
    measured, _ = run_convolution(run, c)
    c.statistics = reference.statistics(c.x)
    c.statistics[:2] = np.nan
    c.statistics[2:] *= np.float32(width)
    y, _ = run_convolution(run, c)
    expected = c.result()
    np.testing.assert_allclose(y[0], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
    assert np.array_equal(y, measured) == (width == 1.0)


def test_statistics_are_left_out_where_nobody_reads_them(run):
    c = reference.random_convolution(reference.Sizes(30, 8, 16))
    for outputs in [("y",), ("y", "")]:
        (y,) = run_convolution(run, c, outputs)
        assert_is_result(y, c)


@pytest.mark.parametrize("sizes", [
    reference.Sizes(1, 1, 1, 1, pads=(0, 0)), reference.Sizes(1, 128, 64, 11, dilation=5, pads=(25, 25)),
    reference.Sizes(60, 1090, 256, 3), reference.Sizes(2600, 128, 128, 7),
    reference.Sizes(700, 22, 128, 12, stride=6, pads=(3, 3)),
], ids=str)  # fmt: skip
def test_long_and_short_tensors(run, sizes):
    c = reference.random_convolution(replace(sizes, parts=frozenset({"bias", "style", "alpha", "residual"})))
    y, statistics = run_convolution(run, c)
    assert_is_result(y, c)
    exact = reference.statistics(y[0])
    np.testing.assert_allclose(statistics, exact, rtol=1e-4, atol=1e-5 * exact.max())


CONV = {"channels": 22, "kernel_size": 7, "pad_begin": 3, "pad_end": 3, "negative_slope": 0.01}


def float_convolution():
    """One with CONV's attributes, and its inputs."""
    random = np.random.default_rng(1)
    given = [random.standard_normal(shape, np.float32) for shape in ((700, 64), (22, 64, 7), (22,))]
    c = reference.FloatConvolution(*given, pad_begin=3, pad_end=3, negative_slope=0.01)
    return c, {"x": c.x[None], "weight": reference.packed_floats(c.w), "bias": c.bias}


def test_conv(run):
    c, inputs = float_convolution()
    (y,) = run("Conv", inputs, CONV, ["y"])
    np.testing.assert_allclose(y[0], c.result(), rtol=1e-4, atol=1e-4)


def transposed_convolution(*, reflect, residual):
    random = np.random.default_rng(1)
    given = [random.standard_normal(shape, np.float32) for shape in ((90, 32), (32, 24, 12), (24,))]
    c = reference.TransposedConvolution(*given, stride=6, pad=3, reflect=reflect, negative_slope=0.1)
    if residual:
        c.residual = random.standard_normal((c.output_rows, 24), np.float32)
    return c


def transposed_inputs(c):
    residual = None if c.residual is None else c.residual[None]
    return {"x": c.x[None], "weight": c.packed(), "bias": c.bias, "residual": residual}


def transposed_attributes(c):
    same = {"stride": c.stride, "pad": c.pad, "reflect": c.reflect}
    return {"channels": c.w.shape[1], "negative_slope": c.negative_slope, **same}


@pytest.mark.parametrize("reflect", [0, 1])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("outputs", [["y"], ["y", "statistics"]])
def test_conv_transpose(run, reflect, residual, outputs):
    c = transposed_convolution(reflect=reflect, residual=residual)
    y, *statistics = run("ConvTranspose", transposed_inputs(c), transposed_attributes(c), outputs)
    np.testing.assert_allclose(y[0], c.result(), rtol=1e-4, atol=1e-4)
    for found in statistics:
        np.testing.assert_allclose(found, reference.statistics(y[0]), rtol=1e-4, atol=1e-4)


def test_channel_statistics(run):
    x = np.random.default_rng(0).standard_normal((1, 5000, 37), np.float32)
    (found,) = run("ChannelStatistics", {"x": x}, {}, ["y"])
    np.testing.assert_allclose(found, reference.statistics(x[0]), rtol=1e-5, atol=1e-5)


def floats(*shape):
    return np.zeros(shape, np.float32)


def test_a_convolution_that_cannot_be_is_refused(assert_refused):
    c = reference.random_convolution(reference.Sizes(9, 4, 16))
    taps = "taps of weight must be kernel_size or more times that"
    rows = [
        ({"x": floats(9, 4)}, r"x should have shape \[1, any, any\] and has \[9, 4\]"),
        ({"x": floats(2, 9, 4)}, r"x should have shape .* has \[2, 9, 4\]"),
        ({"x": floats(1, 0, 4)}, "x is empty"), ({"x": floats(1, 1, 1, 1, 1, 1, 9)}, "has 7 dimensions"),
        ({"x": floats(1, 9, 5)}, r"weight should have shape \[1, any, 2, 16, 4\] and has"),
        ({"kernel_size": 4}, taps), ({"kernel_size": 2}, taps), ({"kernel_size": 2**62}, "kernel_size must be"),
        ({"channels": 17}, r"weight should have shape \[2, any, 1, 16, 4\]"),
        ({"channels": 15}, r"weight_sums should have shape \[15\] and has \[16\]"),
        ({"channels": 0}, "weight should have shape|channels must be"),
        ({"channels": -(2**63)}, "weight should have shape|channels must be"),
        ({"weight_sums": np.zeros(4, np.int32)}, "weight_sums should have shape"),
        ({"bias": floats(15)}, r"bias should have shape \[16\] and has \[15\]"),
        ({"style": floats(1, 8)}, "style needs statistics"),
        ({"statistics": floats(4, 5)}, r"statistics should have shape \[4, 4\]"),
        ({"statistics": floats(4, 5), "style": floats(1, 8)}, "statistics should have shape"),
        ({"statistics": floats(2, 4), "style": floats(1, 8)}, r"statistics should have shape \[4, 4\]"),
        ({"statistics": floats(4, 4), "style": floats(8)}, "style should have shape"),
        ({"alpha": floats(3)}, "alpha should have shape"),
        ({"residual": floats(1, 8, 16)}, r"residual should have shape \[1, 9, 16\]"),
        ({"addend": floats(1, 9, 15)}, r"addend should have shape \[1, 9, 16\]"),
        ({"dilation": 0}, "dilation must be"), ({"dilation": 2**62}, "dilation must be"),
        ({"stride": 0}, "stride must be"), ({"stride": -1}, "stride must be"),
        ({"pad_begin": -1}, "pad_begin and pad_end must be"), ({"pad_end": 2**40}, "pad_begin and pad_end must be"),
        ({"runs": np.ones((1, 3, 2), np.uint8)}, r"runs should have shape \[1, any, 1\]"),
        ({"runs": np.ones((1, 4, 1), np.uint8)}, "taps of runs must be those of weight"),
        ({"pad_begin": 0, "pad_end": 0, "dilation": 5}, "shorter than the kernel"),
    ]  # fmt: skip
    assert_refused("DynamicQuantizeConv", lambda: made_of(c), rows)


def test_runs_that_do_not_add_up_are_refused_where_they_are_read(assert_refused, reads_runs):
    """A kernel takes a length of 0 for a group, so that zeros in between count too."""
    c = reference.random_convolution(reference.Sizes(9, 20, 16))
    rows = []
    for lengths in ((0, 0, 0, 0, 0), (2, 2, 0, 0, 0), (2, 2, 2, 0, 0), (2, 0, 3, 0, 0), (0, 5, 0, 0, 0)):
        runs = c.runs()
        runs[0, 1] = lengths
        rows.append(({"runs": runs}, "runs must add up to the groups of channels, with zeros behind them"))
    assert_refused("DynamicQuantizeConv", lambda: made_of(c), rows)


def test_what_cannot_be_is_refused(assert_refused):
    c = transposed_convolution(reflect=1, residual=False)
    weight = "weight should have shape"
    for operator, made, rows in (
        ("Conv", (float_convolution()[1], CONV), [
            ({"x": floats(1, 0, 64)}, "x is empty"), ({"x": floats(1, 9, 63)}, weight),
            ({"bias": floats(21)}, "bias should have shape"), ({"pad_begin": -1}, "pad_begin"),
            ({"x": floats(1, 1, 64), "pad_begin": 2}, "shorter than the kernel"), ({"kernel_size": 0}, weight),
            ({"channels": 22.0}, "attribute channels, an int,"),
        ]),
        ("ConvTranspose", (transposed_inputs(c), transposed_attributes(c)), [
            ({"x": floats(1, 9, 33)}, weight), ({"stride": 5}, weight), ({"stride": 2**62}, f"stride must be|{weight}"),
            ({"pad": 400}, "too short"), ({"pad": -1}, "pad must be"), ({"reflect": 2}, "reflect must be"),
            ({"residual": floats(1, 5, 24)}, "residual should have shape"),
        ]),
        ("ChannelStatistics", ({"x": floats(1, 4, 4)}, {}), [
            ({"x": floats(1, 0, 3)}, "x is empty"), ({"x": floats(2, 3)}, "x should have shape"),
        ]),
    ):  # fmt: skip
        assert_refused(operator, lambda made=made: made, rows)
    for missing in CONV:
        attributes = {name: value for name, value in CONV.items() if name != missing}
        assert_refused(
            "Conv", lambda made=attributes: (float_convolution()[1], made), [({}, f"attribute {missing}, an? ")]
        )


LAYOUT_NAMES = {Layout.CENTERED: "centered", Layout.CENTERED_PAIRS: "centered pairs"}


def test_weights_of_another_layout_are_refused(run, assert_refused, variant):
    c = reference.random_convolution(reference.Sizes(9, 4, 16))
    read = native_library.layout()
    reads = rf"{variant} reads layout {int(read)} \({LAYOUT_NAMES[read]}\); prepare the model again"
    others = {-1, 0, 1, *map(int, Layout), max(Layout) + 1} - {int(read)}
    rows = [({"layout": layout}, f"packed in layout {layout}, and {reads}") for layout in others]
    assert_refused("DynamicQuantizeConv", lambda: made_of(c), rows)
    run_convolution(run, c, ["y"], layout=int(read))


def test_a_variant_chosen_too_late_refuses_what_it_would_misread(library_path):
    readers = {}
    for name in native_library.runnable():
        with native_library.using(name):
            readers[native_library.layout()] = name
    if len(readers) < 2:
        pytest.skip("the variants that this processor runs read one layout")
    c = reference.random_convolution(reference.Sizes(9, 12, 16))
    for early, late in itertools.permutations(readers.values()):
        with native_library.using(early):
            inputs, attributes = made_of(c)
            model = native_models.model("DynamicQuantizeConv", inputs, attributes, ["y"])
            session = ortffi.SessionBuilder().with_custom_ops(library_path).commit_from_memory(model)
        given = {name: array for name, array in inputs.items() if array is not None}
        with session:
            with (
                native_library.using(late),
                pytest.raises(ortffi.OrtError, match=rf"packed in layout \d, and {late} reads"),
            ):
                session.run(given)
            with native_library.using(early):
                session.run(given)


def test_weights_that_do_not_say_their_layout_are_refused(library_path):
    c = reference.random_convolution(reference.Sizes(9, 4, 16))
    inputs = {name: array for name, array in native_models.inputs_of(c).items() if array is not None}
    attributes = native_models.attributes_of(c)
    node = helper.make_node("DynamicQuantizeConv", list(inputs), ["y"], domain="kokoro", **attributes)
    model = native_models.chain([node], inputs, ["y"])
    with pytest.raises(ortffi.OrtError, match="attribute layout, an int, is missing"):
        ortffi.SessionBuilder().with_custom_ops(library_path).commit_from_memory(model)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_several_runs_of_one_session_do_not_meet(library_path, threads):
    parts = frozenset({"bias", "style", "alpha", "residual"})
    c = reference.random_convolution(reference.Sizes(900, 70, 90, kernel=5, pads=(2, 2), parts=parts))
    model = native_models.model("DynamicQuantizeConv", *made_of(c), ["y", "s"])
    given = {n: a for n, a in native_models.inputs_of(c).items() if a is not None}
    inputs = [{**given, "x": given["x"] * np.float32(i + 1)} for i in range(4)]
    builder = ortffi.SessionBuilder().with_custom_ops(library_path).with_intra_threads(threads)
    with builder.commit_from_memory(model) as session, ThreadPoolExecutor(4) as pool:
        alone = [session.run(each, copy=True) for each in inputs]
        for i, outputs in enumerate(pool.map(lambda i: session.run(inputs[i % 4], copy=True), range(24))):
            for found, expected in zip(outputs, alone[i % 4], strict=True):
                assert np.array_equal(found, expected)
