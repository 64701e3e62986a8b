"""How evenly a server serves clients that stream at the same time."""

from __future__ import annotations

import asyncio
import re
import time

import httpx

from bench.load.speech_requests import LONG


async def share(url: str, n_clients: int) -> tuple[float, int, list[float]]:
    """Stream a long text to some clients at once.

    Returns:
        The share of the audio that the slowest client has when the first client has all of it; the
        largest number of chunks by which a client was ahead of another; and the time to first audio
        of each client, in seconds.
    """
    body = {"text": LONG, "stream": True, "format": "pcm", "timestamps": "word"}
    n_events = [0] * n_clients
    audio_s = [0.0] * n_clients
    first_s = [0.0] * n_clients
    lead = 0
    at_first_end: list[float] = []
    start = time.perf_counter()

    async def listen(client: httpx.AsyncClient, number: int) -> None:
        nonlocal lead
        async with client.stream("POST", "/synthesize", json=body) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                if line == "event: audio":
                    first_s[number] = first_s[number] or time.perf_counter() - start
                    n_events[number] += 1
                    lead = max(lead, n_events[number] - min(n_events))
                elif line.startswith("data: ") and (found := re.search(r'"end_s":([0-9.]+)', line)):
                    # The chunk's own end comes first in a line; the ends of its words follow.
                    audio_s[number] = float(found.group(1))
                elif line == "event: done" and not at_first_end:
                    at_first_end.append(min(audio_s) / audio_s[number])

    async with httpx.AsyncClient(base_url=url, timeout=600) as client:
        await asyncio.gather(*(listen(client, number) for number in range(n_clients)))
    return at_first_end[0], lead, first_s
