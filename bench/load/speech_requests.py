"""What clients request."""

from __future__ import annotations

from dataclasses import dataclass

TEXTS = (
    "Yes, of course.",
    "The birch canoe slid on the smooth planks.",
    "It costs $5.50 at 10:30, Dr. Smith said; nobody believed him.",
    "Rice is often served in round bowls. The juice of lemons makes fine punch. The box was thrown "
    "beside the parked truck, and four hours of steady work faced us.",
)
FORMATS = ("pcm", "wav", "flac", "mp3", "opus")
LONG = " ".join(TEXTS[1:])


@dataclass(frozen=True)
class SpeechRequest:
    """One request for speech."""

    text: str
    audio_format: str
    stream: bool
    speed: float = 1.0

    def body(self) -> dict[str, object]:
        return {
            "text": self.text,
            "format": self.audio_format,
            "stream": self.stream,
            "chunking": "early",
            "speed": self.speed,
        }


REQUESTS = tuple(
    SpeechRequest(text, audio_format, stream)
    for text in TEXTS
    for audio_format in FORMATS
    for stream in (False, True)
    if not (stream and audio_format == "wav")
)
SHORT = tuple(request for request in REQUESTS if request.text in TEXTS[:2])
