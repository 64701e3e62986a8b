"""What a real client cannot bring about at a moment of its choice; see test_websocket.py."""

import asyncio
import json
from dataclasses import replace

import pytest

from service.api.clause_speech import ClauseSpeech
from service.api.request_statistics import RequestStatistics
from service.api.state import ServiceState
from service.api.websocket.session import Session
from service.settings import Settings
from tests.service.api.speech_socket import TIMEOUT_S

SECRET = "a text of somebody"


class Line:
    """Stands for the connection: the test decides when what is sent leaves, or fails."""

    def __init__(self):
        self.sent = []
        self.n_received = -1
        self.close_code = None
        self.error = None
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.incoming = asyncio.Queue()
        self._n_put = 0

    async def write(self, kind, **fields):
        """Have a message received and handled."""
        self._n_put += 1
        self.put(kind, **fields)
        await until(lambda: self.n_received >= self._n_put)

    def put(self, kind, **fields):
        self.incoming.put_nowait({"type": "websocket.receive", "text": json.dumps({"type": kind, **fields})})

    async def receive(self):
        self.n_received += 1
        return await self.incoming.get()

    async def send_text(self, text):
        await self._leave()
        self.sent.append(json.loads(text))

    async def send_bytes(self, data):
        await self._leave()
        assert data

    async def close(self, code):
        await self._leave()
        self.close_code = code

    async def _leave(self):
        await self.is_open.wait()
        if self.error is not None:
            raise self.error

    @property
    def kinds(self):
        return [message["type"] for message in self.sent]


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


@pytest.fixture
def hold(synthesizer):
    """Hold a session: run a scenario beside it once it is open, and return how it went."""

    def run(scenario, **settings):
        async def conversation():
            tasks_before = asyncio.all_tasks()
            service = ServiceState(Settings(**settings), ())
            line, statistics = Line(), RequestStatistics()
            running = asyncio.ensure_future(Session(line, service, synthesizer, "an-id", statistics).run())
            await until(lambda: line.n_received == 0 and line.sent)
            try:
                await scenario(line, statistics)
                outcome = await running
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            # No task is left; no thread is at work, or this would wait for its model.
            assert asyncio.all_tasks() == tasks_before
            assert synthesizer.turns.n_waiting == 0
            service.executor.shutdown()
            return outcome, line, statistics

        return asyncio.run(asyncio.wait_for(conversation(), TIMEOUT_S))

    return run


@pytest.mark.thorough
def test_what_a_client_does_not_take_is_made_three_chunks_ahead_and_dropped_by_a_cancel(hold):
    async def scenario(line, statistics):
        line.is_open.clear()
        await line.write("text", text="Yes.\n" * 8)
        await until(lambda: statistics.n_chunks == 3)
        await line.write("cancel")
        line.is_open.set()
        await until(lambda: line.kinds[-1] == "cancelled")
        await line.write("end")

    outcome, line, statistics = hold(scenario)
    assert (outcome, line.close_code, statistics.n_chunks) == ("ok", 1000, 3)
    assert line.kinds == ["ready", "audio", "cancelled", "done"]
    assert line.sent[-1]["duration_s"] == line.sent[1]["end_s"]


def test_what_the_server_says_of_a_connection_that_it_closes_is_a_disconnection(hold, caplog):
    async def scenario(line, _):
        line.error = RuntimeError("Unexpected ASGI message 'websocket.send'")
        await line.write("text", text="Yes.\n")

    outcome, line, _ = hold(scenario)
    assert (outcome, line.close_code, caplog.records) == ("cancelled", None, [])


def test_a_client_that_is_gone_when_the_session_closes_is_no_fault(hold, caplog):
    async def scenario(line, _):
        line.is_open.clear()
        await line.write("end")
        line.is_open.set()
        await until(lambda: "done" in line.kinds)
        line.error = RuntimeError("gone")

    assert hold(scenario)[0] == "ok"
    assert caplog.records == []


@pytest.mark.parametrize(("kind", "task"), [(Session, "_handle"), (ClauseSpeech, "_job_of"), (Session, "_send_parcel")])
def test_an_unexpected_exception_in_any_task_is_logged_and_told_without_its_message(
    hold, monkeypatch, caplog, kind, task
):
    def fail(*_):
        raise KeyError(SECRET)

    async def scenario(line, _):
        monkeypatch.setattr(kind, task, fail)
        line.put("text", text="Yes.\n")

    outcome, line, _ = hold(scenario)
    assert (outcome, line.close_code) == ("internal_error", 1011)
    assert line.kinds == ["ready", "error"]
    assert line.sent[-1]["error"] == {"code": "internal_error", "message": "internal error", "request_id": "an-id"}
    (record,) = caplog.records
    assert "an-id failed: builtins.KeyError" in record.getMessage()
    assert SECRET not in record.getMessage()


def test_a_clause_over_the_deadline_ends_the_session(hold):
    async def scenario(line, _):
        await line.write("text", text="This takes longer than it may.\nAnd so on.")
        await until(lambda: line.close_code)

    outcome, line, statistics = hold(scenario, deadline_s=0.001)
    assert (outcome, line.close_code, statistics.n_chunks) == ("deadline_exceeded", 1011, 0)
    assert line.kinds == ["ready", "error"]
    assert (line.sent[-1]["error"]["code"], line.sent[-1]["text_start"]) == ("deadline_exceeded", 0)


def test_a_disconnection_while_a_thread_computes_ends_the_session_when_the_thread_is_done(
    hold, synthesizer, monkeypatch
):
    at_work = [False]
    kind = type(synthesizer.model)

    def noted(name):
        run = getattr(kind, name)

        def noting(*arguments, **options):
            at_work[0] = True
            try:
                return run(*arguments, **options)
            finally:
                at_work[0] = False

        return noting

    for name in ("infer", "encode"):  # of a whole chunk, or before its windows
        monkeypatch.setattr(kind, name, noted(name))

    async def scenario(line, _):
        await line.write("text", text="This is being said when the client goes away, says he.\n")
        await until(lambda: at_work[0])
        line.incoming.put_nowait({"type": "websocket.disconnect", "code": 1001})

    outcome, line, statistics = hold(scenario)
    assert not at_work[0]
    assert (outcome, line.kinds, statistics.n_chunks) == ("cancelled", ["ready"], 0)


def test_a_default_voice_of_no_language_needs_a_config(hold, synthesizer, monkeypatch):
    voices = synthesizer.planner.voices._voices
    monkeypatch.setitem(voices, "af_heart", replace(voices["af_heart"], language=None))

    async def scenario(line, _):
        await line.write("text", text="Yes.")
        await line.write("flush")
        await line.write("config", language="en-us")
        await line.write("end")

    _, line, _ = hold(scenario)
    opening, error, _, config, _ = line.sent
    assert line.kinds == ["error", "error", "flushed", "ready", "done"]
    assert opening["error"]["code"] == error["error"]["code"] == "language_unavailable"
    assert (error["text_start"], error["text_end"]) == (0, 4)
    assert (config["voice"], config["language"]) == ("af_heart", "en-us")
