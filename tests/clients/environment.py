"""What tests of clients share: where the clients are, and audio that is heard."""

import io
import os
import subprocess
from pathlib import Path

import numpy as np
import soundfile

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"
PROGRAMS = Path(__file__).with_name("programs")
STAND_INS = Path(__file__).with_name("stand_ins")
CLIENTS = REPOSITORY / ".venv" / "clients"
"""The environment of the clients that have one of their own."""

PYTHON, NODE = CLIENTS / "bin" / "python", CLIENTS / "node"

KEY = "sk-kokoro-0123456789abcdef"
ORIGIN = "https://chat.example.com"
"""Of a web page that `keyed` lets in."""

TEXT = "One moment, please."
LONG = "One moment, please. The kettle is on, and the tea will be ready in a minute."
RATE_HZ = 24_000


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


def run_program(program, *arguments, paths=()):
    """Run a program in the environment of the clients, with paths of what is not installed; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [str(PYTHON), str(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
