"""Which pages of the web are let in."""

import json

import pytest
from service.api.middleware.origins import read_origins
from service.errors import SettingsError
from tests.service.api.middleware.small_application import APP, KEY, code, handshake, refused_handshake


def test_a_program_is_not_asked_for_its_origin(local):
    assert local.post("/synthesize").json() == "written"
    assert handshake(local) == "open"


@pytest.mark.parametrize(
    "origin", [APP, "null", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost.evil.test"]
)
def test_a_page_of_another_origin_gets_403(local, origin):
    response = local.post("/synthesize", headers={"Origin": origin})
    assert (response.status_code, code(response)) == (403, "forbidden_origin")
    assert "access-control-allow-origin" not in response.headers
    answer = refused_handshake(local, Origin=origin).response
    assert answer.status_code == 403
    assert json.loads(answer.body or b"")["error"]["code"] == "forbidden_origin"


def test_a_page_of_the_service_itself_is_let_in(local):
    origin = str(local.base_url).rstrip("/")
    assert local.post("/synthesize", headers={"Origin": origin}).json() == "written"
    assert handshake(local, Origin=origin) == "open"


def test_a_page_behind_a_proxy_is_of_the_origin_that_the_host_header_names(start):
    client = start(insecure=True)
    for host in ("tts.example.com", "tts.example.com:443", "TTS.example.com"):
        headers = {"Host": host, "Origin": "https://tts.example.com"}
        assert client.post("/synthesize", headers=headers).json() == "written"
    headers = {"Host": "tts.example.com:8443", "Origin": "https://tts.example.com"}
    assert client.post("/synthesize", headers=headers).status_code == 403


def test_reading_is_left_to_cors(local):
    response = local.get("/voices", headers={"Origin": APP})
    assert response.json() == "read"
    assert not [name for name in response.headers if name.startswith("access-control")]


def preflight(client, origin, method="POST"):
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, content-type, x-api-key, x-request-id",
    }
    return client.options("/synthesize", headers=headers)


def test_a_listed_origin_is_let_in_and_told_so(start, key_file):
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


def test_a_page_may_send_what_the_sdks_of_openai_send(start):
    client = start(cors_origins=[APP])
    sdk = (
        "authorization, content-type, openai-beta, openai-organization, openai-project, "
        "user-agent, x-request-id, x-stainless-arch, x-stainless-async, x-stainless-helper-method, "
        "x-stainless-lang, x-stainless-os, x-stainless-package-version, x-stainless-poll-helper, "
        "x-stainless-read-timeout, x-stainless-retry-count, x-stainless-runtime, "
        "x-stainless-runtime-version, x-stainless-timeout, xi-api-key"
    )
    for origin, status in ((APP, 200), ("https://elsewhere.example.com", 403)):
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        headers["Access-Control-Request-Headers"] = sdk
        assert client.options("/synthesize", headers=headers).status_code == status
    headers = {"Origin": APP, "Access-Control-Request-Method": "POST"}
    headers["Access-Control-Request-Headers"] = "x-stainless-anything"
    assert client.options("/synthesize", headers=headers).status_code == 400


def test_an_origin_that_is_not_listed_stays_out_where_others_are(start):
    client = start(cors_origins=[APP])
    for origin in ("https://app.example.com.evil.test", "http://app.example.com", f"{APP}:8443"):
        response = preflight(client, origin)
        assert (response.status_code, code(response)) == (403, "forbidden_origin")
        assert client.post("/synthesize", headers={"Origin": origin}).status_code == 403
        read = client.get("/voices", headers={"Origin": origin})
        assert "access-control-allow-origin" not in read.headers
    assert preflight(client, APP, "PUT").status_code == 400


def test_every_origin_may_be_let_in(start):
    client = start(cors_origins="*")
    response = client.post("/synthesize", headers={"Origin": "https://any.test"})
    assert response.headers["access-control-allow-origin"] == "*"
    assert handshake(client, Origin="https://any.test") == "open"
    assert client.get("/voices", headers={"Host": "any.test"}).json() == "read"


def test_origins_are_read_as_browsers_write_them():
    listed = ["*", "HTTP://Example.COM:80", "https://a.test:80", "http://[::1]:8880"]
    assert read_origins(listed) == ("*", "http://example.com", "https://a.test:80", "http://[::1]:8880")
    assert read_origins(["moz-extension://0a1b"]) == ("moz-extension://0a1b",)


@pytest.mark.parametrize(
    "text", ["example.com", "https://a.test/", "https://a.test/x", "https://", "null", "https://*.a.test"]
)
def test_what_is_no_origin_is_refused_at_the_start(text):
    with pytest.raises(SettingsError, match="is not an origin"):
        read_origins([text])
