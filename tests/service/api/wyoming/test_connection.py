"""What a real client cannot bring about at a moment of its choice; see test_synthesis.py."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest
from service.api.clause_speech import ClauseSpeech
from service.api.state import Ready, ServiceState
from service.api.wyoming.connection import Connection
from service.api.wyoming.wire import Wire
from service.settings import Settings
from tests.service.api.wyoming.talks import SHORT, Talk, run, start, whole
from wyoming.event import Event
from wyoming.info import Describe
from wyoming.ping import Ping
from wyoming.tts import SynthesizeChunk, SynthesizeStop

from service.api.wyoming import connection as connections

SECRET = "a text of somebody"
INFO = Event("info", {"tts": []})

Scenario = Callable[[Talk, ServiceState], Awaitable[None]]


class LocalTalk(Talk):
    """A client at the other end of a pair of sockets."""

    async def __aenter__(self):
        return self

    async def join(self, end):
        self.client._reader, self.client._writer = await asyncio.open_connection(sock=end)


@pytest.fixture
def hold(synthesizer):
    """Hold a connection: run a scenario beside it."""

    def hold(scenario, *, is_ready=True, idle_s=240.0):
        async def conversation():
            tasks_before = asyncio.all_tasks()
            service = ServiceState(Settings(max_text_length=5000), ())
            if is_ready:
                service._ready = Ready(synthesizer, 0.0)
            ours, theirs = socket.socketpair()
            reader, writer = await asyncio.open_connection(sock=ours)
            wire = Wire(*(reader, writer), max_event_bytes=60_000, receive_timeout_s=240.0, send_timeout_s=240.0)
            serving = asyncio.ensure_future(Connection(service, wire, INFO, idle_s=idle_s).run())
            async with LocalTalk("tcp://nowhere:1") as client:
                await client.join(theirs)
                await scenario(client, service)
            await serving
            await asyncio.sleep(0)
            assert asyncio.all_tasks() == tasks_before
            assert synthesizer.turns.n_waiting == 0
            service._ready = None  # the synthesizer is not its own
            service.close()

        run(conversation())

    return hold


def test_the_voices_are_told_before_the_model_is_loaded(hold):
    async def scenario(client, _):
        await client.send(Describe())
        assert (await client.receive()).data == INFO.data
        await client.send(whole(SHORT))
        await client.until("audio-stop")
        await client.send(start(), SynthesizeChunk(SHORT), SynthesizeStop())
        await client.until("synthesize-stopped")
        assert client.kinds == [*("info", "error", "audio-stop", "error", "audio-stop", "synthesize-stopped")]
        assert client.error.code == "not_ready"

    hold(scenario, is_ready=False)


def test_who_is_silent_for_too_long_is_let_go(hold):
    async def scenario(client, _):
        await client.send(start())
        await client.until_closed()
        assert client.heard == []

    hold(scenario, idle_s=0.01)


def test_who_listens_is_not_idle(hold):
    async def scenario(client, _):
        await client.send(whole(SHORT))
        await client.until("audio-stop")
        assert "audio-chunk" in client.kinds

    hold(scenario, idle_s=0.05)


def test_only_so_many_texts_may_wait(hold, monkeypatch):
    monkeypatch.setattr(connections, "_MAX_WAITING", 3)

    async def scenario(client, _):
        # A text that is not complete holds back the others, which are ignored inside it.
        await client.send(start(), *[whole(SHORT)] * 9, Ping())
        assert (await client.until("pong")).type == "pong"
        await client.send(SynthesizeStop())
        await client.until("synthesize-stopped")
        assert "error" not in client.kinds
        await client.send(*[whole("Good day, says he, and good night.")] * 40, Ping())
        await client.until("pong")
        errors = [event for event in client.heard if event.type == "error"]
        assert errors
        assert all(event.data["code"] == "invalid_request" for event in errors)
        while sum(event.type == "audio-stop" for event in client.heard) < 41 - len(errors):
            await client.receive()

    hold(scenario)


@pytest.mark.parametrize(
    ("kind", "task"), [(Connection, "_handle"), (ClauseSpeech, "_job_of"), (Connection, "_send_pcm")]
)
def test_an_unexpected_exception_in_any_task_is_logged_and_told_without_its_message(
    hold, monkeypatch, caplog, kind, task
):
    def fail(*_):
        raise KeyError(SECRET)

    async def scenario(client, service):
        monkeypatch.setattr(kind, task, fail)
        await client.send(start(), SynthesizeChunk("Yes.\n"))
        await client.until_closed()
        assert client.kinds[-1] == "error"
        assert client.error.code == "internal_error"

    hold(scenario)
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1
    assert "builtins.KeyError" in errors[0]
    assert SECRET not in caplog.text


def test_no_event_closes_the_connection_and_says_why(hold):
    async def scenario(client, _):
        await client.send(Ping("first"))
        await client.send_raw(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        await client.until_closed()
        assert client.kinds == ["pong", "error"]
        assert client.error.code == "invalid_request"

    hold(scenario)


def test_a_service_that_shuts_down_takes_no_more_texts(hold):
    async def scenario(client, service):
        await client.send(start(), SynthesizeChunk("Good day. "), Ping())
        await client.until("pong")
        service.admission.closing.set()
        await client.until_closed()
        assert client.kinds[-2:] == ["audio-stop", "synthesize-stopped"]

    hold(scenario)
