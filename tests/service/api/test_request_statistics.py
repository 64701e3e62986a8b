from dataclasses import replace

import numpy as np
import pytest
from service.api.request_statistics import RequestStatistics
from tests.service.api.speech_client import log_line, metric, speak, wait_until

from service.speech import AudioSegment


def segment(*samples, chunk=0, n_windows=1, cached=None):
    values = np.array(samples, np.float32)
    return AudioSegment(chunk, True, "", values, 0.0, (), 0.0, 0.0, n_windows, cached)


def statistics_of(*requests):
    statistics = RequestStatistics()
    statistics.voice = "af_heart"  # as of an utterance that was planned
    for segments in requests:
        assert list(statistics.counted(segments)) == segments
    return statistics


@pytest.mark.parametrize(
    ("segments", "n_limited"),
    [([segment(0.5, -0.5), segment(1.0, -1.0)], 0), ([segment(1.001, 0.0, -1.5), segment(), segment(7.0)], 3)],
)
def test_samples_beyond_full_scale_are_counted_and_told(segments, n_limited):
    statistics = statistics_of(segments)
    assert statistics.n_limited == n_limited
    assert statistics.fields().get("limited", 0) == n_limited


def test_windows_are_counted_apart_from_their_chunks():
    first = [replace(segment(0.1), is_last=False)] * 3 + [segment(0.1, n_windows=2)]
    statistics = statistics_of([*first, segment(0.1, chunk=1), segment(0.0, chunk=2, n_windows=0)])
    assert (statistics.n_chunks, statistics.n_windows) == (3, 6)
    fields = statistics.fields()
    assert (fields["chunks"], fields["windows"]) == (3, 6)


def test_clauses_of_a_session_have_chunks_of_their_own():
    statistics = statistics_of([segment(0.1)], [segment(0.1), segment(0.1, chunk=1)])
    assert statistics.n_chunks == 3


@pytest.mark.parametrize(("cached", "result"), [
    ([None, None], None), ([False], "miss"), ([True, True], "hit"), ([True, False], "partial"),
    ([None, True], "hit"),  # a lone pause, which nobody keeps
    ([None, False], "miss"),
])  # fmt: skip
def test_the_cache_is_told_by_the_chunks_that_it_was_asked_for(cached, result):
    segments = [segment(0.1, chunk=n, cached=was) for n, was in enumerate(cached)]
    # The windows of a chunk are asked for once.
    statistics = statistics_of([part for part in segments for _ in range(3)])
    assert statistics.cache == result
    assert statistics.fields().get("cache") == result
    assert statistics.n_cache_hits == cached.count(True)
    assert statistics.n_cache_misses == cached.count(False)


LONG = "The windows of this sentence are several, since it takes four seconds to be said aloud."


def test_a_chunk_in_windows_is_one_miss_and_then_one_hit(remembering):
    def asked(result):
        return metric(remembering, f'kokoro_audio_cache_total{{result="{result}"}}')

    hits, misses = asked("hit"), asked("miss")
    first, again = (speak(remembering, text=LONG, decoding="windows") for _ in range(2))
    assert [answer.headers["x-cache"] for answer in (first, again)] == ["miss", "hit"]
    assert [answer.headers["x-chunk-count"] for answer in (first, again)] == ["1", "1"]
    made = log_line(remembering, first.headers["x-request-id"])
    assert " chunks=1 " in made
    assert " windows=1 " not in made
    kept = log_line(remembering, again.headers["x-request-id"])
    assert " chunks=1 windows=0 " in kept
    wait_until(lambda: asked("hit") == hits + 1)
    assert asked("miss") == misses + 1


def test_a_lone_pause_is_no_matter_for_the_cache(remembering):
    fields = {"text": "[pause:0.2s]This comes after a pause.", "speed": 2.0}
    first, again = (speak(remembering, **fields) for _ in range(2))
    assert [answer.headers["x-cache"] for answer in (first, again)] == ["miss", "hit"]
    assert [answer.headers["x-chunk-count"] for answer in (first, again)] == ["2", "2"]
    made = log_line(remembering, first.headers["x-request-id"])
    assert " chunks=2 windows=1 " in made
    alone = speak(remembering, text="[pause:0.2s]")
    assert "x-cache" not in alone.headers
    assert alone.headers["x-chunk-count"] == "1"
