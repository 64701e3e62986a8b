"""Servers for clients: one that is open, one with a key."""

import sys

import pytest

from tests.clients.environment import KEY, ORIGIN, PYTHON
from tests.service.api.serving_process import lent, write


@pytest.fixture(scope="session")
def server(start_server):
    """One without a key, as most people run it at home."""
    yield from lent(start_server, "--audio-cache-bytes", "50_000_000")


@pytest.fixture(scope="session")
def keyed(start_server, tmp_path_factory):
    """One with a key, and a web page that may use it."""
    keys = str(write(tmp_path_factory.mktemp("clients") / "keys", KEY.encode()))
    flags = ("--api-keys-file", keys, "--cors-origins", ORIGIN, "--audio-cache-bytes", "50_000_000")
    yield from lent(start_server, *flags)


@pytest.fixture(scope="session")
def clients():
    """Skip where the environment of the clients is not there."""
    if sys.version_info < (3, 11):
        pytest.skip("pipecat needs Python 3.11")
    if not PYTHON.exists():
        pytest.skip("the clients are not installed; run make clients")
