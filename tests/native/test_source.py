"""HarmonicSource against its definition and against the operators that it stands for."""

from dataclasses import replace

import numpy as np
import pytest
from onnx import helper

from tests.native import kokoro_reference as reference
from tests.native import native_library, native_models

ATTRIBUTES = ("factor", "amplitude", "threshold", "silence")


def random_source(frames, harmonics=9, factor=300, *, silent=0.3, amplitude=0.1, seed=0):
    """Phases as a pitch of 50 to 400 Hz adds them up, at 80 frames a second."""
    random = np.random.default_rng(seed)
    f0 = random.uniform(50, 400, frames)
    f0[random.random(frames) < silent] = random.choice([0.0, 9.9, 10.0])
    turns = np.cumsum(np.outer(f0 / 80, np.arange(1, harmonics + 1)), axis=0)
    return reference.HarmonicSource(
        (2 * np.pi * turns).astype(np.float32), f0.astype(np.float32), random.standard_normal(harmonics, np.float32),
        float(np.float32(random.standard_normal())), factor, amplitude,
    )  # fmt: skip


def inputs_of(s):
    return {"phase": s.phase[None], "f0": s.f0[None], "weight": s.weight, "bias": np.array([s.bias], np.float32)}


def attributes_of(s):
    return {name: getattr(s, name) for name in ATTRIBUTES}


def stock(s):
    given = {
        "phase": np.ascontiguousarray(s.phase.T[None]), "f0": s.f0[None, None],
        "grow": np.array([1, 1, s.factor], np.float32), "amplitude": np.array(s.amplitude, np.float32),
        "threshold": np.array(s.threshold, np.float32), "weight": s.weight[:, None],
        "bias": np.array([s.bias], np.float32),
    }  # fmt: skip
    nodes = [
        helper.make_node(
            "Resize", ["f0", "", "grow"], ["repeated"], mode="nearest", nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        ),
        helper.make_node("Transpose", ["repeated"], ["pitch"], perm=[0, 2, 1]),
        helper.make_node("Greater", ["pitch", "threshold"], ["voiced"]),
        helper.make_node("Cast", ["voiced"], ["gate"], to=1),
        helper.make_node(
            "Resize", ["phase", "", "grow"], ["grown"], mode="linear",
            coordinate_transformation_mode="half_pixel",
        ),
        helper.make_node("Transpose", ["grown"], ["phases"], perm=[0, 2, 1]),
        helper.make_node("Sin", ["phases"], ["sines"]),
        helper.make_node("Mul", ["sines", "amplitude"], ["waves"]),
        helper.make_node("Mul", ["waves", "gate"], ["gated"]),
        helper.make_node("MatMul", ["gated", "weight"], ["sum"]),
        helper.make_node("Add", ["sum", "bias"], ["level"]),
        helper.make_node("Tanh", ["level"], ["y"]),
    ]  # fmt: skip
    return native_models.run_stock(nodes, given)[0, :, 0]


@pytest.mark.usefixtures("variant")
class TestDefinition:
    @pytest.mark.parametrize("frames", [1, 2, 3, 50])
    @pytest.mark.parametrize("harmonics", [1, 2, 9])
    @pytest.mark.parametrize("factor", [1, 2, 7, 33, 300])
    def test_is_kept(self, frames, harmonics, factor):
        """Phases of up to 2^14 are rounded to 2^-10 at most where they are interpolated, in four
        places or, the last one's, in eight."""
        s = random_source(frames, harmonics, factor)
        signal = native_library.synthesize(s)
        rounding = 8 * np.spacing(np.abs(s.phase).max(axis=0))
        bound = s.amplitude * np.abs(s.weight) @ rounding + 2e-6
        np.testing.assert_allclose(signal, s.result(), rtol=0, atol=bound)

    def test_silence_is_exact(self):
        s = replace(random_source(40), silence=-0.0294417608529329)
        silent = np.repeat(s.f0 <= 10, 300)
        signal = native_library.synthesize(s)
        assert (signal[silent] == np.float32(s.silence)).all()
        assert (signal[~silent] != np.float32(s.silence)).any()

    @pytest.mark.parametrize("largest", [4, 1e3, 1e5, 1e6])
    def test_a_sine_is_within_a_millionth(self, largest):
        """Of phases that are not interpolated; tanh of a thousandth of it hardly bends it."""
        phase = np.random.default_rng(0).uniform(-largest, largest, 200_000).astype(np.float32)
        phase[:50] = np.round(np.arange(50) * largest / 50 / np.pi) * np.pi
        phase[50:100] = phase[:50] + np.float32(np.pi / 2)
        f0 = np.full(len(phase), 100, np.float32)
        one = np.ones(1, np.float32)
        scale = 2.0**-10
        s = reference.HarmonicSource(phase[:, None], f0, one, 0.0, 1, scale)
        sines = np.arctanh(native_library.synthesize(s).astype(np.float64)) / scale
        # The last frame has none behind it and is put together from eighths, with their rounding.
        assert np.abs(sines - np.sin(phase.astype(np.float64)))[:-1].max() < 1e-6

    def test_tanh_is_within_a_millionth(self):
        phase = np.full((100_000, 1), np.pi / 2, np.float32)
        phase[:, 0] = np.linspace(-np.pi / 2, np.pi / 2, len(phase))
        f0 = np.full(len(phase), 100, np.float32)
        s = reference.HarmonicSource(phase, f0, np.ones(1, np.float32), 0.0, 1, 12.0)
        argument = np.sin(phase[:, 0].astype(np.float64)) * 12
        # An argument of 12 is itself rounded, which matters where tanh is steep: near 0.
        assert np.abs(native_library.synthesize(s) - np.tanh(argument)).max() < 2e-6

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, 1e9])
    def test_what_is_not_a_phase_gives_a_result(self, value):
        s = random_source(20, silent=0)
        s.phase[7, 3] = s.phase[0, 0] = s.phase[19, 8] = value
        s.f0[3] = value
        assert native_library.synthesize(s).shape == (6000,)


@pytest.mark.usefixtures("library_path")
@pytest.mark.parametrize("frames", [1, 2, 37, 400])
def test_is_what_the_operators_give_that_it_stands_for(run, frames):
    """The phases are equal to the last bit, up to 70,000 radians of them. What is left: sines of
    either side within 2e-7, whose weights add up to 1, and two tanh within 3e-7."""
    s = random_source(frames)
    s.f0[[0, -1]] = 100  # before the first and behind the last frame others are not to be had
    s.weight /= np.abs(s.weight).sum() * s.amplitude
    (signal,) = run("HarmonicSource", inputs_of(s), attributes_of(s), ["signal"])
    expected = stock(s)
    voiced = np.repeat(s.f0 > 10, 300)
    assert signal.shape == (1, frames * 300)
    np.testing.assert_allclose(signal[0][voiced], expected[voiced], rtol=0, atol=1e-6)


def test_what_cannot_be_is_refused(assert_refused):
    def floats(*shape):
        return np.zeros(shape, np.float32)

    s = random_source(20)
    rows = [
        ({"phase": floats(1, 0, 9), "f0": floats(1, 0)}, "phase is empty"),
        ({"phase": floats(1, 20, 0), "weight": floats(0)}, "phase is empty"),
        ({"phase": floats(20, 9)}, "phase should have shape"),
        *(({"f0": f0}, r"f0 should have shape \[1, 20\]") for f0 in (floats(1, 19), floats(20))),
        ({"weight": floats(8)}, r"weight should have shape \[9\]"),
        ({"bias": floats(2)}, r"bias should have shape \[1\]"),
        *(({"factor": factor}, "factor must be") for factor in (0, 1 << 17, 2**62)),
    ]  # fmt: skip
    assert_refused("HarmonicSource", lambda: (inputs_of(s), attributes_of(s)), rows, ["signal"])
