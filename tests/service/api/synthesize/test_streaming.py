"""Audio that leaves while the rest of it is made: real speech, whose windows sound other than the whole."""

import base64
import io
import json

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
PCM = {**SPOKEN, "format": "pcm", "stream": True}
MP3_DELAY = 1_105  # samples, see service/audio/streaming.py


@pytest.fixture(scope="module")
def server(real_remembering):
    return real_remembering


def decode(content):
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate_hz == 24_000
    return np.asarray(samples)


def stream(server, **fields):
    response = speak(server, **{**fields, "stream": True})
    assert response.status_code == 200, response.text
    assert response.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in response.headers
    return response


@pytest.fixture(scope="module")
def whole(server):
    """The samples of the whole answer, decoded as a stream is."""
    answer = speak(server, **SPOKEN, format="pcm", decoding="windows")
    assert int(answer.headers["x-chunk-count"]) >= 3
    assert float(answer.headers["x-duration-s"]) * 48_000 == pytest.approx(len(answer.content), abs=1)
    return np.frombuffer(answer.content, "<i2")


@pytest.mark.thorough
@pytest.mark.parametrize("chunking", ["early", "even"])
def test_a_stream_may_be_decoded_whole_too(server, whole, chunking):
    fields = {**SPOKEN, "format": "pcm"}
    streamed = stream(server, decoding="whole", chunking=chunking, **fields)
    assert streamed.content == speak(server, chunking=chunking, **fields).content
    assert streamed.content != whole.tobytes()
    if chunking == "early":  # so that sound starts early, where nothing else is said
        assert streamed.content == stream(server, decoding="whole", **fields).content


@pytest.mark.parametrize(
    ("audio_format", "media_type"),
    [*{"pcm": "audio/pcm", "flac": "audio/flac", "opus": "audio/ogg", "mp3": "audio/mpeg", "aac": "audio/aac"}.items()],
)
def test_a_stream_and_its_events_are_the_whole_answer_of_the_same_decoding(server, whole, audio_format, media_type):
    fields = {**SPOKEN, "format": audio_format}
    streamed = stream(server, **fields)
    assert (streamed.headers["content-type"], streamed.headers["x-sample-rate-hz"]) == (media_type, "24000")
    # What is known at the end only is not in the head.
    assert not {"x-duration-s", "x-chunk-count", "x-compute-s"} & set(streamed.headers)
    content = streamed.content
    *audio, (last, done) = parse_events(stream(server, timestamps="word", **fields).text)
    assert ({name for name, _ in audio}, last) == ({"audio"}, "done")
    assert len(audio) >= 3
    assert done["duration_s"] == pytest.approx(whole.size / 24_000, abs=1e-6)
    told = b"".join(base64.b64decode(data["audio"], validate=True) for _, data in [*audio, (last, done)])
    file = speak(server, decoding="windows", **fields).content
    if audio_format == "opus":  # each Ogg stream has a serial number of its own
        content, told, file = (decode(one).tobytes() for one in (content, told, file))
    assert told == content
    if audio_format == "flac":
        # For libsndfile to read it whole, fill in what the header of a stream leaves open.
        assert np.array_equal(decode(content[:22] + whole.size.to_bytes(4, "big") + content[26:]), whole)
    elif audio_format == "mp3":
        assert file.endswith(content)  # the same frames behind the info frame
        assert np.corrcoef(decode(content)[MP3_DELAY:][: whole.size], whole)[0, 1] > 0.98
    else:
        assert content == file


@pytest.mark.thorough
def test_joints_of_a_stream_do_not_click(server):
    # At a speed that no other test asks for: what is in the cache does not come in windows.
    events = parse_events(stream(server, **{**PCM, "speed": 2.1}, timestamps="word").text)
    joints = [round(data["start_s"] * 24_000) for _, data in events[1:-1]]
    samples = np.frombuffer(b"".join(base64.b64decode(data["audio"]) for _, data in events), "<i2")
    steps = np.abs(np.diff(samples.astype(np.int32)))
    # Within speech neighbours differ by thousands.
    assert steps.max() > 1_000
    assert len(joints) > 2
    for joint in joints:
        around = np.concatenate([steps[joint - 600 : joint - 1], steps[joint : joint + 600]])
        assert steps[joint - 1] <= around.max()  # chunks join in silence, windows in the sound


def test_the_first_chunk_is_the_shortest_and_leaves_before_the_others_are_made(server):
    fields = {**PCM, "speed": 1.9, "timestamps": "word"}  # as no other test asks for
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
    times = dict(item.split("=") for item in server.wait_for(rf"id={identity} (.*)").split())
    assert float(times["first_audio_s"]) < 0.6 * float(times["seconds"])


# What is not streamed.

REFUSED = (
    ({"text": "a"}, 400, "unsupported_format", "pcm"),  # wav, by default
    ({"text": "a", "timestamps": "word"}, 400, "unsupported_format", "pcm"),
    ({"text": "a", "format": "srt"}, 422, "invalid_request", "srt"),
    ({"text": "a", "format": "vtt"}, 422, "invalid_request", "vtt"),
    ({"text": "?!", "format": "pcm"}, 422, "nothing_to_say", ""),
    ({"text": "a", "format": "pcm", "voice": "af_nobody"}, 422, "unknown_voice", ""),
    ({"text": "a" * 20_001, "format": "pcm"}, 413, "text_too_long", ""),
    ({"text": "a", "format": "pcm", "language": "xx"}, 422, "language_unavailable", ""),
)  # fmt: skip


def test_what_cannot_be_streamed_or_spoken_is_refused_with_a_status(server):
    for fields, status, code, named in REFUSED:
        answer = speak(server, stream=True, **fields)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (status, code), (fields, answer.text)
        assert named in error["message"]


def test_a_client_of_http_1_0_gets_a_whole_answer(server, whole):
    with Caller(server, "oldest", version="1.0", **PCM) as caller:
        answer = read_answer(caller.socket)
        assert answer.status == 200
        assert "transfer-encoding" not in answer.headers
        assert answer.headers["content-length"] == str(len(answer.body))
        assert int(answer.headers["x-chunk-count"]) >= 3
        assert answer.body == whole.tobytes()
        assert caller.read_some() == b""


def test_a_connection_serves_one_stream_after_the_other(server, whole):
    addresses = set()
    with httpx.Client(base_url=server.url, timeout=600) as client:
        for _ in range(3):
            response = client.post("/synthesize", json=PCM)
            assert response.content == whole.tobytes()
            addresses.add(response.extensions["network_stream"].get_extra_info("client_addr"))
    assert len(addresses) == 1


def test_the_end_of_a_stream_is_told_from_its_breaking(server, whole):
    """The check that tests of failures rely on."""
    with Caller(server, "complete", **PCM) as caller:
        caller.socket.settimeout(60)
        answer = b""
        while is_cut_off(answer):
            part = caller.read_some()
            assert part
            answer += part
    assert len(answer) > whole.nbytes
