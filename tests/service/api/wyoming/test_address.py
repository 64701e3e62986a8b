"""Where Wyoming may be served."""

from pathlib import Path

import pytest
from service.api.wyoming.address import StdioAddress, TcpAddress, UnixAddress, read_address
from service.errors import SettingsError
from service.settings import Settings


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("tcp://127.0.0.1:10200", TcpAddress("127.0.0.1", 10_200)),
        ("tcp://localhost:0", TcpAddress("localhost", 0)),
        ("tcp://[::1]:10200", TcpAddress("::1", 10_200)),
        ("unix:///run/wyoming.sock", UnixAddress(Path("/run/wyoming.sock"))),
        ("stdio://", StdioAddress()),
    ],
)
def test_an_address_is_read_and_written(uri, address):
    found = read_address(Settings(wyoming=uri))
    assert found == address
    if not isinstance(found, StdioAddress):
        assert str(found) == uri


def test_without_the_setting_there_is_none():
    assert read_address(Settings()) is None


@pytest.mark.parametrize(
    "uri",
    [
        *("10200", "127.0.0.1:10200", "tcp://127.0.0.1", "tcp://:10200", "tcp://127.0.0.1:x"),
        *("tcp://127.0.0.1:99999", "tcp://127.0.0.1:1/path", "tcp://me@127.0.0.1:1"),
        *("http://127.0.0.1:1", "unix://run/socket", "unix://", "stdio://out", "tcp://[::1:1"),
    ],
)
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


@pytest.mark.parametrize("uri", [None, "stdio://", "unix:///run/wyoming.sock"])
def test_only_tcp_can_be_announced(uri):
    with pytest.raises(SettingsError, match="tcp://"):
        read_address(Settings(wyoming=uri, wyoming_zeroconf="kokoro"))
