"""Answers with audio: streamed, or sent when they are complete."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator, Mapping, Sequence

from fastapi import Response
from starlette.types import Receive, Scope, Send

from service.api.job import AnswerMemory, SpeechJob
from service.api.patience import send_patiently
from service.api.rendering import Rendering
from service.api.state import ServiceState
from service.errors import CancelledError
from service.speech import AudioSegment, Delivery, Plan, Synthesizer, Utterance
from service.text import Ignored

_PART_BYTES = 32_768
"""Size of a write; a client that reads in real time takes one in 0.7 s."""


_DROPPED_TOLD = 32
"""Parts of the text that the headers `X-Dropped` and `X-Ignored` list. Proxies limit headers to a
few kilobytes."""

_LONGEST_NAMES = 64
_UNPRINTED = re.compile(r"[^A-Za-z0-9_.:? \-]")


class SpeechResponse(Response):
    """Synthesize an utterance and send it.

    Headers are sent with the first part of the body, so an error before that has its own answer.
    An error after that breaks the connection.

    Args:
        service: the state of the service.
        utterance: what to say.
        delivery: how to deliver it.
        rendering: how to write it.
        headers: of the door's own, by lower-case name.
        synthesizer: of the model that was chosen; default: the server's own.
    """

    def __init__(
        self,
        service: ServiceState,
        utterance: Utterance,
        delivery: Delivery,
        rendering: Rendering,
        headers: Mapping[str, str] | None = None,
        synthesizer: Synthesizer | None = None,
    ) -> None:
        super().__init__(media_type=rendering.media_type)
        self._own_headers = dict(headers or {})
        self._service = service
        self._utterance = utterance
        self._delivery = delivery
        self._rendering = rendering
        self._synthesizer = synthesizer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request."""
        rendering = self._rendering
        synthesizer = self._synthesizer or self._service.require().synthesizer
        # In HTTP/1.0 a stream ends when the connection closes, so clients could not detect an
        # error in the middle. There a stream is sent when it is complete.
        streams = rendering.streams and scope["http_version"] != "1.0"
        job = SpeechJob(
            self._service,
            synthesizer,
            self._utterance,
            self._delivery,
            self._parts,
            memory=AnswerMemory(rendering.bytes_per_s, is_whole=not streams),
        )
        scope["state"]["statistics"] = job.statistics
        async with job:
            watch = asyncio.ensure_future(_watch(receive, job))
            try:
                await self._send(send, job, synthesizer, streams=streams)
            finally:
                watch.cancel()

    def _parts(
        self, plan: Plan, segments: Generator[AudioSegment, None, None]
    ) -> Generator[bytes, None, None]:
        self._rendering.coverage = plan.coverage
        return self._rendering.parts(segments)

    async def _send(
        self, send: Send, job: SpeechJob[bytes], synthesizer: Synthesizer, *, streams: bool
    ) -> None:
        parts = aiter(job)
        first = await anext(parts)
        if not streams:
            first = b"".join([first, *[part async for part in parts]])
        statistics = job.statistics
        headers = {
            "content-type": self.media_type or "",
            "x-sample-rate-hz": str(self._rendering.sample_rate_hz),
            "x-execution-provider": synthesizer.model.provider,
            **self._own_headers,
        }
        if dropped := self._rendering.coverage.dropped:
            headers["x-dropped"] = _spans(dropped)
        if ignored := self._rendering.coverage.ignored:
            headers["x-ignored"] = _ignored(ignored)
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
        await self._send_part(send, first, job)
        async for part in parts:
            await self._send_part(send, part, job)
        await send({"type": "http.response.body", "body": b""})

    async def _send_part(self, send: Send, part: bytes, job: SpeechJob[bytes]) -> None:
        for start in range(0, len(part), _PART_BYTES):
            # The deadline may pass, or the client leave, after all is spoken.
            job.check()
            body = part[start : start + _PART_BYTES]
            message = {"type": "http.response.body", "body": body, "more_body": True}
            await send_patiently(send(message), self._service.settings.send_timeout_s)


def _spans(dropped: Sequence[tuple[int, int]]) -> str:
    told = [f"{start}-{end}" for start, end in dropped[:_DROPPED_TOLD]]
    return ", ".join([*told, "..."] if len(dropped) > _DROPPED_TOLD else told)


def _ignored(ignored: Sequence[Ignored]) -> str:
    """Return what is ignored in one line of ASCII: `prosody contour 1:8, audio 2:1`."""
    told = []
    for one in ignored[:_DROPPED_TOLD]:
        printable = _UNPRINTED.sub("?", one.names[:_LONGEST_NAMES])
        told.append(f"{printable} {one.line}:{one.column}")
    return ", ".join([*told, "..."] if len(ignored) > _DROPPED_TOLD else told)


async def _watch(receive: Receive, job: SpeechJob[bytes]) -> None:
    """Cancel the job when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    job.cancel(CancelledError("the client has disconnected"))
