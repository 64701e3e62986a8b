"""Audio as OpenAI's server-sent events."""

from __future__ import annotations

import base64
from collections.abc import Generator, Iterable

from service.api.openai.schemas import SpeechDelta, SpeechDone
from service.api.rendering import AudioInText, server_sent_event
from service.audio import open_encoder
from service.speech import AudioSegment


class SpeechEvents(AudioInText):
    """Server-sent events as OpenAI sends them: `speech.audio.delta`, then `speech.audio.done`."""

    streams = True
    media_type = "text/event-stream"

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write an event for each segment that gives bytes, and the final event."""
        with open_encoder(self._format, self.sample_rate_hz) as encoder:
            for segment in segments:
                yield from _delta(encoder.encode(segment.samples))
            yield from _delta(encoder.finish())
        yield server_sent_event(None, SpeechDone().model_dump_json())


def _delta(audio: bytes) -> Generator[bytes, None, None]:
    if audio:
        delta = SpeechDelta(audio=base64.b64encode(audio).decode())
        yield server_sent_event(None, delta.model_dump_json())
