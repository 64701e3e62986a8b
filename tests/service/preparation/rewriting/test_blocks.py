import numpy as np
import pytest
from onnx_ir.passes import common as passes
from service.preparation.layout import Layout
from service.preparation.rewriting.blocks import fuse_blocks
from service.preparation.rewriting.packing import column_sums, cut_runs, with_differences
from tests.service.preparation.rewriting.graph_checks import (
    attributes_of,
    backend_named,
    copied,
    operators,
    plain,
    recognize,
    the_node,
)
from tests.service.preparation.rewriting.native_graphs import array
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import native

BLOCK, CONV = "kokoro.ResidualBlock", "kokoro.DynamicQuantizeConv"


def frames(graph, n_channels, n_frames):
    return graph.add("Transpose", graph.given(1, n_frames, n_channels), perm=[0, 2, 1])


def half(graph, x, n, size, dilation=1, *, leaky=False, **given):
    """AdaIN, an activation and a convolution."""
    pad = dilation * (size - 1) // 2
    x = graph.modulation(graph.norm(x), graph.given(1, 2 * n), n)
    x = graph.add("LeakyRelu", x, alpha=0.2) if leaky else graph.snake(x, n)
    return graph.convolution(x, n, n, size, dilations=[dilation], pads=[pad, pad], **given)


def chain(
    graph,
    n=6,
    n_frames=9,
    size=3,
    *,
    dilations=(1, 3, 5),
    seconds=None,
    residual=True,
    addend_in_between=False,
    asked_for_in_between=False,
    **given,
):
    """A block of the generator; its result and what else is asked for."""
    x, asked_for = frames(graph, n, n_frames), []
    for index, dilation in enumerate(dilations):
        between = half(graph, x, n, size, dilation, **given)
        y = half(graph, between, n, seconds or size, **given)
        x = graph.add("Add", y, x) if residual else y
        if addend_in_between and index == 0:
            x = graph.add("Add", x, frames(graph, n, n_frames))
        if asked_for_in_between and index == 1:
            asked_for.append(turned(graph, x))
    return [x, *asked_for]


def turned(graph, x):
    return graph.add("Exp", graph.add("Transpose", x, perm=[0, 2, 1]))


def fused(graph, *outputs):
    model = recognize(copied(graph.model(*outputs)))
    native.fuse(model.graph)
    passes.RemoveUnusedNodesPass()(model)
    return model, fuse_blocks(model.graph)


@pytest.mark.parametrize(("n_channels", "n_frames", "size"), [(1, 1, 3), (6, 2, 7), (17, 40, 11), (16, 33, 3)])
@pytest.mark.parametrize("summed", [False, True])
def test_three_pairs_become_one_operator(n_channels, n_frames, size, summed):
    graph = Published()
    (y,) = chain(graph, n_channels, n_frames, size)
    if summed:
        total = graph.add("Add", frames(graph, n_channels, n_frames), y)
        y = graph.add("Div", total, graph.constant(3.0))
    model, count = fused(graph, turned(graph, y))
    assert count == 1
    assert operators(model) == {BLOCK: 1, "kokoro.ChannelStatistics": 1, "Exp": 1}
    node = the_node(model, "ResidualBlock")
    assert len(node.inputs) == 5 + 6 * 6
    for at in range(5, len(node.inputs), 6):
        weight, sums, runs = (array(value) for value in node.inputs[at : at + 3])
        parts = with_differences(weight, size)
        np.testing.assert_array_equal(runs, cut_runs(np.concatenate(parts, axis=1)))
        of_parts = [column_sums(part, n_channels) for part in parts]
        np.testing.assert_array_equal(sums, np.concatenate(of_parts))
    # Statistics from elsewhere are for who carries them, see `carrying`.
    assert node.inputs[3] is node.inputs[4] is None
    assert (node.inputs[2] is not None) == summed
    assert node.inputs[1] is the_node(model, "ChannelStatistics").outputs[0]
    assert attributes_of(node) == {
        "kernel_size": size,
        "dilations": (1, 1, 3, 1, 5, 1),
        "weight_scales": (pytest.approx(0.0021),) * 6,
        "layout": Layout.CENTERED,
        "epsilon": pytest.approx(1e-5),
        "output_scale": pytest.approx(1 / 3 if summed else 1.0),
    }

    backend = backend_named("native")
    published = graph.model(y)
    (before,) = plain(published, graph.feeds)
    (after,) = backend.run(backend.lower(recognize(copied(published))), graph.feeds)
    assert before.shape == after.shape
    # Rounding that falls the other way here and there changes little against the whole.
    assert np.abs(after - before).mean() < 0.02 * (np.abs(before).mean() + 1)


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
        {"dilations": (1, 3)},
        {"seconds": 5},
        {"residual": False},
        {"addend_in_between": True},
        {"asked_for_in_between": True},
        {"leaky": True},
        {"bias": False},
    ],
    ids=str,
)
def test_other_chains_stay_convolutions(given):
    graph = Published()
    outputs = [turned(graph, output) for output in chain(graph, **given)]
    model, count = fused(graph, *outputs)
    assert count == 0
    found = operators(model)
    assert found[CONV] == 2 * len(given.get("dilations", (1, 3, 5)))
    assert BLOCK not in found
