"""Who is let in by its key, over a real port."""

import pytest
from tests.service.api.middleware.small_application import (
    KEY,
    OTHER_KEY,
    handshake,
    open_session,
    refusal,
    refused_handshake,
    write,
)


def test_a_key_lets_in(keyed):
    for headers in (
        {"Authorization": f"Bearer {KEY}"}, {"Authorization": f"bearer  {OTHER_KEY}"}, {"X-API-Key": KEY},
        {"X-API-Key": KEY, "Authorization": "Basic dXNlcjpwYXNz"},
    ):  # fmt: skip
        assert keyed.post("/synthesize", headers=headers).json() == "written", headers
        assert handshake(keyed, **headers) == "open", headers


def test_a_websocket_takes_a_key_as_a_subprotocol(keyed):
    for offer in (f"bearer.{KEY}", f"bearer.{KEY.replace('-', '%2d')}"):
        assert handshake(keyed, **{"Sec-WebSocket-Protocol": f"kokoro.v1, {offer}"}) == "open"
    for offer in ("bearer.", f"bearer.{KEY}x", KEY, f"Bearer.{KEY}", "kokoro.v1"):
        assert refused_handshake(keyed, **{"Sec-WebSocket-Protocol": offer}).status_code == 401, offer


@pytest.mark.parametrize(
    "headers",
    [
        *({}, {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"}, {"Authorization": "Bearer"}),
        *({"Authorization": f"Bearer {KEY}x"}, {"X-API-Key": KEY[:-1]}, {"X-API-Key": ""}),
        {"Cookie": f"X-API-Key={KEY}"},
    ],
)
def test_without_a_known_key_it_is_401(keyed, headers):
    doubled = f"http://127.0.0.1:{keyed.base_url.port}//health"
    paths = ("/synthesize", "/voices", "/nowhere", "/health/", doubled, "/Health", f"/voices?api_key={KEY}")
    for answer in (*(keyed.get(path, headers=headers) for path in paths), refused_handshake(keyed, **headers)):
        assert refusal(answer) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert KEY[:-1] not in answer.text


def test_a_key_of_any_bytes_is_401(keyed):
    assert keyed.get("/voices", headers=[(b"X-API-Key", bytes(range(128, 256)))]).status_code == 401


def test_lists_need_no_key_but_no_wrong_one_either(start, key_file):
    client = start(api_keys_file=key_file)
    for headers in ({}, {"Authorization": "Bearer"}, {"X-API-Key": KEY}):
        assert client.get("/voices", headers=headers).json() == "read"
        assert client.head("/voices", headers=headers).status_code != 401
        for path in ("/v1/models", "/v1/models/a/b", "/v1/audio/voices", "/languages"):
            # The small application has none of them.
            assert client.get(path, headers=headers).status_code == 404
    assert client.get("/voices", headers={"X-API-Key": f"{KEY}x"}).status_code == 401
    for path in ("/synthesize", "/voices/", "/v1/modelsx", "/v1/audio/speech", "/metrics"):
        assert client.get(path).status_code == 401


def test_a_key_has_as_many_requests_at_once_as_its_limit_says(start, tmp_path):
    client = start(api_keys_file=write(tmp_path / "keys", f"few:{KEY} requests=1\nmany:{OTHER_KEY}\n".encode()))
    few, many = {"X-API-Key": KEY}, {"X-API-Key": OTHER_KEY}
    with open_session(client, **few, **{"X-Wait": "1"}) as session:
        assert session.recv() == "open"
        refused = client.get("/voices", headers=few)
        assert refusal(refused) == (429, "key_limit")
        assert refused.headers["retry-after"] == "1"
        assert "the key few may have 1" in refused.json()["error"]["message"]
        assert refused_handshake(client, **few).status_code == 429
        assert client.get("/voices", headers=many).json() == "read"
        # Open paths are open to everyone.
        assert client.get("/health", headers=few).json() == "read"
        session.send("go on")
    # One request after the other never meets the limit.
    for _ in range(100):
        assert client.get("/voices", headers=few).json() == "read"
    assert handshake(client, **few) == "open"
