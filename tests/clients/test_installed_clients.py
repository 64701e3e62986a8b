"""Clients that run in an environment of their own, which `make clients` makes: OpenAI's SDK for Node.js, libraries
of HTTP, livekit-agents and pipecat. The SDKs for Python are those of tests/service/api."""

import json
import re
import subprocess
from base64 import b64decode

import pytest

from tests.clients.environment import EXAMPLES, KEY, LONG, NODE, PROGRAMS, STAND_INS, TEXT, hear, hear_pcm, run_program
from tests.service.api.speech_client import speak
from tests.service.api.websocket.sessions import spoken

pytestmark = pytest.mark.usefixtures("clients")

LIVEKIT = EXAMPLES / "livekit_speech.py"
PRINTED = re.compile(r"(\d+\.\d{3}) s (.*)")

# OpenAI's SDK for Node.js: npm openai 6.49.0.


def test_openais_sdk_for_node_speaks(keyed):
    if not (NODE / "node_modules").exists():
        pytest.skip("OpenAI's client for Node.js is not installed; run make clients, with npm")
    done = subprocess.run(
        ["node", "--input-type=module", "-", f"{keyed.url}/v1", KEY],
        input=(PROGRAMS / "openai_node.mjs").read_text(encoding="utf-8"),
        cwd=NODE,  # where it finds its packages
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {"kokoro", "tts-1"} <= set(found["models"])
    assert hear(bytes.fromhex(found["mp3"])).size
    assert hear_pcm(bytes.fromhex(found["streamed"])).size
    assert found["n_parts"] > 1
    assert found["errors"] == [["BadRequestError", 400, "unknown_voice"], ["AuthenticationError", 401, "unauthorized"]]


# Libraries of HTTP, with which people write clients of their own: in the versions of constraints/clients.txt.


@pytest.mark.parametrize("library", ["aiohttp", "httpx", "requests"])
def test_a_library_reads_speech_whole_and_in_parts(server, library):
    found = json.loads(run_program(PROGRAMS / "http_library.py", library, server.url))
    whole, streamed = hear(b64decode(found["whole"])), hear_pcm(b64decode(found["streamed"]))
    assert abs(whole.size - streamed.size) < 0.1 * whole.size
    assert found["n_parts"] > 1


# livekit-agents, livekit-plugins-openai and livekit-plugins-elevenlabs 1.8.9.


@pytest.mark.parametrize("plug_in", ["openai", "elevenlabs"])
def test_livekit_speaks_with_a_key(keyed, tmp_path, plug_in):
    path = tmp_path / "speech.wav"
    lines = run_program(LIVEKIT, plug_in, str(path), "--url", keyed.url, "--key", KEY, "--text", LONG).splitlines()
    assert hear(path.read_bytes()).size > 3 * 24_000
    assert " ".join(line.partition(" s ")[2] for line in lines) == LONG


def test_livekit_times_words_as_the_service_does(server, tmp_path):
    path, text = tmp_path / "speech.wav", "The kettle is on, and the tea costs $2.50."
    lines = run_program(LIVEKIT, "elevenlabs", str(path), "--url", server.url, "--text", text).splitlines()
    words = speak(server, text=text, timestamps="word", stream=False, decoding="windows").json()["words"]
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


# pipecat-ai 1.14.0, through its own plug-ins and through ours in examples/. Its plug-in for piper's server imports
# piper-tts without using it; stand_ins/ has its place.


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
    words = [word for message in spoken(server, f"{text} ").of("audio") for word in message["words"]]
    return [(word["text"], round(word["start_s"] - words[0]["start_s"], 3)) for word in words]


@pytest.mark.parametrize("plug_in", ["kokoro", "kokoro-tokens", "openai", "elevenlabs", "elevenlabs-http"])
def test_pipecat_speaks_with_a_key(keyed, tmp_path, plug_in):
    path = tmp_path / "speech.wav"
    lines = say(keyed, plug_in, path, "--key", KEY, "--text", LONG)
    assert len(hear(path.read_bytes())) > 3 * 24_000
    said = " ".join(PRINTED.sub(r"\2", line).rstrip(",.") for line in lines)
    assert said.replace(",", "").replace(".", "") == LONG.replace(",", "").replace(".", "")


def test_pipecat_speaks_through_piper(server, tmp_path):
    path = tmp_path / "speech.wav"
    assert say(server, "piper", path, "--text", TEXT) == [TEXT]
    assert hear(path.read_bytes()).size


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


def in_pipecat(program, server):
    url = server.url.replace("http", "ws") + "/synthesize/stream"
    found = json.loads(run_program(PROGRAMS / f"pipecat_{program}.py", url, paths=[EXAMPLES]))
    assert found["errors"] == []
    return found


def test_pipecats_interruption_stops_the_speech_within_one_window(server):
    found = in_pipecat("interruption", server)
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
    found = in_pipecat("changes", server)
    assert found["words"] == [["Good", "day", "to", "you"]] * 3
    usual_s, slow_s, again_s = found["seconds"]
    assert slow_s > 1.5 * usual_s
    assert again_s == pytest.approx(slow_s, abs=0.01)
