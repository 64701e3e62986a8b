"""livekit-agents itself, through its own plug-ins for OpenAI and ElevenLabs.

Run: PyPI livekit-agents, livekit-plugins-openai and livekit-plugins-elevenlabs 1.8.9, in an
environment of their own (`make clients`).
"""

import json
from base64 import b64decode

import pytest
from tests.clients.replay import EXAMPLES, KEY, LONG, PROGRAMS, hear_file, hear_pcm, run_program
from tests.service.api.speech_client import speak

pytestmark = pytest.mark.usefixtures("clients")

PROGRAM = EXAMPLES / "livekit_speech.py"


@pytest.mark.parametrize("plug_in", ["openai", "elevenlabs"])
def test_livekit_speaks_with_a_key(keyed, tmp_path, plug_in):
    path = tmp_path / "speech.wav"
    lines = run_program(PROGRAM, plug_in, str(path), "--url", keyed.url, "--key", KEY, "--text", LONG).splitlines()
    assert hear_file(path).size > 3 * 24_000
    said = " ".join(line.partition(" s ")[2] for line in lines)
    assert said == LONG


def test_livekit_times_words_as_the_service_does(server, tmp_path):
    path, text = tmp_path / "speech.wav", "The kettle is on, and the tea costs $2.50."
    lines = run_program(PROGRAM, "elevenlabs", str(path), "--url", server.url, "--text", text).splitlines()
    fields = {"timestamps": "word", "stream": False, "decoding": "windows"}
    words = speak(server, text=text, **fields).json()["words"]
    assert len(lines) == len(words)
    for line, word in zip(lines, words, strict=True):
        seconds, _, said = line.partition(" s ")
        assert said.rstrip(",.") == word["text"]
        assert float(seconds) == pytest.approx(word["start_s"], abs=0.0015)


@pytest.mark.parametrize("model", ["tts-1", "kokoro"], ids=["bytes", "events"])
def test_livekit_takes_each_format_as_bytes_and_as_events(server, model):
    """It asks for events for every model but tts-1 and tts-1-hd."""
    formats = ["pcm", "mp3", "wav", "flac", "opus", "aac"]
    program = PROGRAMS / "livekit_openai.py"
    found = json.loads(run_program(program, f"{server.url}/v1", model, *formats))
    assert set(found) == set(formats)
    for pcm in found.values():
        assert hear_pcm(b64decode(pcm)).size
