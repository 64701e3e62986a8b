"""The audio that answers must have."""

from __future__ import annotations

import io

import httpx
import numpy as np
import soundfile

from bench.load.clients import Outcome
from bench.load.speech_requests import TEXTS, SpeechRequest
from service.model.kokoro import SAMPLE_RATE_HZ

_MP3_MORE = 1105 + 622
"""How many samples more a streamed MP3 may have; see `service.audio.streaming`."""


class Checker:
    """Knows the right audio of each text, and finds answers that differ from it."""

    def __init__(self, right: dict[str, np.ndarray]) -> None:
        self._right = right

    def audio_s(self, outcome: Outcome) -> float:
        """Return the length of the right audio."""
        return float(self._right[outcome.request.text].size) / SAMPLE_RATE_HZ

    def problem(self, outcome: Outcome) -> str | None:
        """Return what is wrong with a complete answer; None if it is right."""
        right = self._right[outcome.request.text]
        audio_format = outcome.request.audio_format
        streamed = outcome.request.stream
        if not outcome.content:
            return "empty"
        if audio_format == "flac" and streamed:
            return None if _is_streamed_flac(outcome.content, right) else "other samples"
        samples = decode(outcome.content, audio_format)
        more = samples.size - right.size
        if audio_format == "mp3" and streamed:
            return None if 0 <= more <= _MP3_MORE else f"{more} samples more"
        if more:
            return f"{more} samples more"
        if audio_format in ("pcm", "wav", "flac") and not np.array_equal(samples, right):
            return "other samples"
        return None


def decode(content: bytes, audio_format: str) -> np.ndarray:
    """Return int16 samples, [n]."""
    if audio_format == "pcm":
        return np.frombuffer(content, "<i2")
    samples, rate = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate == SAMPLE_RATE_HZ
    return np.asarray(samples)


def right_audio(url: str, speed: float = 1.0) -> dict[str, np.ndarray]:
    """Request each text alone, and return its int16 samples by text."""
    right = {}
    with httpx.Client(base_url=url, timeout=600) as client:
        for text in TEXTS:
            body = SpeechRequest(text, "pcm", False, speed).body()
            response = client.post("/synthesize", json=body)
            response.raise_for_status()
            samples = np.frombuffer(response.content, "<i2")
            duration_s = float(response.headers["x-duration-s"])
            assert samples.size == round(duration_s * SAMPLE_RATE_HZ)
            right[text] = samples
    return right


def _is_streamed_flac(content: bytes, right: np.ndarray) -> bool:
    """Tell whether a FLAC has these samples and no more.

    A stream leaves the number of samples open (bytes 22 to 25), and libsndfile needs it.
    """

    def read(n_samples: int) -> np.ndarray | None:
        numbered = content[:22] + n_samples.to_bytes(4, "big") + content[26:]
        try:
            return decode(numbered, "flac")
        except soundfile.SoundFileError:
            return None

    samples = read(right.size)
    return samples is not None and np.array_equal(samples, right) and read(right.size + 1) is None
