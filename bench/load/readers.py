"""Clients that only have long texts phonemized."""

from __future__ import annotations

import asyncio
import time

import httpx

from bench.load.health import probing
from bench.load.speech_requests import LONG
from bench.processes import ask, server

READINGS = 4
"""Texts of each client."""


def readers(n_clients: int) -> tuple[list[str], bool]:
    """Request /health while clients have long texts phonemized, which is work of Python."""
    text = f"{LONG} " * 20

    async def read() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=600) as client:
            for number in range(READINGS):
                # The number makes each text new to the server.
                fields = {"text": f"{text}{number}"}
                (await client.post("/phonemize", json=fields)).raise_for_status()

    async def read_all() -> None:
        await asyncio.gather(*(read() for _ in range(n_clients)))

    with server() as (_process, port):
        url = f"http://127.0.0.1:{port}"
        asyncio.run(read())
        with probing(port) as prober:
            start = time.perf_counter()
            asyncio.run(read_all())
            seconds = time.perf_counter() - start
            n_probes, *times = ask(prober).split()
    return [
        f"{n_clients} clients, {READINGS} texts of {len(text):,} characters each, "
        f"{n_clients * READINGS * len(text) / seconds:,.0f} characters per second. /health was "
        f"requested {n_probes} times: p50 / p99 / worst {' / '.join(times)} ms."
    ], True
