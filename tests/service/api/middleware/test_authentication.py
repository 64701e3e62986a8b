"""Who is let in by its key."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.middleware.authentication import ApiKeys, read_keys
from service.errors import SettingsError
from service.settings import Settings
from tests.service.api.middleware.small_application import (
    KEY,
    OTHER_KEY,
    Start,
    code,
    handshake,
    refused_handshake,
    write,
)


def test_each_key_of_the_file_is_accepted_and_nothing_else(key_file: Path) -> None:
    keys = ApiKeys.read(key_file)
    assert len(keys) == 2
    assert keys.accepts(KEY)
    assert keys.accepts(OTHER_KEY)
    for wrong in ("", KEY[:-1], KEY + "x", KEY.upper(), KEY + OTHER_KEY, f" {KEY}", "# ours"):
        assert not keys.accepts(wrong)


@given(st.text())
def test_no_text_is_accepted_that_is_no_key(text: str) -> None:
    assert ApiKeys([KEY, OTHER_KEY]).accepts(text) == (text in (KEY, OTHER_KEY))


def test_a_lone_surrogate_is_no_key() -> None:
    assert not ApiKeys([KEY]).accepts("\ud800" * 20)


def test_keys_are_not_in_what_is_printed_of_them() -> None:
    keys = ApiKeys([KEY])
    assert KEY not in repr(keys) + str(keys) + str(vars(keys))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (f"{KEY}\nshort\n", 2),
        (f"{KEY}\n\n{KEY}\n", 3),
        (f"{KEY}\nsecret with white space\n", 2),
        (f"# the next is not ASCII\nsecrét-{KEY}\n", 2),
        (f"secret\x07-{KEY}\n", 1),
    ],
    ids=["short", "twice", "spaces", "not ASCII", "control"],
)
def test_a_bad_line_is_named_by_its_number_without_the_key(
    tmp_path: Path, content: str, line: int
) -> None:
    file = write(tmp_path / "keys", content.encode())
    with pytest.raises(SettingsError, match=rf"{file}, line {line}: ") as caught:
        ApiKeys.read(file)
    for secret in (KEY, "short", "secr"):
        assert secret not in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("content", [b"", b"\n \n# nothing\n"])
def test_a_file_without_a_key_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SettingsError, match="the file has no key"):
        ApiKeys.read(write(tmp_path / "keys", content))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none: No such file"):
        ApiKeys.read(tmp_path / "none")
    with pytest.raises(SettingsError, match=r"Is a directory"):
        ApiKeys.read(tmp_path)


@pytest.mark.parametrize(("mode", "n_warnings"), [(0o604, 1), (0o640, 0)])
def test_a_file_that_everyone_can_read_is_warned_of_once(
    key_file: Path, mode: int, n_warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    key_file.chmod(mode)
    ApiKeys.read(key_file)
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * n_warnings
    assert KEY not in caplog.text


def test_no_file_is_no_keys(key_file: Path) -> None:
    assert read_keys(Settings()) is None
    assert read_keys(Settings(api_keys_file=key_file)) is not None


# Behind a real port.


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {KEY}"},
        {"Authorization": f"bearer  {OTHER_KEY}"},
        {"X-API-Key": KEY},
        {"X-API-Key": KEY, "Authorization": "Basic dXNlcjpwYXNz"},
    ],
)
def test_a_key_lets_in(keyed: httpx.Client, headers: dict[str, str]) -> None:
    assert keyed.post("/synthesize", headers=headers).json() == "written"
    assert handshake(keyed, **headers) == "open"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": KEY},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {KEY}x"},
        {"X-API-Key": KEY[:-1]},
        {"X-API-Key": ""},
        {"Cookie": f"X-API-Key={KEY}"},
    ],
)
def test_without_a_known_key_it_is_401(keyed: httpx.Client, headers: dict[str, str]) -> None:
    for path in ("/synthesize", "/voices", "/nowhere", "/health/", "//health", "/Health"):
        response = keyed.get(path, headers=headers)
        assert (response.status_code, code(response)) == (401, "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"
        assert KEY[:-1] not in response.text
    answer = refused_handshake(keyed, **headers).response
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert json.loads(answer.body or b"")["error"]["code"] == "unauthorized"


def test_a_key_of_any_bytes_is_401(keyed: httpx.Client) -> None:
    response = keyed.get("/voices", headers=[(b"X-API-Key", bytes(range(128, 256)))])
    assert response.status_code == 401


def test_open_paths_need_no_key(keyed: httpx.Client) -> None:
    assert keyed.get("/health").json() == "read"
    assert keyed.get("/ready").status_code == 404  # the small application has none


def test_lists_need_no_key_but_no_wrong_one_either(start: Start, key_file: Path) -> None:
    client = start(api_keys_file=key_file)
    for headers in ({}, {"Authorization": "Bearer"}, {"X-API-Key": KEY}):
        assert client.get("/voices", headers=headers).json() == "read"
        assert client.head("/voices", headers=headers).status_code != 401
        for path in ("/v1/models", "/v1/models/a/b", "/v1/audio/voices", "/languages"):
            # The small application has none of them.
            assert client.get(path, headers=headers).status_code == 404
    assert client.get("/voices", headers={"X-API-Key": f"{KEY}x"}).status_code == 401
    for path in ("/synthesize", "/voices/", "/v1/modelsx", "/v1/audio/speech", "/metrics"):
        assert client.get(path).status_code == 401


def test_a_key_in_the_query_does_not_let_in(keyed: httpx.Client) -> None:
    assert keyed.get("/voices", params={"api_key": KEY}).status_code == 401
