from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from service.errors import StartupError
from service.loading import load_synthesizer
from service.settings import Settings

from service.speech import Delivery, Utterance

pytestmark = pytest.mark.thorough

LONG_ENOUGH = "Four hours of steady work faced us, and nobody knew what would come of it."
"""For several windows."""

STREAM = Delivery(streamed=True)
FILE = Delivery(decoding="whole")


@pytest.fixture(scope="module")
def two(model_file, cache_dir):
    """A synthesizer of two workers with a thread each."""
    settings = Settings(cache_dir=cache_dir, workers=2, threads=2)
    synthesizer = load_synthesizer(settings, lambda line: None)
    yield synthesizer
    synthesizer.close()


def segments(synthesizer, delivery):
    return synthesizer.stream(synthesizer.plan(Utterance(LONG_ENOUGH), delivery))


def samples(synthesizer, delivery):
    return np.concatenate([segment.samples for segment in segments(synthesizer, delivery)])


def test_threads_are_divided_among_the_workers(two):
    assert [worker.model.runtime.threads for worker in two.workers] == [1, 1]
    assert two.self_test() > 0


@pytest.mark.parametrize("delivery", [STREAM, FILE], ids=["stream", "file"])
def test_speech_made_at_the_same_time_is_the_same(two, delivery):
    alone = samples(two, delivery)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: samples(two, delivery), range(4)))
    for one in together:
        np.testing.assert_array_equal(one, alone)


def test_windows_of_a_stream_may_come_from_any_worker(two):
    alone = samples(two, STREAM)
    stream = segments(two, STREAM)
    made = [next(stream)]
    for _ in range(2):
        with two.turns.take():  # the worker that made the window before
            made += [segment for segment in [next(stream, None)] if segment]
    made += stream
    assert len(made) > 2
    np.testing.assert_array_equal(np.concatenate([one.samples for one in made]), alone)


def test_more_workers_than_threads_stop_start_up(model_file, cache_dir):
    with pytest.raises(StartupError, match="workers = 3: each needs a thread of its own"):
        load_synthesizer(Settings(cache_dir=cache_dir, workers=3, threads=2), print)
