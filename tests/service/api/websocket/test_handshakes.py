"""Handshakes that are refused."""

import json

import pytest
from tests.service.api.speech_client import log_line
from tests.service.api.speech_socket import SpeechSocket
from tests.service.api.websocket.sessions import SHORT, refusal
from websockets.exceptions import InvalidStatus

KEY = "a-key-that-is-long-enough"


@pytest.fixture(scope="module")
def guarded(start_server, repository, tmp_path_factory):
    """A server with a key, one place, and a default voice of no known language."""
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "keys").write_text(KEY)
    (folder / "keys").chmod(0o600)
    voices = folder / "voices"
    voices.mkdir()
    heart = (repository / "voices" / "af_heart.bin").read_bytes()
    (voices / "af_heart.bin").write_bytes(heart)
    (voices / "nobody.bin").write_bytes(heart)
    server = start_server(
        *("--api-keys-file", str(folder / "keys"), "--max-websockets", "1"),
        *("--voices-dir", str(voices), "--voice", "nobody", "--cors-origins", "https://our.page"),
    )
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


def test_a_handshake_needs_the_key(guarded):
    for headers in ({}, {"X-API-Key": "another-key-long-enough"}):
        answer = refusal(guarded, headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]["code"] == "unauthorized"
        assert answer.headers["x-request-id"] == answer.json()["error"]["request_id"]
    for headers in ({"X-API-Key": KEY}, {"Authorization": f"Bearer {KEY}"}):
        with SpeechSocket(guarded.url, headers):
            pass


def test_a_handshake_of_a_page_of_another_origin_is_refused(guarded, server):
    for where, key in ((guarded, {"X-API-Key": KEY}), (server, {})):
        answer = refusal(where, {**key, "Origin": "https://evil.page"})
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "forbidden_origin"
    with SpeechSocket(guarded.url, {"X-API-Key": KEY, "Origin": "https://our.page"}):
        pass
    with SpeechSocket(server.url, {"Origin": server.url}):
        pass


def test_a_handshake_at_another_path_is_refused(server):
    with pytest.raises(InvalidStatus) as refused:
        SpeechSocket(server.url + "/nowhere")
    assert refused.value.response.status_code == 404
    assert json.loads(refused.value.response.body)["error"]["code"] == "not_found"


def test_over_the_places_for_sessions_a_handshake_is_refused(guarded):
    key = {"X-API-Key": KEY}
    with SpeechSocket(guarded.url, {**key, "X-Request-ID": "the-only-place"}) as talk:
        answer = refusal(guarded, key)
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "overloaded"
        assert int(answer.headers["retry-after"]) >= 1
        talk.receive()
        talk.finish()
    log_line(guarded, "the-only-place")
    with SpeechSocket(guarded.url, key):
        pass


def test_a_default_voice_of_no_language_needs_a_config(guarded):
    with SpeechSocket(guarded.url, {"X-API-Key": KEY}) as talk:
        opening = talk.receive()
        assert opening["type"] == "error"
        assert opening["error"]["code"] == "language_unavailable"
        talk.say(SHORT)
        error = talk.exchange("flush", "error")
        assert (error["text_start"], error["text_end"]) == (0, len(SHORT))
        assert talk.exchange("config", "ready", language="en-us")["voice"] == "nobody"
        talk.finish()
