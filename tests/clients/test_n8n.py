"""n8n's node OpenAI, action "Generate audio".

Read: npm @n8n/n8n-nodes-langchain 2.41.1, n8n-nodes-base 2.41.2 (the credential),
@n8n/backend-network 1.15.1.

A credential is good if it lists models. The node always sends all five fields, keeps the answer as
a stream, and takes it for what it asked for.
"""

import pytest
from tests.clients.replay import JSON, LONG, TEXT, bearer, hear, hear_aac, replay

HEADERS = {"accept": "*/*", "OpenAI-Organization": "", "User-Agent": "n8n"}


def say(server, **fields):
    body = {"model": "tts-1", "input": TEXT, "voice": "alloy", "response_format": "mp3", "speed": 1, **fields}
    reply = replay(server, "POST", "/v1/audio/speech", {**HEADERS, **JSON, **bearer()}, body)
    assert reply.status == 200, reply.body
    return reply


def test_n8n_accepts_the_credential(keyed):
    assert replay(keyed, "GET", "/v1/models", {**HEADERS, **bearer()}).status == 200
    wrong = {**HEADERS, **bearer("sk-somebody-elses-0123456789")}
    assert replay(keyed, "GET", "/v1/models", wrong).status == 401


@pytest.mark.parametrize("voice", ["alloy", "echo", "fable", "nova", "onyx", "shimmer"])
@pytest.mark.parametrize("model", ["tts-1", "tts-1-hd"])
def test_n8n_speaks_with_each_model_and_voice_of_its_lists(keyed, model, voice):
    assert hear(say(keyed, model=model, voice=voice).body).size


@pytest.mark.parametrize("audio_format", ["mp3", "opus", "aac", "flac"])
def test_n8n_gets_each_format_of_its_list(keyed, audio_format):
    content = say(keyed, response_format=audio_format).body
    assert (hear_aac if audio_format == "aac" else hear)(content).size


def test_n8n_speaks_at_both_ends_of_its_range(keyed):
    quick, slow = (hear(say(keyed, input=LONG, speed=s).body).size for s in (4, 0.3))
    assert 8 * quick < slow
