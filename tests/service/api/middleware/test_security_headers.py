"""Security headers."""

import httpx
from fastapi import FastAPI
from service.api.middleware.security_headers import SecurityHeaders
from starlette.responses import PlainTextResponse
from tests.service.api.asgi_server import serving
from tests.service.api.middleware.small_application import refused_handshake


def test_security_headers_are_on_every_answer(keyed):
    for response in (keyed.get("/health"), keyed.get("/voices"), keyed.get("/nowhere")):
        assert response.headers["x-content-type-options"] == "nosniff"
        policy = response.headers["content-security-policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert response.headers["cache-control"] == "no-store"
    assert refused_handshake(keyed).response.headers["x-content-type-options"] == "nosniff"


def test_an_answer_may_be_kept_where_it_says_so():
    app = FastAPI()

    @app.get("/kept")
    async def kept():
        return PlainTextResponse("kept", headers={"Cache-Control": "max-age=60"})

    with serving(SecurityHeaders(app)) as port:
        response = httpx.get(f"http://127.0.0.1:{port}/kept")
    assert response.headers["cache-control"] == "max-age=60"
