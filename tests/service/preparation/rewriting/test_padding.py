from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import strategies as st
from service.model.durations import SAMPLES_PER_FRAME
from service.preparation.rewriting.padded_encoder import BUCKETS
from service.preparation.rewriting.padding import Length, Padding
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
    recurrent,
    run,
    spectrum,
)


@pytest.mark.parametrize("buckets", [[1], [8], [2, 5, 40]], ids=str)
@pytest.mark.parametrize("what", LAYERS)
def test_added_frames_change_nothing(what, buckets):
    layer, n_told = LAYERS[what]
    before, graph = published(DURATIONS, layer)
    assert before.shape == (SAMPLES_PER_FRAME * sum(DURATIONS),)
    model, count = padded(Speech().speech(DURATIONS, layer))
    assert count == n_told
    after = run(model, graph.feeds, buckets)
    assert after.shape == before.shape
    # float32; a mean of 8 frames adds in another order than one of 40.
    np.testing.assert_allclose(after, before, rtol=0, atol=3e-6 * (1 + np.abs(before).max()))


@pytest.mark.parametrize("what", [what for what, (_, count) in LAYERS.items() if count])
def test_frames_that_are_only_added_would_be_heard(what, monkeypatch):
    """The test of all layers sees it when nobody disregards frames."""

    def untold(self, node, *_):
        return 1

    layer, _ = LAYERS[what]
    before, graph = published(DURATIONS, layer)
    monkeypatch.setattr(Padding, "_silence", untold)
    monkeypatch.setattr("service.preparation.rewriting.padded_encoder._Padded._end_sequence", untold)
    monkeypatch.setattr(
        Padding, "_mask", lambda self, length: self.make("Unsqueeze", [_ones(self, length), self._ints(0, 1)])
    )
    _unreflect(monkeypatch)
    model, _ = padded(Speech().speech(DURATIONS, layer))
    after = run(model, graph.feeds, [40])
    if what == "an LSTM":  # which never looks ahead
        np.testing.assert_allclose(after, before, atol=1e-6)
    elif what in ("one that looks back only", "a reflected beginning"):
        assert after.shape == before.shape
    else:
        assert np.abs(after - before).max() > 1e-3


def _ones(padding, length):
    frames = padding._of(length, padding.total)
    row = padding.make("Unsqueeze", [frames, padding._ints(0)])
    one = padding._constant(np.array([1], np.float32))
    ones: ir.Value = padding.make("Expand", [one, row])
    return ones


def _unreflect(monkeypatch):
    def pad(self, node, length):
        amounts = node.inputs[1].const_value.numpy()  # type: ignore[union-attr]
        return Length(length.factor, length.extra + int(amounts[2] + amounts[5])), 0

    monkeypatch.setattr(Padding, "_pad", pad)


def everything(graph, x):
    """Most of them, one after the other, as in the published graph."""
    lstm, n_channels, _ = recurrent("bidirectional")(graph, x)
    inner = graph.conv(lstm, n_channels, N_CHANNELS, 5, pads=[2, 2])
    inner, n_channels, _ = normalized_twice(graph, inner)
    grown = graph.add(
        "ConvTranspose", inner, graph.floats(n_channels, 3, 20, scale=0.3), graph.floats(3), strides=[10], pads=[5, 5]
    )
    source, n_bins, _ = spectrum((4, 4), 8)(graph, x)
    fine = graph.conv(source, n_bins, 3, 3, pads=[1, 1])
    # There is a window more than hops: it is cut off.
    cut = graph.add("Slice", fine, *(graph.ints(k) for k in (0, -1, 2, 1)))
    coarse = graph.conv(cut, 3, 3, 6, strides=[3], pads=[2, 1])
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
    model, _ = padded(Speech().speech(DURATIONS, convolution(1)))
    (conv,) = (node for node in model.graph if node.op_type == "Conv" and _size(node) == 5)
    model.graph.outputs.append(conv.outputs[0])
    conv.outputs[0].type = ir.TensorType(ir.DataType.FLOAT)
    graph = Speech()
    graph.speech(DURATIONS, convolution(1))
    feeds = graph.feeds | {BUCKETS: np.array(table, np.int64)}
    audio, inside = plain(model, feeds)
    assert inside.shape == (1, 5, expected)
    assert audio.shape == (expected * SAMPLES_PER_FRAME,)


def _size(node):
    weight = node.inputs[1]
    assert weight is not None
    assert weight.const_value is not None
    return int(weight.const_value.numpy().shape[0])


def test_the_table_is_an_input_and_the_output_keeps_its_name():
    model = Speech().speech(DURATIONS, convolution(3, pads=[1, 1]))
    names = [value.name for value in model.graph.outputs]
    inputs = [value.name for value in model.graph.inputs]
    model, _ = padded(model)
    assert [value.name for value in model.graph.outputs] == names
    assert [value.name for value in model.graph.inputs] == [*inputs, BUCKETS]
    assert model.graph.inputs[-1].dtype == ir.DataType.INT64
    assert copied(model).graph.inputs[-1].name == BUCKETS
