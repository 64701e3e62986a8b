"""A disk that is soon full."""

import subprocess
from contextlib import contextmanager

import pytest

N_BYTES = 2 << 20


@contextmanager
def mounted(folder):
    """Mount a small disk on a new folder for the block; skip the test if nobody may."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={N_BYTES}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk can be mounted by root only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk):
    """Leave no byte on a disk."""
    with (disk / "filling").open("ab", buffering=0) as file:
        for n_bytes in (65_536, 1):
            try:
                while file.write(b"x" * n_bytes):
                    pass
            except OSError:
                continue
