"""Several models in one server, over its doors."""

import base64
import io
import json
import re
import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from websockets.sync.client import connect

from service.model.spec import included_model
from service.tensor_files import pytorch_file
from tests.service.api.serving_process import lent, running
from tests.service.api.speech_socket import refused
from tests.service.commands import command
from tests.small_kokoro import write_small_kokoro

N_CLIENTS = 8


@pytest.fixture(scope="module")
def models_dir(tmp_path_factory):
    """Two models beside the server's own: one with voices, and one that cannot be opened."""
    folder = tmp_path_factory.mktemp("models")
    source = folder / "source"
    voices = source / "voices"
    voices.mkdir(parents=True)
    style = np.full((510, 1, 256), -0.4, np.float32)
    (voices / "anna.pt").write_bytes(pytorch_file(style))
    config = {"vocab": dict(included_model().token_ids) | {"ㄅ": 150}}
    (source / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_small_kokoro(source / "other.onnx")
    (source / "broken.onnx").write_bytes(b"no model")
    for name, more in (("other", ["--voices", str(voices), "--language", "en-us"]), ("broken", [])):
        done = command("model", "add", str(source / f"{name}.onnx"), "--models-dir", str(folder), *more)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def server(start_server, models_dir, tmp_path_factory):
    own = write_small_kokoro(tmp_path_factory.mktemp("own") / "own.onnx")
    data = own.with_name("data")
    arguments = ("--model", str(own), "--no-prepare", "--models-dir", str(models_dir), "--data-dir", str(data))
    yield from lent(start_server, *arguments)


def samples(answer):
    assert answer.status_code == 200, answer.text
    with wave.open(io.BytesIO(answer.content)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


def test_models_are_listed_by_name(server):
    listed = [model["id"] for model in server.client.get("/v1/models").json()["data"]]
    assert listed == ["kokoro", "gpt-4o-mini-tts", "tts-1", "tts-1-hd", "broken", "other"]
    voices = server.client.get("/v1/audio/voices", params={"model": "other", "format": "names"}).json()
    assert voices == {"voices": ["anna"]}


def test_both_doors_speak_with_the_model_that_is_named(server):
    said = {"text": "Hello there.", "format": "wav"}
    own = samples(server.client.post("/synthesize", json=said))
    for model in (None, "kokoro"):
        np.testing.assert_array_equal(samples(server.client.post("/synthesize", json={**said, "model": model})), own)
    other = samples(server.client.post("/synthesize", json={**said, "model": "other"}))
    assert not np.array_equal(other, own)
    openai = {"input": "Hello there.", "response_format": "wav", "model": "other", "voice": "anna"}
    np.testing.assert_array_equal(samples(server.client.post("/v1/audio/speech", json=openai)), other)
    phonemes = {"phonemes": "aㄅa", "format": "wav"}
    assert samples(server.client.post("/synthesize", json={**phonemes, "model": "other"})).size > 0
    refused = server.client.post("/synthesize", json=phonemes)
    assert (refused.status_code, "ㄅ" in refused.text) == (422, True)


def test_other_doors_speak_with_the_model_that_is_named(server):
    said = {"text": "Hello there.", "voice": "anna", "format": "pcm"}
    right = server.client.post("/synthesize", json={**said, "model": "other"}).content
    turns = {"turns": [{"text": "Hello there.", "voice": "anna"}], "format": "pcm", "normalize_loudness": False}
    assert server.client.post("/dialogue", json={**turns, "model": "other"}).content == right
    body = {"text": "Hello there.", "model_id": "other"}
    answer = server.client.post("/v1/text-to-speech/anna?output_format=pcm_24000", json=body)
    assert answer.content == right
    inputs = {"inputs": [{"text": "Hello there.", "voice_id": "anna"}], "model_id": "other"}
    assert server.client.post("/v1/text-to-dialogue?output_format=pcm_24000", json=inputs).status_code == 200
    read = server.client.post("/phonemize", json={"text": "Hello.", "voice": "anna", "model": "other"})
    assert read.json()["language"] == "en-us"
    listed = server.client.get("/v1/models", headers={"xi-api-key": "any"}).json()
    assert [model["model_id"] for model in listed] == ["kokoro", "broken", "other"]
    for body in ({"text": "Hello."}, {"text": "Hello.", "model_id": "eleven_v3"}):
        assert server.client.post("/v1/text-to-speech/anna", json=body).status_code == 404  # the own model's voices
    for path, body in (("/dialogue", turns), ("/phonemize", {"text": "Hello."})):
        refused = server.client.post(path, json={**body, "model": "othr"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "model_not_found")


def test_sockets_speak_with_the_model_of_their_address(server):
    """The own model has no such voice."""
    address = server.url.replace("http://", "ws://")
    with connect(f"{address}/synthesize/stream?model=other", max_size=None) as socket:
        for message in ({"type": "config", "voice": "anna"}, {"type": "text", "text": "Hello there."}, {"type": "end"}):
            socket.send(json.dumps(message))
        assert any(isinstance(part, bytes) for part in socket)
    query = "model_id=other&output_format=pcm_24000"
    with connect(f"{address}/v1/text-to-speech/anna/stream-input?{query}", max_size=None) as socket:
        for text in (" ", "Hello there. ", ""):
            socket.send(json.dumps({"text": text}))
        parts = [json.loads(part).get("audio") for part in socket]
        assert any(base64.b64decode(part) for part in parts if part)
    assert refused(connect, f"{address}/synthesize/stream?model=othr").status_code == 404


def test_jobs_speak_with_the_model_that_is_named(server):
    job = {"text": "Hello there.", "voice": "anna", "format": "mp3"}
    for model in (None, "othr"):
        assert server.client.post("/jobs", json={**job, "model": model}).status_code in (404, 422)
    added = server.client.post("/jobs", json={**job, "model": "other"})
    assert added.status_code == 201, added.text
    with server.client.stream("GET", f"/jobs/{added.json()['id']}/events") as events:
        told = [json.loads(line[5:]) for line in events.iter_lines() if line.startswith("data:")]
    assert told[-1]["state"] == "done", told[-1]


def test_what_is_not_there_is_told(server):
    unknown = server.client.post("/synthesize", json={"text": "Hello.", "model": "othr"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "model_not_found")
    assert "other" in unknown.json()["error"]["message"]
    elsewhere = server.client.post("/synthesize", json={"text": "Hello.", "voice": "anna"})
    assert "it is a voice of the model other" in elsewhere.json()["error"]["message"]
    elsewhere = server.client.post("/synthesize", json={"text": "Hello.", "voice": "af_heart", "model": "other"})
    assert "it is a voice of the model kokoro" in elsewhere.json()["error"]["message"]
    openai = server.client.post("/v1/audio/speech", json={"input": "Hello.", "voice": "anna"})
    assert "it is a voice of the model other" in openai.json()["error"]["message"]
    for _ in range(2):
        broken = server.client.post("/synthesize", json={"text": "Hello.", "model": "broken"})
        assert (broken.status_code, broken.json()["error"]["message"]) == (503, "the model broken cannot be loaded")


@pytest.mark.thorough
def test_sounds_are_not_mixed_while_models_are_unloaded_and_loaded(start_server, models_dir, tmp_path):
    own = write_small_kokoro(tmp_path / "own.onnx")
    budget = 3 * (512 << 20)
    arguments = ("--model", str(own), "--no-prepare", "--models-dir", str(models_dir), "--idle-unload-s", "0.01")
    with running(start_server, *arguments, "--memory-budget-bytes", str(budget)) as server:

        def say(model, text):
            said = {"text": text, "format": "wav", "model": model}
            return samples(server.client.post("/synthesize", json=said))

        cases = [(model, text) for model in ("kokoro", "other") for text in ("One.", "Two words.", "And three more.")]
        right = {case: say(*case) for case in cases}
        pattern = "unloading the model other"
        for _ in range(3):
            n_unloaded = sum(pattern in line for line in server.log)
            with ThreadPoolExecutor(N_CLIENTS) as clients:
                for case, heard in zip(cases * 4, clients.map(lambda case: say(*case), cases * 4), strict=True):
                    np.testing.assert_array_equal(heard, right[case])
            server.wait_for_more(pattern, n_unloaded)
        status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
        assert int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 < budget  # with Python and the dictionaries
