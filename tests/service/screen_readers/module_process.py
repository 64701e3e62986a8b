"""An output module as a process, and what speech-dispatcher would hear of it."""

import queue
import subprocess
import sys
import threading
from typing import NamedTuple

TIMEOUT_S = 240
"""Only a guard: who waits for longer hangs."""

FLAGS = ("-m", "service", "speech-dispatcher")


class Event(NamedTuple):
    """What comes: an answer or an event by its code, its lines, and the samples of one with audio."""

    code: int
    lines: tuple
    pcm: bytes = b""


class OutputModule:
    """Speaks the protocol with a module. Reading goes on in a thread, as in speech-dispatcher."""

    def __init__(self, server, *arguments):
        command = [sys.executable, *FLAGS, "--server", server, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._events = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        assert self.ask("INIT").lines[-1] == "OK LOADED SUCCESSFULLY"
        assert self.ask("AUDIO").code == 207
        assert self.ask("audio_output_method=server\n.").code == 203
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.process.kill()
        elif self.process.poll() is None:
            self.send("QUIT")
            assert self.until(210)[-1].lines == ("OK QUIT",)
            assert self.process.wait(TIMEOUT_S) == 0
        self.process.stdin.close()
        self.process.wait(TIMEOUT_S)

    def _read(self):
        lines = []
        with self.process.stdout as stream:
            while line := stream.readline():
                code, kind, rest = int(line[:3]), line[3:4], line[4:-1]
                if kind == b"-":
                    lines.append(rest)
                    continue
                pcm = b""
                if code == 705:
                    pcm = _unescaped(lines.pop().removeprefix(b"AUDIO\0"))
                told = (*(line.decode() for line in lines), rest.decode())
                self._events.put(Event(code, told, pcm))
                lines = []
        self._events.put(None)

    def send(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def next(self):
        event = self._events.get(timeout=TIMEOUT_S)
        assert event is not None, "the module ended"
        return event

    def ask(self, *lines):
        self.send(*lines)
        return self.next()

    def until(self, *codes):
        """Return the events up to one with a code."""
        events = [self.next()]
        while events[-1].code not in codes:
            events.append(self.next())
        return events

    def set(self, **settings):
        self.send("SET", *(f"{name}={value}" for name, value in settings.items()), ".")
        assert self.next().code == 207
        return self.next().code

    def begin(self, text, kind="SPEAK"):
        """Have a text spoken; return the code of the answer."""
        assert self.ask(kind).code == 202
        lines = [f".{line}" if line.startswith(".") else line for line in text.split("\n")]
        return self.ask(*lines, ".").code

    def say(self, text, kind="SPEAK"):
        """Have a text spoken to its end; return the events."""
        assert self.begin(text, kind) == 200
        return self.until(702, 703, 704)


def pcm_of(events):
    return b"".join(event.pcm for event in events)


def _unescaped(content):
    first, *others = content.split(b"\x7d")
    return first + b"".join(bytes([part[0] ^ 0x20]) + part[1:] for part in others)
