"""A server that speaks Wyoming too."""

import pytest
from tests.service.api.serving_process import FAULTY_SERVER
from tests.service.api.wyoming.talks import Talk


@pytest.fixture(scope="session")
def wyoming(start_server):
    """A server on TCP, with a cache, little patience and few places; its address is `uri`."""
    server = start_server(
        *("--wyoming", "tcp://127.0.0.1:0", "--audio-cache-bytes", "50000000"),
        *("--send-timeout-s", "5", "--max-websockets", "8", "--max-text-length", "5000"),
        program=FAULTY_SERVER,
    )
    server.uri = server.wait_for(r"wyoming on (tcp://\S+)")
    server.wait_until_ready()
    yield server
    assert server.stop() == 0
    assert not any(" ERROR " in line for line in server.log)


@pytest.fixture
def client(wyoming):
    """A client of it."""
    with Talk(wyoming.uri) as client:
        yield client
