"""The files of the page, read once, under an address made of their contents."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "static"
_INDEX = "index.html"
_ADDRESS = "page/assets/"
"""How the index names the folder of the other files; the digest is put in its place."""

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """A file of the page."""

    content: bytes
    media_type: str


@dataclass(frozen=True)
class Assets:
    """All files of the page.

    The modules name each other by relative paths, so they share one folder, whose name is the
    digest of all: a page never mixes files of two versions, and a browser may keep each for ever.

    Attributes:
        digest: of names and contents, 16 hexadecimal digits.
        index: the document, which names the others by the digest.
        files: the others, by name.
    """

    digest: str
    index: Asset
    files: dict[str, Asset]


@cache
def read_assets() -> Assets:
    """Return the files that come with the service."""
    files = {
        path.name: Asset(path.read_bytes(), _MEDIA_TYPES[path.suffix])
        for path in sorted(_FOLDER.iterdir())
    }
    digest = hashlib.sha256()
    for name, asset in files.items():
        digest.update(f"{name}\0{len(asset.content)}\0".encode())
        digest.update(asset.content)
    name = digest.hexdigest()[:16]
    index = files.pop(_INDEX)
    content = index.content.replace(_ADDRESS.encode(), f"page/{name}/".encode())
    return Assets(name, Asset(content, index.media_type), files)
