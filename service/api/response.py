"""The answer that is speech: made in a thread, sent while it is made or when it is whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator

from fastapi import Response
from starlette.types import Receive, Scope, Send

from service.api.patience import send_patiently
from service.api.production import produce
from service.api.rendering import Rendering
from service.api.request_statistics import RequestStatistics
from service.api.state import Ready, ServiceState
from service.errors import CancelledError, DeadlineError
from service.model.kokoro import SAMPLE_RATE_HZ
from service.speech import LONGEST_CHUNK_S, Cancellation, Delivery, Utterance

_PART_BYTES = 32_768
"""Sent at a time; a client that reads at the pace of speech takes one in 0.7 s."""

_PARTS_HELD = 2
"""Of a stream: one is sent while the next is made."""


class SpeechResponse(Response):
    """Say an utterance and send it.

    Nothing is sent before the first part of the body is there, so that everything that can go
    wrong until then has its own answer. What goes wrong later breaks the connection.

    Args:
        service: the state of the service.
        utterance: what to say.
        delivery: how.
        rendering: how to write it.
    """

    def __init__(
        self,
        service: ServiceState,
        utterance: Utterance,
        delivery: Delivery,
        rendering: Rendering,
    ) -> None:
        super().__init__(media_type=rendering.media_type)
        self._service = service
        self._utterance = utterance
        self._delivery = delivery
        self._rendering = rendering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request."""
        service = self._service
        ready = service.require()
        statistics = scope["state"]["statistics"] = RequestStatistics()
        # The only sign of an end in HTTP/1.0 is that the connection closes, which breaking it is
        # too: there a stream is sent when it is complete.
        streams = self._rendering.streams and scope["http_version"] != "1.0"

        likely_s = self._utterance.likely_s

        def held_bytes() -> int:
            audio_s = max(likely_s, statistics.audio_s)
            if streams:
                audio_s = min(audio_s, _PARTS_HELD * LONGEST_CHUNK_S)
            return round(audio_s * self._rendering.bytes_per_s)

        with (
            service.admission.request(held_bytes),
            Cancellation() as cancellation,
            service.admission.cancellable(cancellation),
        ):
            watch = asyncio.ensure_future(_watch(receive, cancellation))
            limit = asyncio.get_running_loop().call_later(
                service.settings.deadline_s,
                cancellation.cancel,
                DeadlineError(f"the speech took longer than {service.settings.deadline_s:g} s"),
            )
            parts = self._parts(ready, cancellation, statistics)
            # Whoever is stopped by us has nothing to say any more.
            over = CancelledError("the answer is over")
            try:
                async with produce(
                    service.executor, parts, lambda: cancellation.cancel(over)
                ) as made:
                    await self._send(send, made, ready, statistics, cancellation, streams=streams)
            finally:
                limit.cancel()
                watch.cancel()

    def _parts(
        self, ready: Ready, cancellation: Cancellation, statistics: RequestStatistics
    ) -> Generator[bytes, None, None]:
        synthesizer = ready.synthesizer
        plan = synthesizer.plan(self._utterance, self._delivery)
        statistics.planned(self._utterance, plan)
        chunks = statistics.counted(synthesizer.stream(plan, cancellation))
        yield from self._rendering.parts(chunks)

    async def _send(
        self,
        send: Send,
        made: AsyncIterator[bytes],
        ready: Ready,
        statistics: RequestStatistics,
        cancellation: Cancellation,
        *,
        streams: bool,
    ) -> None:
        first = await anext(made)
        if not streams:
            first = b"".join([first, *[part async for part in made]])
        headers = {
            "content-type": self.media_type or "",
            "x-sample-rate-hz": str(SAMPLE_RATE_HZ),
            "x-execution-provider": ready.synthesizer.model.provider,
        }
        if streams:
            headers |= {"x-accel-buffering": "no"}  # nginx would wait for more
        else:
            headers |= {
                "content-length": str(len(first)),
                "x-duration-s": f"{statistics.audio_s:.6f}",
                "x-chunk-count": str(statistics.n_chunks),
                "x-compute-s": f"{statistics.compute_s:.6f}",
            }
            headers |= {"x-cache": statistics.cache} if statistics.cache else {}
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": encoded})
        statistics.sent()
        await self._send_part(send, first, cancellation)
        async for part in made:
            await self._send_part(send, part, cancellation)
        await send({"type": "http.response.body", "body": b""})

    async def _send_part(self, send: Send, part: bytes, cancellation: Cancellation) -> None:
        for start in range(0, len(part), _PART_BYTES):
            # All may be spoken already, and the time be over, or nobody there any more.
            cancellation.check()
            body = part[start : start + _PART_BYTES]
            message = {"type": "http.response.body", "body": body, "more_body": True}
            await send_patiently(send(message), self._service.settings.send_timeout_s)


async def _watch(receive: Receive, cancellation: Cancellation) -> None:
    """Cancel when the client goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    cancellation.cancel(CancelledError("the client went away"))
