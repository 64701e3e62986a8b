"""Audio that leaves while the rest of it is made."""

import base64
import io
import json
import subprocess

import httpx
import numpy as np
import pytest
import soundfile
from tests.service.api.asgi_server import read_answer
from tests.service.api.speech_client import Caller, is_cut_off, parse_events, speak

# Three chunks or more, however quick the model is.
TEXT = (
    "One moment, please, I am looking it up. The birch canoe slid on the smooth planks, "
    "and the sheet was glued to the dark blue background. It is easy to tell the depth of a well. "
    "These days a chicken leg is a rare dish, and rice is often served in round bowls. "
    "The juice of lemons makes fine punch."
)
SPOKEN = {"text": TEXT, "speed": 2.0}  # fast, to be done soon
MP3_DELAY = 1_105  # samples, see service/audio/streaming.py
MP3_FRAME = 576  # samples at 24 kHz


def samples_of(pcm):
    return np.frombuffer(pcm, "<i2")


def decode(content):
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate_hz == 24_000
    return np.asarray(samples)


def with_length(flac, n_samples):
    """Fill in what the header of a streamed FLAC leaves open, for libsndfile to read it whole."""
    return flac[:22] + n_samples.to_bytes(4, "big") + flac[26:]


def stream(server, **fields):
    response = speak(server, stream=True, **fields)
    assert response.status_code == 200, response.text
    assert response.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in response.headers
    return response


@pytest.fixture(scope="module")
def whole(remembering):
    """The samples of the whole answer, decoded as a stream is."""
    answer = speak(remembering, **SPOKEN, format="pcm", decoding="windows")
    assert int(answer.headers["x-chunk-count"]) >= 3
    return samples_of(answer.content)


@pytest.mark.thorough
def test_streamed_pcm_is_the_whole_answer_of_the_same_decoding(server):
    fields = {**SPOKEN, "format": "pcm"}
    streamed = stream(server, **fields)
    assert streamed.headers["content-type"] == "audio/pcm"
    assert streamed.headers["x-sample-rate-hz"] == "24000"
    # What is known at the end only is not in the head.
    assert not {"x-duration-s", "x-chunk-count", "x-compute-s"} & set(streamed.headers)
    file = speak(server, decoding="windows", **fields)
    assert streamed.content == file.content
    assert float(file.headers["x-duration-s"]) * 48_000 == pytest.approx(len(file.content), abs=1)


@pytest.mark.parametrize("chunking", ["early", pytest.param("even", marks=pytest.mark.thorough)])
def test_a_stream_may_be_decoded_whole_too(remembering, whole, chunking):
    fields = {**SPOKEN, "format": "pcm"}
    streamed = stream(remembering, decoding="whole", chunking=chunking, **fields)
    assert streamed.content == speak(remembering, chunking=chunking, **fields).content
    assert streamed.content != whole.tobytes()
    if chunking == "early":  # so that sound starts early, where nothing else is said
        assert streamed.content == stream(remembering, decoding="whole", **fields).content


def test_streamed_flac_has_the_samples_of_the_whole_answer(remembering, whole):
    streamed = stream(remembering, **SPOKEN, format="flac")
    assert streamed.headers["content-type"] == "audio/flac"
    assert np.array_equal(decode(with_length(streamed.content, whole.size)), whole)


def test_streamed_opus_is_as_long_as_the_whole_answer_and_sounds_the_same(remembering, whole):
    streamed = stream(remembering, **SPOKEN, format="opus")
    assert streamed.headers["content-type"] == "audio/ogg"
    decoded = decode(streamed.content)
    assert decoded.size == whole.size
    assert np.corrcoef(decoded, whole)[0, 1] > 0.98
    unstreamed = speak(remembering, **SPOKEN, format="opus", decoding="windows")
    assert np.array_equal(decode(unstreamed.content), decoded)


def test_streamed_mp3_is_the_whole_answer_but_for_the_delay_of_its_codec(remembering, whole):
    streamed = stream(remembering, **SPOKEN, format="mp3")
    assert streamed.headers["content-type"] == "audio/mpeg"
    decoded = decode(streamed.content)
    assert 0 <= decoded.size - MP3_DELAY - whole.size < 2 * MP3_FRAME
    assert np.corrcoef(decoded[MP3_DELAY:][: whole.size], whole)[0, 1] > 0.98
    unstreamed = speak(remembering, **SPOKEN, format="mp3", decoding="windows").content
    assert decode(unstreamed).size == whole.size
    assert unstreamed.endswith(streamed.content)  # the same frames behind the info frame


@pytest.mark.parametrize("audio_format", ["pcm", "flac", "opus", "mp3"])
def test_events_carry_the_file_that_a_stream_is(remembering, whole, audio_format):
    fields = {**SPOKEN, "format": audio_format}
    events = parse_events(stream(remembering, timestamps="word", **fields).text)
    assert len(events) >= 4
    assert [name for name, _ in events] == ["audio"] * (len(events) - 1) + ["done"]
    content = b"".join(base64.b64decode(data["audio"], validate=True) for _, data in events)
    plain = stream(remembering, **fields).content
    if audio_format == "opus":  # each Ogg stream has a serial number of its own
        assert np.array_equal(decode(content), decode(plain))
    else:
        assert content == plain
    assert events[-1][1]["duration_s"] == pytest.approx(whole.size / 24_000, abs=1e-6)


@pytest.mark.thorough
def test_joints_of_a_stream_do_not_click(server, whole):
    events = parse_events(stream(server, **SPOKEN, format="pcm", timestamps="word").text)
    joints = [round(data["start_s"] * 24_000) for _, data in events[1:-1]]
    steps = np.abs(np.diff(whole.astype(np.int32)))
    # Within speech neighbours differ by thousands.
    assert steps.max() > 1_000
    assert len(joints) > 2
    for joint in joints:
        around = np.concatenate([steps[joint - 600 : joint - 1], steps[joint : joint + 600]])
        assert steps[joint - 1] <= around.max()  # chunks join in silence, windows in the sound


def test_the_first_chunk_is_the_shortest_and_leaves_before_the_others_are_made(server):
    fields = {**SPOKEN, "format": "pcm", "stream": True, "timestamps": "word"}
    durations_s = []
    with server.client.stream("POST", "/synthesize", json=fields) as response:
        identity = response.headers["x-request-id"]
        lines = response.iter_lines()
        for line in lines:
            if line.startswith("event: audio"):
                data = json.loads(next(lines)[6:])
                durations_s.append(data["end_s"] - data["start_s"])
                if len(durations_s) == 1:
                    assert not any(identity in line for line in server.log)
    assert len(durations_s) >= 3
    assert durations_s[0] < 0.5 * sum(durations_s[1:])
    assert durations_s[0] < durations_s[-1]
    line = server.wait_for(rf"id={identity} (.*)")
    times = dict(item.split("=") for item in line.split())
    assert float(times["first_audio_s"]) < 0.6 * float(times["seconds"])


@pytest.mark.parametrize("timestamps", [None, "word"])
def test_wav_is_not_streamed_and_the_answer_says_what_is(server, timestamps):
    answer = speak(server, text="a", stream=True, timestamps=timestamps)  # wav by default
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "unsupported_format"
    assert "pcm" in error["message"]


@pytest.mark.parametrize("subtitle_format", ["srt", "vtt"])
def test_subtitles_are_not_streamed(server, subtitle_format):
    answer = speak(server, text="a", stream=True, format=subtitle_format)
    assert answer.status_code == 422
    assert subtitle_format in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"text": "?!"}, 422),
        ({"text": "a", "voice": "af_nobody"}, 422),
        ({"text": "a" * 20_001}, 413),
        ({"text": "a", "language": "xx"}, 422),
    ],
)
def test_what_cannot_be_spoken_is_refused_with_a_status_also_as_a_stream(server, fields, status):
    answer = speak(server, format="pcm", stream=True, **fields)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}


def test_a_client_of_http_1_0_gets_a_whole_answer(remembering, whole):
    fields = {**SPOKEN, "format": "pcm", "stream": True}
    with Caller(remembering, "oldest", version="1.0", **fields) as caller:
        answer = read_answer(caller.socket)
        assert answer.status == 200
        assert "transfer-encoding" not in answer.headers
        assert answer.headers["content-length"] == str(len(answer.body))
        assert int(answer.headers["x-chunk-count"]) >= 3
        assert answer.body == whole.tobytes()
        assert caller.read_some() == b""


def test_a_connection_serves_one_stream_after_the_other(remembering, whole):
    fields = {**SPOKEN, "format": "pcm", "stream": True}
    addresses = set()
    with httpx.Client(base_url=remembering.url, timeout=600) as client:
        for _ in range(3):
            response = client.post("/synthesize", json=fields)
            assert response.content == whole.tobytes()
            network = response.extensions["network_stream"]
            addresses.add(network.get_extra_info("client_addr"))
    assert len(addresses) == 1


def test_the_end_of_a_stream_is_told_from_its_breaking(remembering, whole):
    """The check that tests of failures rely on."""
    fields = {**SPOKEN, "format": "pcm", "stream": True}
    with Caller(remembering, "complete", **fields) as caller:
        caller.socket.settimeout(60)
        answer = b""
        while is_cut_off(answer):
            part = caller.read_some()
            assert part
            answer += part
    assert len(answer) > whole.nbytes


def test_curl_takes_a_stream_to_its_end(remembering, whole):
    body = json.dumps({**SPOKEN, "format": "pcm", "stream": True})
    command = ["curl", "--silent", "--show-error", "--fail", "--no-buffer", "--json", body]
    done = subprocess.run([*command, f"{remembering.url}/synthesize"], capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == whole.tobytes()
