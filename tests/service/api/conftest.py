"""A real server: its own process, a real port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.service.api.secured_server import KEYS, LISTED
from tests.service.api.serving_process import FAULTY_SERVER, Server


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


@pytest.fixture(scope="session")
def secured_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of the keys that `secured` accepts."""
    path = tmp_path_factory.mktemp("keys") / "keys"
    path.write_text("# for the robot\n" + "\n".join(KEYS) + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="session")
def secured(start_server: Callable[..., Server], secured_keys: Path) -> Iterator[Server]:
    """One with keys, a listed origin, little patience and a log in JSON, that can be made fail."""
    server = start_server(
        *("--api-keys-file", str(secured_keys), "--private-lists", "--cors-origins", LISTED),
        *("--receive-timeout-s", "1", "--max-text-length", "1000"),
        *("--audio-cache-bytes", "10_000_000", "--log-format", "json", "--log-level", "debug"),
        program=FAULTY_SERVER,
    )
    server.wait_until_ready()
    yield server
    assert server.stop() == 0
