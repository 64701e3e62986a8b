"""Which files of a folder this process has open, and a disk that is soon full."""

import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

DISK_BYTES = 2 << 20


def open_files(folder):
    """Return the open files below a folder."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the listing itself
            found.append(descriptor.readlink())
    return [path for path in found if path.is_relative_to(folder)]


@contextmanager
def mounted(folder):
    """Mount a small disk on a new folder for the block; skip the test if nobody may."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
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
