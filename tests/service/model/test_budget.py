import re

import pytest

from service.errors import StartupError
from service.model import longest_chunk_s
from service.model.budget import _DEMANDS, _ENCODER_WEIGHTS_BYTES, SHORTEST_CHUNK_S, affordable, encoder_bytes


@pytest.mark.parametrize("variant", _DEMANDS)
def test_the_least_budget_that_is_named_is_enough_and_a_byte_less_is_not(variant):
    with pytest.raises(StartupError, match="memory_budget_bytes = 1 is too little") as caught:
        longest_chunk_s(1, variant)
    least = int(re.findall(r"needs at least (\d+)", str(caught.value))[0])
    assert longest_chunk_s(least + 1, variant) == pytest.approx(SHORTEST_CHUNK_S, rel=1e-6)
    with pytest.raises(StartupError):
        longest_chunk_s(least - 1, variant)


def test_more_memory_makes_longer_chunks_halves_the_longer_ones_and_workers_divide_it():
    whole, half = (longest_chunk_s(700 << 20, variant) for variant in ("float32", "float16"))
    assert SHORTEST_CHUNK_S < whole < half
    assert longest_chunk_s(800 << 20, "float32") > whole
    assert longest_chunk_s(800 << 20, "float32", 1, 100 << 20) == whole  # of an added model with larger weights
    alone, shared = (longest_chunk_s(400 << 20, "native", n_workers) for n_workers in (1, 4))
    assert shared == pytest.approx(alone / 4)


def test_runs_have_as_many_frames_as_there_is_memory_for():
    buckets = (32, 100, 400, 640)
    assert affordable(buckets, 1 << 40, "float32") == buckets
    assert affordable(buckets, 430 << 20, "float32") == (32, 100)
    assert longest_chunk_s(430 << 20, "float32") < 400 * 0.025
    assert affordable((400, 640), 430 << 20, "float32") == (400,)


@pytest.mark.parametrize("variant", ["float32", "float16"])
def test_each_part_has_its_weights_and_a_share_of_the_rest(variant):
    least = next(budget for budget in range(200 << 20, 1 << 30, 1 << 20) if is_enough(budget, variant))
    for budget in (least, 2 * least):
        encoder = encoder_bytes(budget, variant)
        assert encoder > _ENCODER_WEIGHTS_BYTES[variant]
        decoder = budget - encoder
        assert decoder > _DEMANDS[variant].weights_bytes - _ENCODER_WEIGHTS_BYTES[variant]
    assert encoder_bytes(2 * least, variant) > encoder_bytes(least, variant)


def is_enough(budget, variant):
    try:
        return longest_chunk_s(budget, variant) >= SHORTEST_CHUNK_S
    except StartupError:
        return False
