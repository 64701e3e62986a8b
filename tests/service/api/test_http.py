"""Requests over HTTP, well formed and not, and what is known before and while speech is made."""

import io
import signal
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
import soundfile

from tests.service.api.speech_client import speak

TEXT = "The birch canoe slid on the smooth planks."
LONG_TEXT = " ".join([TEXT] * 8)
SOME_TEXT = " ".join([TEXT] * 4)


def assert_error(response, status, code):
    """Hold an answer against the one shape of errors; return its message."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    message = response.json()["error"]["message"]
    assert message
    identity = response.headers["x-request-id"]
    assert response.json() == {"error": {"code": code, "message": message, "request_id": identity}}
    return message


def test_text_becomes_a_wav_file_and_pcm_is_its_samples(server):
    response = speak(server, text=TEXT)
    assert response.status_code == 200
    headers = response.headers
    samples, rate = soundfile.read(io.BytesIO(response.content), dtype="int16")
    assert (rate, samples.ndim) == (24_000, 1)
    assert np.abs(samples).max() > 3000
    assert float(headers["x-duration-s"]) == pytest.approx(samples.size / 24_000, abs=1e-6)
    assert float(headers["x-compute-s"]) > 0
    assert len(headers["x-request-id"]) == 32
    expected = {"content-type": "audio/wav", "x-sample-rate-hz": "24000", "x-chunk-count": "1"}
    assert {**expected, "x-execution-provider": "cpu"}.items() <= dict(headers).items()
    assert samples.tobytes() == speak(server, text=TEXT, format="pcm").content


def test_a_request_id_that_may_harm_the_log_does_not_come_back(server):
    for bad in ("a" * 65, "two words", "<script>"):
        assert server.client.get("/health", headers={"x-request-id": bad}).headers["x-request-id"] != bad


def test_what_there_is_to_know(server):
    voices = server.client.get("/voices").json()
    assert voices["default"] == "af_heart"
    assert len(voices["voices"]) == 54
    assert {"name": "bm_lewis", "language": "en-gb", "sex": "male", "licence": "Apache-2.0"} in voices["voices"]
    assert server.client.get("/health").json() == {"status": "alive"}
    ready = server.client.get("/ready").json()
    assert (ready["status"], ready["provider"], ready["model"]["gives_durations"]) == ("ready", "cpu", True)
    assert ready["onnxruntime"].startswith("1.")
    assert ready["model"]["name"] == "kokoro-v1.0.int8.onnx"
    assert ready["self_test_s"] > 0


@pytest.mark.parametrize(("fields", "status", "code", "named"), [
    *[(fields, 422, "invalid_request", "text") for fields in ({}, {"text": None}, {"text": 7}, {"text": ["a"]})],
    *[({"text": "a", "speed": speed}, 422, "invalid_request", "speed") for speed in (0.24, 6.1, "1", True)],
    ({"text": "a", "phonemes": "a"}, 422, "invalid_request", "exactly one"),
    ({"text": ""}, 422, "empty_text", "empty"), ({"text": " \n "}, 422, "empty_text", "empty"),
    ({"text": "?!"}, 422, "nothing_to_say", "pronounce"), ({"text": "\u13a0"}, 422, "invalid_text", "U+13A0"),
    ({"phonemes": "h4"}, 422, "unknown_symbol", "4"), ({"text": "a" * 20_001}, 413, "text_too_long", "20001"),
    ({"text": "a", "voice": 1}, 422, "invalid_request", "voice"),
    ({"text": "a", "voice": "af_hart"}, 422, "unknown_voice", "af_heart"),
    ({"text": "a", "voice": "af_heart(x)"}, 422, "invalid_blend", "af_heart"),
    ({"text": "a", "voice": "../af_heart"}, 422, "invalid_blend", "af_heart"),
    ({"text": "a", "format": "amr"}, 422, "invalid_request", "format"),
    ({"text": "a", "sample_rate": 9000}, 422, "invalid_request", "8000, 11025"),
    ({"text": "a", "sample_rate": "8000"}, 422, "invalid_request", "sample_rate"),
    ({"text": "a", "format": "opus", "sample_rate": 44100}, 400, "unsupported_format",
     "opus has no 44100 Hz; its rates are 8000"),
    ({"text": "a", "format": "wav_alaw", "stream": True}, 400, "unsupported_format", "wav_alaw cannot be streamed"),
    ({"text": "a", "language": "xx"}, 422, "language_unavailable", "en-us"),
    ({"text": "a", "language": "tlh"}, 422, "language_unavailable", "tlh"),
    ({"text": "a", "sped": 1.0}, 422, "invalid_request", "did you mean speed?"),
    *[({"text": "?!", "length_scale": scale}, 422, "invalid_request", "length_scale") for scale in (0.16, 4.01, "1")],
    ({"text": "?!", "length_scale": None}, 422, "nothing_to_say", "pronounce"),
    ({"text": "? \u13a0!"}, 422, "invalid_text", "position 3"),
])  # fmt: skip
def test_a_request_that_cannot_be_spoken_is_refused(server, fields, status, code, named):
    assert named in assert_error(speak(server, **fields), status, code)


@pytest.mark.parametrize(("body", "status", "code"), [
    (b"", 422, "invalid_request"), (b"{", 400, "invalid_json"), (b'{"text": "a",}', 400, "invalid_json"),
    (b"\xff\xfe", 400, "invalid_json"), (b'"text"', 422, "invalid_request"), (b"[]", 422, "invalid_request"),
    (b"null", 422, "invalid_request"), (rb'{"text": "\ud800"}', 422, "nothing_to_say"),
    (rb'{"text": "a", "voice": "\ud800"}', 422, "invalid_blend"),
    (rb'{"text": "a", "\ud800": 1}', 422, "invalid_request"),
    (b'{"text": "a", "speed": NaN}', 422, "invalid_request"),
    (b'{"text": "a", "speed": 1e999}', 422, "invalid_request"), (b"[" * 100_000, 400, "invalid_json"),
    (b'{"text": "' + b"a" * 300_000 + b'"}', 413, "body_too_large"), (b" " * 1_000_000, 413, "body_too_large"),
    (b'{"text": ' + b'{"a":' * 40_000 + b"1" + b"}" * 40_001, 400, "invalid_json"),
    (b'{"text": "a", "speed": ' + b"1" * 5_000 + b"}", 400, "invalid_json"),
    (b'{"text": "a\xff\xfeb"}', 400, "invalid_json"), (b'{"text": "\xed\xa0\x80"}', 422, "nothing_to_say"),
    (b'{"text": "a\x00b"}', 400, "invalid_json"), (b'{"text": "\\u0000"}', 422, "nothing_to_say"),
    (b"\x00" * 1000, 400, "invalid_json"),
])  # fmt: skip
def test_a_body_that_cannot_be_read_is_refused(server, body, status, code):
    headers = {"content-type": "application/json"}
    for content in (body, iter([body])):  # of a length that is declared, and of one that is not
        answer = server.client.post("/synthesize", content=content, headers=headers)
        assert_error(answer, status, code)
        assert len(answer.content) < 1_000


def test_another_content_type_is_refused_with_what_to_send(server):
    response = server.client.post("/synthesize", data={"text": "a"})
    assert "application/json" in assert_error(response, 415, "unsupported_media_type")


def test_of_many_mistakes_the_first_are_explained_and_thousands_counted(server):
    response = speak(server, **{f"field{i}": 1 for i in range(60)})
    assert assert_error(response, 422, "invalid_request").count("unknown field") == 8
    for path in ("/synthesize", "/phonemize"):
        response = server.client.post(path, json={f"field{i}": 1 for i in range(5000)})
        message = assert_error(response, 422, "invalid_request")
        assert "5000 fields are too many; the fields are " in message
        assert "unknown field" not in message
    response = speak(server, **{"text": "Hello.", "x" * 20_000: 1})
    assert assert_error(response, 422, "invalid_request") == f"unknown field {'x' * 100}..."


def test_sixteen_requests_at_once_each_get_their_own_speech(server):
    texts = [f"Number {number}." for number in range(8)]
    voices = ["af_heart", "am_adam", "bf_emma", "af_bella(2)+af_sky(1)"]
    requests = [
        {"text": texts[i % 8], "voice": voices[i % 4], "speed": 1.8 + (i // 8) / 5, "format": "pcm"} for i in range(16)
    ]
    alone = [speak(server, **request).content for request in requests]
    with ThreadPoolExecutor(16) as pool:
        together = list(pool.map(lambda request: speak(server, **request), requests))
    assert [response.status_code for response in together] == [200] * 16
    assert [response.content for response in together] == alone
    assert len(set(alone)) == 16


@pytest.mark.thorough
def test_health_answers_while_speech_is_made(real_server):
    with ThreadPoolExecutor(1) as pool:
        synthesis = pool.submit(speak, real_server, text=SOME_TEXT, speed=2.0)
        answers = 0
        while not synthesis.done():
            assert real_server.client.get("/health").status_code == 200
            answers += 1
    assert synthesis.result().status_code == 200
    # The speech takes seconds; a loop that were blocked meanwhile would have answered once.
    assert answers > 50


def test_sound_leaves_each_door_while_the_rest_is_made(faulty):
    text = "".join(f"{number} birch canoes slid on the smooth planks. " for number in range(40))
    doors = [("/v1/audio/speech", {"input": text, "response_format": form}) for form in ("mp3", "opus", "pcm")]
    for path, body in (*doors, ("/v1/text-to-speech/af_heart/stream?optimize_streaming_latency=3", {"text": text})):
        with faulty.client.stream("POST", path, json=body) as response:
            assert "content-length" not in response.headers
            assert next(response.iter_bytes())
        # Who leaves stops what had not been made by then.
        faulty.wait_for(f"id={response.headers['x-request-id']} .*outcome=cancelled")


def test_texts_stay_out_of_the_log(server):
    identity = "secret-test"
    secret = "xylophonic zanzibar"
    headers = {"x-request-id": identity}
    for body in ({"text": secret}, {"text": secret, "voice": secret}, {secret: 1}):
        server.client.post("/synthesize", json=body, headers=headers)
    server.client.get(f"/{secret}", headers=headers)
    server.wait_for(f"id={identity} method=GET path=- status=404")
    log = "".join(server.log)
    assert log.count(f"id={identity} method=POST path=/synthesize") == 3
    assert "characters=19" in log
    assert "xylophonic" not in log


@pytest.mark.own_server
@pytest.mark.thorough
def test_before_the_model_is_there_health_answers_and_speech_is_refused(start_server):
    server = start_server(forked=False)
    assert server.client.get("/health").status_code == 200
    refused = speak(server, text="a")
    assert_error(refused, 503, "not_ready")
    assert refused.headers["retry-after"] == "1"
    told = assert_error(server.client.get("/ready"), 503, "not_ready")
    assert told.startswith("the model is not loaded yet: ")
    server.wait_until_ready()
    assert server.client.get("/ready").status_code == 200
    assert speak(server, text="Now it speaks.").status_code == 200
    assert server.stop() == 0


@pytest.mark.own_server
@pytest.mark.thorough
def test_a_second_interrupt_waits_for_nobody(start_real_server):
    server = start_real_server("--shutdown-timeout-s", "3600")
    server.wait_until_ready()
    body = {"text": LONG_TEXT * 12, "stream": True, "format": "pcm"}
    with server.client.stream("POST", "/synthesize", json=body) as response:
        parts = response.iter_raw()
        assert next(parts)
        server.process.send_signal(signal.SIGINT)
        server.wait_for("stopping: 1 requests")
        server.process.send_signal(signal.SIGINT)
        with pytest.raises(httpx.RemoteProtocolError):
            list(parts)
    assert server.process.wait(timeout=120) == 0
