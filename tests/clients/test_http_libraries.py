"""Libraries of HTTP for Python, with which people write clients of their own.

Run: PyPI aiohttp, httpx and requests in the versions of constraints/clients.txt.
"""

import json
from base64 import b64decode

import pytest
from tests.clients.replay import PROGRAMS, hear, hear_pcm, run_program

pytestmark = pytest.mark.usefixtures("clients")


@pytest.mark.parametrize("library", ["aiohttp", "httpx", "requests"])
def test_a_library_reads_speech_whole_and_in_parts(server, library):
    found = json.loads(run_program(PROGRAMS / "http_library.py", library, server.url))
    whole, streamed = hear(b64decode(found["whole"])), hear_pcm(b64decode(found["streamed"]))
    assert abs(whole.size - streamed.size) < 0.1 * whole.size
    assert found["n_parts"] > 1
