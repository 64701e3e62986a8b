"""Which addresses are listened on, and which names are answered."""

import socket

import pytest
from service.api.api_keys import ApiKey, ApiKeys
from service.api.middleware.hosts import check_exposure
from service.errors import SettingsError
from service.settings import Settings
from tests.service.api.middleware.small_application import KEY, refusal, refused_handshake


def test_loopback_needs_no_key():
    for host in ("127.0.0.1", "127.8.9.10", "127.1", "::1", "localhost", "::ffff:127.0.0.1"):
        check_exposure(Settings(host=host), None)


@pytest.mark.parametrize("host", ["0.0.0.0", "0", "::", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "fe80::1"])
def test_a_wider_address_needs_keys_or_insecure(host):
    with pytest.raises(SettingsError, match=r"api_keys_file.*--insecure") as caught:
        check_exposure(Settings(host=host), None)
    assert "\n" not in caught.value.message
    check_exposure(Settings(host=host), ApiKeys([ApiKey.of(KEY)]))
    check_exposure(Settings(host=host, insecure=True), None)


def test_a_name_is_loopback_only_if_all_its_addresses_are(monkeypatch):
    def resolve(*addresses):
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (item, 0)) for item in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    resolve("127.0.0.1", "127.0.1.1")
    check_exposure(Settings(host="kokoro.test"), None)
    resolve("127.0.0.1", "192.0.2.1")
    with pytest.raises(SettingsError):
        check_exposure(Settings(host="kokoro.test"), None)


@pytest.mark.parametrize("host", ["no-such-name.invalid", "/run/kokoro.sock", "a" * 300])
def test_a_host_without_an_address_is_refused(host):
    with pytest.raises(SettingsError, match="has no address"):
        check_exposure(Settings(host=host), None)


def test_local_names_and_addresses_are_answered(local):
    for host in ("localhost:8880", "LOCALHOST", "kokoro.localhost", "127.0.0.1", "[::1]:8880", "192.0.2.1:80"):
        assert local.get("/voices", headers={"Host": host}).json() == "read", host


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8880", "localhost.evil.test", "127.0.0.1.evil.test", "a b", ""]
)
def test_a_rebound_name_gets_403(local, host):
    both = {"Host": host, "Origin": f"http://{host}"}
    for answer in (local.get("/voices", headers={"Host": host}), local.post("/synthesize", headers=both)):
        assert refusal(answer) == (403, "forbidden_origin")
    assert refused_handshake(local, **both).status_code in (400, 403)


@pytest.mark.parametrize("setting", ["api_keys_file", "insecure", "cors_origins"])
def test_a_public_name_is_answered_behind_a_proxy(start, key_file, setting):
    values = {"api_keys_file": key_file, "insecure": True, "cors_origins": "https://tts.example.com"}
    client = start(**{setting: values[setting]})
    assert client.get("/voices", headers={"Host": "tts.example.com", "X-API-Key": KEY}).json() == "read"
