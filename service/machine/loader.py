"""The dynamic loader: where it looks for shared libraries, and what it finds."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

_CACHE_MAGIC = b"glibc-ld.so.cache1.1"
_CACHE_HEADER = struct.Struct("<20sI24x")  # magic, number of entries; the rest is not needed
_CACHE_ENTRY = struct.Struct("<iIIIQ")  # flags, name, path, version of the system, capabilities
_DEFAULT = ("lib64", "usr/lib64", "lib", "usr/lib")


class LoaderPath:
    """The files that the loader can find by name alone.

    These are the folders of `LD_LIBRARY_PATH`, the cache that `ldconfig` writes from
    `/etc/ld.so.conf`, and the system's default folders, in that order.

    Args:
        root: folder to use as `/`.
        folders: of `LD_LIBRARY_PATH`; default: this process's at its start, because the loader
            ignores later changes.
    """

    def __init__(self, root: Path = Path("/"), folders: Iterable[Path] | None = None) -> None:
        if folders is None:
            told = os.environ.get("LD_LIBRARY_PATH", "")
            folders = [Path(folder) for folder in told.replace(";", ":").split(":") if folder]
        self._folders = list(folders)
        self._default = [root / folder for folder in _DEFAULT]
        self._cached = list(_read_cache(root))

    def find(self, stem: str) -> list[Path]:
        """Return the files `<stem>.so.VERSION`, each once, in the loader's order.

        Args:
            stem: such as `libcudnn`.
        """
        found: dict[Path, None] = {}
        cached = [path for path in self._cached if path.name.startswith(f"{stem}.so.")]
        for path in (
            *versions_in(self._folders, stem),
            *(path for path in cached if path.is_file()),
            *versions_in(self._default, stem),
        ):
            found.setdefault(path)
        return list(found)


def versions_in(folders: Iterable[Path], stem: str) -> Iterator[Path]:
    """Yield the files `<stem>.so.VERSION` of folders."""
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        for name in names:
            if name.startswith(f"{stem}.so.") and (folder / name).is_file():
                yield folder / name


def _read_cache(root: Path) -> Iterator[Path]:
    """Yield the entries of the loader's cache; the format is that of glibc's `dl-cache.h`.

    Older systems put a cache of an older format before it, so its beginning is searched. A damaged
    cache ends at the damage: the loader does not use it either.
    """
    try:
        data = (root / "etc/ld.so.cache").read_bytes()
    except OSError:
        return
    start = data.find(_CACHE_MAGIC)
    if start < 0 or len(data) < start + _CACHE_HEADER.size:
        return
    cache = data[start:]
    _, count = _CACHE_HEADER.unpack_from(cache)
    entries = cache[_CACHE_HEADER.size : _CACHE_HEADER.size + count * _CACHE_ENTRY.size]
    for _, _, path, _, _ in _CACHE_ENTRY.iter_unpack(
        entries[: len(entries) // _CACHE_ENTRY.size * _CACHE_ENTRY.size]
    ):
        end = cache.find(b"\0", path)
        if 0 < path < end:
            yield root / os.fsdecode(cache[path:end]).lstrip("/")
