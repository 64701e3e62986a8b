"""The model leaves memory when nobody speaks, and is there again when somebody does."""

import asyncio
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.api.idleness import Idleness
from tests.service.api.serving_process import running
from tests.service.api.speech_client import Caller, assert_refused, metric, speak, wait_until
from tests.service.api.speech_socket import SpeechSocket

TEXT = "The birch canoe slid on the smooth planks."
FAST = {"text": TEXT, "speed": 2.0, "format": "pcm"}


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time goes on when a test says so."""

    now = 0.0

    def time(self):
        return self.now

    async def pass_time(self, seconds):
        self.now += seconds
        for _ in range(3):
            await asyncio.sleep(0)


@pytest.fixture
def clock():
    clock = Clock()
    yield clock
    clock.close()


@pytest.mark.parametrize(("after_s", "n_calls"), [(10, 1), (0, 0)])
def test_it_acts_once_after_so_much_silence(clock, after_s, n_calls):
    calls = []

    async def scenario():
        idleness = Idleness(after_s, lambda: calls.append(clock.now))
        await clock.pass_time(100)
        assert calls == []  # not counted yet
        idleness.count()
        with idleness.speaking():
            await clock.pass_time(100)
            with idleness.speaking():
                await clock.pass_time(100)
            idleness.count()
            await clock.pass_time(100)
        await clock.pass_time(9)
        with idleness.speaking():
            pass
        await clock.pass_time(9)
        assert calls == []
        await clock.pass_time(1)
        assert len(calls) == n_calls
        await clock.pass_time(100)
        assert len(calls) == n_calls

    clock.run_until_complete(scenario())


def status(server):
    return str(server.client.get("/ready").json()["status"])


def is_idle(server):
    return status(server) == "idle"


@pytest.fixture(scope="module", params=["1", pytest.param("2", marks=pytest.mark.slow)])
def sleepy(request, start_server, small_cache, tmp_path_factory):
    """A server that unloads its model at once, with a cache of its own, and stops in good order while it is idle."""
    cache = tmp_path_factory.mktemp("own") / "cache"
    shutil.copytree(small_cache, cache)
    server = start_server(
        *("--cache-dir", str(cache), "--idle-unload-s", "0.01", "--workers", request.param, "--threads", "2")
    )
    server.cache = cache
    server.wait_until_ready()
    yield server
    wait_until(lambda: is_idle(server))
    n_lines = len(server.log)
    assert server.stop() == 0
    assert not any(" ERROR " in line or "Traceback" in line for line in server.log[n_lines:])


def resident_bytes_while_it_speaks(server):
    # More than the buffers between the two hold: the server is not done before all is read.
    fields = {**FAST, "text": TEXT * 12, "stream": True, "format": "pcm"}
    with Caller(server, "holds-it", frugal=True, **fields) as caller:
        assert caller.read_some().startswith(b"HTTP/1.1 200")
        assert metric(server, "kokoro_model_loaded") == 1
        assert status(server) == "ready"
        n_bytes = metric(server, "process_resident_memory_bytes")
        caller.read_all()
    wait_until(lambda: is_idle(server))
    return n_bytes


@pytest.mark.thorough
def test_an_idle_model_is_told_of(sleepy):
    resident_bytes_while_it_speaks(sleepy)
    assert metric(sleepy, "kokoro_model_loaded") == 0
    assert metric(sleepy, "kokoro_ready") == 1
    ready = sleepy.client.get("/ready")
    assert ready.status_code == 200
    assert ready.json()["model"]["gives_durations"] is True
    assert any("unloading the model after 0.01 s of silence" in line for line in sleepy.log)


@pytest.mark.thorough
def test_an_idle_model_takes_little_memory(start_real_server):
    with running(start_real_server, "--idle-unload-s", "0.01") as server:
        loaded = resident_bytes_while_it_speaks(server)
        assert metric(server, "process_resident_memory_bytes") < 0.75 * loaded


def test_what_needs_no_model_loads_none(sleepy):
    wait_until(lambda: is_idle(sleepy))
    n_loads = len([line for line in sleepy.log if "loaded again" in line])
    assert sleepy.client.post("/phonemize", json={"text": TEXT}).status_code == 200
    assert speak(sleepy, **{**FAST, "voice": "nobody"}).status_code == 422
    with SpeechSocket(sleepy.url) as session:
        session.until("ready")
        assert is_idle(sleepy)
    assert len([line for line in sleepy.log if "loaded again" in line]) == n_loads


def test_who_wakes_it_hears_the_same_and_so_do_all_who_come_at_once(sleepy):
    first = speak(sleepy, **FAST)
    assert first.status_code == 200
    for _ in range(3):
        wait_until(lambda: is_idle(sleepy))
        with ThreadPoolExecutor(8) as clients:
            answers = list(clients.map(lambda _: speak(sleepy, **FAST), range(8)))
        assert [answer.status_code for answer in answers] == [200] * 8
        assert {answer.content for answer in answers} == {first.content}
        sleepy.wait_for(r"the model is loaded again, in [\d.]+ s")
    # The load is no computing.
    assert all(float(answer.headers["x-compute-s"]) > 0 for answer in answers)


def test_who_leaves_while_it_is_loaded_again_leaves_nothing_behind(sleepy):
    for number in range(5):
        wait_until(lambda: is_idle(sleepy))
        for client in range(4):
            with Caller(sleepy, f"left-{number}-{client}", **FAST):
                pass
    wait_until(lambda: metric(sleepy, "kokoro_requests_in_flight") == 1)
    assert speak(sleepy, **FAST).status_code == 200


def test_a_model_that_cannot_be_loaded_again_is_tried_again_by_each_request(sleepy):
    wait_until(lambda: is_idle(sleepy))
    prepared = sleepy.cache / "prepared"
    elsewhere = prepared.rename(prepared.with_name("elsewhere"))
    for _ in range(3):
        refused = speak(sleepy, **FAST)
        assert_refused(refused, 503, "not_ready")
        assert refused.headers["retry-after"] == "1"
    (complaint,) = [line for line in sleepy.log if "the model cannot be loaded again" in line]
    assert re.search(r" ERROR .*encoder", complaint)
    assert is_idle(sleepy)
    elsewhere.rename(prepared)
    assert speak(sleepy, **FAST).status_code == 200
