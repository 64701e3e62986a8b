"""LobeChat and its library @lobehub/tts.

Read: npm @lobehub/tts 5.1.2; lobehub/lobehub at bb69396 (webapi/tts/openai/route.ts).

Its server uses openai-node with three fields. The library may also ask from a browser, so the
service must let the page in; it feeds any answer, errors too, to the audio decoder. A line break
becomes a full stop, so a segment may be a full stop alone.
"""

import pytest
from tests.clients.replay import JSON, ORIGIN, TEXT, bearer, hear, replay

VOICES = (*("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer"),)

STAINLESS = {
    "X-Stainless-Lang": "js", "X-Stainless-Package-Version": "6.49.0", "X-Stainless-OS": "Linux",
    "X-Stainless-Arch": "x64", "X-Stainless-Runtime": "node", "X-Stainless-Retry-Count": "0",
    "X-Stainless-Runtime-Version": "v22.0.0", "X-Stainless-Timeout": "600",
}  # fmt: skip


def body(text=TEXT, voice="alloy"):
    return {"input": text, "model": "tts-1", "voice": voice}


@pytest.mark.parametrize("voice", VOICES)
def test_lobechats_server_speaks_with_each_voice_of_its_list(keyed, voice):
    headers = {"Accept": "*/*", **JSON, "User-Agent": "OpenAI/JS 6.49.0", **STAINLESS, **bearer()}
    reply = replay(keyed, "POST", "/v1/audio/speech", headers, body(voice=voice))
    assert (reply.status, reply.media_type) == (200, "audio/mpeg")
    assert hear(reply.body).size


@pytest.mark.parametrize("text", [TEXT, ". "])
def test_a_browser_with_lobechats_library_speaks(keyed, text):
    preflight = replay(
        keyed,
        "OPTIONS",
        "/v1/audio/speech",
        {
            "Origin": ORIGIN,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        },
    )
    assert preflight.status in (200, 204)
    assert preflight.headers["access-control-allow-origin"] == ORIGIN
    allowed = preflight.headers["access-control-allow-headers"].lower().split(", ")
    assert {"authorization", "content-type"} <= set(allowed)
    headers = {"Accept": "*/*", "Origin": ORIGIN, **JSON, **bearer()}
    reply = replay(keyed, "POST", "/v1/audio/speech", headers, body(text))
    assert (reply.status, reply.media_type) == (200, "audio/mpeg")
    assert reply.headers["access-control-allow-origin"] == ORIGIN
    assert reply.body
