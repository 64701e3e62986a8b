"""What tests with the official client share."""

import io
import json

import openai
import soundfile

KEY = "sk-kokoro-0123456789abcdef"
HEADERS = {"authorization": f"Bearer {KEY}"}
TEXT = "One moment, please."
SHORT = "Yes."


def connect(server, **options):
    return openai.OpenAI(base_url=f"{server.url}/v1", **{"api_key": KEY, "max_retries": 0, **options})


def create(client, **fields):
    fields = {"model": "tts-1", "voice": "alloy", "input": TEXT, **fields}
    return client.audio.speech.create(**fields).content


def read_events(content):
    """Return the data of server-sent events, which must end with the mark that ends them."""
    *events, end, rest = content.decode().split("\n\n")
    assert (end, rest) == ("data: [DONE]", "")
    return [json.loads(event.removeprefix("data: ")) for event in events]


def decode(content):
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate_hz == 24_000
    assert samples.ndim == 1
    return samples


def heard(audio_format, content):
    """Return the bytes, or for Opus the samples: each of its streams has a serial number of its own."""
    return decode(content).tobytes() if audio_format == "opus" else content
