"""What a server of its own cannot bring about at a moment of its choice; see test_synthesis.py."""

import asyncio
import socket

import pytest
from service.api.clause_speech import ClauseSpeech
from service.api.state import Ready, ServiceState
from service.api.wyoming.connection import Connection
from service.api.wyoming.wire import Wire
from service.settings import Settings
from tests.service.api.wyoming.talks import GUARD_S, SHORT, Talk, start, whole
from wyoming.event import Event
from wyoming.info import Describe
from wyoming.ping import Ping
from wyoming.tts import SynthesizeChunk, SynthesizeStop

from service.api.wyoming import connection as connections

SECRET = "a text of somebody"
INFO = Event("info", {"tts": []})


@pytest.fixture
def hold(synthesizer):
    """Hold a connection: run a scenario beside it, with a client."""

    def hold(scenario, *, is_ready=True, idle_s=240.0):
        async def conversation():
            tasks_before = asyncio.all_tasks()
            service = ServiceState(Settings(max_text_length=5000), ())
            if is_ready:
                service._ready = Ready(synthesizer, 0.0)
            ours, theirs = socket.socketpair()
            theirs.settimeout(GUARD_S)
            reader, writer = await asyncio.open_connection(sock=ours)
            wire = Wire(reader, writer, max_event_bytes=60_000, receive_timeout_s=240.0, send_timeout_s=240.0)
            serving = asyncio.ensure_future(Connection(service, wire, INFO, idle_s=idle_s).run())
            with Talk(theirs) as client:
                await asyncio.to_thread(scenario, client)
            await serving
            await asyncio.sleep(0)
            assert asyncio.all_tasks() == tasks_before
            assert synthesizer.turns.n_waiting == 0
            service._ready = None  # the synthesizer is not its own
            service.close()

        asyncio.run(asyncio.wait_for(conversation(), GUARD_S))

    return hold


def test_the_voices_are_told_before_the_model_is_loaded(hold):
    def scenario(client):
        client.send(Describe())
        assert client.receive().data == INFO.data
        client.send(whole(SHORT))
        client.until("audio-stop")
        client.send(start(), SynthesizeChunk(SHORT), SynthesizeStop())
        client.until("synthesize-stopped")
        assert client.kinds == ["info", "error", "audio-stop", "error", "audio-stop", "synthesize-stopped"]
        assert client.error.code == "not_ready"

    hold(scenario, is_ready=False)


def test_who_is_silent_for_too_long_is_let_go(hold):
    def scenario(client):
        client.send(start())
        client.until_closed()
        assert client.heard == []

    hold(scenario, idle_s=0.01)


def test_who_listens_is_not_idle(hold):
    hold(lambda client: client.say(SHORT), idle_s=0.05)


def test_only_so_many_texts_may_wait(hold, monkeypatch):
    monkeypatch.setattr(connections, "_MAX_WAITING", 3)

    def scenario(client):
        # A text that is not complete holds back the others, which are ignored inside it.
        client.send(start(), *[whole(SHORT)] * 9, Ping())
        assert client.until("pong").type == "pong"
        client.send(SynthesizeStop())
        client.until("synthesize-stopped")
        assert "error" not in client.kinds
        client.send(*[whole("Good day, says he, and good night.")] * 40, Ping())
        client.until("pong")
        errors = [event.data["code"] for event in client.heard if event.type == "error"]
        assert set(errors) == {"invalid_request"}
        while sum(event.type == "audio-stop" for event in client.heard) < 41 - len(errors):
            client.receive()

    hold(scenario)


@pytest.mark.parametrize(
    ("kind", "task"), [(Connection, "_handle"), (ClauseSpeech, "_job_of"), (Connection, "_send_pcm")]
)
def test_an_unexpected_exception_in_any_task_is_logged_and_told_without_its_message(
    hold, monkeypatch, caplog, kind, task
):
    def fail(*_):
        raise KeyError(SECRET)

    def scenario(client):
        monkeypatch.setattr(kind, task, fail)
        client.send(start(), SynthesizeChunk("Yes.\n"))
        client.until_closed()
        assert (client.kinds[-1], client.error.code) == ("error", "internal_error")

    hold(scenario)
    (error,) = (record.getMessage() for record in caplog.records if record.levelname == "ERROR")
    assert "builtins.KeyError" in error
    assert SECRET not in caplog.text


def test_no_event_closes_the_connection_and_says_why(hold):
    def scenario(client):
        client.send(Ping("first"))
        client.send_raw(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        client.until_closed()
        assert client.kinds == ["pong", "error"]
        assert client.error.code == "invalid_request"

    hold(scenario)
