"""The weights of checkpoints, whatever is around them."""

import numpy as np
import pytest

from service.errors import ModelError
from service.preparation.checkpoints import read_weights, weights_of
from tests.service.torch_files import checkpoint_file, layers_of

RNG = np.random.default_rng(1)
LANDMARK = {"bert_encoder.weight": np.ones((2, 3), np.float32)}


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def test_weights_are_found_below_whatever_is_around_them():
    for around in ("", "module.", "net.", "state_dict.model."):
        tensors = {f"{around}bert_encoder.module.weight": floats(2, 3), f"{around}decoder.module.x.bias": floats(3)}
        tensors |= {f"{around}bert.pooler.weight": floats(2), f"{around}bert.embeddings.position_ids": np.arange(3)}
        tensors |= {f"{around}discriminator.weight": floats(2), "optimizer.state.0": floats(2)}
        assert set(weights_of(tensors)) == {"bert_encoder.weight", "decoder.x.bias"}


def test_both_weight_norms_are_joined():
    g, v = np.abs(floats(4, 1, 1)), floats(4, 3, 5)
    expected = v * g / np.linalg.norm(v.reshape(4, -1), axis=1).reshape(4, 1, 1)
    for length, direction in (
        ("weight_g", "weight_v"), ("parametrizations.weight.original0", "parametrizations.weight.original1")
    ):  # fmt: skip
        found = weights_of({**LANDMARK, f"decoder.x.{length}": g, f"decoder.x.{direction}": v})
        assert set(found) == {"bert_encoder.weight", "decoder.x.weight"}
        np.testing.assert_allclose(found["decoder.x.weight"], expected, rtol=1e-6)


def test_norms_within_adain_go_into_its_scale_and_shift():
    style, normal = floats(8), floats(3, 20)
    weight, bias, fc, fc_bias = floats(3), floats(3), floats(6, 8), floats(6)

    def adain(fc, fc_bias, normal):
        scale, shift = np.split(fc @ style + fc_bias, 2)
        return (1 + scale)[:, None] * normal + shift[:, None]

    found = weights_of({
        **LANDMARK, "decoder.n.norm.weight": weight, "decoder.n.norm.bias": bias, "decoder.n.fc.weight": fc,
        "decoder.n.fc.bias": fc_bias,
    })  # fmt: skip
    assert set(found) == {"bert_encoder.weight", "decoder.n.fc.weight", "decoder.n.fc.bias"}
    expected = adain(fc, fc_bias, weight[:, None] * normal + bias[:, None])
    np.testing.assert_allclose(
        adain(found["decoder.n.fc.weight"], found["decoder.n.fc.bias"], normal), expected, rtol=1e-4, atol=1e-5
    )


NAN = np.array([np.nan], np.float32)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"decoder.x.weight": floats(2)}, "no Kokoro: it has no bert_encoder.weight"),
        ({**LANDMARK, "decoder.x.bias": NAN}, "'decoder.x.bias' has numbers that are not finite"),
        ({**LANDMARK, "decoder.x.bias": np.ones(2, np.int64)}, "has int64 in place of floats"),
        ({**LANDMARK, "decoder.x.weight_g": floats(2, 1)}, "weight norm 'decoder.x' is not whole"),
        (
            {**LANDMARK, "decoder.x.weight_g": floats(3, 1), "decoder.x.weight_v": floats(2, 2)},
            "weight norm 'decoder.x' is not whole",
        ),
        (
            {**LANDMARK, "decoder.x.weight_g": floats(2, 1), "decoder.x.weight_v": np.zeros((2, 2), np.float32)},
            "direction of zeros",
        ),
        ({**LANDMARK, "decoder.n.norm.weight": floats(2)}, "norm 'decoder.n' is not whole"),
        (
            {**LANDMARK, "decoder.n.norm.weight": floats(2), "decoder.n.norm.bias": floats(2),
             "decoder.n.fc.weight": floats(3, 2), "decoder.n.fc.bias": floats(3)},
            "norm 'decoder.n' is not whole",
        ),
    ],
)  # fmt: skip
def test_what_is_no_kokoro_is_refused(tensors, message):
    with pytest.raises(ModelError) as error:
        weights_of(tensors)
    assert message in error.value.message


def test_files_are_read_and_named_in_errors(tmp_path):
    path = tmp_path / "model.pth"
    path.write_bytes(checkpoint_file(layers_of({**LANDMARK, "decoder.x.bias": floats(2)})))
    assert set(read_weights(path)) == {"bert_encoder.weight", "decoder.x.bias"}
    damaged = bytearray(path.read_bytes())
    for content in (bytes(damaged[:-100]), b"PK\3\4", b"", b"\x80\x02."):
        path.write_bytes(content)
        with pytest.raises(ModelError) as error:
            read_weights(path)
        assert str(path) in error.value.message
        assert "\n" not in error.value.message


@pytest.mark.parametrize("n", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_damaged_checkpoints_are_read_or_refused(tmp_path, n):
    path = tmp_path / "model.pth"
    v, g = floats(4, 3, 5), floats(4, 1, 1)
    whole = checkpoint_file(layers_of({**LANDMARK, "decoder.x.weight_g": g, "decoder.x.weight_v": v,
        "decoder.n.norm.weight": floats(2), "decoder.n.norm.bias": floats(2), "decoder.n.fc.weight": floats(4, 2),
        "decoder.n.fc.bias": floats(4)}))  # fmt: skip
    rng = np.random.default_rng(2)
    messages = set()
    for _ in range(n):
        content = bytearray(whole)
        for place in rng.integers(0, len(content), rng.integers(1, 6)):
            content[place] = rng.integers(0, 256)
        path.write_bytes(content[: rng.integers(1, len(content) + 1)] if rng.random() < 0.2 else content)
        try:
            read_weights(path)
        except ModelError as error:
            messages.add(error.message)
    assert len(messages) > 5
    assert not any("\n" in message for message in messages)
