"""Who is let in: by key, by address, by web origin, by the name that was asked for."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, WebSocket
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from service.api.middleware.authentication import ApiKeys, read_keys
from service.api.middleware.hosts import check_exposure
from service.api.middleware.origins import read_origins
from service.api.middleware.protection import install
from service.api.middleware.security_headers import SecurityHeaders
from service.errors import SettingsError
from service.settings import Settings
from tests.service.api.asgi_server import Identified, serving

KEY = "correct-horse-battery"
OTHER_KEY = "staple-0123456789"
APP = "https://app.example.com"


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


KEY_FILE = f"# ours\n\n{KEY}\r\n  {OTHER_KEY}  \n".encode()


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return write(tmp_path / "keys", KEY_FILE)


# The file of keys.


def test_each_key_of_the_file_is_accepted_and_nothing_else(key_file: Path) -> None:
    keys = ApiKeys.read(key_file)
    assert len(keys) == 2
    assert keys.accepts(KEY)
    assert keys.accepts(OTHER_KEY)
    for wrong in ("", KEY[:-1], KEY + "x", KEY.upper(), KEY + OTHER_KEY, f" {KEY}", "# ours"):
        assert not keys.accepts(wrong)


@given(st.text())
def test_no_text_is_accepted_that_is_no_key(text: str) -> None:
    assert ApiKeys([KEY, OTHER_KEY]).accepts(text) == (text in (KEY, OTHER_KEY))


def test_a_lone_surrogate_is_no_key() -> None:
    assert not ApiKeys([KEY]).accepts("\ud800" * 20)


def test_keys_are_not_in_what_is_printed_of_them() -> None:
    keys = ApiKeys([KEY])
    assert KEY not in repr(keys) + str(keys) + str(vars(keys))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (f"{KEY}\nshort\n", 2),
        (f"{KEY}\n\n{KEY}\n", 3),
        (f"{KEY}\nsecret with white space\n", 2),
        (f"# the next is not ASCII\nsecrét-{KEY}\n", 2),
        (f"secret\x07-{KEY}\n", 1),
    ],
    ids=["short", "twice", "spaces", "not ASCII", "control"],
)
def test_a_bad_line_is_named_by_its_number_without_the_key(
    tmp_path: Path, content: str, line: int
) -> None:
    file = write(tmp_path / "keys", content.encode())
    with pytest.raises(SettingsError, match=rf"{file}, line {line}: ") as caught:
        ApiKeys.read(file)
    for secret in (KEY, "short", "secr"):
        assert secret not in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("content", [b"", b"\n \n# nothing\n"])
def test_a_file_without_a_key_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SettingsError, match="there is no key in it"):
        ApiKeys.read(write(tmp_path / "keys", content))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none: No such file"):
        ApiKeys.read(tmp_path / "none")
    with pytest.raises(SettingsError, match=r"Is a directory"):
        ApiKeys.read(tmp_path)


@pytest.mark.parametrize(("mode", "n_warnings"), [(0o604, 1), (0o640, 0)])
def test_a_file_that_everyone_can_read_is_warned_of_once(
    key_file: Path, mode: int, n_warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    key_file.chmod(mode)
    ApiKeys.read(key_file)
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * n_warnings
    assert KEY not in caplog.text


def test_no_file_is_no_keys(key_file: Path) -> None:
    assert read_keys(Settings()) is None
    assert read_keys(Settings(api_keys_file=key_file)) is not None


# The address.


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.8.9.10", "127.1", "::1", "localhost", "::ffff:127.0.0.1"]
)
def test_loopback_needs_no_key(host: str) -> None:
    check_exposure(Settings(host=host), None)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "0", "::", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "fe80::1"]
)
def test_a_wider_address_needs_keys_or_insecure(host: str) -> None:
    with pytest.raises(SettingsError, match=r"api_keys_file.*--insecure") as caught:
        check_exposure(Settings(host=host), None)
    assert "\n" not in caught.value.message
    check_exposure(Settings(host=host), ApiKeys([KEY]))
    check_exposure(Settings(host=host, insecure=True), None)


def test_a_name_is_loopback_only_if_all_its_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*addresses: str) -> None:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (item, 0)) for item in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    resolve("127.0.0.1", "127.0.1.1")
    check_exposure(Settings(host="kokoro.test"), None)
    resolve("127.0.0.1", "192.0.2.1")
    with pytest.raises(SettingsError):
        check_exposure(Settings(host="kokoro.test"), None)


@pytest.mark.parametrize("host", ["no-such-name.invalid", "/run/kokoro.sock", "a" * 300])
def test_a_host_without_an_address_is_refused(host: str) -> None:
    with pytest.raises(SettingsError, match="has no address"):
        check_exposure(Settings(host=host), None)


# Behind a real port.

Start = Callable[..., httpx.Client]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Serve a small application behind what the settings ask for; a client for it.

    All are stopped behind the last test, for stopping takes longer than most tests.
    """
    with ExitStack() as stack:

        def start(**settings: object) -> httpx.Client:
            app = FastAPI()

            @app.get("/health")
            @app.get("/voices")
            async def read() -> str:
                return "read"

            @app.post("/synthesize")
            async def write() -> str:
                return "written"

            @app.websocket("/stream")
            async def stream(websocket: WebSocket) -> None:
                await websocket.accept()
                await websocket.send_text("open")
                await websocket.close()

            chosen = Settings.model_validate(settings)
            install(app, chosen, read_keys(chosen))
            port = stack.enter_context(serving(SecurityHeaders(Identified(app))))
            client = httpx.Client(base_url=f"http://127.0.0.1:{port}")
            return stack.enter_context(client)

        yield start


def websocket_url(client: httpx.Client) -> str:
    return f"ws://127.0.0.1:{client.base_url.port}/stream"


def handshake(client: httpx.Client, **headers: str) -> str:
    """Return what the service says first over a WebSocket."""
    with connect(websocket_url(client), additional_headers=headers) as websocket:
        return str(websocket.recv())


def refused_handshake(client: httpx.Client, **headers: str) -> InvalidStatus:
    with (
        pytest.raises(InvalidStatus) as caught,
        connect(websocket_url(client), additional_headers=headers),
    ):
        pass
    return caught.value


def code(response: httpx.Response) -> str:
    error = response.json()["error"]
    assert error["request_id"] == "the-request"
    return str(error["code"])


@pytest.fixture(scope="module")
def keyed(start: Start, tmp_path_factory: pytest.TempPathFactory) -> httpx.Client:
    return start(api_keys_file=write(tmp_path_factory.mktemp("keyed") / "keys", KEY_FILE))


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {KEY}"},
        {"Authorization": f"bearer  {OTHER_KEY}"},
        {"X-API-Key": KEY},
        {"X-API-Key": KEY, "Authorization": "Basic dXNlcjpwYXNz"},
    ],
)
def test_a_key_lets_in(keyed: httpx.Client, headers: dict[str, str]) -> None:
    assert keyed.post("/synthesize", headers=headers).json() == "written"
    assert handshake(keyed, **headers) == "open"


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
def test_without_a_known_key_it_is_401(keyed: httpx.Client, headers: dict[str, str]) -> None:
    for path in ("/synthesize", "/voices", "/nowhere", "/health/", "//health", "/Health"):
        response = keyed.get(path, headers=headers)
        assert (response.status_code, code(response)) == (401, "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"
        assert KEY[:-1] not in response.text
    answer = refused_handshake(keyed, **headers).response
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert json.loads(answer.body or b"")["error"]["code"] == "unauthorized"


def test_a_key_of_any_bytes_is_401(keyed: httpx.Client) -> None:
    response = keyed.get("/voices", headers=[(b"X-API-Key", bytes(range(128, 256)))])
    assert response.status_code == 401


def test_open_paths_need_no_key(keyed: httpx.Client) -> None:
    assert keyed.get("/health").json() == "read"
    assert keyed.get("/ready").status_code == 404  # the small application has none


def test_a_key_in_the_query_does_not_let_in(keyed: httpx.Client) -> None:
    assert keyed.get("/voices", params={"api_key": KEY}).status_code == 401


@pytest.fixture(scope="module")
def local(start: Start) -> httpx.Client:
    return start()


def test_a_program_is_not_asked_for_its_origin(local: httpx.Client) -> None:
    assert local.post("/synthesize").json() == "written"
    assert handshake(local) == "open"


@pytest.mark.parametrize(
    "origin", [APP, "null", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost.evil.test"]
)
def test_a_page_of_another_origin_gets_403(local: httpx.Client, origin: str) -> None:
    response = local.post("/synthesize", headers={"Origin": origin})
    assert (response.status_code, code(response)) == (403, "forbidden_origin")
    assert "access-control-allow-origin" not in response.headers
    answer = refused_handshake(local, Origin=origin).response
    assert answer.status_code == 403
    assert json.loads(answer.body or b"")["error"]["code"] == "forbidden_origin"


def test_a_page_of_the_service_itself_is_let_in(local: httpx.Client) -> None:
    origin = str(local.base_url).rstrip("/")
    assert local.post("/synthesize", headers={"Origin": origin}).json() == "written"
    assert handshake(local, Origin=origin) == "open"


def test_a_page_behind_a_proxy_is_of_the_origin_that_the_host_header_names(start: Start) -> None:
    client = start(insecure=True)
    for host in ("tts.example.com", "tts.example.com:443", "TTS.example.com"):
        headers = {"Host": host, "Origin": "https://tts.example.com"}
        assert client.post("/synthesize", headers=headers).json() == "written"
    headers = {"Host": "tts.example.com:8443", "Origin": "https://tts.example.com"}
    assert client.post("/synthesize", headers=headers).status_code == 403


def test_reading_is_left_to_cors(local: httpx.Client) -> None:
    response = local.get("/voices", headers={"Origin": APP})
    assert response.json() == "read"
    assert not [name for name in response.headers if name.startswith("access-control")]


def preflight(client: httpx.Client, origin: str, method: str = "POST") -> httpx.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, content-type, x-api-key, x-request-id",
    }
    return client.options("/synthesize", headers=headers)


def test_a_listed_origin_is_let_in_and_told_so(start: Start, key_file: Path) -> None:
    client = start(cors_origins=f"https://APP.example.com:443,{APP}:8443", api_keys_file=key_file)
    asked = preflight(client, APP)
    assert asked.status_code == 200
    assert asked.headers["access-control-allow-origin"] == APP
    headers = {"Origin": APP, "X-API-Key": KEY}
    response = client.post("/synthesize", headers=headers)
    assert response.json() == "written"
    assert response.headers["access-control-allow-origin"] == APP
    exposed = response.headers["access-control-expose-headers"].lower()
    assert {"x-request-id", "x-duration-s"} <= set(exposed.split(", "))
    assert "access-control-allow-credentials" not in response.headers
    assert handshake(client, **headers) == "open"
    # What went wrong is for the page to read as well.
    unauthorized = client.post("/synthesize", headers={"Origin": APP})
    assert unauthorized.status_code == 401
    assert unauthorized.headers["access-control-allow-origin"] == APP


def test_an_origin_that_is_not_listed_stays_out_where_others_are(start: Start) -> None:
    client = start(cors_origins=[APP])
    for origin in ("https://app.example.com.evil.test", "http://app.example.com", f"{APP}:8443"):
        response = preflight(client, origin)
        assert (response.status_code, code(response)) == (403, "forbidden_origin")
        assert client.post("/synthesize", headers={"Origin": origin}).status_code == 403
        read = client.get("/voices", headers={"Origin": origin})
        assert "access-control-allow-origin" not in read.headers
    assert preflight(client, APP, "DELETE").status_code == 400


def test_every_origin_may_be_let_in(start: Start) -> None:
    client = start(cors_origins="*")
    response = client.post("/synthesize", headers={"Origin": "https://any.test"})
    assert response.headers["access-control-allow-origin"] == "*"
    assert handshake(client, Origin="https://any.test") == "open"
    assert client.get("/voices", headers={"Host": "any.test"}).json() == "read"


def test_origins_are_read_as_browsers_write_them() -> None:
    listed = ["*", "HTTP://Example.COM:80", "https://a.test:80", "http://[::1]:8880"]
    assert read_origins(listed) == (
        "*",
        "http://example.com",
        "https://a.test:80",
        "http://[::1]:8880",
    )
    assert read_origins(["moz-extension://0a1b"]) == ("moz-extension://0a1b",)


@pytest.mark.parametrize(
    "text",
    ["example.com", "https://a.test/", "https://a.test/x", "https://", "null", "https://*.a.test"],
)
def test_what_is_no_origin_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(SettingsError, match="is not an origin"):
        read_origins([text])


@pytest.mark.parametrize(
    "host",
    ["localhost:8880", "LOCALHOST", "kokoro.localhost", "127.0.0.1", "[::1]:8880", "192.0.2.1:80"],
)
def test_local_names_and_addresses_are_answered(local: httpx.Client, host: str) -> None:
    assert local.get("/voices", headers={"Host": host}).json() == "read"


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8880", "localhost.evil.test", "127.0.0.1.evil.test", "a b", ""]
)
def test_a_rebound_name_gets_403(local: httpx.Client, host: str) -> None:
    origin = f"http://{host}"
    for response in (
        local.get("/voices", headers={"Host": host}),
        local.post("/synthesize", headers={"Host": host, "Origin": origin}),
    ):
        assert (response.status_code, code(response)) == (403, "forbidden_origin")
    assert refused_handshake(local, Host=host, Origin=origin).response.status_code in (400, 403)


@pytest.mark.parametrize("setting", ["api_keys_file", "insecure", "cors_origins"])
def test_a_public_name_is_answered_behind_a_proxy(
    start: Start, key_file: Path, setting: str
) -> None:
    values = {
        "api_keys_file": key_file,
        "insecure": True,
        "cors_origins": "https://tts.example.com",
    }
    client = start(**{setting: values[setting]})
    headers = {"Host": "tts.example.com", "X-API-Key": KEY}
    assert client.get("/voices", headers=headers).json() == "read"


def test_security_headers_are_on_every_answer(keyed: httpx.Client) -> None:
    for response in (keyed.get("/health"), keyed.get("/voices"), keyed.get("/nowhere")):
        assert response.headers["x-content-type-options"] == "nosniff"
        policy = response.headers["content-security-policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert response.headers["cache-control"] == "no-store"
    assert refused_handshake(keyed).response.headers["x-content-type-options"] == "nosniff"


def test_an_answer_may_be_kept_where_it_says_so() -> None:
    app = FastAPI()

    @app.get("/kept")
    async def kept() -> PlainTextResponse:
        return PlainTextResponse("kept", headers={"Cache-Control": "max-age=60"})

    with serving(SecurityHeaders(app)) as port:
        response = httpx.get(f"http://127.0.0.1:{port}/kept")
    assert response.headers["cache-control"] == "max-age=60"
