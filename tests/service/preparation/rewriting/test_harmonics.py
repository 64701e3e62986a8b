import numpy as np
import pytest
from onnx import TensorProto

from service.preparation.rewriting import harmonics
from service.preparation.rewriting.native import OPERATORS
from tests.service.preparation.checks import STOCK, check_near_misses, check_step, operators, within

RATE_HZ, FACTOR, N_HARMONICS, AMPLITUDE, BIAS = 24000.0, 300, 9, 0.1, -0.02945026010274887


def pitch(n_frames):
    """Hz for each frame, [1, 1, n]: a voice that falls silent for a while."""
    frames = np.arange(n_frames)
    return np.where(frames % 7 != 3, 180 + 40 * np.sin(frames), 0.0).astype(np.float32)[None, None]


def resized(graph, x, scale, mode, transformation):
    return graph.add(
        "Resize", x, "", graph.constant([1.0, 1.0, scale]), mode=mode, nearest_mode="floor",
        coordinate_transformation_mode=transformation,
    )  # fmt: skip


def source(graph, n_frames, *, factor=FACTOR, share=None, up="asymmetric", grow=None, threshold=10.0):
    """Return the published source [1, n * factor, 1], and the cycles that it counts."""
    repeated = resized(graph, graph.given_array(pitch(n_frames)), factor, "nearest", up)
    multiples = graph.constant(np.arange(1, N_HARMONICS + 1).reshape(1, -1, 1))
    cycles = graph.add("Div", graph.add("Mul", repeated, multiples), graph.constant(RATE_HZ))
    rest = graph.add("Sub", cycles, graph.add("Floor", cycles))
    sampled = resized(graph, rest, share or 1 / factor, "linear", "half_pixel")
    summed = graph.add("CumSum", graph.add("Transpose", sampled, perm=[0, 2, 1]), graph.constant(1, np.int32))
    phases = graph.add("Mul", summed, graph.constant(2 * np.pi * factor))
    grown = resized(graph, graph.add("Transpose", phases, perm=[0, 2, 1]), grow or factor, "linear", "half_pixel")
    sine = graph.add("Sin", graph.add("Transpose", grown, perm=[0, 2, 1]))
    waves = graph.add("Mul", sine, graph.constant(AMPLITUDE))
    loud = graph.add("Transpose", repeated, perm=[0, 2, 1])
    voiced = graph.cast(graph.add("Greater", loud, graph.constant(threshold)), TensorProto.FLOAT)
    mixed = graph.add("MatMul", graph.add("Mul", waves, voiced), graph.floats(N_HARMONICS, 1))
    samples = graph.add("Tanh", graph.add("Add", graph.constant([BIAS]), mixed))
    return graph.add("Neg", samples), graph.add("Neg", sampled)


@pytest.mark.parametrize("n_frames", [1, 2, 3, 40, 501])
@pytest.mark.parametrize("factor", [2, 300])
def test_cycles_are_counted_by_frames(graph, n_frames, factor):
    cycles = source(graph, n_frames, factor=factor)[1]
    # The mean of two equal numbers, weighted: one rounding.
    assert not operators(check_step(STOCK, graph, harmonics.rules(), 1, cycles, near=within(2e-7)))["Resize"]


@pytest.mark.parametrize("n_frames", [1, 2, 3, 40, 301])
def test_the_source_is_one_operator(graph, native, n_frames):
    def rewrite(model):
        model.graph.opset_imports[OPERATORS] = 1
        return harmonics.rules().apply_to_model(model) + harmonics.native_rules().apply_to_model(model)

    def near(before, after):
        # The phases are float32 of some thousands: a step of theirs is the error of a sine.
        largest = 2 * np.pi * N_HARMONICS * 220 * n_frames * FACTOR / RATE_HZ
        weights = 0.1 * N_HARMONICS * 4
        np.testing.assert_allclose(after, before, rtol=0, atol=1e-6 + largest * 2**-23 * 4 * weights)
        silent = np.repeat(pitch(n_frames)[0, 0] <= 10, FACTOR)
        np.testing.assert_array_equal(after[0, silent], before[0, silent])

    found = operators(check_step(native, graph, rewrite, 2, source(graph, n_frames)[0], near=near))
    assert found["kokoro.HarmonicSource"] == 1
    assert not found["Resize"] + found["Sin"] + found["Tanh"]


def test_silence_is_what_the_operator_of_onnxruntime_makes_of_the_bias():
    assert harmonics.level_of_silence(0.0) == 0.0
    assert harmonics.level_of_silence(BIAS) == pytest.approx(np.tanh(BIAS), abs=1e-7)


def test_other_sources_stay():
    counts = {
        "another share": lambda graph: source(graph, 6, factor=4, share=0.5)[1],
        "another place": lambda graph: source(graph, 6, factor=4, up="half_pixel")[1],
    }
    check_near_misses(harmonics.rules(), counts)
    thresholds = np.arange(10.0, 100.0, 10.0)
    sources = {"a threshold for each": lambda graph: source(graph, 6, factor=4, threshold=thresholds)[0]}
    check_near_misses(harmonics.native_rules(), sources)
