"""A real server on a GPU."""

import threading

import httpx
import numpy as np
import pytest

SENTENCE = "The harbour was quiet that morning."


@pytest.fixture(scope="module", params=["float32", "float16"])
def server(request, gpu, start_server):
    server = start_server("--provider", "cuda", "--precision", request.param)
    server.wait_until_ready()
    return server


def speak(server, text=SENTENCE):
    answer = server.client.post("/synthesize", json={"text": text, "format": "pcm"})
    assert answer.status_code == 200, answer.text
    return np.frombuffer(answer.content, "<i2")


def test_it_is_ready_on_cuda_with_the_proof_in_the_log_and_speaks(server):
    answer = server.client.get("/ready")
    assert answer.status_code == 200
    told = answer.json()
    assert told["provider"] == "cuda"
    assert told["model"]["prepared"] in ("float32", "float16")
    assert f"--precision {told['model']['prepared']}" in " ".join(server.process.args)
    samples = speak(server)
    assert 1.0 < samples.size / 24_000 < 4.0
    assert np.abs(samples.astype(np.int32)).max() > 1000
    server.wait_for(r"on the GPU: \d+ % of the nodes")


def test_clients_at_once_hear_what_one_hears(server):
    alone = speak(server)
    heard = []
    threads = [threading.Thread(target=lambda: heard.append(speak(server))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [samples.size for samples in heard] == [alone.size] * 4


def test_a_client_that_goes_away_does_no_harm(server):
    with httpx.stream("POST", f"{server.url}/synthesize", json={"text": SENTENCE * 20, "stream": True}) as answer:
        next(answer.iter_raw())
    assert speak(server).size


def test_it_ends_with_status_0(gpu, start_server):
    """Libraries with CUDA have crashed when the process ended."""
    server = start_server("--provider", "cuda")
    server.wait_until_ready()
    speak(server)
    assert server.stop() == 0
