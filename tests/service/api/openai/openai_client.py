"""What tests with the official client share."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import openai
import soundfile

KEY = "sk-kokoro-0123456789abcdef"
TEXT = "One moment, please."
SHORT = "Yes."


def connect(server: Any, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=f"{server.url}/v1", **{"api_key": KEY, "max_retries": 0, **options}
    )


def create(client: openai.OpenAI, **fields: Any) -> bytes:
    fields = {"model": "tts-1", "voice": "alloy", "input": TEXT, **fields}
    return client.audio.speech.create(**fields).content


def read_events(content: bytes) -> list[dict[str, Any]]:
    """Return the data of server-sent events, which must end with the mark that ends them."""
    *events, end, rest = content.decode().split("\n\n")
    assert (end, rest) == ("data: [DONE]", "")
    return [json.loads(event.removeprefix("data: ")) for event in events]


def decode(content: bytes) -> np.ndarray:
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate_hz == 24_000
    assert samples.ndim == 1
    return samples
