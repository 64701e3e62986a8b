"""The files of the page, read once, under an address made of their contents."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "static"
_VENDORED = Path(__file__).parent / "vendored"
_ADDRESS = "page/assets/"
"""How the documents name the folder of the other files; the digest is put in its place."""

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """A file of the page.

    Attributes:
        content: of the file; compressed by gzip if it is packed.
        media_type: of the file as it is unpacked.
        is_packed: whether it is.
    """

    content: bytes
    media_type: str
    is_packed: bool = False

    def unpack(self) -> bytes:
        """Return the content as it is without compression."""
        return gzip.decompress(self.content) if self.is_packed else self.content


@dataclass(frozen=True)
class Assets:
    """All files of the page.

    The modules name each other by relative paths, so they share one folder, whose name is the
    digest of all: a page never mixes files of two versions, and a browser may keep each for ever.

    Attributes:
        digest: of names and contents, 16 hexadecimal digits.
        documents: what a browser opens, which name the others by the digest, by name.
        files: the others, by name.
    """

    digest: str
    documents: dict[str, Asset]
    files: dict[str, Asset]


@cache
def read_assets() -> Assets:
    """Return the files that come with the service."""
    files = {path.name: _read(path) for path in sorted(_FOLDER.iterdir())}
    files |= {path.stem: _read(path) for path in sorted(_VENDORED.glob("*.gz"))}
    digest = hashlib.sha256()
    for name, asset in files.items():
        digest.update(f"{name}\0{len(asset.content)}\0".encode())
        digest.update(asset.content)
    folder = digest.hexdigest()[:16]
    documents = {}
    for name in [name for name in files if name.endswith(".html")]:
        asset = files.pop(name)
        content = asset.content.replace(_ADDRESS.encode(), f"page/{folder}/".encode())
        documents[name] = Asset(content, asset.media_type)
    return Assets(folder, documents, files)


def _read(path: Path) -> Asset:
    is_packed = path.suffix == ".gz"
    plain = path.with_suffix("") if is_packed else path
    return Asset(path.read_bytes(), _MEDIA_TYPES[plain.suffix], is_packed)
