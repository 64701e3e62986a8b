"""speech-dispatcher itself, without a sound card: ALSA writes what it plays into a file.

Debian's package is speech-dispatcher, of 0.11 or newer; without it these tests are skipped.
"""

import os
import random
import shutil
import socket
import subprocess

import numpy as np
import pytest

from service.screen_readers.output_module import install
from tests.service.screen_readers.module_process import TIMEOUT_S

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("speech-dispatcher"), reason="needs Debian's package speech-dispatcher"),
]

ALSA = """\
pcm.!default {{ type file file "{played}" format raw slave.pcm {{ type null }} }}
ctl.!default {{ type null }}
"""
LONG = "The birch canoe slid on the smooth planks, and nobody knew how long that would go on. " * 3


class Dispatcher:
    """A speech-dispatcher of its own, and a client of its protocol, SSIP."""

    def __init__(self, folder, server):
        self.played = folder / "played"
        self.address = folder / "socket"
        (folder / ".asoundrc").write_text(ALSA.format(played=self.played))
        settings, log = folder / "settings", folder / "log"
        settings.mkdir()
        log.mkdir()
        program = install(server.url, folder / "modules")
        (settings / "speechd.conf").write_text(
            f'LogLevel 3\nAudioOutputMethod "alsa"\nAudioALSADevice "default"\nDefaultVolume 100\n'
            f'AddModule "kokoro" "{program}" ""\nDefaultModule kokoro\n'
        )
        self.environment = {**os.environ, "HOME": str(folder), "SPEECHD_ADDRESS": f"unix_socket:{self.address}"}
        self.process = subprocess.Popen(
            ["speech-dispatcher", "-s", "-t", "0", "-C", settings, "-L", log, "-S", self.address, "-P", folder / "pid"],
            env=self.environment,
            stderr=subprocess.DEVNULL,
        )
        self.log = log
        self._client = None

    def connect(self):
        """Connect as a client that hears of all events."""
        self._client = socket.socket(socket.AF_UNIX)
        self._client.settimeout(TIMEOUT_S)
        while True:
            assert self.process.poll() is None, "speech-dispatcher ended"
            try:
                self._client.connect(str(self.address))
                break
            except OSError:
                os.sched_yield()
        self._lines = self._client.makefile("rb")
        for setting in ("CLIENT_NAME me:test:main", "OUTPUT_MODULE kokoro", "NOTIFICATION ALL ON", "SSML_MODE ON"):
            assert self.ask(f"SET SELF {setting}")[0] == 2, setting
        return self

    def _reply(self):
        """Return the code and the lines of what comes next."""
        lines = []
        while True:
            line = self._lines.readline().decode().rstrip("\r\n")
            assert line, f"speech-dispatcher ended:\n{self.told()}"
            lines.append(line[4:])
            if line[3] == " ":
                return int(line[:3]), lines

    def ask(self, command):
        """Return the answer to a command: its class, and its lines; events that come first are kept."""
        self._client.sendall(f"{command}\r\n".encode())
        while True:
            code, lines = self._reply()
            if code < 700:
                return code // 100, lines
            self.events.append((code, lines))

    events: list

    def speak(self, document):
        """Queue a document; return the id of its message."""
        self.events = []
        assert self.ask("SPEAK")[0] == 2
        kind, lines = self.ask(f"{document}\r\n.")
        assert kind == 2, lines
        return lines[0]

    def until(self, *codes):
        """Return the codes of the events of the message up to one of these: 701 begins, 702 ends, 703 is stopped."""
        while not set(codes) & {code for code, _ in self.events}:
            self.events.append(self._reply())
        return [code for code, _ in self.events]

    def told(self):
        return "\n".join(file.read_text(errors="replace")[-3000:] for file in self.log.rglob("*.log"))

    def close(self):
        if self._client is not None:
            self._client.close()
        self.process.terminate()
        self.process.wait(TIMEOUT_S)


@pytest.fixture(scope="module")
def dispatcher(server, tmp_path_factory):
    dispatcher = Dispatcher(tmp_path_factory.mktemp("speechd"), server)
    try:
        yield dispatcher.connect()
    finally:
        dispatcher.close()


def samples(dispatcher):
    return np.fromfile(dispatcher.played, "<i2") if dispatcher.played.exists() else np.zeros(0, "<i2")


def test_spd_say_is_heard(dispatcher):
    before = samples(dispatcher).size
    for arguments in (
        ["Hello from a screen reader."],
        ["-r", "100", "-p", "50", "Quick."],
        ["-C", "A"],
        ["-m", "all", "a, b."],
    ):
        done = subprocess.run(
            ["spd-say", "-w", "-o", "kokoro", *arguments],
            env=dispatcher.environment, capture_output=True, text=True, timeout=TIMEOUT_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    heard = samples(dispatcher)[before:]
    assert heard.size > 24_000, dispatcher.told()
    assert np.abs(heard).max() > 1000
    listed = subprocess.run(
        ["spd-say", "-o", "kokoro", "-L"], env=dispatcher.environment, capture_output=True, text=True
    )
    assert "af_heart" in listed.stdout


def test_marks_come_in_order(dispatcher):
    names = [f"m{n}" for n in range(5)]
    dispatcher.speak("<speak>" + "".join(f'Words. <mark name="{name}"/>' for name in names) + "</speak>")
    assert 703 not in dispatcher.until(702, 703), dispatcher.told()
    assert [lines[2] for code, lines in dispatcher.events if code == 700] == names


def test_two_hundred_texts_are_spoken_or_stopped_and_none_hangs(dispatcher):
    draw = random.Random(57)
    n_stopped = n_ended = 0
    for _ in range(200):
        text = draw.choice(["button", "checked", LONG, "Well, <mark name='m'/>yes."])
        dispatcher.speak(f"<speak>{text}</speak>")
        if text is LONG or draw.random() < 0.2:
            # Before its beginning speech-dispatcher stops what is before it.
            if text is LONG or draw.random() < 0.5:
                dispatcher.until(701)
            assert dispatcher.ask("STOP SELF")[0] == 2
        codes = dispatcher.until(702, 703)
        n_stopped, n_ended = n_stopped + (703 in codes), n_ended + (702 in codes)
    assert min(n_stopped, n_ended) > 30
    before = samples(dispatcher).size
    dispatcher.speak("<speak>It still speaks.</speak>")
    assert 702 in dispatcher.until(702, 703)
    assert samples(dispatcher).size > before
