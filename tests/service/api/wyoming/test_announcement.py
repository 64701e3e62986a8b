"""The announcement in the network, found by the package that announces."""

import asyncio
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
    joined = socket.inet_aton(group) + socket.inet_aton(LOOPBACK)
    with socket.socket(type=socket.SOCK_DGRAM) as receiver, socket.socket(type=socket.SOCK_DGRAM) as sender:
        try:
            receiver.bind(("", 0))
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, joined)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(LOOPBACK))
            sender.sendto(b"here", (group, receiver.getsockname()[1]))
            receiver.settimeout(5)
            return receiver.recv(10) == b"here"
        except OSError:
            return False


reaching_groups = pytest.mark.skipif(not reaches_groups(), reason="no multicast on loopback")


def found_port(network, name):
    """Look for a service, on loopback alone; return its port."""
    found = network.get_service_info(SERVICE_TYPE, f"{name}.{SERVICE_TYPE}", timeout=60_000)
    assert found is not None
    assert found.parsed_addresses() == [LOOPBACK]
    return found.port


@pytest.mark.thorough
@reaching_groups
def test_who_listens_hears_of_the_service(start_server):
    with Zeroconf(interfaces=[LOOPBACK]) as network:
        server = start_server("--wyoming", f"tcp://{LOOPBACK}:0", "--wyoming-zeroconf", "kokoro here")
        assert found_port(network, "kokoro here") == urlsplit(server.uri).port
        assert server.stop() == 0
    assert not any(" ERROR " in line for line in server.log)


# zeroconf answers in the order of a set of names, which depends on the seed of their hashes.
@pytest.mark.thorough
@reaching_groups
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_who_asks_later_is_answered(seed):
    with subprocess.Popen(
        [sys.executable, "-c", ANNOUNCER, LOOPBACK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    ) as announcer:  # fmt: skip
        assert announcer.stdout.readline() == "announced\n"
        with Zeroconf(interfaces=[LOOPBACK]) as network:
            assert found_port(network, "kokoro later") == 10_200
        announcer.communicate()
    assert announcer.returncode == 0


def announce(name):
    async def announcing():
        async with announced(name, LOOPBACK, 10_200):
            pytest.fail("nothing announces")

    asyncio.run(announcing())


def test_what_cannot_be_announced_is_named(monkeypatch):
    with pytest.raises(StartupError, match=r"wyoming_zeroconf: k+ cannot be announced"):
        announce("k" * 70)
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    with pytest.raises(StartupError, match=re.escape(advice("zeroconf"))):
        announce("kokoro")
