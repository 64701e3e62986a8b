import numpy as np
import pytest
from service.preparation.rewriting.measuring import result_of

import ortffi


def test_an_operator_is_asked_what_it_gives():
    x = np.linspace(-3, 3, 40, dtype=np.float32).reshape(2, 20)
    np.testing.assert_allclose(result_of("Tanh", x), np.tanh(x), atol=1e-6)
    scale = np.arange(20, dtype=np.float32)
    np.testing.assert_array_equal(result_of("Mul", x, scale), x * scale)
    np.testing.assert_array_equal(result_of("Softmax", x, axis=0).sum(axis=0).round(5), np.ones(20))


def test_a_transform_is_that_of_its_signal():
    signal = np.random.default_rng(1).normal(size=(1, 20)).astype(np.float32)
    window, size = np.hanning(20).astype(np.float32), np.array(20, np.int64)
    found = result_of("STFT", signal, np.array(5, np.int64), window, size, onesided=1)
    expected = np.fft.rfft(signal[0] * window)
    assert found.shape == (1, 1, 11, 2)
    np.testing.assert_allclose(found[0, 0] @ [1, 1j], expected, atol=1e-5)


def test_what_cannot_be_run_is_told():
    with pytest.raises(ortffi.OrtError):
        result_of("Mul", np.ones(3, np.float32), np.ones(4, np.float32))
    with pytest.raises(ortffi.OrtError):
        result_of("NoSuchOperator", np.ones(3, np.float32))
