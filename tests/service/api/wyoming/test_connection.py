"""Events on the wire, and connections where a server of its own cannot bring something about; see test_synthesis.py."""

import asyncio
import json
import socket

import pytest
from hypothesis import strategies as st
from wyoming.event import Event, async_write_event
from wyoming.info import Describe
from wyoming.ping import Ping
from wyoming.tts import SynthesizeChunk, SynthesizeStop

from service.api.clause_speech import ClauseSpeech
from service.api.state import Ready, ServiceState
from service.api.wyoming import connection as connections
from service.api.wyoming.connection import Connection
from service.api.wyoming.wire import IdleError, MalformedEventError, Wire
from service.settings import Settings
from tests.profiles import costly, given
from tests.service.api.speech_socket import TIMEOUT_S
from tests.service.api.wyoming.talks import SHORT, Talk, read_out, start, whole

LIMIT = 2000
"""Of lengths, around which headers are drawn."""

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)

_header_values = st.sampled_from([0, 1, 5, LIMIT, LIMIT + 1, -1, 1e300, True, None, "5", [], {}, {"text": "Hi"}])
_lines = st.one_of(
    st.binary(max_size=60),
    st.binary(max_size=60).map(lambda line: line + b"\n"),
    st.dictionaries(
        st.sampled_from(["type", "data", "data_length", "payload_length", "version"]),
        st.one_of(_header_values, st.just("ping")),
    ).map(lambda header: json.dumps(header).encode() + b"\n"),
    json_values.map(lambda value: json.dumps(value).encode() + b"\n"),
)
any_bytes = st.lists(_lines, max_size=5).map(b"".join)


class Sink:
    """Stands for a writer; keeps what was written."""

    def __init__(self):
        self.content = b""

    def writelines(self, parts):
        self.content += b"".join(parts)

    async def drain(self):
        pass

    def write(self, content):
        self.content += content


def wire(content, *, ends=True, receive_timeout_s=60.0):
    reader = asyncio.StreamReader(limit=LIMIT)
    reader.feed_data(content)
    if ends:
        reader.feed_eof()
    return Wire(reader, Sink(), max_event_bytes=LIMIT, receive_timeout_s=receive_timeout_s, send_timeout_s=60.0)


def received(content):
    async def receive():
        one, events = wire(content), []
        while (event := await one.receive(60.0)) is not None:
            events.append(event)
        return events

    return asyncio.run(receive())


async def written(events):
    sink = Sink()
    for event in events:
        await async_write_event(event, sink)
    return sink.content


events = st.builds(
    Event,
    st.text(max_size=20),
    st.dictionaries(st.text(max_size=5), json_values, max_size=3),
    st.none() | st.binary(max_size=50),
)


@pytest.mark.thorough
@given(st.lists(events, max_size=4))
def test_what_the_package_writes_is_read(some):
    try:
        content = asyncio.run(written(some))
    except UnicodeEncodeError:  # lone surrogates, which the package does not write
        return
    assert [(event.type, event.data) for event in received(content)] == [(event.type, event.data) for event in some]


@given(any_bytes)
def test_any_bytes_are_events_or_malformed(content):
    try:
        found = received(content)
    except MalformedEventError:
        return
    assert all(isinstance(event.type, str) and isinstance(event.data, dict) for event in found)


MALFORMED = (
    b"\n", b"[]\n", b"GET / HTTP/1.1\r\n\r\n", b'{"type": 7}\n', b'{"type": "ping", "data": []}\n',
    b'{"type": "ping", "data": "x"}\n', b'{"type": "ping", "data_length": -1}\n',
    b'{"type": "ping", "data_length": true}\n', b'{"type": "ping", "data_length": 2001}\n',
    b'{"type": "ping", "payload_length": 1e3}\n', b'{"type": "ping", "data_length": 2}\n[]',
    b'{"type": "ping", "data_length": 2}\n{]', b"x" * 10_000, b"[" * 1999 + b"\n",
    b'{"type": "ping", "data": {"text": ' + b"9" * 1900 + b"}}\n" + b"{" * 5000,
)  # fmt: skip


@pytest.mark.parametrize("content", MALFORMED)
def test_what_is_no_event_is_malformed(content):
    with pytest.raises(MalformedEventError) as caught:
        received(content)
    assert "\n" not in str(caught.value)


def test_who_leaves_amid_an_event_has_left():
    for content in (b'{"type"', b'{"type": "ping", "data_length": 5}\n{"a', b'{"type": "x", "payload_length": 9}\n'):
        assert received(content) == [], content


def test_data_of_the_header_and_after_it_is_one():
    (event,) = received(b'{"type": "x", "data": {"a": 1, "b": 1}, "data_length": 8}\n{"b": 2}')
    assert event.data == {"a": 1, "b": 2}


def test_who_is_silent_is_idle_and_who_stops_amid_an_event_sent_none():
    async def receive():
        with pytest.raises(IdleError):
            await wire(b"", ends=False).receive(0.001)
        with pytest.raises(MalformedEventError, match="did not end within"):
            await wire(b'{"type', ends=False, receive_timeout_s=0.001).receive(60.0)

    asyncio.run(receive())


@costly(part=4)
@given(content=any_bytes)
def test_any_bytes_leave_the_service_well(faulty, content):
    with Talk(faulty.uri) as client:
        client.send_raw(content)
        client.socket.shutdown(socket.SHUT_WR)
        read_out(client.socket)
    with Talk(faulty.uri) as client:
        client.send(Ping())
        client.until("pong")


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
            theirs.settimeout(TIMEOUT_S)
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

        asyncio.run(asyncio.wait_for(conversation(), TIMEOUT_S))

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
        client.send(start())
        if task != "_handle":  # which fails at once, and nobody listens any more
            client.send(SynthesizeChunk("Yes.\n"))
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
