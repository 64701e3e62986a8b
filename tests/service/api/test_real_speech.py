"""What the doors say of a sentence is what the model says, sample by sample, on the real model."""

import numpy as np
import pytest
from service.audio.encoding import to_int16
from tests.service.api.elevenlabs.stream_socket import StreamSocket
from tests.service.api.speech_client import speak
from tests.service.api.websocket.sessions import spoken
from tests.service.api.wyoming.talks import Talk

from service.speech import Utterance, joining

TEXT = "Good morning."
WAV_HEADER = 44


def openai(server):
    body = {"input": TEXT, "voice": "af_heart", "response_format": "pcm"}
    return bytes(server.client.post("/v1/audio/speech", json=body).content)


def elevenlabs(server):
    path = "/v1/text-to-speech/af_heart?output_format=pcm_24000"
    return bytes(server.client.post(path, json={"text": TEXT}).content)


def elevenlabs_socket(server):
    with StreamSocket(server.url) as socket:
        return socket.say(" ", f"{TEXT} ").audio


def wyoming(server):
    with Talk(server.uri) as client:
        return client.say(TEXT)


@pytest.fixture(scope="module")
def said(synthesizer):
    segments = synthesizer.stream(synthesizer.plan(Utterance(TEXT)))
    return to_int16(np.concatenate([segment.samples for segment in segments]))


@pytest.mark.parametrize("door", [
        lambda server: speak(server, text=TEXT).content[WAV_HEADER:],
        lambda server: speak(server, text=TEXT, format="pcm", stream=True).content,
        lambda server: server.client.post("/", json={"text": TEXT}).content[WAV_HEADER:],  # piper's
        lambda server: spoken(server, TEXT).pcm,
        openai, elevenlabs, elevenlabs_socket, wyoming,
])  # fmt: skip
def test_a_door_says_what_the_model_says(real_server, said, door):
    heard = np.frombuffer(door(real_server), "<i2")
    n_common = min(heard.size, said.size)
    # Sessions do not know that it is the last sentence, and end it with a pause.
    silence = round(joining._QUIET * 32_767)
    assert n_common > 24_000
    np.testing.assert_allclose(heard[:n_common], said[:n_common], rtol=0, atol=silence)
    assert np.abs([*heard[n_common:], *said[n_common:], 0]).max() <= silence
