"""docs/websocket.md: its messages and its client."""

import json
import re
import subprocess
import sys
import wave
from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter

from service.api.websocket import messages


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
        [sys.executable, "-c", client, url, file],
        input="Good day.\nAnd good night.\n",
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert finished.stderr == ""
    *chunks, done = [json.loads(line) for line in finished.stdout.splitlines()]
    assert [word["text"] for chunk in chunks for word in chunk["words"]] == ["Good", "day", "And", "good", "night"]
    with wave.open(str(file)) as audio:
        assert audio.getnframes() / audio.getframerate() == done["duration_s"]
