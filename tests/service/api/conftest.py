"""A real server: its own process, a real port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.service.api.serving_process import FAULTY_SERVER, Server, starting


@pytest.fixture(scope="session")
def start_server(model_file: Path, cache_dir: Path) -> Iterator[Callable[..., Server]]:
    """Start servers; what is still running at the end is killed."""
    with starting(cache_dir) as start:
        yield start


@pytest.fixture(scope="session")
def server(start_server: Callable[..., Server]) -> Iterator[Server]:
    """The server that most tests share."""
    server = start_server()
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="session")
def remembering(start_server: Callable[..., Server]) -> Iterator[Server]:
    """A server that makes the same speech once."""
    server = start_server("--audio-cache-bytes", "50000000")
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="session")
def telling_server(start_server: Callable[..., Server]) -> Iterator[Server]:
    """A server that logs the runs of its model, some of which fail; see `faulty_server`."""
    server = start_server(program=FAULTY_SERVER)
    server.wait_until_ready()
    yield server
    assert server.stop() == 0
