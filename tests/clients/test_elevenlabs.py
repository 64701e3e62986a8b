"""ElevenLabs' SDK for Python.

Run: PyPI elevenlabs 2.78.0, in an environment of its own (`make clients`). Its WebSocket goes to
wss:// whatever the address is, so the program sets the one of the server by hand.
"""

import json
from base64 import b64decode

import pytest
from tests.clients.replay import KEY, PROGRAMS, TEXT, hear, hear_pcm, run_program
from tests.service.api.speech_client import speak

pytestmark = pytest.mark.usefixtures("clients")


@pytest.fixture(scope="module")
def found(keyed, clients):
    """What each call of the SDK gave."""
    return json.loads(run_program(PROGRAMS / "elevenlabs_sdk.py", keyed.url, KEY))


def test_the_sdk_lists_voices_and_models(found):
    assert {"af_heart", "bm_george", "21m00Tcm4TlvDq8ikWAM"} <= set(found["voices"])
    assert "af_heart" in found["search"]
    assert found["voice"] == "af_heart"
    assert found["models"] == ["kokoro"]


def test_the_sdk_gets_audio(found):
    assert hear(b64decode(found["mp3"]), 44_100).size
    pcm, slow, blend, streamed, realtime = (
        hear_pcm(b64decode(found[name])) for name in ("pcm", "slow", "blend", "streamed", "realtime")
    )
    assert slow.size > 1.1 * pcm.size
    assert blend.tobytes() != pcm.tobytes()
    assert abs(streamed.size - pcm.size) < 0.1 * pcm.size
    assert abs(realtime.size - pcm.size) < 0.3 * pcm.size


def test_the_sdk_gets_the_times_of_characters(found, server):
    timed = found["timed"]
    assert timed["audio"] == found["pcm"]
    assert "".join(timed["characters"]) == TEXT
    words = speak(server, text=TEXT, timestamps="word").json()["words"]
    assert [word["text"] for word in words] == ["One", "moment", "please"]
    for word in words:
        assert timed["starts"][word["text_start"]] == pytest.approx(word["start_s"], abs=0.001)
        assert timed["ends"][word["text_end"] - 1] == pytest.approx(word["end_s"], abs=0.001)
    assert found["lines"]["audio"] == found["streamed"]
    assert "".join(found["lines"]["characters"]) == TEXT


def test_the_sdk_tells_of_a_voice_that_is_not_there(found):
    assert found["refusal"]["status"] in (400, 404)
    assert found["refusal"]["detail"]["status"] == "voice_not_found"
