"""The commands and the Python of README.md do what it says."""

import os
import re
import shutil
import socket
import subprocess
import sys

import pytest
import soundfile


@pytest.fixture
def readme(repository, server):
    """Its text, about the server of the tests."""
    text = (repository / "README.md").read_text(encoding="utf-8")
    assert text.count("localhost:8880") == 4
    return text.replace("http://localhost:8880", server.url).replace(
        "localhost:8880", server.url.removeprefix("http://")
    )


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


def test_python_saves_and_plays_speech(readme, tmp_path):
    """The player is a stand-in that keeps what it gets."""
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
