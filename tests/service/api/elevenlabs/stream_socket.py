"""A client of ElevenLabs' WebSockets, which adds up the clock as pipecat does."""

import base64
import json
from itertools import pairwise
from typing import NamedTuple

from tests.service.api.speech_socket import TIMEOUT_S, JsonSocket

VOICE = "hpp4J3VqNfWAUOO0d1Us"
PIPECAT = "model_id=eleven_flash_v2_5&output_format=pcm_24000&auto_mode=true"


class Character(NamedTuple):
    """A character, and when it starts and ends in the speech of its context, in milliseconds."""

    text: str
    start_ms: int
    end_ms: int


class Heard:
    """What a context has said: its audio and its characters."""

    def __init__(self):
        self.audio = b""
        self.characters = []
        self.n_messages = 0
        self.clock_ms = 0
        self.is_final = False
        self.ignored = []
        self.words = []

    @property
    def text(self):
        return "".join(character.text for character in self.characters)

    def add(self, message, *, in_one_time):
        assert not self.is_final, "a message after the last"
        self.is_final = message["isFinal"] is True
        if self.is_final:
            assert message["audio"] is None
            return
        self.n_messages += 1
        self.ignored += message.get("ignored", [])
        self.audio += base64.b64decode(message["audio"], validate=True)
        alignment = message["alignment"]
        assert alignment == message["normalizedAlignment"]
        if alignment is None:
            return
        origin_ms = 0 if in_one_time else self.clock_ms
        self.words += [_later(word, origin_ms / 1000) for word in message.get("words", ())]
        times = (alignment["charStartTimesMs"], alignment["charDurationsMs"])
        for text, start_ms, duration_ms in zip(alignment["chars"], *times, strict=True):
            assert min(start_ms, duration_ms) >= 0
            start_ms += origin_ms
            self.characters.append(Character(text, start_ms, start_ms + duration_ms))
        self.clock_ms = self.characters[-1].end_ms

    def word_starts(self):
        """Return the words between spaces, and when they start, in milliseconds."""
        words = []
        for before, character in pairwise([Character(" ", 0, 0), *self.characters]):
            if before.text.isspace() and not character.text.isspace():
                words.append((character.text, character.start_ms))
            elif not character.text.isspace():
                words[-1] = (words[-1][0] + character.text, words[-1][1])
        return words


def _later(word, seconds):
    times = {name: round(word[name] + seconds, 3) for name in ("start_s", "end_s")}
    parts = {name: [_later(part, seconds) for part in word[name]] for name in ("visemes", "phonemes") if name in word}
    return {**word, **times, **parts}


class StreamSocket(JsonSocket):
    """Talks to `stream-input`, or with contexts to `multi-stream-input`."""

    def __init__(self, url, voice_id="af_heart", query="output_format=pcm_24000", headers=None, *, multi=False):
        name = "multi-stream-input" if multi else "stream-input"
        self._in_one_time = "sync_alignment=true" in query
        super().__init__(f"{url}/v1/text-to-speech/{voice_id}/{name}?{query}", headers)
        self.heard = {}
        self.errors = []

    def send(self, **fields):
        self.socket.send(json.dumps(fields))

    def receive(self):
        message = json.loads(self.socket.recv(TIMEOUT_S))
        if "error" in message:
            self.errors.append(message)
        else:
            self.heard.setdefault(message.get("contextId"), Heard()).add(message, in_one_time=self._in_one_time)
        return message

    def until_final(self, context_id=None):
        """Receive up to the last message of a context; return what it has said, and forget it."""
        while context_id not in self.heard or not self.heard[context_id].is_final:
            self.receive()
        return self.heard.pop(context_id)

    def say(self, *texts):
        """Say texts, and that this is the end; return what was heard when the socket is closed in good order."""
        for text in (*texts, ""):
            self.send(text=text)
        assert self.until_closed() == 1000
        return self.heard[None]

    def close(self):
        """Ask for the end; receive everything that is left of a session in good order."""
        self.send(close_socket=True)
        assert self.until_closed() == 1000


def pipecat(server, query=PIPECAT):
    return StreamSocket(server.url, VOICE, query, {"xi-api-key": "anything"}, multi=True)


def open_context(socket, context_id, **settings):
    """Open a context as pipecat and livekit do."""
    socket.send(text=" ", voice_settings=settings, context_id=context_id)
