from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from bench.deadline import Deadline, OutOfTimeError
from bench.statistics import fit, observations
from bench.statistics.accuracy import compare, errors_of
from bench.statistics.fit import Fit, fitted
from bench.statistics.observations import Observations, observe
from bench.statistics.plan import Chunk, plan
from service.model.decoder import Decoded, Encoding
from service.model.statistics import StatisticsPredictor, raveled
from service.speech import VoiceLibrary

SMALL = (16, 8)
N = 6 * sum(SMALL)
SOURCE = "ab" * 32
SPEAKERS = ("af_bella", "af_heart", "am_adam", "bf_emma", "bm_george", "ef_dora", "jf_alpha", "zm_yunxi")


@pytest.fixture(autouse=True)
def _small_decoder(monkeypatch):
    for module in (fit, observations):
        monkeypatch.setattr(module, "CHANNELS", SMALL)


@pytest.fixture(scope="module")
def voices(repository, tmp_path_factory):
    folder = tmp_path_factory.mktemp("voices")
    for name in SPEAKERS:
        (folder / f"{name}.bin").symlink_to(repository / "voices" / f"{name}.bin")
    return VoiceLibrary(folder)


@pytest.fixture(scope="module")
def truth():
    """How inputs make statistics in the world of these tests: four directions, linear."""
    chance = np.random.default_rng(0)
    return (chance.normal(0, 0.05, (686, 4)) @ chance.normal(0, 0.3, (4, 4 * N))).astype(np.float32)


def observed(voices, truth, held_out, noise=0.0):
    """Twenty chunks of each voice, and four blends, as the truth has them."""
    chance = np.random.default_rng(held_out)
    directions = np.random.default_rng(9).normal(0, 0.2, (6, 558))
    names = [voice.name for voice in voices.voices]
    said = [(("own", "own", "own", "foreign")[i % 4], name) for i in range(20) for name in names]
    said += [("blend", f"{a}(1)+{b}(3)") for a, b in zip(names[:4], names[4:], strict=True)]
    chunks, inputs, rows = [], [], []
    for number, (kind, specification) in enumerate(said):
        chunk = Chunk(kind, held_out, specification, (number, *range(20 + 2 * (number % 200))), 1.0)
        style = voices.style(voices.resolve(specification), len(chunk.token_ids))[0, :128]
        read = np.concatenate([style, chance.normal(0, 1, 6) @ directions]).astype(np.float32)
        steps = (read @ truth).reshape(4, N) + chance.normal(0, noise, (4, N)).astype(np.float32)
        variance = np.exp(steps[1] * 0.2)
        reach = np.sqrt(variance) * np.exp(steps[2:] * 0.1)
        chunks.append(chunk)
        inputs.append(read)
        rows.append(np.stack([steps[0], variance, steps[0] - reach[0], steps[0] + reach[1]]))
    return Observations(chunks, np.array(inputs), np.array(rows, np.float32))


@pytest.mark.slow
def test_what_is_linear_is_found_and_survives_the_rounding(voices, truth):
    arrays = fitted(observed(voices, truth, False), voices, SOURCE)
    predictor, others = StatisticsPredictor(arrays), observed(voices, truth, True)
    assert predictor.source_sha256 == SOURCE
    told = [errors_of(predictor.rows(i), r) for i, r in zip(others.inputs, others.rows, strict=True)]
    usual = [errors_of(others.rows.mean(axis=0), rows) for rows in others.rows]
    assert (np.mean(told, axis=0) < np.mean(usual, axis=0) / 2).all()


@pytest.mark.slow
def test_what_cannot_be_foretold_misses_the_bounds(voices, truth):
    parts = [observed(voices, truth, held_out, noise=1.0) for held_out in (False, True)]
    inputs, rows = (np.concatenate([getattr(part, name) for part in parts]) for name in ("inputs", "rows"))
    found = Observations([*parts[0].chunks, *parts[1].chunks], inputs, rows)
    report, arrays, met = compare(found, voices, SOURCE)
    assert not met
    assert "**no**" in report
    assert "Blends covered: 4 of 4." in report
    StatisticsPredictor(arrays)


def test_a_voice_is_left_out_as_if_it_had_never_been_there(voices, truth):
    found = observed(voices, truth, False, noise=0.1)
    within = np.array(["ef_dora" in chunk.voice for chunk in found.chunks])
    rest, own = found.where(list(~within)), found.where(list(within))
    left_out = Fit(found).errors_without(list(within), own)
    # Where none is left out of the others, nothing is taken away.
    never = Fit(rest).errors_without([False] * len(rest.chunks), own)
    known = Fit(found).errors_without([False] * len(found.chunks), own)
    # The scale of inputs is that of all in one and of the rest in the other.
    np.testing.assert_allclose(left_out, never, rtol=0.1)
    assert known.mean() < left_out.mean() * 0.9


def test_errors_are_nought_where_all_is_right_and_what_they_say_else():
    measured = np.stack([np.zeros(5), np.full(5, 4.0), np.full(5, -6.0), np.full(5, 6.0)])
    assert errors_of(measured, measured) == (0, 0, 0)
    off = np.stack([np.full(5, 0.2), np.full(5, 4.4), np.full(5, -12.0), np.full(5, 12.0)])
    assert errors_of(off, measured) == pytest.approx((0.1, np.log(1.1), np.log(2)))


@pytest.mark.slow
def test_the_plan_is_always_the_same_and_keeps_sentences_apart(repository):
    voices = VoiceLibrary(repository / "voices")
    chunks = list(plan(voices))
    assert chunks == list(plan(voices))
    assert len({chunk.key for chunk in chunks}) == len(chunks)
    counts = Counter((chunk.kind, chunk.held_out) for chunk in chunks)
    assert counts == {
        ("own", True): 162, ("blend", True): 60, ("foreign", True): 54,
        ("own", False): 1188, ("blend", False): 500, ("foreign", False): 120,
    }  # fmt: skip
    begun = [{chunk.token_ids[:20] for chunk in chunks if chunk.held_out is is_} for is_ in (0, 1)]
    assert not begun[0] & begun[1]
    assert all(15 <= len(chunk.token_ids) <= 510 for chunk in chunks)
    for chunk in chunks:
        voices.resolve(chunk.voice)


class Model:
    """Says nothing, and counts what it was asked for."""

    def __init__(self, sha256=SOURCE):
        self.sha256 = sha256
        self.prepared = SimpleNamespace(detail="for a test")
        self.encoded = 0

    def encode(self, token_ids, style, speed):
        self.encoded += 1
        return Encoding(
            np.array([40]),
            np.full((1, 80, 512), len(token_ids), np.float32),
            np.zeros((1, 4801, 22), np.float32),
            np.ones((4, 22), np.float32),
            style,
        )

    def decode(self, encoding, first, last):
        assert (first, last) == (0, 40)
        rows = np.arange(4 * N, dtype=np.float32).reshape(4, N)
        return Decoded(np.zeros(24_000, np.float32), raveled(rows, SMALL))


def test_a_chunk_is_said_once_and_anew_by_another_model_before_the_deadline(tmp_path, voices):
    chunks = [Chunk("own", False, "af_heart", tuple(range(n)), 1.0) for n in (20, 30)]
    first = Model()
    for _ in range(2):
        found = observe(first, voices, chunks, tmp_path, Deadline(1))
    assert first.encoded == 2
    assert found.inputs[:, 128:640].mean(axis=1).tolist() == [20, 30]
    np.testing.assert_array_equal(found.rows[1], np.arange(4 * N).reshape(4, N))
    other = Model("cd" * 32)
    observe(other, voices, chunks, tmp_path, Deadline(1))
    assert other.encoded == 2
    chunk = Chunk("own", False, "af_heart", (1, 2, 3), 1.0)
    with pytest.raises(OutOfTimeError):
        observe(Model(), voices, [chunk], tmp_path, Deadline(-1))
