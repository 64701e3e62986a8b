"""Who is let in by its key, over a real port."""

import json

import pytest
from tests.service.api.middleware.small_application import (
    KEY,
    OTHER_KEY,
    code,
    handshake,
    refused_handshake,
    websocket_url,
    write,
)
from websockets.sync.client import connect


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {KEY}"},
        {"Authorization": f"bearer  {OTHER_KEY}"},
        {"X-API-Key": KEY},
        {"X-API-Key": KEY, "Authorization": "Basic dXNlcjpwYXNz"},
    ],
)
def test_a_key_lets_in(keyed, headers):
    assert keyed.post("/synthesize", headers=headers).json() == "written"
    assert handshake(keyed, **headers) == "open"


@pytest.mark.parametrize("offer", [f"bearer.{KEY}", f"bearer.{KEY.replace('-', '%2d')}"])
def test_a_websocket_takes_a_key_as_a_subprotocol(keyed, offer):
    assert handshake(keyed, **{"Sec-WebSocket-Protocol": f"kokoro.v1, {offer}"}) == "open"


@pytest.mark.parametrize("offer", ["bearer.", f"bearer.{KEY}x", KEY, f"Bearer.{KEY}", "kokoro.v1"])
def test_another_subprotocol_is_no_key(keyed, offer):
    refused = refused_handshake(keyed, **{"Sec-WebSocket-Protocol": offer})
    assert refused.response.status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": KEY},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {KEY}x"},
        {"X-API-Key": KEY[:-1]},
        {"X-API-Key": ""},
        {"Cookie": f"X-API-Key={KEY}"},
    ],
)
def test_without_a_known_key_it_is_401(keyed, headers):
    doubled = f"http://127.0.0.1:{keyed.base_url.port}//health"
    for path in ("/synthesize", "/voices", "/nowhere", "/health/", doubled, "/Health"):
        response = keyed.get(path, headers=headers)
        assert (response.status_code, code(response)) == (401, "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"
        assert KEY[:-1] not in response.text
    answer = refused_handshake(keyed, **headers).response
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert json.loads(answer.body or b"")["error"]["code"] == "unauthorized"


def test_a_key_of_any_bytes_is_401(keyed):
    response = keyed.get("/voices", headers=[(b"X-API-Key", bytes(range(128, 256)))])
    assert response.status_code == 401


def test_open_paths_need_no_key(keyed):
    assert keyed.get("/health").json() == "read"
    assert keyed.get("/ready").status_code == 404  # the small application has none


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


def test_a_key_in_the_query_does_not_let_in(keyed):
    assert keyed.get("/voices", params={"api_key": KEY}).status_code == 401


def test_a_key_has_as_many_requests_at_once_as_its_limit_says(start, tmp_path):
    keys = write(tmp_path / "keys", f"few:{KEY} requests=1\nmany:{OTHER_KEY}\n".encode())
    client = start(api_keys_file=keys)
    few, many = {"X-API-Key": KEY}, {"X-API-Key": OTHER_KEY}
    with connect(websocket_url(client), additional_headers={**few, "X-Wait": "1"}) as open_session:
        assert open_session.recv() == "open"
        refused = client.get("/voices", headers=few)
        assert (refused.status_code, code(refused)) == (429, "key_limit")
        assert refused.headers["retry-after"] == "1"
        assert "the key few may have 1" in refused.json()["error"]["message"]
        assert refused_handshake(client, **few).response.status_code == 429
        assert client.get("/voices", headers=many).json() == "read"
        # Open paths are open to everyone.
        assert client.get("/health", headers=few).json() == "read"
        open_session.send("go on")
    # One request after the other never meets the limit.
    for _ in range(100):
        assert client.get("/voices", headers=few).json() == "read"
    assert handshake(client, **few) == "open"
