"""Fetch the English lexicons of misaki 0.9.4 and write them beside this file, packed.

    python service/text/languages/english/data/fetch.py

pip downloads the wheel. The files in it and the packed lists are checked against SHA256SUMS.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from service.text.wordlist import pack

HERE = Path(__file__).parent
PIP = (sys.executable, "-m", "pip", "--quiet")
WHEEL = ("--no-deps", "--only-binary=:all:", "--python-version=3.12")
PACKAGE = "misaki==0.9.4"
LISTS = ("us_gold", "us_silver", "gb_gold", "gb_silver")


def main() -> None:
    """Write the lists."""
    sums = read_sums()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            # Its metadata excludes newer Pythons, but nothing of it is run.
            [*PIP, "download", *WHEEL, f"--dest={folder}", PACKAGE],
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name in LISTS:
                source = archive.read(f"misaki/data/{name}.json")
                check(sums, f"{name}.json", source)
                packed = pack(json.loads(source))
                check(sums, f"{name}.tsv", packed)
                (HERE / f"{name}.tsv.gz").write_bytes(gzip.compress(packed, mtime=0))
                print(name, len(packed.splitlines()), "words")


def read_sums() -> dict[str, str]:
    """Return the SHA-256 of each file, by its name."""
    lines = (HERE / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in map(str.split, lines)}


def check(sums: dict[str, str], name: str, content: bytes) -> None:
    """Exit if the checksum of a file is wrong."""
    digest = hashlib.sha256(content).hexdigest()
    if digest != sums[name]:
        sys.exit(f"{name} has the SHA-256 {digest}, not {sums[name]}")


if __name__ == "__main__":
    main()
