"""Clients of Wyoming, by the events of the package that Home Assistant uses, with texts to say to them."""

import socket
import struct
from contextlib import suppress
from urllib.parse import urlsplit

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import read_event, write_event
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeVoice

from tests.service.api.speech_socket import TIMEOUT_S

SHORT = "Good day."
LONG = " ".join(["The birch canoe slid on the smooth planks, and nobody saw it go."] * 12)

IN_PARTS = ["audio-start", "audio-chunk", "audio-stop", "synthesize-stopped"]
"""The kinds of events that a text in parts is answered by."""


def connect(uri):
    address = urlsplit(uri)
    if address.scheme == "tcp":
        return socket.create_connection((address.hostname, address.port), TIMEOUT_S)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(TIMEOUT_S)
    connection.connect(address.path)
    return connection


class Talk:
    """A client at an address, or at its end of a connection; `heard` has every event that came."""

    def __init__(self, end):
        self.socket = connect(end) if isinstance(end, str) else end
        self._file = self.socket.makefile("rwb")
        self.heard = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with suppress(OSError):  # what the other side does not take any more
            self._file.close()
        self.socket.close()

    def abort(self):
        """Leave without the courtesy of a FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def send(self, *events):
        self.send_event(*(event.event() for event in events))

    def send_event(self, *events):
        for event in events:
            write_event(event, self._file)

    def send_raw(self, content):
        self.socket.sendall(content)

    def receive(self):
        event = read_event(self._file)
        assert event is not None, "the connection is closed"
        self.heard.append(event)
        return event

    def until(self, kind):
        while (event := self.receive()).type != kind:
            pass
        return event

    def until_closed(self):
        while (event := read_event(self._file)) is not None:
            self.heard.append(event)

    def ask(self, *events, until="audio-stop"):
        """Send events; return the samples of the speech that answers them."""
        n_before = len(self.heard)
        self.send(*events)
        self.until(until)
        return pcm(self.heard[n_before:])

    def say(self, text, **voice):
        return self.ask(whole(text, **voice))

    def say_in_parts(self, *parts, **voice):
        """Have a text synthesized as Home Assistant does; return its samples.

        Read: PyPI homeassistant 2026.11.0 (components/wyoming/tts.py), PyPI wyoming 1.10.2.
        """
        events = (start(**voice), *map(SynthesizeChunk, parts), whole("".join(parts)), SynthesizeStop())
        return self.ask(*events, until="synthesize-stopped")

    @property
    def kinds(self):
        """The types of what was heard, with runs of chunks as one."""
        kinds = []
        for event in self.heard:
            if not (AudioChunk.is_type(event.type) and kinds[-1:] == [event.type]):
                kinds.append(event.type)
        return kinds

    @property
    def n_bytes(self):
        return sum(len(event.payload or b"") for event in self.heard)

    @property
    def error(self):
        return Error.from_event([event for event in self.heard if event.type == "error"][-1])


def whole(text, **voice):
    return Synthesize(text, SynthesizeVoice(**voice) if voice else None)


def start(**voice):
    return SynthesizeStart(SynthesizeVoice(**voice) if voice else None)


def pcm(events):
    """Return the samples of events, which begin and end as they must and tell the right times."""
    (begin,) = (AudioStart.from_event(event) for event in events if AudioStart.is_type(event.type))
    chunks = [AudioChunk.from_event(event) for event in events if AudioChunk.is_type(event.type)]
    (stop,) = (AudioStop.from_event(event) for event in events if AudioStop.is_type(event.type))
    n_bytes = 0
    for chunk in (begin, *chunks):
        assert (chunk.rate, chunk.width, chunk.channels) == (24_000, 2, 1)
        assert chunk.timestamp == n_bytes * 1000 // 48_000
        n_bytes += len(chunk.audio) if isinstance(chunk, AudioChunk) else 0
    assert stop.timestamp == n_bytes * 1000 // 48_000
    return b"".join(chunk.audio for chunk in chunks)


def read_out(connection):
    """Read until the server closes, or breaks, the connection."""
    with suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass
