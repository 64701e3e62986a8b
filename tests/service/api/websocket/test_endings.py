"""Sessions that the service ends: when the model fails, and when it stops."""

import contextlib
import json
import signal

import pytest
from tests.service.api import faulty_server
from tests.service.api.serving_process import REPLACED_SERVER
from tests.service.api.speech_client import log_line, speak
from tests.service.api.websocket.sessions import LONG, SHORT, opened, refusal, slowly
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.thorough

# Faults.


@pytest.mark.parametrize(
    ("speed", "code"),
    [
        (faulty_server.AT_ONCE, "synthesis_failed"),
        (faulty_server.NOT_FINITE, "synthesis_failed"),
        (faulty_server.UNEXPECTED, "internal_error"),
    ],
)
def test_a_failure_of_the_model_is_told_and_ends_the_session(faulty, speed, code):
    identity = f"failure-{speed}"
    with opened(faulty, identity) as talk:
        talk.exchange("config", "ready", speed=speed)
        for number in range(3):
            talk.say(f"Number {speed}{number}. ")
        talk.send("flush")
        assert talk.until_closed() == 1011
        assert talk.received[-1]["type"] == "error"
        assert talk.received[-1]["error"]["code"] == code
        assert "out of something" not in json.dumps(talk.received[-1])
    line = log_line(faulty, identity)
    assert f"outcome={code}" in line
    assert any(identity in entry and " ERROR " in entry for entry in faulty.log)
    assert not any(faulty_server.SECRET in entry or "Number" in entry for entry in faulty.log)
    with opened(faulty) as talk:
        talk.say(SHORT)
        talk.finish()


# The service stops.


@pytest.mark.own_server
def test_a_service_that_stops_says_what_it_was_given(start_server):
    server = start_server()
    answer = refusal(server, {})
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "not_ready"
    assert answer.headers["retry-after"] == "1"
    server.wait_until_ready()
    with opened(server, "stopped") as talk, opened(server) as idle:
        talk.say("Good day. And good night")
        talk.until("audio")
        server.process.send_signal(signal.SIGTERM)
        assert idle.until_closed() == 1001
        with contextlib.suppress(ConnectionClosed):
            talk.send("text", text="Too late.")
        assert talk.until_closed() == 1001
        assert talk.received[-1]["type"] == "done"
        assert talk.of("audio")[-1]["text_end"] == talk.received[-1]["text_end"] == len(talk.text)
        assert {m["error"]["code"] for m in talk.of("error")} <= {"not_ready"}
    assert "outcome=ok" in log_line(server, "stopped")
    assert server.process.wait(timeout=240) == 0


@pytest.mark.own_server
def test_a_service_that_may_not_wait_breaks_speech_off(start_real_server):
    server = start_real_server("--shutdown-timeout-s", "0", "--send-timeout-s", "600")
    server.wait_until_ready()
    with opened(server, "broken") as talk, opened(server, "deaf", **slowly(server)) as deaf:
        deaf.say(LONG * 3)
        talk.say(SHORT, LONG * 10)
        talk.until("audio")
        server.process.send_signal(signal.SIGTERM)
        assert talk.until_closed() == 1001
        assert talk.received[-1]["type"] == "error"
        assert talk.received[-1]["error"]["code"] == "not_ready"
        assert server.process.wait(timeout=240) == 0
    assert "outcome=not_ready" in log_line(server, "broken")
    assert "outcome=ok" not in log_line(server, "deaf")


@pytest.mark.own_server
def test_a_replica_that_is_replaced_ends_its_sessions_in_time(start_real_server):
    server = start_real_server(program=REPLACED_SERVER)
    server.wait_until_ready()
    with opened(server, "replaced") as talk, opened(server) as idle:
        talk.say(SHORT, LONG * 10)
        talk.until("audio")
        server.process.send_signal(signal.SIGUSR1)
        assert idle.until_closed() == 1001
        assert idle.received[-1]["type"] == "done"
        assert talk.until_closed() == 1001
        assert talk.received[-1]["error"]["code"] == "not_ready"
    assert "outcome=not_ready" in log_line(server, "replaced")
    # Ray decides how long it gets requests.
    assert speak(server, text=SHORT).status_code == 200
    assert server.stop() == 0


# Nobody speaks.


@pytest.fixture(scope="module")
def impatient(start_real_server):
    server = start_real_server("--session-idle-s", "0.5")
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


def test_a_session_on_which_nothing_happens_is_closed(impatient):
    with opened(impatient) as silent, opened(impatient) as lively:
        silent.say("Good day, and")  # whose end is not certain
        while silent.socket.close_code is None:
            lively.exchange("config", "ready")
        assert silent.until_closed() == 1001
        assert silent.received[-1]["type"] == "done"
        assert silent.of("audio")[-1]["text_end"] == len(silent.text)
        lively.say(SHORT)
        lively.finish()


def test_a_session_that_speaks_is_not_idle(impatient):
    with opened(impatient) as talk:
        talk.say(LONG * 3)
        talk.send("flush")
        assert talk.until_closed() == 1001
        assert talk.kinds[-2:] == ["flushed", "done"]
        assert talk.received[-1]["text_end"] == len(talk.text)
        assert talk.received[-1]["duration_s"] > 10
