"""ElevenLabs' WebSockets: text comes in while it is written, speech goes out while it is made."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.websockets import WebSocket

from service.api.elevenlabs.stream_options import StreamOptions
from service.api.elevenlabs.stream_session import StreamSession
from service.api.request_statistics import RequestStatistics
from service.api.socket_session import serve_session
from service.api.state import ServiceState
from service.speech import Synthesizer

router = APIRouter(tags=["elevenlabs"])


@router.websocket("/v1/text-to-speech/{voice_id}/stream-input")
async def stream_input(websocket: WebSocket, voice_id: str) -> None:
    """Serve a session with one text."""
    await _serve(websocket, voice_id, has_contexts=False)


@router.websocket("/v1/text-to-speech/{voice_id}/multi-stream-input")
async def multi_stream_input(websocket: WebSocket, voice_id: str) -> None:
    """Serve a session with several texts, each in a context of its own."""
    await _serve(websocket, voice_id, has_contexts=True)


async def _serve(websocket: WebSocket, voice_id: str, *, has_contexts: bool) -> None:
    def opened(
        service: ServiceState,
        synthesizer: Synthesizer,
        request_id: str,
        statistics: RequestStatistics,
    ) -> StreamSession:
        options = StreamOptions.read(
            synthesizer.planner,
            voice_id,
            websocket.query_params,
            auto_ssml="elevenlabs" in service.settings.auto_ssml,
        )
        return StreamSession(
            websocket,
            service,
            synthesizer,
            request_id,
            statistics,
            options,
            has_contexts=has_contexts,
        )

    model = websocket.query_params.get("model_id")
    await serve_session(websocket, lambda service: service.synthesizer_called(model), opened)
