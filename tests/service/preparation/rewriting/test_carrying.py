"""Statistics that a decoder of ONNX Runtime's operators takes from elsewhere."""

import numpy as np
import onnx_ir as ir
import pytest
from onnx_ir.passes import common as passes

from service.preparation.refusal import RefusedError
from service.preparation.rewriting import convolutions, normalization, snake
from service.preparation.rewriting.carrying import give_spectrum, give_statistics, tell_spectrum
from service.preparation.rewriting.graph import constant, nodes_of
from service.preparation.rewriting.parts import split
from tests.service.preparation.checks import STOCK, recognize, tidied
from tests.service.preparation.rewriting.published_graphs import Published

N, N_FRAMES = 6, 20
PER_BLOCK = 6 * 4 * N


def split_up(graph, audio, *, with_snake=True):
    model = graph.model(audio)
    for module in (convolutions, normalization, snake)[: 3 if with_snake else 2]:
        module.rules().apply_to_model(model)
    passes.RemoveUnusedNodesPass()(model)
    return split(model)


def kernel_sizes(nodes):
    """Of the convolutions behind AdaIN layers."""
    found = []
    for node in nodes:
        while node.op_type != "QuantizedConv":
            node = node.outputs[0].uses()[0].node
        found.append(constant(node.inputs[1]).shape[2])
    return found


@pytest.mark.parametrize("with_snake", [True, False])
def test_layers_take_statistics_in_the_order_in_which_blocks_are_summed(graph, with_snake):
    _, decoder = split_up(graph, graph.generator(N), with_snake=with_snake)
    assert give_statistics(decoder.graph) == 3
    given = decoder.graph.inputs[-2]
    assert [value.name for value in decoder.graph.inputs][-2:] == ["given", "share"]
    assert given.shape == ir.Shape([3 * PER_BLOCK])
    (of_blocks,) = (use.node for use in given.uses())
    taken = []
    for of_block in of_blocks.outputs:
        (rows,) = (use.node for use in of_block.uses())
        users = [use for row in rows.outputs for use in row.uses()]
        # Mean, variance, least and greatest of each layer, layer by layer.
        assert [use.idx for use in users] == [2, 3, 4, 5] * 6
        layers = [use.node for use in users[::4]]
        assert all(node.inputs[6] is decoder.graph.inputs[-1] for node in layers)
        taken.append(layers)
    if with_snake:
        assert [kernel_sizes(layers) for layers in taken] == [[5] * 6, [3] * 6, [7] * 6]
    assert len({node for layers in taken for node in layers}) == 18


def test_blocks_of_another_form_are_refused(graph):
    _, decoder = split_up(graph, graph.generator(N, residual=False))
    before = [(node.op_type, len(node.inputs)) for node in decoder.graph]
    with pytest.raises(RefusedError, match="no residual block of 6, at node "):
        give_statistics(decoder.graph)
    assert [(node.op_type, len(node.inputs)) for node in decoder.graph] == before
    assert [value.name for value in decoder.graph.inputs] == ["features", "spectrum", "style"]


def decoders(graph):
    """Return a decoder that takes statistics, and the same that does not; and what they decode."""
    encoder, decoder = split_up(graph, graph.generator(N, N_FRAMES))
    tell_spectrum(encoder.graph)
    names = [value.name for value in encoder.graph.outputs]
    told = dict(zip(names, STOCK.run(STOCK.lower(encoder), graph.feeds), strict=True))
    feeds = {name: told[name] for name in ("features", "spectrum", "spectrum_statistics")}
    return decoder, feeds | {"style": graph.feeds["style"]}


def test_the_spectrum_is_told_of_the_whole():
    _, feeds = decoders(Published())
    columns = feeds["spectrum"][0].astype(np.float64)
    expected = [columns.mean(0), columns.var(0), columns.min(0), columns.max(0)]
    np.testing.assert_allclose(feeds["spectrum_statistics"], expected, rtol=1e-5, atol=1e-5)


def test_without_a_share_no_bit_is_another():
    decoder, feeds = decoders(Published())
    plain = {name: feeds[name] for name in ("features", "spectrum", "style")}
    (before,) = STOCK.run(STOCK.lower(decoder), plain)
    give_spectrum(decoder.graph)
    give_statistics(decoder.graph)
    chance = np.random.default_rng(0).uniform(0, 100, 3 * PER_BLOCK).astype(np.float32)
    lowered = STOCK.lower(decoder)
    none = {"given": chance, "share": np.zeros(1, np.float32)}
    (after,) = STOCK.run(lowered, feeds | none)
    np.testing.assert_array_equal(before, after)
    (other,) = STOCK.run(lowered, feeds | none | {"share": np.ones(1, np.float32)})
    assert np.abs(other - before).max() > 0.1 * np.abs(before).max()


def test_spectra_are_rounded_in_the_range_of_the_whole():
    decoder, feeds = decoders(Published())
    plain = {name: feeds[name] for name in ("features", "spectrum", "style")}
    lowered = STOCK.lower(decoder)
    give_spectrum(decoder.graph)
    carrying = STOCK.lower(decoder)
    # A window with small numbers, of a whole with much larger ones.
    plain["spectrum"], feeds["spectrum"] = (0.01 * feeds["spectrum"] for _ in range(2))
    (own,) = STOCK.run(lowered, plain)
    (of_whole,) = STOCK.run(carrying, feeds)
    assert not np.array_equal(own, of_whole)
    feeds["spectrum_statistics"] = 0.01 * feeds["spectrum_statistics"]
    (of_window,) = STOCK.run(carrying, feeds)
    np.testing.assert_allclose(own, of_window, atol=1e-3 * np.abs(own).max())


def layer(graph, n_frames):
    """AdaIN, Snake and a convolution of frames, which takes statistics; its inputs but those."""
    x = graph.add("Transpose", graph.given(1, n_frames, N, name="x"), perm=[0, 2, 1])
    modulated = graph.modulation(graph.norm(x), graph.given(1, 2 * N, name="style"), N)
    y = graph.convolution(graph.snake(modulated, N), N, N, 1)
    model = recognize(graph.model(graph.add("Transpose", y, perm=[0, 2, 1])))
    (modulate,) = nodes_of(model.graph, "Modulate")
    modulate.resize_inputs(7)
    for place, name in enumerate(("mean", "variance", "least", "greatest", "share"), 2):
        value = ir.Value(name=name, type=ir.TensorType(ir.DataType.FLOAT))
        model.graph.inputs.append(value)
        modulate.replace_input_with(place, value)
    return tidied(model), graph.feeds


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_with_what_is_given_a_window_is_what_it_is_in_the_whole(sign):
    model, feeds = layer(Published(), 60)
    x = feeds["x"]
    x[0, 40, 2], x[0, 50, 3] = -9, 11  # which the window does not see
    feeds["style"] = np.full((1, 2 * N), sign * 2.0, np.float32)  # scales below 0, too
    statistics = {"mean": x[0].mean(0), "variance": x[0].var(0), "least": x[0].min(0), "greatest": x[0].max(0)}
    lowered = STOCK.lower(model)

    def run(frames, share):
        given = statistics | {"share": np.array([share], np.float32)}
        (y,) = STOCK.run(lowered, feeds | given | {"x": frames})
        return y

    whole = run(x, 0.0)
    window = slice(5, 30)
    right = whole[:, window]
    # The same integers but for rare ones that were near a half.
    apart = np.abs(run(x[:, window], 1.0) - right)
    assert np.median(apart) < 1e-4 * np.abs(right).max()
    assert apart.max() < 0.03 * np.abs(right).max()
    assert np.median(np.abs(run(x[:, window], 0.0) - right)) > 0.01 * np.abs(right).max()
    # What reaches further than is given is not clamped.
    statistics |= {name: 0.01 * statistics[name] for name in ("least", "greatest")}
    assert np.abs(run(x, 1.0) - whole).max() < 0.03 * np.abs(whole).max()
