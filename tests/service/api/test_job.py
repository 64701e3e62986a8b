"""The speech job without a door, items that a thread makes for it, and sending to who may be slow, or gone."""

import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import wraps

import numpy as np
import pytest

from service.api.api_keys import ApiKey, ApiKeys, KeyLimits
from service.api.job import AnswerMemory, SpeechJob
from service.api.patience import StalledError, send_patiently
from service.api.production import produce
from service.api.state import ServiceState
from service.errors import CancelledError, DeadlineError, EmptyTextError, OverloadedError
from service.settings import Settings
from service.speech import LONGEST_SEGMENT_S, Delivery, Utterance

TEXT = "The birch canoe slid on the smooth planks, and it took a while to be told so."
MEMORY = AnswerMemory(bytes_per_s=48_000, is_whole=True)


def as_it_is(_, segments):
    yield from segments


@pytest.fixture
def service(request):
    service = ServiceState(Settings(max_requests=1, **getattr(request, "param", {})), ())
    yield service
    service.executor.shutdown()


@pytest.fixture
def start(service, small_synthesizer):
    def make(text=TEXT, **options):
        delivery = Delivery(streamed=True, decoding="windows")
        return SpeechJob(service, small_synthesizer, Utterance(text), delivery, as_it_is, **options)

    return make


def alone(test):
    """Run a test on an event loop of its own; it leaves no task, and nothing that the service admitted."""

    @wraps(test)
    def run(**fixtures):
        async def whole():
            await test(**fixtures)
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(whole())
        admission = fixtures["service"].admission
        assert (admission.n_requests, admission.held_bytes) == (0, 0)

    return run


@alone
async def test_its_items_are_the_speech_and_its_statistics_tell_of_it(service, start, small_synthesizer):
    async with start(memory=MEMORY) as job:
        assert service.admission.n_requests == 1
        assert service.admission.held_bytes > 0
        segments = [segment async for segment in job]
    plan = small_synthesizer.plan(Utterance(TEXT), Delivery(streamed=True, decoding="windows"))
    said = np.concatenate([segment.samples for segment in small_synthesizer.stream(plan)])
    np.testing.assert_array_equal(np.concatenate([s.samples for s in segments]), said)
    statistics = job.statistics
    assert (statistics.voice, statistics.language) == ("af_heart", "en-us")
    assert statistics.n_characters == len(TEXT)
    assert statistics.n_chunks == 1
    assert statistics.n_windows >= len(segments) > 1
    assert statistics.audio_s == pytest.approx(said.size / 24_000)


@alone
async def test_what_it_has_in_words_is_counted_for_its_key(service, start):
    key = ApiKey.of("key of the robot", "robot", KeyLimits(None, 1_000))
    service.callers.replace(ApiKeys([key]), {})
    with service.callers.request(key):
        for text, n_words in (("½ ½", len("one half one half")), ("Yes.", len("Yes."))):
            before = service.callers._n_characters["robot"]
            async with start(text) as job:
                async for _ in job:
                    pass
            assert service.callers._n_characters["robot"] - before == n_words


@alone
async def test_who_needs_no_place_takes_none(service, start):
    async with start(memory=MEMORY):
        async with start("Yes.") as other:
            assert service.admission.n_requests == 1
            assert [segment.chunk async for segment in other] == [0]
        with pytest.raises(OverloadedError):
            async with start(memory=MEMORY):
                pass


@alone
async def test_jobs_of_one_request_share_its_statistics(service, start):
    async with start("Yes.") as job:
        assert len([segment async for segment in job]) == 1
    async with start("No.", statistics=job.statistics) as other:
        assert len([segment async for segment in other]) == 1
    assert job.statistics.n_chunks == 2
    assert job.statistics.n_characters == len("Yes.No.")


@alone
async def test_what_cannot_be_said_is_told_to_who_takes_the_items(service, start):
    with pytest.raises(EmptyTextError):
        async with start(" ", memory=MEMORY) as job:
            await anext(aiter(job))


@alone
async def test_a_cancelled_job_raises_the_reason(service, start):
    async with start(memory=MEMORY) as job:
        job.check()
        job.cancel(CancelledError("enough"))
        with pytest.raises(CancelledError, match="enough"):
            job.check()
        with pytest.raises(CancelledError, match="enough"):
            async for _ in job:
                pass


@alone
async def test_who_leaves_early_leaves_no_thread_at_work(service, start, small_synthesizer):
    async with start(" ".join([TEXT] * 20), memory=MEMORY) as job:
        await anext(aiter(job))
    # The turn is free: nobody would take it otherwise.
    with small_synthesizer.turns.take():
        assert small_synthesizer.turns.n_waiting == 0
    assert job.statistics.n_chunks <= 2


@pytest.mark.parametrize("service", [{"deadline_s": 0.001}], indirect=True)
@alone
async def test_a_job_ends_with_its_deadline(service, start):
    async with start(memory=MEMORY) as job:
        with pytest.raises(DeadlineError, match=r"0\.001 s"):
            await anext(aiter(job))


def test_a_stream_holds_two_chunks_at_most():
    assert MEMORY.bytes_of(100.0) == 4_800_000
    stream = AnswerMemory(bytes_per_s=48_000, is_whole=False)
    assert stream.bytes_of(1.0) == 48_000
    assert stream.bytes_of(100.0) == round(2 * LONGEST_SEGMENT_S * 48_000)


@pytest.fixture
def executor():
    with ThreadPoolExecutor(2) as executor:
        yield executor


def in_event_loop(test):
    """Run a test that is a coroutine."""

    @wraps(test)
    def run(**fixtures):
        asyncio.run(test(**fixtures))

    return run


async def in_thread(executor, work):
    await asyncio.get_running_loop().run_in_executor(executor, work)


@pytest.mark.parametrize("n_items", [20, 0])
@in_event_loop
async def test_items_come_in_order_one_is_made_ahead_and_the_generator_is_closed(executor, n_items):
    made, closed, stopped = [], threading.Event(), threading.Event()

    def items():
        try:
            for number in range(n_items):
                made.append(number)
                yield number
        finally:
            closed.set()

    taken, ahead = [], {0}
    async with produce(executor, items(), stopped.set) as produced:
        async for item in produced:
            taken.append(item)
            for _ in range(3):  # what is there to be done in a thread is done when these are
                await in_thread(executor, lambda: None)
            ahead.add(len(made) - 1 - item)
    assert taken == made == list(range(n_items))
    assert ahead <= {0, 1}
    assert closed.is_set()
    assert stopped.is_set()


@in_event_loop
async def test_a_failure_comes_to_who_takes_the_items(executor):
    def items():
        yield 1
        raise LookupError("on the way")

    async with produce(executor, items(), lambda: None) as made:
        assert await anext(made) == 1
        with pytest.raises(LookupError, match="on the way"):
            await anext(made)


@in_event_loop
async def test_who_leaves_early_stops_the_work_and_waits_for_its_end(executor):
    stop, at_work = threading.Event(), threading.Event()
    finished = []

    def items():
        try:
            yield 1
            at_work.set()
            assert stop.wait(60)
            finished.append("item")
            yield 2
        finally:
            finished.append("generator")

    async with produce(executor, items(), stop.set) as made:
        await anext(made)
        await in_thread(executor, at_work.wait)
        assert finished == []
    assert finished == ["item", "generator"]


@in_event_loop
async def test_a_cancelled_task_waits_for_its_thread_too(executor):
    go_on, at_work = threading.Event(), threading.Event()
    told = []

    def items():
        try:
            at_work.set()
            assert go_on.wait(60)
            yield 1
        finally:
            told.append("generator")

    async def take_all():
        async with produce(executor, items(), lambda: told.append("stop")) as made:
            async for _ in made:
                pass

    task = asyncio.ensure_future(take_all())
    await in_thread(executor, at_work.wait)
    # Again and again: each of them must find it waiting still.
    for _ in range(3):
        task.cancel()
        await asyncio.wait([task], timeout=0.01)
        assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == ["stop", "generator"]


@in_event_loop
async def test_a_generator_that_fails_to_close_is_not_hidden(executor):
    def items():
        try:
            yield 1
            yield 2
        finally:
            raise OSError("at the end")

    with pytest.raises(OSError, match="at the end"):
        async with produce(executor, items(), lambda: None) as made:
            await anext(made)


class Large:
    """Stands for what was made."""


@pytest.mark.parametrize("failing_close", [False, True])
def test_a_failure_does_not_keep_what_was_made(executor, failing_close):
    made_once = []

    def items():
        item = Large()
        made_once.append(weakref.ref(item))
        try:
            yield item
            if not failing_close:
                raise KeyError("it cannot be made")
            yield Large()
        finally:
            if failing_close:
                raise KeyError("it cannot be closed")

    async def take():
        async with produce(executor, items(), lambda: None) as made:
            async for item in made:
                if failing_close:
                    break
                del item

    async def fail():
        with pytest.raises(KeyError, match="it cannot be"):
            await take()

    gc.disable()
    try:
        asyncio.run(fail())
        executor.shutdown()  # its threads may still be on their way out
        assert made_once[0]() is None
    finally:
        gc.enable()


@in_event_loop
async def test_a_loss_that_comes_while_something_is_sent_is_known_before_the_next():
    told = []

    async def send():
        # As a transport does: it finds the loss now, and calls back later.
        asyncio.get_running_loop().call_soon(told.append, "lost")
        told.append("sent")

    await send_patiently(send(), 60)
    assert told == ["sent", "lost"]


@in_event_loop
async def test_who_reads_nothing_for_too_long_is_given_up():
    with pytest.raises(StalledError):
        await send_patiently(asyncio.sleep(3600), 0.01)
