"""The WebSocket endpoint: text comes in while it is written, speech goes out while it is made."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter
from starlette.websockets import WebSocket

from service.api.error_answers import error_answer
from service.api.socket_session import serve_session
from service.api.websocket.session import Session

router = APIRouter()

SUBPROTOCOL = "kokoro.v1"
"""What a browser offers beside `bearer.KEY`; it would close a session whose offer is not taken."""


@router.websocket("/synthesize/stream")
async def synthesize_stream(websocket: WebSocket) -> None:
    """Serve a session; see `service.api.websocket.messages`."""
    model = websocket.query_params.get("model")
    await serve_session(
        websocket,
        lambda service: service.synthesizer(model),
        partial(Session, websocket),
        SUBPROTOCOL,
    )


@router.websocket("/{path:path}")
async def nowhere(websocket: WebSocket) -> None:
    """Refuse a WebSocket at another path with the usual error body."""
    answer = error_answer(websocket.scope, 404, "not_found", "Not Found")
    await websocket.send_denial_response(answer)
