import numpy as np
import pytest

from service.errors import ModelError
from service.model.decoder import Encoding
from service.model.statistics import N_LAYERS, StatisticsPredictor, inputs_of, raveled, rows_of, statistics_of
from service.speech import VoiceLibrary

CHANNELS = (4, 2)
N = N_LAYERS * sum(CHANNELS)
RANK, FURTHER_RANK = 3, 2
PUBLISHED = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"


@pytest.fixture(scope="module")
def shipped(repository):
    return StatisticsPredictor.load(repository / "voices/statistics.npz")


@pytest.fixture(scope="module")
def voices(repository):
    return VoiceLibrary(repository / "voices")


def arrays():
    """A map of six layers of 4 channels and six of 2, made by chance."""
    chance = np.random.default_rng(0)

    def floats(*shape):
        return chance.normal(0, 0.01, shape).astype(np.float32)

    def levels(*shape):
        return chance.integers(-127, 128, shape).astype(np.int8)

    return {
        "source": np.arange(32, dtype=np.uint8), "channels": np.array(CHANNELS, np.int64), "center": floats(686),
        "weights": floats(686, RANK + FURTHER_RANK) / 100, "offsets": floats(4, N), "moments": levels(2, RANK, N),
        "reaches": levels(2, FURTHER_RANK, N), "style_center": floats(128),
        "style_weights": np.eye(128, dtype=np.float32), "limit": np.array(4.0, np.float32),
    }  # fmt: skip


def encoding(n_frames=300, style=None):
    chance = np.random.default_rng(1)
    return Encoding(
        np.array([n_frames]),
        chance.normal(0, 1, (1, 2 * n_frames, 512)).astype(np.float32),
        np.zeros((1, 120 * n_frames + 1, 22), np.float32),
        np.abs(chance.normal(0, 1, (4, 22))).astype(np.float32),
        chance.normal(0, 1, (1, 256)).astype(np.float32) if style is None else style,
    )


def test_a_map_is_what_its_arrays_say():
    given, chunk = arrays(), encoding()
    z = (inputs_of(chunk) - given["center"]) @ given["weights"]
    mean, log_variance = (z[:RANK] @ rows.astype(np.float32) for rows in given["moments"])
    below, above = (z[RANK:] @ rows.astype(np.float32) for rows in given["reaches"])
    usual = given["offsets"]
    mean = usual[0] + np.exp(usual[1] / 2) * mean
    deviation = np.exp((usual[1] + log_variance) / 2)
    least, greatest = mean - deviation * np.exp(usual[2] + below), mean + deviation * np.exp(usual[3] + above)
    expected = [mean, deviation**2, least, greatest]
    found = StatisticsPredictor(given).predict(chunk)
    assert found.dtype == np.float32
    assert np.ptp(found) > 0.1
    np.testing.assert_allclose(rows_of(found, CHANNELS), expected, rtol=1e-4, atol=1e-5)


def test_statistics_come_block_by_block_layer_by_layer():
    rows = np.arange(4 * N, dtype=np.float32).reshape(4, N)
    flat = raveled(rows, CHANNELS)
    first, second = flat[: 4 * N_LAYERS * 4], flat[4 * N_LAYERS * 4 :]
    blocks = first.reshape(N_LAYERS, 4, 4), second.reshape(N_LAYERS, 4, 2)
    assert blocks[0][1, 2].tolist() == rows[2, 4:8].tolist()
    assert blocks[1][5, 3].tolist() == rows[3, -2:].tolist()
    np.testing.assert_array_equal(rows_of(flat, CHANNELS), rows)


def test_least_and_greatest_are_on_both_sides_of_the_mean():
    steps, usual = np.random.default_rng(2).normal(0, 3, (2, 4, 50)).astype(np.float32)
    mean, variance, least, greatest = statistics_of(steps, usual)
    assert ((variance > 0) & (least < mean) & (mean < greatest)).all()


def test_what_is_read_of_a_chunk():
    chunk = encoding(n_frames=600)
    style, features, means, log_variances, length = np.split(inputs_of(chunk), np.cumsum([128, 512, 22, 22]))
    np.testing.assert_array_equal(style, chunk.style[0, :128])
    np.testing.assert_allclose(features, chunk.features[0].mean(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(means, chunk.spectrum_statistics[0])
    np.testing.assert_allclose(np.exp(log_variances), chunk.spectrum_statistics[1] + 1e-4, 1e-5)
    np.testing.assert_allclose(length, [np.log(2), np.log(2) ** 2], rtol=1e-6)


def test_a_style_is_covered_up_to_the_limit():
    given = arrays()
    predictor, style = StatisticsPredictor(given), np.zeros((1, 256), np.float32)
    style[0, :128] = given["style_center"]
    style[0, 128:] = 1e6  # which the decoder never sees
    style[0, 7] += 1.99
    assert predictor.covers(style)
    style[0, 7] += 0.02
    assert not predictor.covers(style)


@pytest.mark.parametrize(("name", "value", "told"), [
    ("moments", np.zeros((2, RANK, N - 1), np.int8), "['moments'] are not of the shapes"),
    ("moments", np.zeros((2, RANK, N), np.int16), "['moments'] are not of the types"),
    ("weights", np.full((686, 5), np.nan, np.float32), "['weights'] hold numbers"),
    ("source", np.zeros(31, np.uint8), "['source'] are not of the shapes"),
    ("limit", None, "it holds"),
])  # fmt: skip
def test_a_damaged_map_is_refused(tmp_path, name, value, told):
    given = {key: array for key, array in {**arrays(), name: value}.items() if array is not None}
    path = tmp_path / "statistics.npz"
    np.savez(path, **given)
    with pytest.raises(ModelError) as caught:
        StatisticsPredictor.load(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(repository, tmp_path):
    flipped = bytearray((repository / "voices/statistics.npz").read_bytes())
    flipped[len(flipped) // 2] ^= 4
    path = tmp_path / "statistics.npz"
    for content in (None, b"", b"PK\x03\x04", b"no archive at all", flipped):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ModelError, match="cannot be read"):
            StatisticsPredictor.load(path)


def test_what_is_shipped_is_of_the_published_model_and_covers_every_voice_and_their_blends(shipped, voices):
    assert (shipped.source_sha256, shipped.n_statistics) == (PUBLISHED, 36_864)
    names = [voice.name for voice in voices.voices]
    pairs = [f"{one}(2)+{other}(1)" for one, other in zip(names, names[7:], strict=False)]
    for specification in (*names, *pairs):
        blend = voices.resolve(specification)
        for n_tokens in (20, 60, 200, 510):
            assert shipped.covers(voices.style(blend, n_tokens)), (specification, n_tokens)


def test_what_is_shipped_does_not_cover_strange_styles(shipped, voices):
    chance = np.random.default_rng(3)
    heart = voices.style(voices.resolve("af_heart"), 100)
    spread = float(heart.std())
    for _ in range(20):
        assert not shipped.covers(chance.normal(0, spread, (1, 256)).astype(np.float32))
    assert not shipped.covers(np.zeros((1, 256), np.float32))
    assert not shipped.covers(-heart)


def test_what_is_shipped_gives_statistics_for_every_voice(shipped, voices, repository):
    with np.load(repository / "voices/statistics.npz") as file:
        usual = file["center"]
    features = np.broadcast_to(usual[128:640], (1, 600, 512))
    spectrum_statistics = np.zeros((4, 22), np.float32)
    spectrum_statistics[:2] = usual[640:662], np.exp(usual[662:684])
    for voice in voices.voices:
        style = voices.style(voices.resolve(voice.name), 100)
        chunk = Encoding(np.array([300]), features, np.zeros(0, np.float32), spectrum_statistics, style)
        found = shipped.predict(chunk)
        mean, variance, least, greatest = rows_of(found, (256,) * 4 + (128,) * 4)
        assert np.isfinite(found).all()
        assert ((variance > 0) & (least < mean) & (mean < greatest)).all()
