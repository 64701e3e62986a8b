"""LibreChat's text to speech, with the providers `openai` and `localai`.

Read: danny-avila/LibreChat at 6aa8eff and a newer stored TTSService.js; getVoices.js at 00b3bc3.

Its fields are those of librechat.yaml; undefined ones are left out. It passes the answer on while
it comes, as MP3. A text from 4,096 characters on is asked for in pieces of at most 1,000.
"""

import pytest
from tests.clients.replay import JSON, KEY, LONG, TEXT, bearer, hear, replay

AXIOS = {
    "Accept": "application/json, text/plain, */*", "Accept-Encoding": "gzip, compress, deflate, br",
    "User-Agent": "axios/1.12",
}  # fmt: skip


def say(server, body, key=KEY):
    reply = replay(server, "POST", "/v1/audio/speech", {**AXIOS, **JSON, **bearer(key)}, body)
    assert reply.status == 200, reply.body
    return reply.body


@pytest.mark.parametrize("body", [
    pytest.param({"input": TEXT, "model": "kokoro", "voice": "af_sky"}, id="openai"),
    pytest.param({"input": TEXT, "model": "tts-1"}, id="openai-no-voices"),
    pytest.param({"input": TEXT, "model": "tts-1", "voice": "nova", "backend": "kokoro"}, id="openai-backend"),
    pytest.param({"input": TEXT, "model": "bm_george", "backend": "kokoro"}, id="localai"),
])  # fmt: skip
def test_librechat_speaks(keyed, body):
    assert hear(say(keyed, body)).size


def test_librechat_names_the_voice_as_the_model(keyed):
    by_model = say(keyed, {"input": TEXT, "model": "bm_george"})
    assert by_model == say(keyed, {"input": TEXT, "model": "tts-1", "voice": "bm_george"})
    assert by_model != say(keyed, {"input": TEXT, "model": "tts-1"})


def test_librechat_sends_the_word_undefined_for_a_key_that_is_not_set(server):
    assert hear(say(server, {"input": TEXT, "model": "tts-1", "voice": "nova"}, "undefined")).size


def test_librechat_joins_the_answers_of_a_long_text(keyed):
    fields = {"model": "tts-1", "voice": "nova"}
    pieces = [say(keyed, {"input": text, **fields}) for text in (TEXT, LONG)]
    joined = hear(b"".join(pieces)).size
    assert joined >= sum(hear(piece).size for piece in pieces) - 2 * 1_152
