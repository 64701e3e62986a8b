"""ResidualBlock against the six DynamicQuantizeConv that it stands for."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import ortffi
from tests.native import kokoro_reference as reference
from tests.native import native_models

OPERANDS = ("weight", "weight_sums", "runs", "bias", "style", "alpha")
EPSILON = 1e-5


class Block:
    def __init__(self, rows=70, channels=20, kernel=3, dilations=(1, 1, 3, 1, 5, 1), *, pairs=False):
        random = np.random.default_rng(kernel)
        self.dilations = dilations
        self.x = random.standard_normal((rows, channels), np.float32)
        self.addend = random.standard_normal((rows, channels), np.float32)
        self.output_scale = 1 / 3
        parts = frozenset({"bias", "style", "alpha"})
        sizes = reference.Sizes(rows, channels, channels, kernel, pads=(kernel // 2, kernel // 2), parts=parts)
        self.convolutions = [
            replace(
                reference.random_convolution(sizes, seed), weight_scale=0.001 * (seed + 1), dilation=dilation,
                pad_begin=dilation * (kernel - 1) // 2, pad_end=dilation * (kernel - 1) // 2,
                epsilon=EPSILON, pairs=pairs,
            )
            for seed, dilation in enumerate(dilations)
        ]  # fmt: skip

    @property
    def reach(self):
        """Rows on either side that a row of y hangs on, beside the statistics."""
        return sum(c.pad_begin for c in self.convolutions)

    def rows(self, first, last):
        """The same block over a part of x."""
        part = copy.copy(self)
        part.x, part.addend = self.x[first:last], self.addend[first:last]
        return part

    def inputs(self, *, addend, given=None, share=None):
        """`given` [6, 4, C]."""
        inputs = {
            "x": self.x[None], "statistics": reference.statistics(self.x),
            "addend": self.addend[None] if addend else None, "given": None if given is None else given.ravel(),
            "share": None if share is None else np.float32([share]),
        }  # fmt: skip
        for index, c in enumerate(self.convolutions):
            operands = native_models.inputs_of(c)
            inputs |= {f"{name}_{index}": operands[name] for name in OPERANDS}
        return inputs

    def attributes(self):
        return {
            "kernel_size": self.convolutions[0].kernel_size, "dilations": list(self.dilations),
            "weight_scales": [c.weight_scale for c in self.convolutions], "epsilon": EPSILON,
            "output_scale": self.output_scale,
        }  # fmt: skip


def random_statistics(block, seed=7):
    """Of other rows for each convolution, in the place of those that it would measure."""
    random = np.random.default_rng(seed)
    shape = (50, block.x.shape[1])
    found = [reference.statistics(random.normal(0.2 * i, 1 + 0.2 * i, shape).astype(np.float32)) for i in range(6)]
    return np.stack(found)


@pytest.fixture
def run_block(run):
    def run_block(block, *, addend=True, given=None, share=None):
        inputs = block.inputs(addend=addend, given=given, share=share)
        y, s, measured = run("ResidualBlock", inputs, block.attributes(), ["y", "s", "measured"])
        return y[0], s, measured.reshape(6, 4, -1)

    return run_block


@pytest.fixture
def run_six(run):
    """The same of six nodes, between which numpy joins the statistics."""

    def run_six(block, *, addend=True, given=None, share=0.0):
        terms, statistics, measured = [block.x], reference.statistics(block.x), []
        for index, c in enumerate(block.convolutions):
            measured.append(statistics)
            taken = statistics if given is None else reference.joined(statistics, given[index], share)
            one = replace(c, x=terms[-1], statistics=taken, residual=terms[-2] if index % 2 else None)
            if index == 5:
                one = replace(one, addend=block.addend if addend else None, output_scale=block.output_scale)
            y, statistics = run("DynamicQuantizeConv", *native_models.made_of(one), ["y", "s"])
            terms.append(y[0])
        return terms[-1], statistics, np.stack(measured)

    return run_six


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("addend", [True, False])
@pytest.mark.parametrize("outputs", [
    ["y"], ["y", "s", "measured"],
    pytest.param(["y", "s"], marks=pytest.mark.slow), pytest.param(["y", "", "measured"], marks=pytest.mark.slow),
], ids="+".join)  # fmt: skip
@pytest.mark.parametrize(
    "shape", [(70, 20, 3), (1, 1, 1), (5, 7, 11), (900, 128, 3), (300, 128, 11), (129, 33, 7)], ids=str
)
@pytest.mark.parametrize("pairs", [False, True], ids=["", "pairs"])
def test_is_six_convolutions(run, run_six, variant, shape, addend, outputs, pairs):
    if variant == "portable" and shape[0] * shape[1] * shape[2] > 100_000:
        pytest.skip("takes portable C too long")
    block = Block(*shape, pairs=pairs)
    y, *found = run("ResidualBlock", block.inputs(addend=addend), block.attributes(), outputs)
    expected = dict(zip(["y", "s", "measured"], run_six(block, addend=addend), strict=True))
    for name, array in dict(zip(filter(None, outputs), [y[0], *found], strict=True)).items():
        assert np.array_equal(array, expected[name].reshape(array.shape))
    np.testing.assert_allclose(expected["s"], reference.statistics(expected["y"]), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("addend", [True, False])
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("shape", [(70, 20, 3), (1, 1, 1), (5, 7, 11), (129, 33, 7)], ids=str)
def test_takes_joined_statistics(run_block, run_six, variant, shape, share, addend):
    block = Block(*shape)
    given = random_statistics(block)
    found = run_block(block, addend=addend, given=given, share=share)
    assert_same(found, run_six(block, addend=addend, given=given, share=share))
    assert not np.array_equal(found[0], run_block(block, addend=addend)[0])


def test_no_share_is_nothing_given(run_block, variant):
    block = Block()
    others = random_statistics(block)
    for given in (others, np.full_like(others, np.nan)):
        assert_same(run_block(block, given=given, share=0.0), run_block(block))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_measures_what_goes_into_each_convolution(run_block, variant, share):
    """The input's statistics first; the given ones have no part in what is measured there."""
    block = Block()
    _, _, measured = run_block(block, given=random_statistics(block), share=share)
    assert np.array_equal(measured[0], reference.statistics(block.x))
    _, _, others = run_block(block, given=random_statistics(block, seed=8), share=share)
    assert np.array_equal(measured[0], others[0])
    assert all(np.array_equal(a, b) == (share == 0) for a, b in zip(measured[1:], others[1:], strict=True))


@pytest.mark.parametrize("stretch", [1, 20, 69])
def test_joined_statistics_are_those_of_both_stretches(stretch):
    x = Block().x * np.float32(3) + np.float32(1)
    one, other = reference.statistics(x[:stretch]), reference.statistics(x[stretch:])
    found = reference.joined(one, other, share=1 - stretch / len(x))
    np.testing.assert_allclose(found, reference.statistics(x), rtol=1e-5, atol=1e-5)
    assert np.array_equal(found[2:], reference.statistics(x)[2:])


@pytest.mark.parametrize("share", [1e-6, 0.3, 1.0])
def test_the_range_is_of_both(run_block, run_six, variant, share):
    """A narrower one clips nothing, a wider one is used as it is, however small its share."""
    block = Block()
    given = random_statistics(block)
    given[:, 2], given[:, 3] = np.inf, -np.inf  # no range at all
    narrow = run_block(block, given=given, share=share)
    given[:, 2:] = narrow[2][:, 2:].mean(axis=1, keepdims=True)
    assert_same(run_block(block, given=given, share=share), narrow)
    given[:, 2:] = narrow[2][:, 2:]
    assert_same(run_block(block, given=given, share=share), narrow)
    for end in (2, 3):
        wider = given.copy()
        wider[:, end] *= 4
        wider[:, end] += 4 if end == 3 else -4
        found = run_block(block, given=wider, share=share)
        assert_same(found, run_six(block, given=wider, share=share))
        assert not np.array_equal(found[0], narrow[0])


@pytest.mark.parametrize("kernel", [3, 11])
@pytest.mark.parametrize("window", [(0, 200), (150, 330), (250, 400)], ids=str)
def test_a_window_that_is_given_the_wholes_statistics_is_a_part_of_the_whole(run_block, variant, window, kernel):
    """All rows but those that hang on rows beyond an edge that the whole has not.

    Where padding made rows at an edge wider than the whole, the range would be theirs.
    """
    first, last = window
    block = Block(400, 20, kernel)
    block.x[80:100] *= 6  # far from every edge, so that the range is the whole's
    whole, _, measured = run_block(block)
    begin = block.reach if first > 0 else 0
    end = last - first - (block.reach if last < 400 else 0)
    part, _, _ = run_block(block.rows(first, last), given=measured, share=1.0)
    assert np.array_equal(part[begin:end], whole[first + begin : first + end])
    if begin:
        assert not np.array_equal(part[0], whole[first])
    if last < 400:
        assert not np.array_equal(part[-1], whole[last - 1])
    alone, _, _ = run_block(block.rows(first, last))
    assert not np.array_equal(alone[begin:end], whole[first + begin : first + end])


def test_what_it_is_given_stays_as_it_was(run):
    block = Block()
    inputs = block.inputs(addend=True, given=random_statistics(block), share=0.3)
    before = {name: array.copy() for name, array in inputs.items()}
    run("ResidualBlock", inputs, block.attributes(), ["y"])
    assert_same(inputs.values(), before.values())


def zeros(*shape):
    return np.zeros(shape, np.float32)


def test_what_cannot_be_is_refused(assert_refused):
    block = Block()
    rows = [
        ({"x": zeros(70, 20)}, "x should have shape"), ({"x": zeros(1, 0, 20), "addend": None}, "x is empty"),
        ({"x": zeros(1, 70, 24)}, r"statistics should have shape \[4, 24\]"),
        ({"statistics": zeros(2, 20)}, r"statistics should have shape \[4, 20\] and has \[2, 20\]"),
        ({"addend": zeros(1, 69, 20)}, r"addend should have shape \[1, 70, 20\]"),
        ({"given": zeros(480)}, "given and share come together or not at all"),
        ({"share": zeros(1)}, "given and share come together or not at all"),
        ({"given": zeros(456), "share": zeros(1)}, r"given should have shape \[480\] and has \[456\]"),
        ({"given": zeros(24, 20), "share": zeros(1)}, r"given should have shape \[480\]"),
        ({"given": zeros(480), "share": zeros(2)}, r"share should have shape \[1\] and has \[2\]"),
        *(
            ({"given": zeros(480), "share": np.float32([share])}, "share must be 0 to 1")
            for share in (-0.1, -np.inf, np.nextafter(np.float32(1), 2), np.inf, np.nan)
        ),
        ({"weight_4": np.zeros((2, 3, 5, 16, 3), np.int8)}, "weight should have shape"),
        ({"weight_sums_5": np.zeros(19, np.int32)}, r"weight_sums should have shape \[20\]"),
        ({"bias_0": zeros(21)}, r"bias should have shape \[20\]"),
        ({"style_1": zeros(1, 20)}, r"style should have shape \[1, 40\]"),
        ({"alpha_3": zeros(1, 20)}, r"alpha should have shape \[20\]"),
        ({"kernel_size": 2}, "weight should have shape|kernel_size must be odd"),
        *(({"dilations": [1, 1, 3, 1, dilation, 1]}, "dilation must be") for dilation in (0, 2**40)),
        *(({"dilations": [1] * count}, "attribute dilations, 6 ") for count in (5, 7)),
        *(({"weight_scales": [0.1] * count}, "attribute weight_scales, 6 ") for count in (5, 7)),
        ({"layout": 1}, r"packed in layout 1, and \w+ reads layout"),
    ]  # fmt: skip
    assert_refused("ResidualBlock", lambda: (block.inputs(addend=True), block.attributes()), rows)
    even = Block(kernel=4)
    rows = [({}, "kernel_size must be odd")]
    assert_refused("ResidualBlock", lambda: (even.inputs(addend=False), even.attributes()), rows)


def test_runs_that_do_not_add_up_are_refused_where_they_are_read(assert_refused, reads_runs):
    block = Block()
    rows = [({"runs_3": np.zeros((2, 3, 5), np.uint8)}, "runs must add up to the groups")]
    assert_refused("ResidualBlock", lambda: (block.inputs(addend=True), block.attributes()), rows)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(library_path, threads):
    block = Block(600, 128, 7, pairs=True)
    inputs = block.inputs(addend=True, given=random_statistics(block), share=0.3)
    model = native_models.model("ResidualBlock", inputs, block.attributes(), ["y", "s", "measured"])
    results = []
    for count in (1, threads):
        builder = ortffi.SessionBuilder().with_custom_ops(library_path).with_intra_threads(count)
        with builder.commit_from_memory(model) as session:
            results.append(session.run(inputs, copy=True))
    assert_same(*results)
