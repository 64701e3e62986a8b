"""Copy what the page ships of others into service/api/page/vendored, packed.

    python -m distributions.page_assets NODE_MODULES

`make page` calls it after npm, which checks the sums of the packages that distributions/page names.
SHA256SUMS has the sums of both forms of each file.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
from pathlib import Path

VENDORED = Path(__file__).resolve().parents[1] / "service/api/page/vendored"

PACKED = ("swagger-ui-bundle.js", "swagger-ui.css")
"""Served by the service. Packed they take a quarter of the room on disk and in memory."""

LICENCES = ("NOTICE", "swagger-ui-bundle.js.LICENSE.txt")
"""What the licences of the package and of the parts of its bundle ask to be kept."""


def main(modules: Path) -> None:
    """Copy the files out of a folder `node_modules`."""
    VENDORED.mkdir(exist_ok=True)
    package = modules / "swagger-ui-dist"
    sums = []
    for name in PACKED:
        content = (package / name).read_bytes()
        packed = gzip.compress(content, mtime=0)
        (VENDORED / f"{name}.gz").write_bytes(packed)
        sums += [_sum(content, name), _sum(packed, f"{name}.gz")]
    for name in LICENCES:
        content = (package / name).read_bytes()
        (VENDORED / name).write_bytes(content)
        sums.append(_sum(content, name))
    (VENDORED / "SHA256SUMS").write_text("".join(sums), encoding="ascii")


def _sum(content: bytes, name: str) -> str:
    return f"{hashlib.sha256(content).hexdigest()}  {name}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
