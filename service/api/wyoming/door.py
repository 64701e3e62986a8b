"""Wyoming beside HTTP, in the same process and on the same event loop."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import anyio.to_thread
from wyoming.error import Error
from wyoming.event import Event

from service.api.patience import StalledError
from service.api.state import ServiceState
from service.api.wyoming.address import Address, StdioAddress, TcpAddress
from service.api.wyoming.announcement import announced
from service.api.wyoming.connection import IDLE_S, Connection
from service.api.wyoming.listener import Listener, standard_streams
from service.api.wyoming.program import describe_program
from service.api.wyoming.wire import IdleError, MalformedEventError, Wire
from service.errors import ServiceError
from service.loading import load_voices

logger = logging.getLogger(__name__)


class Door:
    """Serve Wyoming at an address, until the service shuts down.

    Args:
        service: the state of the service.
        address: where clients come in.
        stop: called if the service must stop: with an error if Wyoming cannot be served, with None
            if the client at standard input has left.
    """

    def __init__(
        self,
        service: ServiceState,
        address: Address,
        stop: Callable[[Exception | None], None],
    ) -> None:
        self._service = service
        self._address = address
        self._stop = stop
        self._info = Event("info")

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve within the block; connections that are left at its end are broken off.

        Raises:
            StartupError: the address is in use or does not exist.
        """
        listener: Listener | None = None
        if not isinstance(self._address, StdioAddress):
            # A name may have to be looked up.
            listener = await anyio.to_thread.run_sync(
                Listener, self._address, self._service.connections
            )
        serving = asyncio.ensure_future(self._run(listener))
        try:
            yield
        finally:
            serving.cancel()
            await asyncio.wait([serving])
            if listener is not None:
                listener.close()

    async def _run(self, listener: Listener | None) -> None:
        try:
            # Before the model is loaded, since Home Assistant asks for the voices when it starts
            # and gives up after some seconds.
            voices = await anyio.to_thread.run_sync(load_voices, self._service.settings)
            self._info = describe_program(voices.voices).event()
            if listener is None:
                await self._serve_standard_streams()
            else:
                await self._serve_clients(listener)
        except Exception as error:  # handed on: it must stop the server, not this task
            self._stop(error)

    async def _serve_standard_streams(self) -> None:
        reader, writer = await standard_streams(self._service.max_body_bytes)
        await self._serve(reader, writer, is_own=True)
        self._stop(None)

    async def _serve_clients(self, listener: Listener) -> None:
        name, address = self._service.settings.wyoming_zeroconf, listener.address
        async with AsyncExitStack() as stack:
            stop_listening = await stack.enter_async_context(
                listener.serving(self._serve, self._service.max_body_bytes)
            )
            if name is not None and isinstance(address, TcpAddress):
                await stack.enter_async_context(announced(name, address.host, address.port))
            logger.info("wyoming on %s", address)
            await self._service.admission.closing.wait()
            stop_listening()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_own: bool = False
    ) -> None:
        settings = self._service.settings
        wire = Wire(
            reader,
            writer,
            max_event_bytes=self._service.max_body_bytes,
            receive_timeout_s=settings.receive_timeout_s,
            send_timeout_s=settings.send_timeout_s,
        )
        try:
            with self._service.admission.session(), self._service.metrics.wyoming_open():
                if not is_own:
                    self._service.connections.busy(writer.transport)
                # Who started the service may be silent for hours, and stop writing to have the
                # rest.
                await Connection(
                    self._service,
                    wire,
                    self._info,
                    finishes=is_own,
                    idle_s=math.inf if is_own else IDLE_S,
                ).run()
        except ServiceError as error:  # there is no place for it
            await self._refuse(wire, error)
        except asyncio.CancelledError:  # the server stops waiting
            wire.abort()
            raise

    async def _refuse(self, wire: Wire, error: ServiceError) -> None:
        with suppress(OSError, StalledError, IdleError, MalformedEventError):
            await wire.send(Error(error.message, error.code).event())
            # Closing before anything is read would take the error back.
            await wire.receive(self._service.settings.receive_timeout_s)
        await wire.close()
