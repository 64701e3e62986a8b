"""The WebSocket endpoint: text comes in while it is written, speech goes out while it is made."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import cast

from fastapi import APIRouter
from starlette.websockets import WebSocket

from service.api.error_answers import error_answer, service_error_answer
from service.api.request_statistics import RequestStatistics
from service.api.state import ServiceState
from service.api.websocket.session import Session
from service.errors import ServiceError

router = APIRouter()


@router.websocket("/synthesize/stream")
async def synthesize_stream(websocket: WebSocket) -> None:
    """Serve a session; see `service.api.websocket.messages`.

    A session that cannot be accepted is refused with an HTTP answer before the upgrade.
    """
    service = cast("ServiceState", websocket.app.state.service)
    state = websocket.scope["state"]
    with ExitStack() as stack:
        try:
            ready = service.require()
            stack.enter_context(service.admission.session())
        except ServiceError as error:
            await websocket.send_denial_response(service_error_answer(websocket.scope, error))
            return
        await websocket.accept()
        state["statistics"] = statistics = RequestStatistics()
        session = Session(websocket, service, ready, state["request_id"], statistics)
        state["outcome"] = await session.run()
    # A client that does not read the close would keep the connection open for ever.
    asyncio.get_running_loop().call_later(service.settings.send_timeout_s, state["abort"])


@router.websocket("/{path:path}")
async def nowhere(websocket: WebSocket) -> None:
    """Refuse a WebSocket at another path with the usual error body."""
    answer = error_answer(websocket.scope, 404, "not_found", "Not Found")
    await websocket.send_denial_response(answer)
