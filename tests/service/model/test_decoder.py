import numpy as np
import pytest

from service.errors import ModelError, RunError, SynthesisError
from service.model.decoder import Decoder, Encoding, run
from service.model.parity import SENTENCES
from service.model.runtime import open_runtime
from tests.small_kokoro import write_small_kokoro

SHORT = SENTENCES["short"]


@pytest.fixture
def encoding(synthesizer):
    style = synthesizer.planner.voices.style(synthesizer.planner.resolve(None), len(SHORT))
    return synthesizer.model.encode(SHORT, style, 1.0)


def test_an_encoding_tells_all_but_the_sound(encoding):
    n_frames = int(encoding.durations.sum())
    assert (encoding.n_frames, encoding.features.shape) == (n_frames, (1, 2 * n_frames, 512))
    assert encoding.spectrum.shape == (1, 120 * n_frames + 1, 22)
    channels = encoding.spectrum[0].astype(np.float64)
    expected = [channels.mean(0), channels.var(0), channels.min(0), channels.max(0)]
    np.testing.assert_allclose(encoding.spectrum_statistics, expected, rtol=1e-4, atol=1e-4)


def test_only_an_encoder_that_adds_frames_may_give_more_than_it_promises(encoding):
    shorter = encoding.durations.copy()
    shorter[-1] -= 1
    given = (encoding.features, encoding.spectrum, encoding.style, None)
    padded = Encoding.of(shorter, *given, padded=True)
    assert padded.n_frames == encoding.n_frames - 1
    assert padded.spectrum.shape[1] == 120 * padded.n_frames + 1
    with pytest.raises(SynthesisError, match="frames where its durations promise"):
        Encoding.of(shorter, *given)
    longer = encoding.durations + 1
    with pytest.raises(SynthesisError, match="frames where its durations promise"):
        Encoding.of(longer, *given, padded=True)


def test_a_window_has_600_samples_for_each_frame_and_its_own_statistics(synthesizer, encoding):
    model = synthesizer.model
    whole = model.decode(encoding, 0, encoding.n_frames)
    part = model.decode(encoding, 10, 30)
    assert (whole.samples.size, part.samples.size) == (600 * encoding.n_frames, 600 * 20)
    assert part.measured.shape == whole.measured.shape == (model.decoder.n_statistics,)
    assert not np.array_equal(part.measured, whole.measured)
    # With the whole's, what is far from its ends is what it is in the whole.
    joined = model.decode(encoding, 10, 30, whole.measured)
    inner = slice(600 * 5, 600 * 15)
    right = whole.samples[600 * 15 : 600 * 25]
    assert np.abs(joined.samples[inner] - right).max() < 0.1 * np.abs(right).max()
    assert np.abs(part.samples[inner] - right).max() > np.abs(joined.samples[inner] - right).max()
    with pytest.raises(RunError, match="given"):
        model.decode(encoding, 0, 20, np.zeros(7, np.float32))


@pytest.mark.parametrize("output", ["features", "spectrum"])
def test_what_is_not_finite_is_an_error(synthesizer, monkeypatch, output):
    def broken(session, inputs, outputs, options):
        found = run(session, inputs, outputs, options)
        found[outputs.index(output)][0, 5, 3] = np.nan
        return found

    monkeypatch.setattr("service.model.token_session.run", broken)
    with pytest.raises(SynthesisError, match="not finite"):
        synthesizer.model.encode(SHORT, np.zeros((1, 256), np.float32), 1.0)


def test_another_model_is_no_decoder(tmp_path):
    path = write_small_kokoro(tmp_path / "small.onnx")
    runtime = open_runtime()
    with (
        runtime.open_optimized(path, None) as session,
        pytest.raises(ModelError, match="not the decoder of a prepared model"),
    ):
        Decoder(session)
