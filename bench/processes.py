"""Fresh processes to measure. None outlives its `with` block, even after an interrupt."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
THREADS = len(os.sched_getaffinity(0))
"""Threads of a run on both sides; the default of the service."""

_POLL_S = 0.01
_READY_TIMEOUT_S = 120

Process = subprocess.Popen[str]


class ChildError(Exception):
    """A process ended, or did not become ready; it printed the reason to standard error."""


@contextmanager
def python(
    *arguments: str,
    interpreter: str | Path = sys.executable,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Process]:
    """Run a Python interpreter in the repository, with pipes to its input and output.

    Args:
        arguments: the command line.
        interpreter: this one, or that of another virtual environment.
        environment: variables to add to ours.
    """
    process = subprocess.Popen(
        [interpreter, *arguments],
        cwd=REPOSITORY,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C goes to this process, which ends the child
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def server(
    environment: Mapping[str, str] | None = None, module: str = "service"
) -> Iterator[tuple[Process, int]]:
    """Run the service with its defaults; give the process and its port when it is ready."""
    port = free_port()
    flags = ["--port", str(port), "--threads", str(THREADS), "--log-level", "warning"]
    with python("-m", module, "serve", *flags, environment=environment) as process:
        wait_until_ready(process, port, "/ready")
        yield process, port


def wait_until_ready(process: Process, port: int, path: str) -> None:
    """Wait until a server answers 200 to a path.

    Raises:
        ChildError: it ended, or took too long.
    """
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while not _is_ready(port, path):
        if process.poll() is not None or time.monotonic() > deadline:
            raise ChildError(f"{process.args!r} did not become ready")
        time.sleep(_POLL_S)


def request(
    port: int, method: str, path: str, body: object = None, *, timeout_s: float = 60.0
) -> int:
    """Send a request to the service, read the answer, and return its status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request(method, path, json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def ask(process: Process, command: str = "") -> str:
    """Send a line to a process, and return the line of its answer."""
    assert process.stdin is not None
    try:
        process.stdin.write(command + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        raise ChildError(f"{process.args!r} ended") from None
    return answer(process)


def answer(process: Process) -> str:
    """Return the next line that a process prints."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise ChildError(f"{process.args!r} ended")
    return line.strip()


def free_port() -> int:
    """Return a port that no server listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_ready(port: int, path: str) -> bool:
    try:
        return request(port, "GET", path) == 200
    except OSError:  # the server does not listen yet
        return False
