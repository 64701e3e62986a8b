"""`kokoro-service serve` by another ASGI server: `python hosted_server.py HOST serve ...`."""

import asyncio
import signal
import sys

import hypercorn.asyncio
import uvicorn

import service.api
from service.__main__ import main
from service.hosting import create_app


def uvicorn_with(http, ws):
    """Return a host: uvicorn with its own implementations of HTTP and of WebSockets."""

    def serve(settings):
        options = {"host": settings.host, "port": settings.port, "http": http, "ws": ws}
        uvicorn.Server(uvicorn.Config(create_app(settings), log_config=None, access_log=False, **options)).run()

    return serve


def hypercorn_alone(settings):
    async def serve():
        stopping = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        config = hypercorn.Config()
        config.bind = [f"{settings.host}:{settings.port}"]
        await hypercorn.asyncio.serve(app, config, shutdown_trigger=stopping.wait)

    app = create_app(settings)
    asyncio.run(serve())


HOSTS = {
    "uvicorn-h11": uvicorn_with("h11", "websockets"),
    "uvicorn-httptools": uvicorn_with("httptools", "wsproto"),
    "hypercorn": hypercorn_alone,
}

if __name__ == "__main__":
    service.api.serve = HOSTS[sys.argv[1]]
    # uvicorn raises the signal again after it has stopped.
    signal.signal(signal.SIGTERM, lambda *_: None)
    sys.exit(main(sys.argv[2:]))
