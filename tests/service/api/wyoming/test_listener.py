"""Where Wyoming is served and how that is announced: addresses, unix sockets, standard streams, zeroconf."""

import asyncio
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from wyoming.event import read_event, write_event
from wyoming.info import Describe
from zeroconf import Zeroconf

from service.api.wyoming.address import StdioAddress, TcpAddress, UnixAddress, read_address
from service.api.wyoming.announcement import SERVICE_TYPE, announced
from service.errors import SettingsError, StartupError
from service.extras import advice
from service.settings import Settings
from tests.service.api.wyoming.talks import SHORT, Talk, pcm, whole
from tests.service.commands import command

IN_USE = "Address already in use"
START = ("serve", "--port", "0", "--model", "/nowhere.onnx", "--wyoming")
"""It is refused before the model is looked for, which is not there."""


def test_an_address_is_read_and_written():
    addresses = {
        "tcp://127.0.0.1:10200": TcpAddress("127.0.0.1", 10_200),
        "tcp://localhost:0": TcpAddress("localhost", 0),
        "tcp://[::1]:10200": TcpAddress("::1", 10_200),
        "unix:///run/wyoming.sock": UnixAddress(Path("/run/wyoming.sock")),
    }
    assert {uri: read_address(Settings(wyoming=uri)) for uri in addresses} == addresses
    assert {str(address): address for address in addresses.values()} == addresses
    assert read_address(Settings(wyoming="stdio://")) == StdioAddress()
    assert read_address(Settings()) is None


@pytest.mark.parametrize("uri", [
    "10200", "127.0.0.1:10200", "tcp://127.0.0.1", "tcp://:10200", "tcp://127.0.0.1:x", "tcp://127.0.0.1:99999", "unix://",
    "tcp://127.0.0.1:1/path", "tcp://me@127.0.0.1:1", "http://127.0.0.1:1", "unix://run/socket", "stdio://out",
    "tcp://[::1:1",
])  # fmt: skip
def test_what_is_no_address_is_refused_in_one_line(uri):
    with pytest.raises(SettingsError, match="wyoming") as caught:
        read_address(Settings(wyoming=uri))
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1"])
def test_a_wider_address_needs_insecure_whatever_keys_there_are(host, secured_keys):
    uri = f"tcp://{host}:10200"
    for keys in (None, secured_keys):
        with pytest.raises(SettingsError, match=r"no keys.*--insecure"):
            read_address(Settings(wyoming=uri, api_keys_file=keys))
    assert read_address(Settings(wyoming=uri, insecure=True)) is not None


def test_only_tcp_can_be_announced():
    for uri in (None, "stdio://", "unix:///run/wyoming.sock"):
        with pytest.raises(SettingsError, match="tcp://"):
            read_address(Settings(wyoming=uri, wyoming_zeroconf="kokoro"))


@pytest.mark.thorough
def test_a_unix_socket_serves_its_owner_and_group_and_is_removed(start_server, tmp_path):
    path = tmp_path / "wyoming.sock"
    # What a process that was killed has left.
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    uri = f"unix://{path}"
    server = start_server("--wyoming", uri)
    assert server.wait_for(r"wyoming on (\S+)") == uri
    server.wait_until_ready()
    assert path.stat().st_mode & 0o777 == 0o660
    second = start_server("--wyoming", uri)
    assert second.process.wait(timeout=240) == 1
    second.wait_for(rf"kokoro-service: wyoming: cannot listen on {uri}: {IN_USE}$")
    with Talk(uri) as client:
        assert client.say(SHORT)
    assert server.stop() == 0
    assert not path.exists()


def test_a_path_that_is_no_socket_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("keep me")
    told = command(*START, f"unix://{path}").stderr.splitlines()[-1]
    assert told.startswith("kokoro-service: wyoming: cannot listen")
    assert path.read_text() == "keep me"


def test_a_taken_port_stops_start_up_with_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        uri = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        done = command(*START, uri)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert done.stderr.splitlines()[-1] == f"kokoro-service: wyoming: cannot listen on {uri}: {IN_USE}"


def on_standard_streams(cache_dir, **streams):
    command = [sys.executable, "-m", "service", "serve", "--port", "0", "--cache-dir", str(cache_dir)]
    return subprocess.Popen(
        [*command, "--wyoming", "stdio://"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **streams
    )


@pytest.mark.thorough
def test_standard_streams_serve_one_client_and_nothing_but_events(small_cache):
    with on_standard_streams(small_cache, stdin=subprocess.PIPE) as process:
        while b"ready in " not in process.stderr.readline():
            pass
        write_event(Describe().event(), process.stdin)
        assert read_event(process.stdout).type == "info"
        # Who stops writing is answered all the same.
        write_event(whole(SHORT).event(), process.stdin)
        process.stdin.close()
        assert pcm([*iter(lambda: read_event(process.stdout), None)])
        assert process.wait(timeout=240) == 0
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.thorough
def test_standard_input_that_is_a_file_is_refused(small_cache):
    with Path(__file__).open("rb") as file, on_standard_streams(small_cache, stdin=file) as process:
        out, err = process.communicate(timeout=240)
    assert (process.returncode, out) == (1, b"")
    assert b"kokoro-service: wyoming: standard input and output must be pipes" in err


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
