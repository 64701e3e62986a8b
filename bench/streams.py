"""Listening to a server: when speech starts, when it is whole, and whether it ever breaks off.

Audio is asked for as raw int16 samples at 24 kHz, so that every byte is sound. A player that starts
with the first bytes and plays at the speed of life runs dry where the next bytes come later than
what it has lasts; it then waits for them, and goes on.
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
"""Pause before a request: threads of the run before it still spin for some time."""

_TIMEOUT_S = 600
_AT_ONCE_S = 0.005
"""Parts that are no further apart were sent at once: long ones come in several reads."""


@dataclass(frozen=True)
class Service:
    """How a server is asked.

    Attributes:
        path: of the request.
        text_field: where its body has the text.
        body: the rest of it.
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
    """What came of a request.

    Attributes:
        first_s: seconds from asking to the first byte of audio.
        whole_s: to the last.
        audio_s: length of the audio.
        gap_s: the longest time that a player was dry.
        dry_s: all of them together.
        reserve_s: the least audio that a player still had when more came; 0 where it was dry,
            infinite where all came at once.
    """

    first_s: float
    whole_s: float
    audio_s: float
    gap_s: float
    dry_s: float
    reserve_s: float


def heard(arrivals: Sequence[tuple[float, int]]) -> Heard:
    """Say how an answer sounded.

    Args:
        arrivals: seconds since asking, and bytes, of each part of it; in order, at least one.
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
    """Have clients ask for texts; see `listen_to`."""
    bodies = [{service.text_field: text, "stream": stream} for text in texts]
    return listen_to(service, port, bodies, n_clients=n_clients)


def listen_to(
    service: Service, port: int, bodies: Sequence[Mapping[str, object]], *, n_clients: int = 1
) -> list[Heard]:
    """Have clients ask, all from the same moment, each again as soon as its last is answered.

    Args:
        service: how the server is asked.
        port: where it listens.
        bodies: of the requests, with what they have besides the service's own body.
        n_clients: who share the requests.

    Raises:
        ChildError: the server refused.
        httpx.HTTPError: it went away.
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
            told = (await response.aread()).decode(errors="replace")
            raise ChildError(f"the server answered {response.status_code} to {path}: {told}")
        parts = [
            (time.perf_counter() - start, len(part)) async for part in response.aiter_raw() if part
        ]
    return heard(parts)
