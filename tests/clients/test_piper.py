"""Clients of piper's HTTP server.

Read: rhasspy/piper at 2fa4c2c1; PyPI piper-tts 1.3.0, 1.4.2, 1.5.0 and 1.8.0; PyPI pipecat-ai
1.14.0 (services/piper), which test_pipecat.py runs.

Up to 1.4 the path is `/`, from 1.5 on `/synthesize`. A voice that the server does not have is no
error there.
"""

import io
import wave

import pytest
from tests.clients.replay import JSON, TEXT, hear_pcm, replay

CURL = {"User-Agent": "curl/8.5.0", "Accept": "*/*"}


def say(server, path, **fields):
    body = {"text": TEXT, **fields}
    return replay(server, "POST", path, {**CURL, **JSON}, body)


def heard(reply):
    """Return the number of samples, read as piper's clients do: after a header of 44 bytes."""
    assert reply.status == 200, reply.body
    assert reply.body.startswith(b"RIFF")
    assert int.from_bytes(reply.body[24:28], "little") == 24_000
    with wave.open(io.BytesIO(reply.body)) as file:
        assert file.readframes(file.getnframes()) == reply.body[44:]
    return hear_pcm(reply.body[44:]).size


@pytest.mark.parametrize("path", ["/", "/synthesize"], ids=["1.4", "1.5"])
@pytest.mark.parametrize("fields", [
    pytest.param({}, id="text"), pytest.param({"voice": None}, id="no-voice"),
    pytest.param({"voice": "en_US-lessac-medium", "speaker": None}, id="american"),
    pytest.param({"voice": "en_GB-alan-low"}, id="british"),
    pytest.param({"voice": "es_MX-ald-medium", "text": "Un momento."}, id="mexican"),
    pytest.param({"voice": "pt_PT-tugão-medium", "text": "Um momento."}, id="portuguese"),
    pytest.param({"speaker": "p225", "speaker_id": 3}, id="speaker"),
    pytest.param({"noise_scale": 0.667, "noise_w_scale": 0.8}, id="noise"),
    pytest.param({"noise_w": 0.8, "length_scale": 1.0}, id="noise-w"),
    pytest.param({"voice": "af_heart"}, id="kokoro"),
])  # fmt: skip
def test_pipers_clients_are_answered(server, path, fields):
    assert heard(say(server, path, **fields))


def test_pipers_length_scale_is_the_inverse_of_speed(server):
    quick, slow = (heard(say(server, "/", length_scale=scale)) for scale in (0.7, 1.6))
    assert 1.8 * quick < slow


def test_pipers_voices_choose_the_language(server):
    text = "Mais oui."
    by_piper = say(server, "/", voice="fr_FR-siwis-medium", text=text)
    assert by_piper.body == say(server, "/", voice="ff_siwis", text=text).body
    assert by_piper.body != say(server, "/", text=text).body
