"""Servers for clients: one that is open, one with a key."""

import sys

import pytest
from tests.clients.replay import KEY, ORIGIN, PYTHON


@pytest.fixture(scope="session")
def server(start_server):
    """One without a key, as most people run it at home."""
    server = start_server("--audio-cache-bytes", "50_000_000")
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="session")
def keyed(start_server, tmp_path_factory):
    """One with a key, and a web page that may use it."""
    keys = tmp_path_factory.mktemp("clients") / "keys"
    keys.write_text(f"{KEY}\n")
    keys.chmod(0o600)
    server = start_server(
        *("--api-keys-file", str(keys), "--cors-origins", ORIGIN), *("--audio-cache-bytes", "50_000_000")
    )
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="session")
def clients():
    """Skip where the environment of the clients is not there."""
    if sys.version_info < (3, 11):
        pytest.skip("pipecat needs Python 3.11")
    if not PYTHON.exists():
        pytest.skip("the clients are not installed; run make clients")
