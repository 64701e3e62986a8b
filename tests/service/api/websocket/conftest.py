"""A server whose sessions fail where they are told to."""

import pytest
from tests.service.api.serving_process import FAULTY_SERVER


@pytest.fixture(scope="session")
def faulty(start_server):
    """A server whose model fails where it is told to, with a cache and little patience."""
    server = start_server(
        *("--audio-cache-bytes", "50000000", "--send-timeout-s", "5", "--max-websockets", "3"), program=FAULTY_SERVER
    )
    server.wait_until_ready()
    yield server
    assert server.stop() == 0
