"""Clients that send one request after the other."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

from bench.load.speech_requests import SpeechRequest

_TIMEOUT_S = 600
_EARLY_S = 0.3


@dataclass
class Outcome:
    """What a request gave: its audio, or nothing if the client disconnected."""

    request: SpeechRequest
    content: bytes = b""
    first_audio_s: float = 0.0
    left: bool = False


@dataclass
class Round:
    """What all requests of a number of clients gave."""

    n_clients: int
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)


async def send_one(
    client: httpx.AsyncClient, request: SpeechRequest, leaves_after: int | None
) -> Outcome:
    """Send a request and read its answer.

    Args:
        client: sends it.
        request: what is sent.
        leaves_after: bytes of the answer after which the client disconnects; 0 means before the
            answer, None means never.

    Raises:
        httpx.HTTPError: the server refused the request, or went away.
    """
    outcome = Outcome(request)
    start = time.perf_counter()
    body = request.body()
    if leaves_after == 0:
        try:
            await asyncio.wait_for(client.post("/synthesize", json=body), _EARLY_S)
        except asyncio.TimeoutError:
            outcome.left = True
            return outcome
    async with client.stream("POST", "/synthesize", json=body) as response:
        response.raise_for_status()
        parts: list[bytes] = []
        async for part in response.aiter_raw():
            if not parts:
                outcome.first_audio_s = time.perf_counter() - start
            parts.append(part)
            if leaves_after is not None and sum(map(len, parts)) >= leaves_after:
                outcome.left = True
                return outcome
    outcome.content = b"".join(parts)
    return outcome


async def send_all(
    url: str, n_clients: int, requests: Sequence[SpeechRequest], *, leavers: bool
) -> Round:
    """Have clients share the requests; each sends its next one as soon as it has an answer.

    Args:
        url: of the server.
        n_clients: how many there are.
        requests: what they send.
        leavers: whether a client disconnects in every third request.
    """
    result = Round(n_clients)
    waiting = list(enumerate(requests))
    chance = random.Random(n_clients)

    async def work(client: httpx.AsyncClient) -> None:
        while waiting:
            number, request = waiting.pop()
            leaves_after = None
            if leavers and number % 3 == 2:
                leaves_after = chance.choice((0, 1, 20_000))
            result.outcomes.append(await send_one(client, request, leaves_after))

    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=_TIMEOUT_S, limits=limits) as client:
        start = time.perf_counter()
        await asyncio.gather(*(work(client) for _ in range(n_clients)))
        result.seconds = time.perf_counter() - start
    return result


def run_all(
    url: str, n_clients: int, requests: Sequence[SpeechRequest], *, leavers: bool = False
) -> Round:
    """Do as `send_all` does, in an event loop of its own."""
    return asyncio.run(send_all(url, n_clients, requests, leavers=leavers))
