"""Frames that are added, in encoders and in decoders."""

import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import strategies as st
from service.model.durations import SAMPLES_PER_FRAME
from service.preparation.refusal import RefusedError
from service.preparation.rewriting.masked_decoder import MASK, mask_frames
from service.preparation.rewriting.padded_encoder import BUCKETS
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from tests.profiles import costly, given
from tests.service.preparation.rewriting.graph_checks import copied, plain
from tests.service.preparation.rewriting.padded_graphs import (
    DURATIONS,
    LAYERS,
    N_CHANNELS,
    Speech,
    convolution,
    normalized_twice,
    padded,
    published,
    recognized,
    recurrent,
    run,
    spectrum,
)


@pytest.mark.parametrize("buckets", [[1], [8], [2, 5, 40]], ids=str)
@pytest.mark.parametrize("what", LAYERS)
def test_added_frames_change_nothing(what, buckets):
    layer, n_told = LAYERS[what]
    before, graph = published(DURATIONS, layer)
    model, count = padded(Speech().speech(DURATIONS, layer))
    assert count == n_told
    after = run(model, graph.feeds, buckets)
    assert after.shape == before.shape == (SAMPLES_PER_FRAME * sum(DURATIONS),)
    # float32; a mean of 8 frames adds in another order than one of 40.
    np.testing.assert_allclose(after, before, rtol=0, atol=3e-6 * (1 + np.abs(before).max()))


def everything(graph, x):
    """Most of them, one after the other, as in the published graph."""
    lstm, n_channels, _ = recurrent("bidirectional")(graph, x)
    inner = graph.conv(lstm, n_channels, N_CHANNELS, 5, pads=[2, 2])
    inner, n_channels, _ = normalized_twice(graph, inner)
    weight = graph.floats(n_channels, 3, 20, scale=0.3)
    grown = graph.add("ConvTranspose", inner, weight, graph.floats(3), strides=[10], pads=[5, 5])
    source, n_bins, _ = spectrum((4, 4), 8)(graph, x)
    fine = graph.conv(source, n_bins, 3, 3, pads=[1, 1])
    # There is a window more than hops: it is cut off.
    coarse = graph.conv(graph.cut(fine, 0, -1, 2, 1), 3, 3, 6, strides=[3], pads=[2, 1])
    return graph.add("Add", grown, graph.resize(coarse, 20)), 3, 20


@costly(part=40)
@given(
    durations=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    table=st.sets(st.integers(1, 60), min_size=1, max_size=5).map(sorted),
)
def test_whatever_the_durations_and_the_table(durations, table):
    before, graph = published(durations, everything)
    model, _ = padded(Speech().speech(durations, everything))
    after = run(model, graph.feeds, table)
    assert after.shape == before.shape == (SAMPLES_PER_FRAME * sum(durations),)
    np.testing.assert_allclose(after, before, rtol=0, atol=2e-5 * (1 + np.abs(before).max()))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([1], 7), ([7], 7), ([8], 8), ([6], 12), ([2], 8), ([3, 5], 10), ([7, 8], 7), ([3, 9], 9),
        ([2, 4, 64], 64), ([100, 200], 100),
    ],
)  # fmt: skip
def test_the_frames_are_those_of_the_first_bucket_that_is_large_enough(table, expected):
    graph = Speech()
    model, _ = padded(graph.speech(DURATIONS, convolution(1)))
    conv = next(node for node in model.graph if node.op_type == "Conv")
    model.graph.outputs.append(conv.outputs[0])
    conv.outputs[0].type = ir.TensorType(ir.DataType.FLOAT)
    audio, inside = plain(model, graph.feeds | {BUCKETS: np.array(table, np.int64)})
    assert inside.shape == (1, 5, expected)
    assert audio.shape == (expected * SAMPLES_PER_FRAME,)


def test_the_table_is_an_input_and_the_output_keeps_its_name():
    model = Speech().speech(DURATIONS, convolution(3, pads=[1, 1]))
    inputs, outputs = ([value.name for value in ends] for ends in (model.graph.inputs, model.graph.outputs))
    model = copied(padded(model)[0])
    assert [value.name for value in model.graph.outputs] == outputs
    assert [value.name for value in model.graph.inputs] == [*inputs, BUCKETS]
    assert model.graph.inputs[-1].dtype == ir.DataType.INT64


# Decoders, which are told how many frames count.


def decoder(layer, n_frames, n_added=0):
    """A graph from features to samples; added frames are full of what must not be heard."""
    noise = np.random.default_rng(5)
    features = noise.normal(size=(1, 2 * n_frames, N_CHANNELS)).astype(np.float32)
    added = noise.normal(size=(1, 2 * n_added, N_CHANNELS)).astype(np.float32)
    graph = Speech()
    given = graph.given_array(np.concatenate([features, 10 * added], axis=1), FEATURES)
    model = graph.samples(graph.add("Transpose", given, perm=[0, 2, 1]), layer, SAMPLES_PER_FRAME // 2)
    shape = ir.Shape([1, None, 22])
    model.graph.inputs.append(ir.Value(name=SPECTRUM, shape=shape, type=ir.TensorType(ir.DataType.FLOAT)))
    return model, graph.feeds | {SPECTRUM: np.zeros((1, 1, 22), np.float32)}


def masked(model):
    return padded(recognized(model), mask_frames)


IN_ENCODERS = ("an LSTM", "an LSTM that goes back", "an LSTM of both", "reflected ends")


UNAWARE = ("one that looks back only", "a reflected beginning")
"""They look at nothing that was added."""


@pytest.mark.parametrize("what", [what for what in LAYERS if what not in IN_ENCODERS])
def test_masked_frames_change_nothing_and_others_are_heard(what):
    layer, n_told = LAYERS[what]
    (before,) = plain(*decoder(layer, 7))
    for n_added in (0, 1, 9):
        model, feeds = decoder(layer, 7, n_added)
        model, count = masked(model)
        assert count == n_told
        assert not {"Shape", "Range"} & {node.op_type for node in model.graph}
        mask = np.zeros((1, 1, 2 * (7 + n_added)), np.float32)
        mask[..., : 2 * 7] = 1
        (after,) = plain(model, feeds | {MASK: mask})
        assert after.shape == (SAMPLES_PER_FRAME * (7 + n_added),)
        bound = 3e-6 * (1 + np.abs(before).max())
        np.testing.assert_allclose(after[: before.size], before, rtol=0, atol=bound)
    if n_told and what not in UNAWARE:
        (heard,) = plain(model, feeds | {MASK: np.ones_like(mask)})
        assert np.abs(heard[: before.size] - before).max() > 1e-3


@pytest.mark.parametrize(
    ("what", "message"), [("an LSTM", "an LSTM of frames"), ("reflected ends", "a Pad behind the last frame")]
)
def test_what_only_an_encoder_can_do_is_refused_in_a_decoder(what, message):
    with pytest.raises(RefusedError, match=message):
        masked(decoder(LAYERS[what][0], 7)[0])


def test_a_decoder_of_another_rate_is_refused():
    model, _ = decoder(lambda graph, x: (graph.resize(x, 2), N_CHANNELS, 1), 7)
    with pytest.raises(RefusedError, match="is not as long as it must be"):
        masked(model)
