"""Assistants, by the SDK's own client: over HTTP with keys and without, and on standard input and output."""

import base64
import io
import json
import os
import sys
import wave

import anyio
import httpx2
import pytest
import soundfile
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.service.api.serving_process import running, write
from tests.service.api.speech_client import KEYS, bearer, speak
from tests.service.commands import complaint

TEXT = "Hello from an assistant."
KEY = "key-of-one-0123456789"
ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])
"""Newer clients send requests alone, older ones open with a handshake."""


@pytest.fixture(scope="module")
def assisted(start_server, tmp_path_factory):
    with running(start_server, "--mcp", "--data-dir", str(tmp_path_factory.mktemp("jobs"))) as server:
        yield server


def talk(place, work, mode="auto", headers=None):
    """Run some work of a client; the place is a URL, or the parameters of a program."""

    async def run():
        if headers is None:
            async with Client(place, mode=mode) as client:
                return await work(client)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=600) as connections,
            Client(streamable_http_client(place, http_client=connections), mode=mode) as client,
        ):
            return await work(client)

    return anyio.run(run)


async def call(client, tool, **arguments):
    """Call a tool that succeeds; return its content."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result


async def refusal(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


def structured(result):
    return result.structured_content.get("result", result.structured_content)


async def until_done(client, job, **arguments):
    while True:
        told = structured(await call(client, "check_document", job=job, **arguments))
        if told["state"] in ("done", "failed"):
            return told
        await anyio.sleep(0)


@pytest.mark.thorough
@ERAS
def test_over_http_an_assistant_gets_what_the_service_says(assisted, mode):
    async def work(client):
        names = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(names) == {"speak", "list_voices", "phonemize", "read_document", "check_document"}
        assert not {"file", "output"} & set(names["speak"].input_schema["properties"])
        (audio,) = (await call(client, "speak", text=TEXT, voice="bf_emma", audio_format="wav")).content
        assert audio.mime_type == "audio/wav"
        own = speak(assisted, text=TEXT, voice="bf_emma")
        assert base64.b64decode(audio.data) == own.content
        voices = structured(await call(client, "list_voices", language="es"))
        assert {voice["name"] for voice in voices} == {"ef_dora", "em_alex", "em_santa"}
        read = structured(await call(client, "phonemize", text="It costs $5."))
        assert read["normalized"] == "It costs five dollars."
        assert "af_heart" in await refusal(client, "speak", text="Hi.", voice="af_hart")
        assert "speed" in await refusal(client, "speak", text="Hi.", speed=100)
        assert "empty" in await refusal(client, "speak", text="")

    talk(f"{assisted.url}/mcp", work, mode)


@ERAS
def test_a_document_is_a_job_whose_file_is_a_resource(assisted, mode):
    async def work(client):
        fields = {"text": "# One\n\nHello.\n\n# Two\n\nGoodbye.", "markdown": True, "title": f"Words {mode}"}
        job = structured(await call(client, "read_document", audio_format="mp3", **fields))
        assert (job["title"], job["resource"]) == (f"Words {mode}", None)
        told = await until_done(client, job["id"])
        assert told["state"] == "done", told
        uri = f"kokoro://jobs/{job['id']}"
        found = {str(one.uri): one.name for one in (await client.list_resources()).resources}
        assert found[uri] == found[told["resource"]] == f"Words {mode}"
        (state,) = (await client.read_resource(uri)).contents
        assert json.loads(state.text)["state"] == "done"
        (file,) = (await client.read_resource(told["resource"])).contents
        assert file.mime_type == "audio/mpeg"
        output = assisted.client.get(f"/jobs/{job['id']}/output")
        assert base64.b64decode(file.blob) == output.content
        for wrong in ("kokoro://jobs", f"{uri}/../{job['id']}", "kokoro://jobs/x/output", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)
        assert "job" in await refusal(client, "check_document", job="../voices")

    talk(f"{assisted.url}/mcp", work, mode)


def test_it_is_off_unless_somebody_wants_it_and_takes_posts_only(server, assisted):
    assert server.client.post("/mcp", json={}).status_code == 404
    assert assisted.client.get("/mcp").status_code == 405
    assert assisted.client.post("/mcp", json={}, headers={"host": "evil.example.com"}).status_code == 403
    assert assisted.client.post("/mcp", json={}, headers={"origin": "https://evil.example.com"}).status_code == 403


@pytest.mark.thorough
def test_a_key_is_needed_and_a_request_counts_once_for_it(start_server, tmp_path):
    keys = write(tmp_path / "keys", f"one:{KEY} requests=1 characters_per_day=60\n".encode())
    with running(start_server, "--mcp", "--api-keys-file", str(keys), "--log-level", "debug") as server:
        assert server.client.post("/mcp", json={}).status_code == 401

        async def work(client):
            await call(client, "speak", text=TEXT)
            await call(client, "speak", text=TEXT)
            assert "characters left" in await refusal(client, "speak", text=TEXT)
            assert "jobs" in await refusal(client, "read_document", text=TEXT)
            assert (await client.list_resources()).resources == []

        talk(f"{server.url}/mcp", work, headers=bearer(KEY))
        assert not any("assistant" in line for line in server.log), "a caller's text is in the log"


# On standard input and output.


@pytest.fixture
def program(small_cache, tmp_path):
    """The command as a program, on a machine whose player writes a file."""
    player = tmp_path / "bin" / "paplay"
    player.parent.mkdir()
    player.write_text(f'#!/bin/sh\ncat > "{tmp_path}/played"\n')
    player.chmod(0o755)

    def start(*arguments, **environment):
        return StdioServerParameters(
            command=sys.executable,
            args=["-m", "service", "mcp", "--cache-dir", str(small_cache), *arguments],
            env={**os.environ, "PATH": f"{player.parent}:{os.environ['PATH']}", **environment},
        )

    return start


@pytest.mark.thorough
@ERAS
def test_a_program_plays_writes_files_and_replaces_none(program, tmp_path, mode):
    async def work(client):
        (said,) = (await call(client, "speak", text=TEXT)).content
        assert "played" in said.text
        played = (tmp_path / "played").read_bytes()
        file = tmp_path / "hello.wav"
        (said,) = (await call(client, "speak", text=TEXT, output="file", file=str(file))).content
        assert str(file) in said.text
        with wave.open(str(file)) as written:
            assert written.readframes(written.getnframes()) == played
        assert "is not replaced" in await refusal(client, "speak", text=TEXT, output="file", file=str(file))
        assert "must end" in await refusal(client, "speak", text=TEXT, output="file", file=str(tmp_path / "a.sh"))
        (audio,) = (await call(client, "speak", text=TEXT, output="audio")).content
        info = soundfile.info(io.BytesIO(base64.b64decode(audio.data)))
        assert info.duration == pytest.approx(len(played) / 48_000, abs=0.1)
        book, output = tmp_path / "book.md", tmp_path / "book.m4b"
        book.write_text("# One\n\nHello.\n")
        job = structured(await call(client, "read_document", file=str(book), title="A book"))
        told = await until_done(client, job["id"], file=str(output))
        assert (told["state"], told["file"]) == ("done", str(output))
        assert output.read_bytes()[4:8] == b"ftyp"
        assert "cannot be read" in await refusal(client, "read_document", file=str(tmp_path / "none.md"))
        assert "a file or a text" in await refusal(client, "read_document")

    talk(program("--data-dir", str(tmp_path / "jobs")), work, mode)


@pytest.mark.thorough
def test_a_program_asks_a_service_that_runs_or_says_that_there_is_none(program, secured):
    async def work(client):
        (audio,) = (await call(client, "speak", text=TEXT, output="audio")).content
        assert audio.data

    key = KEYS[0]
    talk(program("--server", secured.url, KOKORO_API_KEY=key), work)

    async def alone(client):
        assert "kokoro-service serve" in await refusal(client, "list_voices")

    talk(program("--server", "http://127.0.0.1:9"), alone)


@pytest.mark.thorough
def test_a_program_that_cannot_load_the_model_says_why(program, tmp_path):
    async def work(client):
        assert "cannot start" in await refusal(client, "speak", text=TEXT)

    talk(program("--model", str(tmp_path / "none.onnx")), work)


def test_without_the_extra_it_names_the_command_that_adds_it(monkeypatch):
    monkeypatch.setattr("service.__main__.is_installed", lambda name: name != "mcp")
    assert "extra mcp" in complaint("mcp")
    monkeypatch.setattr("service.api.app.is_installed", lambda name: name != "mcp")
    assert "extra mcp" in complaint("serve", "--mcp")
