"""The commands and the Python of README.md, and the messages and the client of docs/websocket.md, are so."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import wave
from typing import Annotated

import pytest
import soundfile
from pydantic import Field, TypeAdapter

from service.api.websocket import messages


@pytest.mark.own_server
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_waits_for_a_service_that_starts_and_saves_speech(start_server, repository, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    text = (repository / "README.md").read_text(encoding="utf-8").replace("localhost:8880", f"127.0.0.1:{port}")
    with subprocess.Popen(re.search(r"^curl .*$", text, re.MULTILINE).group(), shell=True, cwd=tmp_path) as waiting:
        server = start_server("--port", port)
        assert waiting.wait(300) == 0
    found = soundfile.info(tmp_path / "hello.wav")
    assert found.samplerate == 24_000 < found.frames
    assert server.stop() == 0


def test_no_command_of_the_documents_saves_an_error(repository):
    n_commands = 0
    for page in (repository / "README.md", *(repository / "docs").glob("*.md")):
        for command in re.findall(r"^curl .*$", page.read_text(encoding="utf-8").replace("\\\n", " "), re.MULTILINE):
            if " -o " in command:
                assert re.match(r"curl -fsSN? ", command), f"{page.name}: {command}"
                n_commands += 1
    assert n_commands >= 5


def test_python_saves_and_plays_speech(repository, server, tmp_path):
    """The player is a stand-in that keeps what it gets."""
    readme = (repository / "README.md").read_text(encoding="utf-8").replace("http://localhost:8880", server.url)
    player = tmp_path / "aplay"
    player.write_text('#!/bin/sh\ncat > "$PLAYED"\n')
    player.chmod(0o755)
    played = tmp_path / "played"
    snippets = re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert len(snippets) == 2
    for snippet in snippets:
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PLAYED": str(played)}
        subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, env=environment, check=True)
    samples, _ = soundfile.read(tmp_path / "hello.mp3")
    assert len(samples) > 12_000
    assert played.stat().st_size > 48_000


@pytest.fixture(scope="module")
def guide(repository):
    return (repository / "docs" / "websocket.md").read_text(encoding="utf-8")


def test_every_message_of_the_guide_is_one_and_none_is_missing(guide):
    to_service = re.findall(r'^\| `(\{"type".*?\})` \|', guide, re.MULTILINE)
    from_service = re.findall(r'^\{"type".*\}$', guide, re.MULTILINE)
    told = {messages.from_client(example).type for example in to_service}
    answers = TypeAdapter(Annotated[messages.FromServer, Field(discriminator="type")])
    for example in from_service:
        answer = answers.validate_json(example)
        assert answer.model_dump(mode="json", exclude_none=True) == json.loads(example)
        told.add(answer.type)
    assert told == {
        *("config", "text", "flush", "cancel", "end"),
        *("ready", "audio", "skipped", "flushed", "cancelled", "done", "error"),
    }


def test_the_client_of_the_guide_writes_what_it_is_told(server, guide, tmp_path):
    client = re.search(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)[1]
    file = tmp_path / "out.wav"
    url = server.url.replace("http", "ws") + "/synthesize/stream"
    finished = subprocess.run(
        [sys.executable, "-c", client, url, file], input="Good day.\nAnd good night.\n",
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    assert finished.stderr == ""
    *chunks, done = [json.loads(line) for line in finished.stdout.splitlines()]
    assert [word["text"] for chunk in chunks for word in chunk["words"]] == ["Good", "day", "And", "good", "night"]
    with wave.open(str(file)) as audio:
        assert audio.getnframes() / audio.getframerate() == done["duration_s"]
