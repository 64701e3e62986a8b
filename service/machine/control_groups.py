"""The control groups of this process, of versions 1 and 2."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal


@dataclass(frozen=True)
class ControlGroup:
    """A control group that can have a limit.

    Attributes:
        folder: with its files.
        version: 1 or 2; their files differ.
    """

    folder: Path
    version: Literal[1, 2]

    def read(self, name: str) -> bytes:
        """Return one of its files, in one call of the system; raises OSError."""
        return read_kernel_file(str(self.folder / name))


def control_groups(
    root: Path, controller: str, limit_of_version_1: str, limit_of_version_2: str
) -> Iterator[ControlGroup]:
    """Yield the groups of this process that can have a limit, inner ones first.

    A container often sees its own group at the top of the tree, whatever its path outside is.

    Args:
        root: folder to use as `/`.
        controller: of version 1, such as `memory`.
        limit_of_version_1: name of the file with the limit.
        limit_of_version_2: the same in version 2.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        tree = root / "sys/fs/cgroup"
        version: Literal[1, 2] = 2
        limit = limit_of_version_2
        if controllers:
            if controller not in controllers.split(","):
                continue
            # Controllers that share a tree have a link for each, but not in every container.
            own = tree / controller
            tree = own if own.is_dir() else tree / controllers
            version, limit = 1, limit_of_version_1
        inner = PurePosixPath(path.lstrip("/"))
        for folder in (inner, *inner.parents):
            if (tree / folder / limit).is_file():
                yield ControlGroup(tree / folder, version)


def read_kernel_file(path: str) -> bytes:
    """Return a small file of the kernel, read in one call; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)
