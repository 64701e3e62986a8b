import numpy as np
import pytest

from service.model import Inference
from service.speech.cache import AudioCache


def inference(n_samples):
    return Inference(np.zeros(n_samples, np.float32), np.zeros(10, np.int64))


def test_what_was_put_comes_back_and_is_counted_in_bytes():
    cache = AudioCache(10_000)
    assert cache.is_on
    assert cache.get("a") is None
    kept = inference(1000)
    cache.put("a", kept)
    assert cache.get("a") is kept
    assert cache.n_bytes == 4080


def test_the_one_not_used_for_longest_goes_first_and_the_bound_holds():
    cache = AudioCache(10_000)
    cache.put("a", inference(1000))
    cache.put("b", inference(1000))
    assert cache.get("a") is not None
    cache.put("c", inference(1000))
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert cache.n_bytes == 2 * 4080


@pytest.mark.parametrize("max_bytes", [0, 4079])
def test_what_is_larger_than_the_cache_is_not_kept(max_bytes):
    cache = AudioCache(max_bytes)
    cache.put("a", inference(1000))
    assert cache.get("a") is None
    assert cache.n_bytes == 0
    assert cache.is_on == (max_bytes > 0)
