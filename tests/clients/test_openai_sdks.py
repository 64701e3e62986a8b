"""OpenAI's SDKs for Python and Node.js.

Run: PyPI openai in the version of constraints/dev.txt; npm openai 6.49.0, in the environment that
`make clients` makes where there is npm. tests/service/api/openai has more of the first.
"""

import asyncio
import json
import subprocess

import openai
import pytest
from tests.clients.replay import CLIENTS, KEY, PROGRAMS, PUNCTUATION, STRANGERS_KEY, TEXT, hear, hear_pcm, preflight

NODE = CLIENTS / "node"

SENT_FROM_A_BROWSER = [
    "authorization", "content-type", "x-stainless-arch", "x-stainless-lang", "x-stainless-os",
    "x-stainless-package-version", "x-stainless-retry-count", "x-stainless-runtime",
    "x-stainless-runtime-version", "x-stainless-timeout",
]  # fmt: skip


@pytest.fixture(scope="module")
def client(keyed):
    with openai.OpenAI(base_url=f"{keyed.url}/v1", api_key=KEY, max_retries=0) as client:
        yield client


@pytest.mark.parametrize("model", ["tts-1", "gpt-4o-mini-tts-2025-12-15", "kokoro", "my-own"])
@pytest.mark.parametrize("voice", ["af_heart", {"id": "Alloy"}, "af_bella(2)+af_sky(1)"], ids=str)
def test_python_speaks_to_a_file(client, tmp_path, model, voice):
    path = tmp_path / "speech.mp3"
    with client.audio.speech.with_streaming_response.create(
        model=model, voice=voice, input=TEXT, instructions="Softly.", extra_body={"seed": 7}
    ) as response:
        assert response.headers["x-ignored-fields"] == "seed, instructions"
        response.stream_to_file(path)
    assert hear(path.read_bytes()).size


def test_python_speaks_without_blocking(keyed):
    async def say():
        async with openai.AsyncOpenAI(base_url=f"{keyed.url}/v1", api_key=KEY) as client:
            answer = await client.audio.speech.create(model="tts-1", voice="nova", input=TEXT, response_format="pcm")
            return answer.content

    assert hear_pcm(asyncio.run(say())).size


def test_python_raises_what_the_sdk_documents(client):
    speech = {"model": "tts-1", "voice": "alloy", "input": TEXT}
    for fields in ({"voice": "af_hart"}, {"input": ""}, {"speed": 9.0}, {"response_format": "wma"}):
        with pytest.raises(openai.BadRequestError) as caught:
            client.audio.speech.create(**{**speech, **fields})
        assert caught.value.type == "invalid_request_error"
        assert caught.value.param == next(iter(fields))
        assert caught.value.request_id
    stranger = client.with_options(api_key=STRANGERS_KEY)
    with pytest.raises(openai.AuthenticationError):
        stranger.audio.speech.create(**speech)
    assert client.audio.speech.create(**{**speech, "input": PUNCTUATION}).content


def test_node_speaks(keyed):
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


def test_a_browser_with_the_sdk_may_ask(keyed):
    preflight(keyed, *SENT_FROM_A_BROWSER)
