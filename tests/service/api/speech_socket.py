"""A WebSocket session from the client's side, which checks what must hold for every session."""

import json

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

BYTES_PER_SAMPLE = {"pcm_s16le": 2, "mulaw": 1, "alaw": 1}
TIMEOUT_S = 240
"""Only a guard: who waits for longer hangs."""


class JsonSocket:
    """A WebSocket of messages that a subclass receives.

    It sends no pings of its own: they take the random numbers that Hypothesis watches, and would go
    on in a thread where a test leaves the connection as it is.
    """

    def __init__(self, url, headers, **options):
        options = {"open_timeout": TIMEOUT_S, "close_timeout": TIMEOUT_S, "ping_interval": None, **options}
        self._connecting = connect(url.replace("http://", "ws://"), additional_headers=headers, **options)
        self.socket = self._connecting.__enter__()

    def until_closed(self):
        """Receive everything that is left, and return the code of the close."""
        try:
            while True:
                self.receive()
        except ConnectionClosed as closed:
            return 1006 if closed.rcvd is None else closed.rcvd.code

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._connecting.__exit__(kind, error, trace)


def refused(connect, *arguments, **options):
    """Return the answer to a handshake that is not taken."""
    with pytest.raises(InvalidStatus) as caught, connect(*arguments, **options):
        pass
    found = caught.value.response
    return httpx.Response(found.status_code, headers=[*found.headers.raw_items()], content=bytes(found.body or b""))


class SpeechSocket(JsonSocket):
    """Talks to `/synthesize/stream`; `received` holds each message, speech with its bytes `pcm`."""

    def __init__(self, url, headers=None, **options):
        super().__init__(f"{url}/synthesize/stream", headers, compression=None, max_size=None, **options)
        self.text = ""
        self.received = []
        self._span_end = 0
        self._sent_s = 0.0
        self._bytes_per_s = 48_000

    def send(self, kind, **fields):
        self.socket.send(json.dumps({"type": kind, **fields}))

    def say(self, *parts):
        for part in parts:
            self.text += part
            self.send("text", text=part)

    def receive(self):
        content = self.socket.recv(TIMEOUT_S)
        assert isinstance(content, str), "speech without a message before it"
        message = json.loads(content)
        if message["type"] == "ready":
            self._bytes_per_s = BYTES_PER_SAMPLE[message["format"]] * message["sample_rate_hz"]
        if message["type"] == "audio":
            message["pcm"] = self._receive_pcm(message["n_bytes"])
            self._check_audio(message)
        if "text_start" in message:
            assert self._span_end <= message["text_start"] <= message["text_end"] <= len(self.text)
            self._span_end = message["text_end"]
        self.received.append(message)
        return message

    def until(self, kind):
        while True:
            message = self.receive()
            if message["type"] == kind:
                return message

    def exchange(self, kind, answer, **fields):
        self.send(kind, **fields)
        return self.until(answer)

    def finish(self):
        """Say that this is the end; return `done`, the last message of a session in good order."""
        self.send("end")
        assert self.until_closed() == 1000
        done = self.received[-1]
        assert done["type"] == "done"
        assert done["text_end"] == len(self.text)
        assert done["duration_s"] == round(self._sent_s, 6)
        return done

    def of(self, *kinds):
        return [message for message in self.received if message["type"] in kinds]

    @property
    def kinds(self):
        return [message["type"] for message in self.received]

    @property
    def pcm(self):
        return b"".join(message["pcm"] for message in self.of("audio"))

    def _receive_pcm(self, n_bytes):
        frames = []
        while sum(map(len, frames)) < n_bytes:
            frame = self.socket.recv(TIMEOUT_S)
            assert isinstance(frame, bytes), "a message amid speech"
            frames.append(frame)
        pcm = b"".join(frames)
        assert len(pcm) == n_bytes
        return pcm

    def _check_audio(self, message):
        assert message["start_s"] == round(self._sent_s, 6)
        self._sent_s += len(message["pcm"]) / self._bytes_per_s
        assert message["end_s"] == round(self._sent_s, 6)
        assert len(set(message["pcm"])) > 1
        time_s, place = message["start_s"], message["text_start"]
        for word in message["words"]:
            assert place <= word["text_start"] < word["text_end"] <= message["text_end"]
            assert word["text"] == self.text[word["text_start"] : word["text_end"]]
            assert time_s <= word["start_s"] < message["end_s"]
            assert word["start_s"] <= word["end_s"]
            time_s, place = word["end_s"], word["text_end"]


def seconds(n_bytes):
    """Return how long the audio lasts that a session sends if it is not asked for other."""
    return round(n_bytes / 48_000, 6)
