"""pipecat itself, through its own plug-ins and through ours in examples/.

Run: PyPI pipecat-ai 1.14.0, in an environment of its own (`make clients`). Its plug-in for piper's
server imports piper-tts without using it; stand_ins/ has its place.
"""

import json
import re

import pytest
from tests.clients.replay import EXAMPLES, KEY, LONG, PROGRAMS, STAND_INS, TEXT, hear, hear_file, run_program
from tests.service.api.speech_client import speak
from tests.service.api.speech_socket import SpeechSocket

pytestmark = pytest.mark.usefixtures("clients")

PRINTED = re.compile(r"(\d+\.\d{3}) s (.*)")


def say(server, plug_in, path, *options):
    program = EXAMPLES / "pipecat_speech.py"
    arguments = (plug_in, str(path), "--url", server.url, *options)
    return run_program(program, *arguments, paths=[STAND_INS]).splitlines()


def times(lines):
    """Return the words that were printed, without their marks, and their times."""
    matches = [PRINTED.fullmatch(line) for line in lines]
    assert all(matches)
    return [(match[2].rstrip(",."), float(match[1])) for match in matches if match]


def expected_times(server, text):
    """Return what the WebSocket says of the words, from the first one on."""
    with SpeechSocket(server.url) as talk:
        talk.receive()
        talk.say(text + " ")
        talk.finish()
        words = [word for message in talk.of("audio") for word in message["words"]]
    return [(word["text"], round(word["start_s"] - words[0]["start_s"], 3)) for word in words]


@pytest.mark.parametrize("plug_in", ["kokoro", "kokoro-tokens", "openai", "elevenlabs", "elevenlabs-http"])
def test_pipecat_speaks_with_a_key(keyed, tmp_path, plug_in):
    path = tmp_path / "speech.wav"
    lines = say(keyed, plug_in, path, "--key", KEY, "--text", LONG)
    assert len(hear_file(path)) > 3 * 24_000
    said = " ".join(PRINTED.sub(r"\2", line).rstrip(",.") for line in lines)
    assert said.replace(",", "").replace(".", "") == LONG.replace(",", "").replace(".", "")


def test_pipecat_speaks_through_piper(server, tmp_path):
    path = tmp_path / "speech.wav"
    assert say(server, "piper", path, "--text", TEXT) == [TEXT]
    assert hear_file(path).size


@pytest.mark.parametrize("plug_in", ["kokoro", "elevenlabs"])
def test_pipecat_times_words_as_the_service_does(server, tmp_path, plug_in):
    found = times(say(server, plug_in, tmp_path / "speech.wav", "--text", LONG))
    expected = expected_times(server, LONG)
    assert [word for word, _ in found] == [word for word, _ in expected]
    for (word, found_s), (_, expected_s) in zip(found, expected, strict=True):
        assert found_s == pytest.approx(expected_s, abs=0.0015), word


@pytest.mark.parametrize("rate_hz", [8_000, 48_000])
@pytest.mark.parametrize("plug_in", ["kokoro", "elevenlabs", "elevenlabs-http"])
def test_pipecat_gets_the_rate_of_its_pipeline(server, tmp_path, plug_in, rate_hz):
    path = tmp_path / "speech.wav"
    say(server, plug_in, path, "--text", TEXT, "--rate", str(rate_hz))
    usual_s = float(speak(server, text=TEXT).headers["x-duration-s"])
    assert hear(path.read_bytes(), rate_hz).size / rate_hz == pytest.approx(usual_s, rel=0.1)


def test_pipecats_interruption_stops_the_speech_within_one_window(server):
    url = server.url.replace("http", "ws") + "/synthesize/stream"
    program = PROGRAMS / "pipecat_interruption.py"
    found = json.loads(run_program(program, url, paths=[EXAMPLES]))
    assert found["errors"] == []
    # Not a frame more reaches the loudspeaker, and the service makes no more than it had begun.
    assert found["n_frames_after_interruption"] == 0
    assert found["heard_s_after_cancel"] <= 2.4
    assert found["said_s_before_cancel"] < 6
    # The next turn is spoken as if nothing had been, with times of its own.
    assert found["next_words"] == ["Good", "day", "to", "you"]
    assert 1 < found["next_s"] < 4
    # What may not be interrupted is spoken, although what came before it was.
    assert found["kept_words"] == ["This", "call", "is", "recorded"]
    # A turn of nothing but marks is one too.
    assert 0 < found["silence_s"] < 0.5


def test_pipecat_changes_the_voice_and_survives_a_broken_connection(server):
    url = server.url.replace("http", "ws") + "/synthesize/stream"
    program = PROGRAMS / "pipecat_changes.py"
    found = json.loads(run_program(program, url, paths=[EXAMPLES]))
    assert found["errors"] == []
    assert found["words"] == [["Good", "day", "to", "you"]] * 3
    usual_s, slow_s, again_s = found["seconds"]
    assert slow_s > 1.5 * usual_s
    assert again_s == pytest.approx(slow_s, abs=0.01)
