"""The application: routes, middleware, error answers, and the model's life."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio.to_thread
from fastapi import FastAPI

from service import __version__
from service.api import error_answers
from service.api.admin.router import router as admin_router
from service.api.dialogue.router import router as dialogue_router
from service.api.elevenlabs.refusals import ERROR_SHAPE as ELEVENLABS_SHAPE
from service.api.elevenlabs.router import ROUTERS as ELEVENLABS_ROUTERS
from service.api.error_answers import ErrorShape
from service.api.jobs.router import JOBS
from service.api.jobs.router import router as jobs_router
from service.api.middleware import protection
from service.api.middleware.access_log import AccessLog
from service.api.middleware.limits import BodyLimit, BodyTimeout
from service.api.middleware.methods import Methods
from service.api.middleware.security_headers import SecurityHeaders
from service.api.openai.error_shape import OPENAI_SHAPE
from service.api.openai.router import dev_router
from service.api.openai.router import router as openai_router
from service.api.openapi import describe
from service.api.page.router import router as page_router
from service.api.piper.router import router as piper_router
from service.api.state import ServiceState
from service.api.synthesize.router import router as synthesize_router
from service.api.websocket.router import router as websocket_router
from service.api.wyoming.address import read_address
from service.api.wyoming.connection import IN_PARTS, WHOLE
from service.api.wyoming.door import Door as WyomingDoor
from service.errors import NotReadyError, SettingsError, StartupError
from service.extras import advice, is_installed
from service.settings import Settings

_SWITCH_S = 0.001
"""How long a thread may run Python while others wait, such as the event loop's. Python's default,
5 ms, delays each answer several times."""

# The last ones take what those before them leave: `/v1/models`, and WebSockets nowhere.
_ROUTERS = (
    admin_router,
    synthesize_router,
    dialogue_router,
    *ELEVENLABS_ROUTERS,
    piper_router,
    openai_router,
    dev_router,
    websocket_router,
    jobs_router,
)

ERROR_SHAPES: dict[str, ErrorShape] = {
    "/v1": OPENAI_SHAPE,
    "/dev": OPENAI_SHAPE,
    "/v1/text-to-speech": ELEVENLABS_SHAPE,
    "/v1/text-to-dialogue": ELEVENLABS_SHAPE,
    "/v1/voices": ELEVENLABS_SHAPE,
    "/v2/voices": ELEVENLABS_SHAPE,
}
"""By the beginning of their paths, the doors whose errors do not have the service's own shape."""


def create_app(
    settings: Settings,
    stop: Callable[[Exception | None], None] | None = None,
    tell_ready: Callable[[], None] = lambda: None,
) -> FastAPI:
    """Make the application.

    Args:
        settings: of the service.
        stop: called if the server should stop: with an error if the model cannot be loaded or
            Wyoming cannot be served, with None if the client at standard input has left. Such a
            server starts at once, and answers `/health` while the model is loaded. Any other one
            (None) starts when the model speaks, or fails to start.
        tell_ready: called when the model speaks.

    Raises:
        StartupError: the settings contradict each other, or a file that they name cannot be used.
    """
    routers = (page_router, *_ROUTERS) if settings.page else _ROUTERS
    routes = [route for router in routers for route in router.routes]
    paths = {str(getattr(route, "path_format", "")) for route in routes}
    state = ServiceState(settings, paths | {"/openapi.json", "/mcp", WHOLE, IN_PARTS})
    wyoming = read_address(settings)

    if wyoming is not None and stop is None:
        raise SettingsError("wyoming is served by `kokoro-service serve` only")

    async def load() -> None:
        # It takes a tenth of a second, which would block the event loop later.
        await anyio.to_thread.run_sync(app.openapi)
        await anyio.to_thread.run_sync(state.load)
        state.idleness.count()
        await state.jobs.start(state.synthesizer)
        tell_ready()

    async def load_or_stop(stop: Callable[[Exception | None], None]) -> None:
        try:
            await load()
        except NotReadyError:
            pass  # the service was stopped meanwhile
        except Exception as error:  # handed on: it must stop the server, not this task
            stop(error)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        sys.setswitchinterval(_SWITCH_S)
        try:
            async with AsyncExitStack() as stack:
                if assistants is not None:
                    await stack.enter_async_context(assistants.open())
                if stop is None:
                    await load()
                else:
                    tasks = await stack.enter_async_context(anyio.create_task_group())
                    try:
                        if wyoming is not None:
                            door = WyomingDoor(state, wyoming, stop)
                            await stack.enter_async_context(door.open())
                        tasks.start_soon(load_or_stop, stop)
                    except StartupError as error:  # before the model is loaded for nothing
                        stop(error)
                yield
                await state.drain()
        finally:
            await anyio.to_thread.run_sync(state.close)

    app = FastAPI(
        title="Kokoro text-to-speech",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,  # it would lead to whatever host the caller names; see `Methods`
        docs_url=None,  # it would load scripts from another host
        redoc_url=None,
        # FastAPI's own would record messages of exceptions; see `service.api.telemetry`.
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    app.state.service = state
    for router in routers:
        app.include_router(router)
    assistants = None
    if settings.mcp:
        if not is_installed("mcp"):
            raise StartupError(f"mcp needs the extra mcp: {advice('mcp')}")
        from service.api.mcp.door import Door as AssistantsDoor  # the SDK takes half a second

        assistants = AssistantsDoor(app, state.max_body_bytes)
        app.router.routes.append(assistants.route)
    error_answers.install(app, ERROR_SHAPES)
    app.add_middleware(Methods, routes=[*routes, *app.routes])
    app.add_middleware(
        BodyLimit,
        max_bytes=state.max_body_bytes,
        of_paths={JOBS: settings.max_document_bytes},
    )
    app.add_middleware(BodyTimeout, receive_timeout_s=settings.receive_timeout_s)
    protection.install(app, settings, state.callers, is_hosted=stop is None)
    app.add_middleware(AccessLog, service=state)
    app.add_middleware(SecurityHeaders)

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe(
                app,
                max_text_length=settings.max_text_length,
                asks_for_key=state.callers.keys is not None,
                open_lists=not settings.private_lists,
            )
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents
    return app
