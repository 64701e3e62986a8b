"""API keys, their names and their limits, as `api_keys_file` lists them."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from service.errors import SettingsError
from service.settings import Settings

logger = logging.getLogger(__name__)

MIN_KEY_LENGTH = 16

KEY_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,31}")
"""A name, which stands before the first colon of a line."""

_KEY = re.compile(r"[\x21-\x7e]+")
_LIMIT = re.compile(r"(requests|characters_per_day)=([1-9][0-9]{0,14})", re.ASCII)


@dataclass(frozen=True)
class KeyLimits:
    """What a key may use; None for as much as the service allows.

    Attributes:
        requests: HTTP requests in progress and open WebSocket sessions at a time.
        characters_per_day: characters to speak in a day of UTC.
    """

    requests: int | None = None
    characters_per_day: int | None = None


@dataclass(frozen=True)
class ApiKey:
    """A key. It is not kept itself.

    Attributes:
        digest: its SHA-256.
        name: for the log, metrics and limits; None for a key without one.
        limits: of this key.
    """

    digest: bytes = field(repr=False)
    name: str | None = None
    limits: KeyLimits = KeyLimits()

    @classmethod
    def of(cls, key: str, name: str | None = None, limits: KeyLimits = KeyLimits()) -> ApiKey:
        """Return the key that callers send as this text."""
        return cls(_digest(key), name, limits)


class ApiKeys:
    """The accepted keys. Immutable."""

    def __init__(self, keys: Iterable[ApiKey]) -> None:
        self._keys = {key.digest: key for key in keys}

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[ApiKey]:
        return iter(self._keys.values())

    def __repr__(self) -> str:
        return f"<ApiKeys: {len(self)}>"

    @classmethod
    def read(cls, path: Path) -> ApiKeys:
        """Read a file of keys, one on each line: `KEY`, or `NAME:KEY` and its limits.

        Blank lines and lines that begin with # are skipped. What stands before the first colon is
        a name if it has the form of one; otherwise the colon is a part of the key.

        Raises:
            SettingsError: the file cannot be read or has no key; or a line has a key or a name for
                the second time, a key of fewer than 16 characters or not in printable ASCII, a
                wrong limit, or limits without a name. The message names the line and never quotes
                it.
        """
        try:
            with path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                lines = file.read().splitlines()
        except OSError as error:
            raise SettingsError(f"api_keys_file {path}: {error.strerror}") from error
        keys: list[ApiKey] = []
        lines_of: dict[bytes | str, int] = {}
        for number, line in enumerate(lines, start=1):
            words = line.decode("latin-1").split()
            if not words or words[0].startswith("#"):
                continue
            try:
                key = _read_line(words)
                for what, found in (("key", key.digest), ("name", key.name)):
                    if found is not None and lines_of.setdefault(found, number) != number:
                        raise ValueError(f"the same {what} as in line {lines_of[found]}")
            except ValueError as error:
                raise SettingsError(f"api_keys_file {path}, line {number}: {error}") from None
            keys.append(key)
        if not keys:
            raise SettingsError(f"api_keys_file {path}: the file has no key")
        if mode & stat.S_IROTH:
            logger.warning("every user of this machine can read %s; run chmod o-r on it", path)
        return cls(keys)

    def get(self, digest: bytes) -> ApiKey | None:
        """Return the key of a digest."""
        return self._keys.get(digest)

    def find(self, candidate: str) -> ApiKey | None:
        """Return the key that a caller sends, in a time that does not depend on the key.

        The digest is compared with all digests, each in constant time.
        """
        digest = _digest(candidate)
        found: ApiKey | None = None
        for key in self._keys.values():
            if hmac.compare_digest(key.digest, digest):
                found = key
        return found


def _read_line(words: Sequence[str]) -> ApiKey:
    name, colon, key = words[0].partition(":")
    if not colon or not KEY_NAME.fullmatch(name):
        name, key = "", words[0]
    if not _KEY.fullmatch(words[0]):
        raise ValueError("a key must be printable ASCII without spaces")
    if len(key) < MIN_KEY_LENGTH:
        raise ValueError(
            f"a key must have at least {MIN_KEY_LENGTH} characters"
            + (" after its name and the colon" if name else "")
        )
    limits: dict[str, int] = {}
    for word in words[1:]:
        limit = _LIMIT.fullmatch(word)
        if not name or limit is None or limit[1] in limits:
            raise ValueError(
                "a key has no spaces, and after NAME:KEY may stand requests=NUMBER and "
                "characters_per_day=NUMBER, each once and from 1"
            )
        limits[limit[1]] = int(limit[2])
    return ApiKey.of(key, name or None, KeyLimits(**limits))


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def read_keys(settings: Settings) -> ApiKeys | None:
    """Return the keys of `api_keys_file`; None if no key is needed.

    Raises:
        SettingsError: the file cannot be used.
    """
    return None if settings.api_keys_file is None else ApiKeys.read(settings.api_keys_file)
