"""Clients of a server: when audio starts, when it is complete, and whether playback has gaps.

Clients request raw int16 samples at 24 kHz, so that every byte is audio. A player starts at the
first bytes and plays in real time. It runs dry when it has played all that has arrived; then it
waits for the next bytes and goes on.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx

from bench.processes import ChildError

BYTES_PER_S = 48_000
SETTLE_S = 0.3
"""Pause before a request, since threads still spin after the run before it."""

_TIMEOUT_S = 600
_AT_ONCE_S = 0.005
"""Parts that arrive within this time were sent at once; long ones take several reads."""


@dataclass(frozen=True)
class Service:
    """How requests to a server look.

    Attributes:
        path: path of the endpoint.
        text_field: field of the body for the text.
        body: the other fields.
    """

    path: str
    text_field: str
    body: dict[str, object]


OURS = Service("/synthesize", "text", {"format": "pcm", "voice": "af_heart"})
FASTKOKORO = Service(
    "/v1/audio/speech",
    "input",
    {"model": "kokoro", "voice": "af_heart", "lang": "en-us", "response_format": "pcm"},
)


@dataclass(frozen=True)
class Heard:
    """The answer to a request, as a player hears it.

    Attributes:
        first_s: seconds from the request to the first byte of audio.
        whole_s: seconds from the request to the last byte.
        audio_s: length of the audio.
        gap_s: the longest gap of playback.
        dry_s: the sum of all gaps.
        reserve_s: the least audio that a player had left when more arrived; 0 if it was dry,
            infinite if all audio arrived at once.
    """

    first_s: float
    whole_s: float
    audio_s: float
    gap_s: float
    dry_s: float
    reserve_s: float


def heard(arrivals: Sequence[tuple[float, int]]) -> Heard:
    """Return how a player hears an answer.

    Args:
        arrivals: seconds since the request, and number of bytes, of each part; in order, at least
            one.
    """
    gaps, reserve_s = [0.0], math.inf
    last_at = played_until = arrivals[0][0]
    for at, n_bytes in arrivals:
        gaps.append(max(0.0, at - played_until))
        if at - last_at > _AT_ONCE_S:
            reserve_s = min(reserve_s, max(0.0, played_until - at))
        last_at, played_until = at, max(played_until, at) + n_bytes / BYTES_PER_S
    audio_s = sum(n_bytes for _, n_bytes in arrivals) / BYTES_PER_S
    return Heard(arrivals[0][0], last_at, audio_s, max(gaps), sum(gaps), reserve_s)


def listen(
    service: Service, port: int, texts: Sequence[str], *, stream: bool, n_clients: int = 1
) -> list[Heard]:
    """Have clients request texts; see `listen_to`."""
    bodies = [{service.text_field: text, "stream": stream} for text in texts]
    return listen_to(service, port, bodies, n_clients=n_clients)


def listen_to(
    service: Service, port: int, bodies: Sequence[Mapping[str, object]], *, n_clients: int = 1
) -> list[Heard]:
    """Have clients share requests; all start at once, and send the next one after each answer.

    Args:
        service: how requests look.
        port: port of the server.
        bodies: fields of each request besides those of the service.
        n_clients: number of clients.

    Raises:
        ChildError: the server refused a request.
        httpx.HTTPError: the server went away.
    """
    return asyncio.run(_listen_all(service, port, bodies, n_clients))


async def _listen_all(
    service: Service, port: int, bodies: Sequence[Mapping[str, object]], n_clients: int
) -> list[Heard]:
    waiting = list(bodies)
    found: list[Heard] = []

    async def work(client: httpx.AsyncClient) -> None:
        while waiting:
            body = {**service.body, **waiting.pop()}
            found.append(await _listen(client, service.path, body))

    url = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=url, timeout=_TIMEOUT_S) as client:
        await asyncio.gather(*(work(client) for _ in range(n_clients)))
    return found


async def _listen(client: httpx.AsyncClient, path: str, body: dict[str, object]) -> Heard:
    start = time.perf_counter()
    async with client.stream("POST", path, json=body) as response:
        if response.status_code != httpx.codes.OK:
            reason = (await response.aread()).decode(errors="replace")
            raise ChildError(f"the server answered {response.status_code} to {path}: {reason}")
        parts = [
            (time.perf_counter() - start, len(part)) async for part in response.aiter_raw() if part
        ]
    return heard(parts)
