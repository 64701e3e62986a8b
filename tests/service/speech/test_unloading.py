"""A model that is closed between turns, and opened by the next one."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest
from service.errors import CancelledError, ModelError, NotReadyError
from service.loading import load_synthesizer
from service.settings import Settings
from tests.opened_models import open_small

from service.speech import Cancellation, Delivery, Utterance

TEXT = "Four hours of steady work faced us, and nobody knew what would come of it. " * 3
STREAM = Delivery(streamed=True)


@pytest.fixture(params=[1, 2])
def own(request, tmp_path):
    with closing(open_small(tmp_path, workers=request.param, threads=2)) as synthesizer:
        yield synthesizer


@pytest.fixture(
    params=[*(("small", n) for n in (1, 2)), *(pytest.param(("real", n), marks=pytest.mark.thorough) for n in (1, 2))]
)
def speaking(request, tmp_path):
    kind, workers = request.param
    if kind == "small":
        synthesizer = open_small(tmp_path, workers=workers, threads=2)
    else:
        request.getfixturevalue("model_file")
        settings = Settings(cache_dir=request.getfixturevalue("cache_dir"), workers=workers, threads=2)
        synthesizer = load_synthesizer(settings, lambda line: None)
    with closing(synthesizer):
        yield synthesizer


def said(synthesizer, cancellation=None):
    plan = synthesizer.plan(Utterance(TEXT, speed=2.0), STREAM)
    return np.concatenate([one.samples for one in synthesizer.stream(plan, cancellation)])


def reopening(synthesizer, act):
    """Do something before a model is opened again."""
    for worker in synthesizer.workers:
        usual = worker._reopen

        def reopen(closed, usual=usual):
            act()
            return usual(closed)

        worker._reopen = reopen


def description_of(model):
    return model.name, model.sha256, model.gives_durations, model.buckets


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_speech_is_the_same_after_unloading_even_in_its_midst(speaking):
    before = said(speaking)
    assert speaking.is_loaded
    described = description_of(speaking.model)
    for _ in range(2):  # there may be nothing to unload
        speaking.unload()
    assert not speaking.is_loaded
    assert described == description_of(speaking.model)
    np.testing.assert_array_equal(said(speaking), before)
    segments = []
    for segment in speaking.stream(speaking.plan(Utterance(TEXT, speed=2.0), STREAM)):
        segments.append(segment.samples)
        if len(segments) == 2:
            speaking.unload()
    assert len(segments) > 2
    np.testing.assert_array_equal(np.concatenate(segments), before)


def test_many_may_unload_while_others_speak(own):
    before = said(own)
    with ThreadPoolExecutor(8) as pool:
        unloading = [pool.submit(own.unload) for _ in range(20)]
        speaking = [pool.submit(said, own) for _ in range(4)]
        unloading += [pool.submit(own.unload) for _ in range(20)]
        for future in unloading:
            future.result(120)
        for spoken in speaking:
            np.testing.assert_array_equal(spoken.result(120), before)


def test_who_comes_at_once_waits_for_one_load(own):
    loads = []
    reopening(own, lambda: loads.append(None))
    own.unload()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: said(own), range(4)))
    for result in results:
        np.testing.assert_array_equal(result, results[0])
    # Each worker loads its own, and once.
    assert 1 <= len(loads) <= len(own.workers)


def test_who_is_cancelled_does_not_wait_for_the_load(own):
    go_on = threading.Event()
    n_loading = []

    def hold():
        n_loading.append(None)
        assert go_on.wait(60)

    reopening(own, hold)
    own.unload()
    with ThreadPoolExecutor(8) as pool, Cancellation() as one, Cancellation() as other:
        loaders = [pool.submit(said, own, one) for _ in own.workers]
        until(lambda: len(n_loading) == len(own.workers))
        waiting = pool.submit(said, own, other)
        until(lambda: own.turns.n_waiting == 1)
        other.cancel(CancelledError("gone"))
        with pytest.raises(CancelledError, match="gone"):
            waiting.result(60)
        assert not own.is_loaded
        one.cancel(CancelledError("gone too"))
        go_on.set()
        for loader in loaders:
            with pytest.raises(CancelledError, match="gone too"):
                loader.result(60)
    assert own.is_loaded  # for who comes next
    assert said(own).size > 0


def test_a_load_that_fails_is_tried_again_and_told_once(own, caplog):
    failures = [ModelError("no such model"), ModelError("still none")]

    def fail():
        if failures:
            raise failures.pop()

    reopening(own, fail)
    own.unload()
    for _ in range(2):
        with pytest.raises(NotReadyError, match="cannot be loaded again"):
            said(own)
    assert not own.is_loaded
    assert said(own).size > 0
    told = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in told] == ["the model cannot be loaded again: still none"]


def test_a_closed_synthesizer_loads_nothing_again(own):
    own.unload()
    own.close()
    with pytest.raises(NotReadyError, match="shutting down"):
        said(own)
    assert not own.is_loaded
