"""SillyTavern, with its extension "OpenAI compatible" for speech.

Read: SillyTavern/SillyTavern at 414e28b and 11386ca (extensions/tts/openai-compatible.js), and a
newer stored text of src/endpoints/openai.js.

Voices come from a setting with commas, which is split without trimming. Its server sends five
fields, an empty key where none is set, and takes whatever comes for MP3.
"""

import pytest
from tests.clients.replay import JSON, LONG, TEXT, bearer, hear, replay

NODE_FETCH = {
    "Accept": "*/*", "Accept-Encoding": "gzip, deflate, br", "User-Agent": "node-fetch",
    "Connection": "close",
}  # fmt: skip

VOICES = ["alloy", " echo", " Fable", "af_heart", " af_bella(2)+af_sky(1)"]


def say(server, voice, *, text=TEXT, speed=1, key=""):
    body = {"input": text, "response_format": "mp3", "voice": voice, "speed": speed, "model": "tts-1"}
    headers = {**NODE_FETCH, **JSON, **bearer(key)}
    reply = replay(server, "POST", "/v1/audio/speech", headers, body)
    assert reply.status == 200, reply.body
    return reply.body


@pytest.mark.parametrize("voice", VOICES)
def test_sillytavern_speaks_with_the_voices_of_its_setting(server, voice):
    assert hear(say(server, voice)).size


def test_sillytavern_speaks_at_both_ends_of_its_slider(server):
    quick, usual, slow = (hear(say(server, "alloy", text=LONG, speed=s)) for s in (4, 1, 0.25))
    assert 3 * quick.size < usual.size
    assert 3 * usual.size < slow.size
