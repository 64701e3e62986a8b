"""The announcement in the network, found by the package that announces."""

import os
import re
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from service.api.wyoming.announcement import SERVICE_TYPE, announced
from service.errors import StartupError
from service.extras import advice
from tests.service.api.wyoming.talks import run
from zeroconf import Zeroconf

LOOPBACK = "127.0.0.1"

ANNOUNCER = """
import asyncio, sys
from service.api.wyoming.announcement import announced

async def announce():
    async with announced("kokoro later", sys.argv[1], 10_200):
        print("announced", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(announce())
"""


def reaches_groups():
    """Tell whether loopback passes on what is sent to a group, as to that of zeroconf."""
    group = "224.0.0.251"
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        try:
            receiver.bind(("", 0))
            joined = socket.inet_aton(group) + socket.inet_aton(LOOPBACK)
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, joined)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(LOOPBACK))
            sender.sendto(b"here", (group, receiver.getsockname()[1]))
            receiver.settimeout(5)
            return receiver.recv(10) == b"here"
        except OSError:
            return False


@pytest.mark.thorough
@pytest.mark.skipif(not reaches_groups(), reason="no multicast on loopback")
def test_who_listens_hears_of_the_service(start_server):
    name = f"kokoro here.{SERVICE_TYPE}"
    with Zeroconf(interfaces=[LOOPBACK]) as network:
        server = start_server("--wyoming", f"tcp://{LOOPBACK}:0", "--wyoming-zeroconf", "kokoro here")
        uri = server.wait_for(r"wyoming on (tcp://\S+)")
        found = network.get_service_info(SERVICE_TYPE, name, timeout=60_000)
        assert found is not None
        assert found.port == urlsplit(uri).port
        assert found.parsed_addresses() == [LOOPBACK]
        assert server.stop() == 0
        assert any(" ERROR " in line for line in server.log) is False


# zeroconf answers in the order of a set of names, which depends on the seed of their hashes.
@pytest.mark.thorough
@pytest.mark.skipif(not reaches_groups(), reason="no multicast on loopback")
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_who_asks_later_is_answered(seed):
    name = f"kokoro later.{SERVICE_TYPE}"
    with subprocess.Popen(
        [sys.executable, "-c", ANNOUNCER, LOOPBACK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    ) as announcer:
        assert announcer.stdout is not None
        assert announcer.stdout.readline() == "announced\n"
        with Zeroconf(interfaces=[LOOPBACK]) as network:
            found = network.get_service_info(SERVICE_TYPE, name, timeout=20_000)
        assert found is not None
        assert found.port == 10_200
        assert found.parsed_addresses() == [LOOPBACK]
        announcer.communicate()
    assert announcer.returncode == 0


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "zeroconf", None)

    async def announce():
        async with announced("kokoro", LOOPBACK, 10_200):
            pytest.fail("nothing announces")

    with pytest.raises(StartupError, match=re.escape(advice("zeroconf"))):
        run(announce())


def test_a_name_that_is_too_long_is_named():
    async def announce():
        async with announced("k" * 70, LOOPBACK, 10_200):
            pytest.fail("nothing announces")

    with pytest.raises(StartupError, match=r"wyoming_zeroconf: k+ cannot be announced"):
        run(announce())
