"""What the replayed clients share: requests sent byte for byte, and audio that is heard.

A replay sends the headers that the client's source sets and no others, so that nothing depends on
what another HTTP library would have added.
"""

import http.client
import io
import json
import os
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np
import soundfile

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"
PROGRAMS = Path(__file__).with_name("programs")
STAND_INS = Path(__file__).with_name("stand_ins")
CLIENTS = REPOSITORY / ".venv" / "clients"
"""The environment of the clients that have one of their own."""

PYTHON = CLIENTS / "bin" / "python"

KEY = "sk-kokoro-0123456789abcdef"
ORIGIN = "https://chat.example.com"
"""Of a web page that `keyed` lets in."""

TEXT = "One moment, please."
LONG = "One moment, please. The kettle is on, and the tea will be ready in a minute."
PUNCTUATION = "..."
"""What splitting a text into sentences often leaves."""

RATE_HZ = 24_000

JSON = {"Content-Type": "application/json"}


def bearer(key=KEY):
    return {"Authorization": f"Bearer {key}"}


class Reply(NamedTuple):
    """An answer; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media_type(self):
        return self.headers["content-type"].partition(";")[0]

    def json(self):
        return json.loads(self.body)


@contextmanager
def replaying(server, method, path, headers, body=None):
    """Send a request; lend the answer, of which nothing but the head is read.

    Args:
        server: to ask.
        method: of the request.
        path: with the query.
        headers: all but Host and Content-Length.
        body: bytes, or what becomes JSON.
    """
    url = httpx.URL(server.url)
    with closing(http.client.HTTPConnection(url.host, url.port, timeout=300)) as connection:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        if body is not None:
            connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content if body is not None else None)
        yield connection.getresponse()


def replay(server, method, path, headers, body=None):
    """Send a request and read the answer to its end."""
    with replaying(server, method, path, headers, body) as response:
        names = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, names, response.read())


def hear_pcm(content, rate_hz=RATE_HZ):
    """Return int16 samples that hold a sentence: loud enough, and neither short nor endless."""
    samples = np.frombuffer(content, "<i2")
    assert 0.5 * rate_hz < samples.size < 30 * rate_hz
    assert np.abs(samples.astype(int)).max() > 3_000
    return samples


def hear(content, rate_hz=RATE_HZ):
    """Return the samples of a sentence in WAV, FLAC, MP3 or Ogg Opus."""
    samples, found_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert found_hz == rate_hz
    return hear_pcm(samples.tobytes(), rate_hz)


def hear_aac(content):
    """Return the samples of a sentence in AAC."""
    import av

    with av.open(io.BytesIO(content), format="aac") as container:
        frames = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
    samples = np.concatenate(frames)
    return hear_pcm((samples * 32_767).clip(-32_768, 32_767).astype("<i2").tobytes())


def run_program(program, *arguments, paths=()):
    """Run a program in the environment of the clients; return what it prints.

    Args:
        program: to run.
        arguments: of the program.
        paths: of modules that are not installed.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [str(PYTHON), str(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def hear_file(path):
    """Return the samples of a WAV file with a sentence."""
    return hear(path.read_bytes())
