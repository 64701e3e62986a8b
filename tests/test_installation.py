"""What users get: the wheels in bare environments of every Python here, without a compiler.

`make test-install` builds the wheels and runs this. `WHEELS` is the folder of the wheels, `PYTHONS`
the interpreters, if they are others than the `python3.10` to `python3.14` in PATH.
"""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile

from service.speech import Utterance
from tests.service.api.serving_process import Server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("WHEELS" not in os.environ, reason="make test-install builds the wheels"),
]

TEXT = "Hello from a wheel."
KNOWN = tuple(f"python3.{minor}" for minor in range(10, 15))
COMPILERS = ("cc", "gcc", "clang", "c99", "zig")
OWN_SETTINGS = ("KOKORO_", "PYTHON", "XDG_", "VIRTUAL_ENV", "PIP_CACHE_DIR", "UV_CACHE_DIR")


def interpreters():
    """Return those named, or those of PATH that start: pyenv has scripts there for those it does not start."""
    if "WHEELS" not in os.environ:
        return []
    if named := os.environ.get("PYTHONS", "").split():
        return named
    found = [path for name in KNOWN if (path := shutil.which(name))]
    itself = ("-c", "import sys; print(sys.executable)")
    asked = [subprocess.run([path, *itself], stdout=subprocess.PIPE, text=True, check=False) for path in found]
    return [each.stdout.strip() for each in asked if each.returncode == 0]


class User:
    """Somebody with an empty home, and no program in PATH but those of one folder."""

    def __init__(self, home, programs):
        self.programs = programs
        others = {n: v for n, v in os.environ.items() if not n.startswith(OWN_SETTINGS)}
        self.environment = {**others, "HOME": str(home), "PATH": str(programs)}
        assert not any(home.iterdir())
        assert not [name for name in COMPILERS if shutil.which(name, path=str(programs))]

    def run(self, *command):
        done = subprocess.run(
            command, env=self.environment, cwd=self.environment["HOME"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout


@pytest.fixture(scope="module")
def wheels():
    return Path(os.environ["WHEELS"]).resolve()


@pytest.fixture(scope="module")
def n_samples(synthesizer):
    """Of the text, said by the checkout."""
    return sum(segment.samples.size for segment in synthesizer.stream(synthesizer.plan(Utterance(TEXT))))


def samples_of(wav):
    with soundfile.SoundFile(io.BytesIO(wav) if isinstance(wav, bytes) else wav) as file:
        assert file.samplerate == 24_000
        assert abs(file.read()).max() > 0.1
        return len(file)


@pytest.fixture
def user(tmp_path):
    """With no programs but those that the scripts which uv writes call."""
    for name in ("home", "programs"):
        (tmp_path / name).mkdir()
    for name in ("dirname", "realpath"):
        (tmp_path / "programs" / name).symlink_to(str(shutil.which(name)))
    yield User(tmp_path / "home", tmp_path / "programs")
    shutil.rmtree(tmp_path / "home")  # half a gigabyte


@pytest.fixture(params=interpreters())
def installed(request, tmp_path, wheels):
    """With the programs of an environment that pip has installed the wheels into."""
    subprocess.run([request.param, "-m", "venv", tmp_path / "venv"], check=True)
    (tmp_path / "home").mkdir()
    user = User(tmp_path / "home", tmp_path / "venv/bin")
    user.run(user.programs / "pip", "install", "--find-links", wheels, "kokoro-service")
    yield user
    shutil.rmtree(tmp_path)  # half a gigabyte


def test_pip_installs_all_that_serving_takes(installed, n_samples):
    installed.run(installed.programs / "pip", "check")
    command = installed.programs / "kokoro-service"
    findings = {each["name"]: each for each in json.loads(installed.run(command, "doctor", "--json"))}
    assert not [each for each in findings.values() if each["ok"] is False]
    assert findings["native kernels"]["ok"]
    python = installed.programs / "python"
    server = Server(environment=installed.environment, program=[str(command)], interpreter=python)
    try:
        server.wait_until_ready()
        answer = server.client.post("/synthesize", json={"text": TEXT})
        assert samples_of(answer.raise_for_status().content) == n_samples
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("python", interpreters()[-1:])
def test_uvx_says_a_text_and_needs_no_index_the_second_time(python, user, wheels, tmp_path, n_samples):
    uvx = [Path(sys.executable).with_name("uv"), "tool", "run"]
    for options in ((), ("--offline",)):
        say = ["kokoro-service", "say", TEXT, "-o", tmp_path / "said.wav"]
        user.run(*uvx, *options, "--python", python, "--find-links", wheels, *say)
        assert samples_of(tmp_path / "said.wav") == n_samples


@pytest.mark.parametrize("python", interpreters()[-1:])
def test_pipx_says_a_text(python, user, wheels, tmp_path, n_samples):
    user.run(python, "-m", "venv", tmp_path / "pipx")
    user.run(tmp_path / "pipx/bin/pip", "install", "pipx")
    run = [tmp_path / "pipx/bin/pipx", "run", "--pip-args", f"--find-links {wheels}"]
    for _ in range(2):
        user.run(*run, "kokoro-service", "say", TEXT, "-o", tmp_path / "said.wav")
        assert samples_of(tmp_path / "said.wav") == n_samples
