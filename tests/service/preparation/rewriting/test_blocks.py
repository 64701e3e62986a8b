import numpy as np
import pytest
from service.preparation.layout import Layout
from service.preparation.rewriting.blocks import fuse_blocks
from service.preparation.rewriting.packing import column_sums, cut_runs, with_differences
from tests.service.preparation.rewriting.graph_checks import attributes_of, check_step, operators, recognize, the_node
from tests.service.preparation.rewriting.native_graphs import CONV, array, frames, half
from tests.service.preparation.rewriting.native_graphs import fused as fused_convolutions
from tests.service.preparation.rewriting.published_graphs import Published

BLOCK = "kokoro.ResidualBlock"


def chain(graph, n=6, n_frames=9, size=3, *, dilations=(1, 3, 5), seconds=None, residual=True, between="", **given):
    """A block of the generator; its result and what else is asked for."""
    x, asked_for = frames(graph, n, n_frames), []
    for index, dilation in enumerate(dilations):
        y = half(graph, half(graph, x, n, size, dilation, **given), n, seconds or size, **given)
        x = graph.add("Add", y, x) if residual else y
        if between == "addend" and index == 0:
            x = graph.add("Add", x, frames(graph, n, n_frames))
        if between == "asked for" and index == 1:
            asked_for.append(turned(graph, x))
    return [x, *asked_for]


def turned(graph, x):
    return graph.add("Exp", graph.add("Transpose", x, perm=[0, 2, 1]))


def fused(graph, *outputs):
    model = fused_convolutions(graph, *outputs)
    return model, fuse_blocks(model.graph)


@pytest.mark.parametrize(("n_channels", "n_frames", "size"), [(1, 1, 3), (6, 2, 7), (17, 40, 11), (16, 33, 3)])
@pytest.mark.parametrize("summed", [False, True])
def test_three_pairs_become_one_operator(native, n_channels, n_frames, size, summed):
    graph = Published()
    (y,) = chain(graph, n_channels, n_frames, size)
    if summed:
        y = graph.add("Div", graph.add("Add", frames(graph, n_channels, n_frames), y), graph.constant(3.0))
    model, count = fused(graph, turned(graph, y))
    assert count == 1
    assert operators(model) == {BLOCK: 1, "kokoro.ChannelStatistics": 1, "Exp": 1}
    node = the_node(model, "ResidualBlock")
    assert len(node.inputs) == 5 + 6 * 6
    for at in range(5, len(node.inputs), 6):
        weight, sums, runs = (array(value) for value in node.inputs[at : at + 3])
        parts = with_differences(weight, size)
        np.testing.assert_array_equal(runs, cut_runs(np.concatenate(parts, axis=1)))
        np.testing.assert_array_equal(sums, np.concatenate([column_sums(part, n_channels) for part in parts]))
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


def test_statistics_of_a_block_go_to_the_next_one():
    graph = Published()
    (y,) = chain(graph)
    model, count = fused(graph, turned(graph, half(graph, y, 6, 3)))
    assert count == 1
    assert operators(model) == {BLOCK: 1, CONV: 1, "kokoro.ChannelStatistics": 1, "Exp": 1}
    block, conv = the_node(model, "ResidualBlock"), the_node(model, "DynamicQuantizeConv")
    assert (conv.inputs[0], conv.inputs[5]) == tuple(block.outputs)


@pytest.mark.parametrize(
    "given",
    [
        {"dilations": (1, 3)}, {"seconds": 5}, {"residual": False}, {"between": "addend"}, {"between": "asked for"},
        {"leaky": True}, {"bias": False},
    ],
    ids=str,
)  # fmt: skip
def test_other_chains_stay_convolutions(given):
    graph = Published()
    model, count = fused(graph, *(turned(graph, output) for output in chain(graph, **given)))
    found = operators(model)
    assert (count, found[BLOCK], found[CONV]) == (0, 0, 2 * len(given.get("dilations", (1, 3, 5))))
