"""Which pages of the web are let in, and what browsers are told."""

import httpx
import pytest
from fastapi import FastAPI
from service.api.middleware.origins import read_origins
from service.api.middleware.security_headers import SecurityHeaders
from service.errors import SettingsError
from starlette.responses import PlainTextResponse
from tests.service.api.asgi_server import serving
from tests.service.api.middleware.small_application import APP, KEY, handshake, refusal, refused_handshake

FORBIDDEN = (403, "forbidden_origin")


@pytest.mark.parametrize(
    "origin", [APP, "null", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost.evil.test"]
)
def test_a_page_of_another_origin_gets_403(local, origin):
    response = local.post("/synthesize", headers={"Origin": origin})
    assert refusal(response) == refusal(refused_handshake(local, Origin=origin)) == FORBIDDEN
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
