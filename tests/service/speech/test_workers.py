"""Workers: several at once, in the background, and with models that are closed between turns."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import numpy as np
import pytest

from service.errors import CancelledError, ModelError, NotReadyError, StartupError
from service.loading import load_synthesizer
from service.settings import Settings
from service.speech import Cancellation, Delivery, Utterance
from tests.opened_models import open_small
from tests.ortffi.meeting import wait_until

TEXT = "Four hours of steady work faced us, and nobody knew what would come of it. " * 3
STREAM, FILE = Delivery(streamed=True), Delivery(decoding="whole")
DESCRIPTION = ("name", "sha256", "gives_durations", "buckets")


@pytest.fixture(params=[1, 2])
def own(request, tmp_path):
    with closing(open_small(tmp_path, workers=request.param, threads=2)) as synthesizer:
        yield synthesizer


@pytest.fixture
def load(model_file, cache_dir):
    """Load the real model for so many workers of two threads."""

    def load(workers):
        return load_synthesizer(Settings(cache_dir=cache_dir, workers=workers, threads=2), lambda line: None)

    return load


@pytest.fixture(
    params=[
        ("small", 1),
        ("small", 2),
        pytest.param(("real", 1), marks=pytest.mark.slow),
        pytest.param(("real", 2), marks=pytest.mark.thorough),
    ]
)
def speaking(request, tmp_path):
    kind, workers = request.param
    load = request.getfixturevalue("load") if kind == "real" else partial(open_small, tmp_path, threads=2)
    with closing(load(workers=workers)) as synthesizer:
        yield synthesizer


def segments(synthesizer, delivery=STREAM, cancellation=None):
    return synthesizer.stream(synthesizer.plan(Utterance(TEXT, speed=2.0), delivery), cancellation)


def joined(parts):
    return np.concatenate([part.samples for part in parts])


def said(synthesizer, *arguments):
    return joined(segments(synthesizer, *arguments))


def reopening(synthesizer, act):
    """Do something before a model is opened again."""
    for worker in synthesizer.workers:
        usual = worker._reopen

        def reopen(closed, usual=usual):
            act()
            return usual(closed)

        worker._reopen = reopen


def test_speech_is_the_same_after_unloading_even_in_its_midst(speaking):
    before = said(speaking)
    assert speaking.is_loaded
    described = [getattr(speaking.model, name) for name in DESCRIPTION]
    for _ in range(2):  # there may be nothing to unload
        speaking.unload()
    assert not speaking.is_loaded
    assert described == [getattr(speaking.model, name) for name in DESCRIPTION]
    np.testing.assert_array_equal(said(speaking), before)
    made = []
    for segment in segments(speaking):
        made.append(segment)
        if len(made) == 2:
            speaking.unload()
    assert len(made) > 2
    np.testing.assert_array_equal(joined(made), before)


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
        loaders = [pool.submit(said, own, STREAM, one) for _ in own.workers]
        wait_until(lambda: len(n_loading) == len(own.workers))
        waiting = pool.submit(said, own, STREAM, other)
        wait_until(lambda: own.turns.n_waiting == 1)
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


@pytest.mark.thorough
def test_speech_made_at_the_same_time_or_by_any_worker_is_the_same(load):
    with closing(load(2)) as two:
        assert [worker.model.runtime.threads for worker in two.workers] == [1, 1]
        assert two.self_test() > 0
        for delivery in (FILE, STREAM):
            alone = said(two, delivery)
            with ThreadPoolExecutor(4) as pool:
                for one in pool.map(lambda _, delivery=delivery: said(two, delivery), range(4)):
                    np.testing.assert_array_equal(one, alone)
        stream = segments(two)
        made = [next(stream)]
        for _ in range(2):
            with two.turns.take():  # the worker that made the window before
                made += [segment for segment in [next(stream, None)] if segment]
        made += stream
        assert len(made) > 2
        np.testing.assert_array_equal(joined(made), alone)


def test_more_workers_than_threads_stop_start_up(load):
    with pytest.raises(StartupError, match="workers = 3: each needs a thread of its own"):
        load(3)


# Background work gives way to requests, and loses nothing.


class Counted(Cancellation):
    """Counts how often it had to give way."""

    def __init__(self):
        super().__init__(is_background=True)
        self.n_times = 0

    def give_way(self):
        self.n_times += 1
        super().give_way()


@pytest.mark.thorough
@pytest.mark.parametrize("decoding", ["whole", "windows"])
def test_work_that_gave_way_sounds_as_if_it_had_not(synthesizer, decoding):
    delivery = Delivery(streamed=True, decoding=decoding, chunking="even")
    with Counted() as cancellation:
        undisturbed = said(synthesizer, delivery, cancellation)
        assert cancellation.n_times == 0
        with ThreadPoolExecutor(1) as pool:
            work = pool.submit(said, synthesizer, delivery, cancellation)
            while not work.done() and cancellation.n_times < 2:
                list(synthesizer.stream(synthesizer.planner.plan_phonemes("həlˈO")))
        assert cancellation.n_times
        np.testing.assert_array_equal(work.result(), undisturbed)


def test_cancelled_work_ends(synthesizer):
    with Cancellation(is_background=True) as cancellation:
        stream = segments(synthesizer, Delivery(streamed=True, decoding="windows"), cancellation)
        next(stream)
        cancellation.cancel(CancelledError("nobody wants it"))
        with pytest.raises(CancelledError):
            list(stream)
