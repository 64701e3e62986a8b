"""DynamicQuantizeLSTM against its definition and against ONNX Runtime's own, to the last bit."""

import numpy as np
import pytest
from hypothesis import strategies as st
from onnx import helper

from tests.native import kokoro_reference as reference
from tests.native import native_library, native_models
from tests.native.lstm_reference import N_GATES, random_lstm
from tests.profiles import costly, given

MODEST = costly()
KOKORO = [(16, 640, 256), (63, 512, 256)]
SIZES = [(1, 1, 4), (2, 5, 4), (9, 33, 20), (7, 64, 36), *KOKORO]


def inputs_of(lstm):
    def operands(matrix, suffix):
        c = reference.matmul(lstm.x, matrix.w, matrix.scales)
        return native_models.operands_of(c, suffix) | {f"weight_scales{suffix}": matrix.scales}

    of_both = operands(lstm.of_input, "") | operands(lstm.of_state, "_of_state")
    return {"x": lstm.x[None], **of_both, "bias": lstm.bias}


def run_lstm(run, lstm):
    (y,) = run("DynamicQuantizeLSTM", inputs_of(lstm), {"hidden": lstm.hidden}, ["y"])
    return y[0]


@pytest.mark.usefixtures("variant")
class TestDefinition:
    @MODEST
    @given(
        shape=st.tuples(st.integers(1, 12), st.integers(1, 40), st.integers(1, 14)),
        loudness=st.sampled_from([0.0, 0.3, 3.0, 30.0]),
        seed=st.integers(0, 99),
    )
    def test_is_kept_to_the_last_bit(self, shape, loudness, seed):
        rows, inner, fours = shape
        lstm = random_lstm(rows, inner, 4 * fours, loudness=loudness, seed=seed)
        assert np.array_equal(native_library.recur(lstm), lstm.result())

    @pytest.mark.parametrize("shape", KOKORO, ids=str)
    def test_is_kept_at_kokoros_sizes(self, shape):
        lstm = random_lstm(*shape)
        assert np.array_equal(native_library.recur(lstm), lstm.result())

    def test_what_is_not_finite_gives_a_result(self):
        lstm = random_lstm(5, 7, 8)
        for value in (np.nan, np.inf, -np.inf):
            lstm.x[2, 3] = value
            assert native_library.recur(lstm).shape == (5, 16)


def stock(lstm):
    half = N_GATES * lstm.hidden

    def directions(array):
        return np.ascontiguousarray(np.stack([array[..., :half], array[..., half:]]))

    given = {"x": lstm.x[:, None]}
    for name, matrix in (("w", lstm.of_input), ("r", lstm.of_state)):
        scales = directions(matrix.scales)[:, 0]
        given |= {name: directions(matrix.w), f"{name}_scale": scales}
    bias = directions(lstm.bias)
    given |= {"zero": np.zeros(2, np.int8), "b": np.concatenate([bias, 0 * bias], axis=1)}
    names = ["x", "w", "r", "b", *[""] * 4, "w_scale", "zero", "r_scale", "zero"]
    attributes = {"domain": "com.microsoft", "hidden_size": lstm.hidden, "direction": "bidirectional"}
    node = helper.make_node("DynamicQuantizeLSTM", names, ["y"], **attributes)
    return native_models.run_stock([node], given)[:, :, 0].reshape(len(lstm.x), -1)


@pytest.mark.parametrize("loudness", [0.3, 3.0, 30.0])
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_onnx_runtime_gives_the_same_bits(run, shape, loudness):
    lstm = random_lstm(*shape, widest=reference.EXACT_EVERYWHERE, loudness=loudness)
    found = run_lstm(run, lstm)
    assert np.array_equal(found, stock(lstm))
    assert np.abs(found).max() > 0.01


def test_what_cannot_be_is_refused(assert_refused):
    lstm = random_lstm(9, 5, 8)
    rows = [
        ({"x": np.zeros((1, 0, 5), np.float32)}, "x is empty"),
        ({"x": np.zeros((9, 5), np.float32)}, "x should have shape"),
        ({"x": np.zeros((1, 9, 9), np.float32)}, r"weight should have shape \[4, 1, 3, 16, 4\]"),
        *(({"hidden": hidden}, "hidden must be 1 or more") for hidden in (0, -8, 2**60)),
        ({"hidden": 6}, "hidden must be a multiple of 4"),
        ({"hidden": 12}, r"weight should have shape \[6, 1, 2, 16, 4\]"),
        ({"weight_sums": np.zeros(63, np.int32)}, r"weight_sums should have shape \[64\]"),
        ({"runs_of_state": np.ones((4, 1, 3), np.uint8)}, r"runs should have shape \[4, 1, 2\]"),
        ({"weight_scales_of_state": np.zeros(1, np.float32)}, "weight_scales should have shape"),
        ({"bias": np.zeros(128, np.float32)}, r"bias should have shape \[64\]"),
        ({"layout": 1}, r"packed in layout 1, and \w+ reads layout"),
    ]  # fmt: skip
    assert_refused("DynamicQuantizeLSTM", lambda: (inputs_of(lstm), {"hidden": 8}), rows)


def test_runs_that_do_not_add_up_are_refused_where_they_are_read(assert_refused, reads_runs):
    lstm = random_lstm(9, 5, 8)
    runs = np.zeros((4, 1, 2), np.uint8)
    rows = [({name: runs}, "runs must add up to the groups") for name in ("runs", "runs_of_state")]
    assert_refused("DynamicQuantizeLSTM", lambda: (inputs_of(lstm), {"hidden": 8}), rows)
