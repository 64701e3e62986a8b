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
STRANGERS_KEY = "sk-somebody-elses-0123456789"
ORIGIN = "https://chat.example.com"
"""Of a web page that `keyed` lets in."""

TEXT = "One moment, please."
LONG = "One moment, please. The kettle is on, and the tea will be ready in a minute."
PUNCTUATION = "..."
"""What splitting a text into sentences often leaves."""

RATE_HZ = 24_000
JSON = {"Content-Type": "application/json"}
LEFT_OUT = object()
"""The value of a usual field that a request does not have."""

SPEECH = "/v1/audio/speech"
FORMATS = {
    "mp3": ("audio/mpeg", (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")), "pcm": ("audio/pcm", b""),
    "aac": ("audio/aac", (b"\xff\xf1", b"\xff\xf9")), "wav": ("audio/wav", b"RIFF"), "flac": ("audio/flac", b"fLaC"),
    "opus": ("audio/ogg", b"OggS"),
}  # fmt: skip
"""The media type of each format, and how it may begin."""


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
    """Send a request, with Host and Content-Length beside the headers; lend the answer, of which the head is read.

    The body is bytes, or what becomes JSON.
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
    with replaying(server, method, path, headers, body) as response:
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def speaker(headers, key=KEY, path=SPEECH, **usual):
    """Return what speaks as a client does: with its headers and its usual fields, of which others may be given."""

    def say(server, key=key, **fields):
        body = {name: value for name, value in {**usual, **fields}.items() if value is not LEFT_OUT}
        return replay(server, "POST", path, {**headers, **JSON, **({} if key is None else bearer(key))}, body)

    return say


def preflight(server, *names):
    """Ask as a browser does whether a page may send such headers; see that it may."""
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": ",".join(names)}
    reply = replay(server, "OPTIONS", SPEECH, {"Origin": ORIGIN, **asked})
    assert reply.status in (200, 204)
    assert reply.headers["access-control-allow-origin"] == ORIGIN
    assert set(names) <= set(reply.headers["access-control-allow-headers"].lower().split(", "))


def hear_pcm(content, rate_hz=RATE_HZ):
    """Return int16 samples that hold a sentence: loud enough, and neither short nor endless."""
    samples = np.frombuffer(content, "<i2")
    assert 0.5 * rate_hz < samples.size < 30 * rate_hz
    assert np.abs(samples.astype(int)).max() > 3_000
    return samples


def hear(content, rate_hz=RATE_HZ):
    """Return the samples of a sentence in WAV, FLAC, MP3 or Ogg Opus."""
    if content[40:44] == b"\xff\xff\xff\xff":  # which a client takes for "until the end"
        sizes = [(len(content) - n_before).to_bytes(4, "little") for n_before in (8, 44)]
        content = content[:4] + sizes[0] + content[8:40] + sizes[1] + content[44:]
    samples, found_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert found_hz == rate_hz
    return hear_pcm(samples.tobytes(), rate_hz)


def hear_aac(content):
    import av

    with av.open(io.BytesIO(content), format="aac") as container:
        frames = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
    return hear_pcm((np.concatenate(frames) * 32_767).clip(-32_768, 32_767).astype("<i2").tobytes())


def heard(reply):
    """Return the samples of an answer, which begins as its media type does."""
    assert reply.status == 200, reply.body
    ((form, start),) = [(form, start) for form, (kind, start) in FORMATS.items() if kind == reply.media_type]
    assert reply.body.startswith(start)
    return {"pcm": hear_pcm, "aac": hear_aac}.get(form, hear)(reply.body)


def misses(server, say, rows):
    """Return those fields of a client that are not answered with speech in the format of theirs, each with why."""
    missed = []
    for fields in rows:
        try:
            reply = say(server, **fields)
            assert heard(reply).size
            asked = fields.get("response_format")
            assert asked is None or reply.media_type == FORMATS[asked][0]
        except (AssertionError, RuntimeError) as error:  # also those of soundfile
            missed.append((fields, error))
    return missed


def run_program(program, *arguments, paths=()):
    """Run a program in the environment of the clients, with paths of what is not installed; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [str(PYTHON), str(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
