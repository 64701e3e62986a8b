"""The commands and the Python of README.md do what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import soundfile


@pytest.fixture
def readme(repository: Path, server: Any) -> str:
    """Its text, about the server of the tests."""
    text = (repository / "README.md").read_text(encoding="utf-8")
    assert text.count("localhost:8880") == 4
    return text.replace("http://localhost:8880", server.url).replace(
        "localhost:8880", server.url.removeprefix("http://")
    )


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_saves_speech(readme: str, tmp_path: Path) -> None:
    command = re.search(r"^curl .*$", readme, re.MULTILINE)
    assert command is not None
    subprocess.run(command.group(), shell=True, cwd=tmp_path, check=True)
    samples, rate = soundfile.read(tmp_path / "hello.wav")
    assert rate == 24_000
    assert len(samples) > rate


def test_python_saves_and_plays_speech(readme: str, tmp_path: Path) -> None:
    """The player is a stand-in that keeps what it gets."""
    player = tmp_path / "aplay"
    player.write_text('#!/bin/sh\ncat > "$PLAYED"\n')
    player.chmod(0o755)
    played = tmp_path / "played"
    snippets = re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert len(snippets) == 2
    for snippet in snippets:
        environment = {
            **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PLAYED": str(played),
        }  # fmt: skip
        subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, env=environment, check=True)
    samples, _ = soundfile.read(tmp_path / "hello.mp3")
    assert len(samples) > 12_000
    assert played.stat().st_size > 48_000
