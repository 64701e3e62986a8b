"""Whether two servers answer the same requests with the same bytes.

    python -m bench.identity URL_BEFORE URL_AFTER

Start a server from each of two versions on one machine and name both. Each gets the same 40
requests over voices, languages, speeds, formats, endpoints and ways of decoding. Audio must be
equal bit for bit, word times and subtitles character for character. The exit status is 1 if an
answer differs, and 2 if a server refuses one. Opus is compared decoded, since every Ogg stream has
a serial number of its own. No stream is decoded whole: the length of its first chunk depends on how
fast the server was when it started. Another processor may round differently, so both servers run on
the same one. Takes 3 minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import soundfile
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from bench.command import exit_status
from bench.processes import ChildError

_TIMEOUT_S = 600

SHORT = "Good morning! Your train leaves at 9:45 from platform 3."
LONG = (
    "The committee, which had met every Tuesday since 1987, decided on March 3rd that Dr. Smith's "
    "proposal - all 240 pages of it - would cost $1.5 million. Nevertheless it was accepted: three "
    "members voted for it, two against. What would you have done? "
)

TEXTS = {
    "es": "El próximo tren sale a las 9:45 y cuesta 12,50 €.",
    "fr": "Le 14 juillet, il a mangé 3 pommes et bu 2 cafés.",
    "hi": "नमस्ते, आज का दिन कैसा है? मेरे पास 25 किताबें हैं।",
    "it": "Buongiorno, la riunione comincia alle 15:30 nella sala 4.",
    "ja": "こんにちは、今日は2026年11月23日です。",
    "pt-br": "Bom dia! A reunião começa às 15h e custa R$ 20.",
    "zh": "你好，今天是2026年11月23日，天气很好。",
    "en-gb": "The colour of the schedule isn't clear, is it? Half past 10, then.",
}
VOICES = {
    "es": "ef_dora", "fr": "ff_siwis", "hi": "hf_alpha", "it": "if_sara", "ja": "jf_alpha",
    "pt-br": "pm_alex", "zh": "zf_xiaobei", "en-gb": "bf_emma",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A request.

    Attributes:
        path: of the endpoint; the WebSocket's is a session that says the text of `body`.
        body: its JSON.
    """

    path: str
    body: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Return the fields in short."""
        fields = {
            key: f"{value[:24]}..." if isinstance(value, str) and len(value) > 27 else value
            for key, value in self.body.items()
        }
        return f"{self.path} {json.dumps(fields, ensure_ascii=False)}"


def cases() -> Iterator[Case]:
    """Yield the requests, 40 of them."""
    for language, text in TEXTS.items():
        spoken = {"text": text, "voice": VOICES[language]}
        yield Case("/synthesize", {**spoken, "format": "wav"})
        yield Case("/synthesize", {**spoken, "format": "pcm", "stream": True})
    for voice, audio_format in zip(
        ("af_heart", "am_michael", "bm_george", "af_bella(2)+af_sky(1)"),
        ("flac", "mp3", "opus", "pcm"),
        strict=True,
    ):
        yield Case("/synthesize", {"text": SHORT, "voice": voice, "format": audio_format})
        yield Case(
            "/synthesize", {"text": LONG, "voice": voice, "format": audio_format, "stream": True}
        )
    for decoding in ("whole", "windows"):
        yield Case("/synthesize", {"text": LONG, "decoding": decoding})
        yield Case("/synthesize", {"text": LONG, "decoding": decoding, "speed": 0.8})
    yield Case("/synthesize", {"text": LONG * 4, "speed": 2.0})
    yield Case("/synthesize", {"phonemes": "həlˈO, wˈɜɹld.", "speed": 0.6})
    yield Case("/synthesize", {"text": LONG, "timestamps": "phoneme"})
    yield Case("/synthesize", {"text": LONG, "timestamps": "word", "stream": True, "format": "pcm"})
    yield Case("/synthesize", {"text": LONG, "format": "srt"})
    yield Case(
        "/synthesize",
        {"text": "<speak>Wait.<break time='700ms'/> <prosody rate='slow'>Go!</prosody></speak>",
         "ssml": True},
    )  # fmt: skip
    yield Case("/synthesize", {"text": "[Kokoro](/kˈOkəɹO/) says: [pause:0.5s] hello."})
    openai = {"model": "tts-1", "input": SHORT}
    yield Case("/v1/audio/speech", {**openai, "voice": "alloy", "response_format": "wav"})
    yield Case("/v1/audio/speech", {**openai, "voice": "nova", "response_format": "pcm"})
    yield Case("/phonemize", {"text": LONG})
    yield Case(WEBSOCKET, {"text": LONG, "voice": "af_heart"})
    yield Case(WEBSOCKET, {"text": TEXTS["fr"], "voice": "ff_siwis", "timestamps": "word"})


WEBSOCKET = "/synthesize/stream"


def answer(url: str, case: Case) -> bytes:
    """Return what a server answers, without what differs from one answer to the next.

    Raises:
        ChildError: it refuses, or cannot be reached.
    """
    try:
        if case.path == WEBSOCKET:
            return _said_in_session(url, case.body)
        response = httpx.post(url + case.path, json=case.body, timeout=_TIMEOUT_S)
    except (httpx.HTTPError, OSError, WebSocketException) as error:
        raise ChildError(f"{url} does not answer {case.name}: {error}") from error
    if response.status_code != 200:
        raise ChildError(f"{url} refuses {case.name}: {response.text}")
    if "opus" in case.body.values():
        samples, _ = soundfile.read(io.BytesIO(response.content), dtype="int16")
        return bytes(samples.tobytes())
    return response.content


def _said_in_session(url: str, body: Mapping[str, Any]) -> bytes:
    fields = dict(body)
    text = fields.pop("text")
    address = url.replace("http", "ws", 1) + WEBSOCKET
    with connect(address, max_size=None, open_timeout=_TIMEOUT_S) as session:
        for message in (
            {"type": "config", **fields},
            {"type": "text", "text": text},
            {"type": "end"},
        ):
            session.send(json.dumps(message))
        received = [part if isinstance(part, bytes) else _lasting(part) for part in session]
    return b"\n".join(received)


def _lasting(message: str) -> bytes:
    """Remove the times and the session id from a message."""
    fields = json.loads(message)
    told = {key: fields[key] for key in fields if key in ("type", "start_s", "end_s", "words")}
    return json.dumps(told).encode()


def compare(
    ask: Callable[[str, Case], bytes], before: str, after: str, requests: Iterator[Case]
) -> Iterator[tuple[Case, str, str]]:
    """Yield every request with the hash of both answers, as soon as they are there."""
    for case in requests:
        first, second = (hashlib.sha256(ask(url, case)).hexdigest() for url in (before, after))
        yield case, first, second


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.identity", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("before", metavar="URL_BEFORE")
    parser.add_argument("after", metavar="URL_AFTER")
    options = parser.parse_args(arguments)

    def is_same() -> bool:
        n_equal = n_all = 0
        for case, first, second in compare(answer, options.before, options.after, cases()):
            n_all += 1
            n_equal += first == second
            print(f"{'equal' if first == second else 'DIFFERS'} {first[:12]} {case.name}")
        print(f"{n_equal} of {n_all} answers are equal")
        return n_equal == n_all

    return exit_status(is_same)


if __name__ == "__main__":
    sys.exit(main())
