"""Who is let in over a real port: by its key, by the name that it asks for, by its page; and what browsers are told."""

import socket
from contextlib import ExitStack

import httpx
import pytest
from fastapi import FastAPI, WebSocket
from starlette.responses import PlainTextResponse
from websockets.sync.client import connect

from service.api.api_keys import ApiKey, ApiKeys, read_keys
from service.api.callers import Callers
from service.api.middleware.hosts import check_exposure
from service.api.middleware.origins import read_origins
from service.api.middleware.protection import install
from service.api.middleware.security_headers import SecurityHeaders
from service.errors import SettingsError
from service.settings import Settings
from tests.service.api.asgi_server import Identified, serving
from tests.service.api.serving_process import write
from tests.service.api.speech_client import KEY, KEY_FILE, OTHER_KEY
from tests.service.api.speech_socket import refused

APP = "https://app.example.com"


def open_session(client, **headers):
    return connect(f"ws://127.0.0.1:{client.base_url.port}/stream", additional_headers=headers)


def handshake(client, **headers):
    """Return what the service says first over a WebSocket."""
    with open_session(client, **headers) as websocket:
        return websocket.recv()


def refusal(response):
    """Return status and code of an error, which must name the request."""
    error = response.json()["error"]
    assert error["request_id"] == "the-request"
    return response.status_code, error["code"]


@pytest.fixture(scope="session")
def start():
    """Serve a small application behind what the settings ask for; a client for it.

    All are stopped after the last test, for stopping takes longer than most tests.
    """
    with ExitStack() as stack:

        def start(**settings):
            app = FastAPI()

            @app.get("/health")
            @app.get("/voices")
            async def read():
                return "read"

            @app.post("/synthesize")
            async def write():
                return "written"

            @app.websocket("/stream")
            async def stream(websocket: WebSocket):
                await websocket.accept()
                await websocket.send_text("open")
                if websocket.headers.get("x-wait"):
                    await websocket.receive_text()
                await websocket.close()

            chosen = Settings.model_validate(settings)
            install(app, chosen, Callers(read_keys(chosen)), is_hosted=False)
            port = stack.enter_context(serving(SecurityHeaders(Identified(app))))
            return stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}"))

        yield start


@pytest.fixture(scope="session")
def keyed(start, tmp_path_factory):
    return start(api_keys_file=write(tmp_path_factory.mktemp("keyed") / "keys", KEY_FILE), private_lists=True)


@pytest.fixture(scope="session")
def local(start):
    return start()


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
        assert refused(open_session, keyed, **{"Sec-WebSocket-Protocol": offer}).status_code == 401, offer


@pytest.mark.parametrize("headers", [
    {}, {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"}, {"Authorization": "Bearer"}, {"X-API-Key": ""},
    {"Authorization": f"Bearer {KEY}x"}, {"X-API-Key": KEY[:-1]}, {"Cookie": f"X-API-Key={KEY}"},
])  # fmt: skip
def test_without_a_known_key_it_is_401(keyed, headers):
    doubled = f"http://127.0.0.1:{keyed.base_url.port}//health"
    paths = ("/synthesize", "/voices", "/nowhere", "/health/", doubled, "/Health", f"/voices?api_key={KEY}")
    for answer in (*(keyed.get(path, headers=headers) for path in paths), refused(open_session, keyed, **headers)):
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
        answer = client.get("/voices", headers=few)
        assert refusal(answer) == (429, "key_limit")
        assert answer.headers["retry-after"] == "1"
        assert "the key few may have 1" in answer.json()["error"]["message"]
        assert refused(open_session, client, **few).status_code == 429
        assert client.get("/voices", headers=many).json() == "read"
        # Open paths are open to everyone.
        assert client.get("/health", headers=few).json() == "read"
        session.send("go on")
    # One request after the other never meets the limit.
    for _ in range(100):
        assert client.get("/voices", headers=few).json() == "read"
    assert handshake(client, **few) == "open"


def test_loopback_needs_no_key():
    for host in ("127.0.0.1", "127.8.9.10", "127.1", "::1", "localhost", "::ffff:127.0.0.1"):
        check_exposure(Settings(host=host), None)


@pytest.mark.parametrize("host", ["0.0.0.0", "0", "::", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "fe80::1"])
def test_a_wider_address_needs_keys_or_insecure(host):
    with pytest.raises(SettingsError, match=r"api_keys_file.*--insecure") as caught:
        check_exposure(Settings(host=host), None)
    assert "\n" not in caught.value.message
    check_exposure(Settings(host=host), ApiKeys([ApiKey.of(KEY)]))
    check_exposure(Settings(host=host, insecure=True), None)


def test_a_name_is_loopback_only_if_all_its_addresses_are(monkeypatch):
    def resolve(*addresses):
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (item, 0)) for item in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    resolve("127.0.0.1", "127.0.1.1")
    check_exposure(Settings(host="kokoro.test"), None)
    resolve("127.0.0.1", "192.0.2.1")
    with pytest.raises(SettingsError):
        check_exposure(Settings(host="kokoro.test"), None)


@pytest.mark.parametrize("host", ["no-such-name.invalid", "/run/kokoro.sock", "a" * 300])
def test_a_host_without_an_address_is_refused(host):
    with pytest.raises(SettingsError, match="has no address"):
        check_exposure(Settings(host=host), None)


def test_local_names_and_addresses_are_answered(local):
    for host in ("localhost:8880", "LOCALHOST", "kokoro.localhost", "127.0.0.1", "[::1]:8880", "192.0.2.1:80"):
        assert local.get("/voices", headers={"Host": host}).json() == "read", host


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8880", "localhost.evil.test", "127.0.0.1.evil.test", "a b", ""]
)
def test_a_rebound_name_gets_403(local, host):
    both = {"Host": host, "Origin": f"http://{host}"}
    for answer in (local.get("/voices", headers={"Host": host}), local.post("/synthesize", headers=both)):
        assert refusal(answer) == (403, "forbidden_origin")
    assert refused(open_session, local, **both).status_code in (400, 403)


@pytest.mark.parametrize("setting", ["api_keys_file", "insecure", "cors_origins"])
def test_a_public_name_is_answered_behind_a_proxy(start, key_file, setting):
    values = {"api_keys_file": key_file, "insecure": True, "cors_origins": "https://tts.example.com"}
    client = start(**{setting: values[setting]})
    assert client.get("/voices", headers={"Host": "tts.example.com", "X-API-Key": KEY}).json() == "read"


FORBIDDEN = (403, "forbidden_origin")


@pytest.mark.parametrize(
    "origin", [APP, "null", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost.evil.test"]
)
def test_a_page_of_another_origin_gets_403(local, origin):
    response = local.post("/synthesize", headers={"Origin": origin})
    assert refusal(response) == refusal(refused(open_session, local, Origin=origin)) == FORBIDDEN
    assert "access-control-allow-origin" not in response.headers


def test_a_page_of_the_service_itself_is_let_in(local):
    origin = str(local.base_url).rstrip("/")
    assert local.post("/synthesize", headers={"Origin": origin}).json() == "written"
    assert handshake(local, Origin=origin) == "open"


def test_a_page_behind_a_proxy_is_of_the_origin_that_the_host_header_names(start):
    client = start(insecure=True)
    for host, status in (
        ("tts.example.com", 200), ("tts.example.com:443", 200), ("TTS.example.com", 200), ("tts.example.com:8443", 403),
    ):  # fmt: skip
        headers = {"Host": host, "Origin": "https://tts.example.com"}
        assert client.post("/synthesize", headers=headers).status_code == status


USUAL = "authorization, content-type, x-api-key, x-request-id"


def preflight(client, origin, method="POST", headers=USUAL):
    asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
    return client.options("/synthesize", headers={"Origin": origin, **asked})


def test_a_listed_origin_is_let_in_and_told_so(start, key_file):
    client = start(cors_origins=f"https://APP.example.com:443,{APP}:8443", api_keys_file=key_file)
    headers = {"Origin": APP, "X-API-Key": KEY}
    response = client.post("/synthesize", headers=headers)
    assert response.json() == "written"
    exposed = response.headers["access-control-expose-headers"].lower()
    assert {"x-request-id", "x-duration-s"} <= set(exposed.split(", "))
    assert "access-control-allow-credentials" not in response.headers
    assert handshake(client, **headers) == "open"
    # What went wrong is for the page to read as well.
    answers = (preflight(client, APP), response, client.post("/synthesize", headers={"Origin": APP}))
    assert [answer.status_code for answer in answers] == [200, 200, 401]
    assert {answer.headers["access-control-allow-origin"] for answer in answers} == {APP}


def test_a_page_may_send_what_the_sdks_of_openai_send(start):
    client = start(cors_origins=[APP])
    sdk = (
        "authorization, content-type, openai-beta, openai-organization, openai-project, "
        "user-agent, x-request-id, x-stainless-arch, x-stainless-async, x-stainless-helper-method, "
        "x-stainless-lang, x-stainless-os, x-stainless-package-version, x-stainless-poll-helper, "
        "x-stainless-read-timeout, x-stainless-retry-count, x-stainless-runtime, "
        "x-stainless-runtime-version, x-stainless-timeout, xi-api-key"
    )
    assert preflight(client, APP, headers=sdk).status_code == 200
    assert preflight(client, "https://elsewhere.example.com", headers=sdk).status_code == 403
    assert preflight(client, APP, headers="x-stainless-anything").status_code == 400


def test_an_origin_that_is_not_listed_stays_out_where_others_are(start):
    client = start(cors_origins=[APP])
    for origin in ("https://app.example.com.evil.test", "http://app.example.com", f"{APP}:8443"):
        assert refusal(preflight(client, origin)) == FORBIDDEN
        assert client.post("/synthesize", headers={"Origin": origin}).status_code == 403
        assert "access-control-allow-origin" not in client.get("/voices", headers={"Origin": origin}).headers
    assert preflight(client, APP, "PUT").status_code == 400


def test_every_origin_may_be_let_in(start):
    client = start(cors_origins="*")
    response = client.post("/synthesize", headers={"Origin": "https://any.test"})
    assert response.headers["access-control-allow-origin"] == "*"
    assert handshake(client, Origin="https://any.test") == "open"
    assert client.get("/voices", headers={"Host": "any.test"}).json() == "read"


def test_origins_are_read_as_browsers_write_them():
    listed = ["*", "HTTP://Example.COM:80", "https://a.test:80", "http://[::1]:8880", "moz-extension://0a1b"]
    assert read_origins(listed) == ("*", "http://example.com", *listed[2:])
    for text in ("example.com", "https://a.test/", "https://a.test/x", "https://", "null", "https://*.a.test"):
        with pytest.raises(SettingsError, match="is not an origin"):
            read_origins([text])


def test_an_answer_may_be_kept_where_it_says_so():
    app = FastAPI()

    @app.get("/kept")
    async def kept():
        return PlainTextResponse("kept", headers={"Cache-Control": "max-age=60"})

    with serving(SecurityHeaders(app)) as port:
        assert httpx.get(f"http://127.0.0.1:{port}/kept").headers["cache-control"] == "max-age=60"
