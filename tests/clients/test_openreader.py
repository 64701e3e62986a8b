"""OpenReader, and its former self OpenReader-WebUI.

Read: richardr1126/OpenReader-WebUI at 04def62 and 1dcffc8; richardr1126/openreader at 801f0dc,
218e248 and bf74149.

It speaks through openai-node. Where the list of voices has anything but strings, the new one takes
its own list of Kokoro's 54. After a 400 or 422 it repeats the request with fewer fields, and sends
fewer from then on, so no sentence may give one.
"""

import pytest
from tests.clients.replay import JSON, LONG, PUNCTUATION, TEXT, bearer, hear, replay

NAMES = {
    "af": "alloy aoede bella heart jessica kore nicole nova river sarah sky",
    "am": "adam echo eric fenrir liam michael onyx puck santa", "bf": "alice emma isabella lily",
    "bm": "daniel fable george lewis", "ef": "dora", "em": "alex santa", "ff": "siwis", "hf": "alpha beta",
    "hm": "omega psi", "if": "sara", "im": "nicola", "jf": "alpha gongitsune nezumi tebukuro", "jm": "kumo",
    "pf": "dora", "pm": "alex santa", "zf": "xiaobei xiaoni xiaoxiao xiaoyi", "zm": "yunjian yunxi yunxia yunyang",
}  # fmt: skip
KOKORO = {f"{kind}_{name}" for kind, names in NAMES.items() for name in names.split()}
"""Its own list."""

SDK = {"Accept": "application/octet-stream", "User-Agent": "OpenAI/JS 6.49.0", **JSON}


def say(server, key=None, **fields):
    body = {"model": "kokoro", "voice": "af_sarah", "input": TEXT, "speed": 1, "response_format": "mp3", **fields}
    headers = SDK if key is None else {**SDK, **bearer(key)}
    return replay(server, "POST", "/v1/audio/speech", headers, body)


def heard(reply):
    """Decode MP3 as it sniffs it: by its first bytes, not by its type."""
    assert reply.status == 200, reply.body
    assert reply.body[:3] == b"ID3" or (reply.body[0] == 0xFF and reply.body[1] >= 0xE0)
    return hear(reply.body).size


def test_openreader_lists_voices_or_falls_back_to_those_that_there_are(keyed):
    listed = replay(keyed, "GET", "/v1/audio/voices", {**JSON, **bearer()}).json()["voices"]
    if not all(isinstance(voice, str) for voice in listed):
        known = {voice["id"] for voice in listed}
        assert known >= KOKORO
    names = replay(keyed, "GET", "/v1/audio/voices?format=names", bearer()).json()["voices"]
    assert set(names) >= KOKORO


@pytest.mark.parametrize("fields", [
    pytest.param({"language": "en"}, id="language"),
    pytest.param({"language": "es", "voice": "ef_dora", "input": "Un momento."}, id="spanish"),
    pytest.param({"voice": "af_heart(0.5)+bf_emma(0.5)"}, id="blend"),
    pytest.param({"instructions": "Read as for a child."}, id="instructions"),
    pytest.param({"input": LONG, "speed": 0.5}, id="slow"), pytest.param({"input": LONG, "speed": 3}, id="quick"),
])  # fmt: skip
def test_openreader_is_answered_at_once(server, fields):
    assert heard(say(server, **fields))


def test_openreader_webui_says_none_where_it_has_no_key(server):
    assert heard(say(server, key="none"))


def test_openreader_keeps_its_fields_after_punctuation(server):
    reply = say(server, input=PUNCTUATION, language="en")
    assert (reply.status, reply.media_type) == (200, "audio/mpeg")
    assert reply.body
