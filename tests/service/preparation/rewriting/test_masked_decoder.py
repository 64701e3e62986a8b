"""Decoders, which are told how many frames count."""

import numpy as np
import onnx_ir as ir
import pytest
from service.model.durations import SAMPLES_PER_FRAME
from service.preparation.refusal import RefusedError
from service.preparation.rewriting.masked_decoder import MASK, mask_frames
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from service.preparation.rewriting.transposes import cancel_transposes
from tests.service.preparation.rewriting.graph_checks import plain, tidied
from tests.service.preparation.rewriting.padded_graphs import LAYERS, N_CHANNELS, Speech, padded

from service.preparation.rewriting import normalization


def decoder(layer, n_frames, n_added=0):
    """A graph from features to samples; added frames are full of what must not be heard."""
    noise = np.random.default_rng(5)
    features = noise.normal(size=(1, 2 * n_frames, N_CHANNELS)).astype(np.float32)
    added = noise.normal(size=(1, 2 * n_added, N_CHANNELS)).astype(np.float32)
    graph = Speech()
    given = graph.given_array(np.concatenate([features, 10 * added], axis=1), FEATURES)
    value, n_channels, factor = layer(graph, graph.add("Transpose", given, perm=[0, 2, 1]))
    one = graph.conv(value, n_channels, 1, 1)
    samples = graph.resize(one, SAMPLES_PER_FRAME // (2 * factor))
    model = graph.model(graph.add("Squeeze", samples, graph.ints(0, 1)))
    spectrum = ir.Value(name=SPECTRUM, shape=ir.Shape([1, None, 22]), type=ir.TensorType(ir.DataType.FLOAT))
    model.graph.inputs.append(spectrum)
    return graph, model


def masked(model):
    normalization.rules().apply_to_model(model)
    cancel_transposes(model.graph)
    return padded(tidied(model), mask_frames)


IN_ENCODERS = ("an LSTM", "an LSTM that goes back", "an LSTM of both", "reflected ends")


@pytest.mark.parametrize("n_added", [0, 1, 9])
@pytest.mark.parametrize("what", [what for what in LAYERS if what not in IN_ENCODERS])
def test_masked_frames_change_nothing(what, n_added):
    layer, n_told = LAYERS[what]
    graph, model = decoder(layer, 7)
    silence = {SPECTRUM: np.zeros((1, 1, 22), np.float32)}
    (before,) = plain(model, graph.feeds | silence)
    graph, model = decoder(layer, 7, n_added)
    model, count = masked(model)
    assert count == n_told
    mask = np.zeros((1, 1, 2 * (7 + n_added)), np.float32)
    mask[..., : 2 * 7] = 1
    (after,) = plain(model, graph.feeds | silence | {MASK: mask})
    assert after.shape == (SAMPLES_PER_FRAME * (7 + n_added),)
    assert not {"Shape", "Range"} & {node.op_type for node in model.graph}
    after = after[: before.size]
    np.testing.assert_allclose(after, before, rtol=0, atol=3e-6 * (1 + np.abs(before).max()))


UNAWARE = ("one that looks back only", "a reflected beginning")
"""They look at nothing that was added."""


@pytest.mark.parametrize(
    "what", [what for what, (_, n) in LAYERS.items() if n and what not in (*IN_ENCODERS, *UNAWARE)]
)
def test_frames_that_are_not_masked_are_heard(what):
    layer, _ = LAYERS[what]
    graph, model = decoder(layer, 7)
    silence = {SPECTRUM: np.zeros((1, 1, 22), np.float32)}
    (before,) = plain(model, graph.feeds | silence)
    graph, model = decoder(layer, 7, 9)
    model, _ = masked(model)
    (after,) = plain(model, graph.feeds | silence | {MASK: np.ones((1, 1, 32), np.float32)})
    assert np.abs(after[: before.size] - before).max() > 1e-3


@pytest.mark.parametrize(
    ("what", "message"), [("an LSTM", "an LSTM of frames"), ("reflected ends", "a Pad behind the last frame")]
)
def test_what_only_an_encoder_can_do_is_refused_in_a_decoder(what, message):
    _, model = decoder(LAYERS[what][0], 7)
    with pytest.raises(RefusedError, match=message):
        masked(model)


def test_a_decoder_of_another_rate_is_refused():
    def build(graph, x):
        return graph.resize(x, 2), N_CHANNELS, 1

    _, model = decoder(build, 7)
    with pytest.raises(RefusedError, match="is not as long as it must be"):
        masked(model)
