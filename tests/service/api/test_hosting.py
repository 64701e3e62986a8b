"""The application in other ASGI servers than its own; `make test-hosts` runs more tests in them."""

import asyncio
import subprocess
import sys

import pytest

from service.api.middleware.hosts import LoopbackOnly
from service.errors import SettingsError
from service.hosting import create_app, drain
from service.settings import Settings
from tests.service.api.serving_process import HOSTS, hosted_by
from tests.service.api.speech_client import assert_refused, speak
from tests.service.api.speech_socket import SpeechSocket
from tests.service.api.websocket.sessions import spoken

TEXT = "Good morning. The kettle is on."


@pytest.fixture(scope="module", params=[
    HOSTS[0], pytest.param(HOSTS[1], marks=pytest.mark.slow), pytest.param(HOSTS[2], marks=pytest.mark.thorough),
])  # fmt: skip
def host(request):
    return request.param


@pytest.fixture(scope="module")
def hosted(start_server, host):
    server = start_server(program=hosted_by(host))
    yield server
    assert server.stop() == 0


@pytest.mark.thorough
def test_a_hosted_service_is_ready_when_it_listens(hosted):
    assert hosted.client.get("/ready").json()["status"] == "ready"


@pytest.mark.parametrize("stream", [False, True])
def test_a_hosted_service_answers_as_its_own_server_does(server, hosted, stream):
    fields = {"text": TEXT, "format": "pcm", "stream": stream}
    answer, own = speak(hosted, **fields), speak(server, **fields)
    assert answer.content == own.content
    assert answer.headers["content-type"] == own.headers["content-type"]
    assert_refused(speak(hosted, text=""), 422, "empty_text")


def test_a_hosted_session_says_what_its_own_server_would(server, hosted):
    assert spoken(server, TEXT).pcm == spoken(hosted, TEXT).pcm


def test_a_message_that_is_too_long_closes_a_hosted_session(hosted):
    with SpeechSocket(hosted.url) as session:
        session.socket.send("x" * (12 * Settings().max_text_length + 16_385))
        assert session.until_closed() == 1009
    hosted.wait_for("outcome=body_too_large")


@pytest.mark.thorough
def test_what_is_missing_fails_the_start_of_a_host_in_one_line(host, tmp_path):
    program = [sys.executable, *hosted_by(host), "serve", "--port", "0"]
    done = subprocess.run(
        [*program, "--model", str(tmp_path / "model.onnx")], capture_output=True, text=True, timeout=300
    )
    assert done.returncode != 0
    assert f"kokoro-service: the model file {tmp_path / 'model.onnx'} cannot be read" in done.stderr
    # What else a host writes of a failure is its own affair.
    if host.startswith("uvicorn"):
        assert "Traceback" not in done.stderr


def test_what_needs_the_own_server_is_refused():
    with pytest.raises(SettingsError, match="wyoming"):
        create_app(Settings(wyoming="tcp://127.0.0.1:0"))


def test_a_drained_application_admits_nobody():
    async def scenario():
        app = create_app(Settings())
        await drain(app)
        await drain(app)
        return bool(app.state.service.admission.closing.is_set())

    assert asyncio.run(scenario())


@pytest.mark.parametrize(("address", "answered"), [
    (("127.0.0.1", 80), True), (("127.8.8.8", 80), True), (("::1", 80), True), (("::ffff:127.0.0.1", 80), True),
    (("localhost", 80), True), (("/run/kokoro.sock", None), True), (None, True), (("192.0.2.1", 80), False),
    (("::ffff:192.0.2.1", 80), False), (("fe80::1%eth0", 80), False), (("0.0.0.0", 80), False),
    (("kokoro.example.com", 80), False),
])  # fmt: skip
def test_without_keys_only_loopback_is_answered(address, answered):
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    sent = []
    scope = {
        "type": "http", "method": "GET", "path": "/health", "headers": [], "server": address,
        "state": {"request_id": "the-request"},
    }  # fmt: skip
    asyncio.run(LoopbackOnly(app)(scope, None, send))
    assert sent[0]["status"] == (200 if answered else 403)
