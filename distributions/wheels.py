"""Build what is passed on: wheels for every Linux, and source distributions.

    python -m distributions.wheels [--to dist] [--once]

The wheels of the core are for x86-64 and for arm64, with glibc 2.28 and later; those of ortffi and
of the whole are for every machine. Everything is built twice, the second time from a copy of the
tree in another folder, and must come out byte for byte the same. auditwheel must find the native
operators as portable as their wheel says, and twine must find nothing wrong. The tools are those of
constraints/wheels.txt; `make wheels` installs them and runs this.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FAMILIES = ("x86_64", "aarch64")
WHOLE = Path("distributions/kokoro-service")
SOURCES = (Path("ortffi"), Path())
"""The folders of source distributions; the root is the core. The whole has no source."""


class WheelError(Exception):
    """A wheel is not as it should be; the message says which and why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 after one line on standard error."""
    parser = argparse.ArgumentParser(prog="python -m distributions.wheels")
    parser.add_argument("--to", type=Path, default=REPOSITORY / "dist", help="folder for them")
    parser.add_argument("--once", action="store_true", help="do not build a second time to compare")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            built = Path(scratch, "built")
            build(REPOSITORY, built)
            check(built)
            if not options.once:
                _compare_with_second_build(built, Path(scratch))
            options.to.mkdir(parents=True, exist_ok=True)
            for file in files(built):
                shutil.copy2(file, options.to)
                print(options.to / file.name)
    except (WheelError, subprocess.CalledProcessError) as error:
        print(f"wheels: {error}", file=sys.stderr)
        return 1
    return 0


def build(tree: Path, folder: Path) -> None:
    """Build every wheel and source distribution of a tree into a folder."""
    for source in SOURCES:
        _run(
            [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)],
            tree / source,
        )
    for family in FAMILIES:
        _wheel(tree, folder, {"KOKORO_WHEEL_FOR": family})
    _wheel(tree / "ortffi", folder)
    _wheel(tree / WHOLE, folder)


def check(folder: Path) -> None:
    """Have auditwheel and twine look at what was built.

    Raises:
        WheelError: a wheel is less portable than its name says.
    """
    _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files(folder))])
    for family in FAMILIES:
        (wheel,) = folder.glob(f"kokoro_service_core-*_{family}.whl")
        found = _run([sys.executable, "-m", "auditwheel", "show", str(wheel)])
        tag = wheel.stem.rpartition("-")[2]
        policies = _policies(found)
        if not policies:
            raise WheelError(f"{wheel.name}: auditwheel says: {' '.join(found.split())}")
        oldest = min(policies, key=_glibc)
        if _glibc(oldest) > _glibc(tag):
            raise WheelError(f"{wheel.name}: auditwheel finds it to be {oldest}")


def files(folder: Path) -> list[Path]:
    """Return the wheels and source distributions of a folder."""
    return sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _compare_with_second_build(built: Path, scratch: Path) -> None:
    copy, again = scratch / "copy of the tree", scratch / "again"
    _copy_tree(copy)
    build(copy, again)
    one, other = ({file.name: sha256(file) for file in files(each)} for each in (built, again))
    differing = [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
    if differing:
        raise WheelError(f"a second build differs: {', '.join(differing)}")


def _copy_tree(place: Path) -> None:
    """Copy what git knows, so that nothing that was built before is used."""
    names = _run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], REPOSITORY
    )
    for name in filter(None, names.split("\0")):
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if (REPOSITORY / name).exists():
            shutil.copy2(REPOSITORY / name, file, follow_symlinks=False)


def _wheel(source: Path, folder: Path, environment: Mapping[str, str] | None = None) -> None:
    _run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        source,
        environment,
    )


def _policies(text: str) -> list[str]:
    """Return the platform tags that auditwheel names."""
    words = (word.strip('".,;()') for word in text.split())
    return [word for word in words if word.startswith("manylinux_2_")]


def _glibc(tag: str) -> tuple[int, int]:
    """Return the version in a tag such as `manylinux_2_28_x86_64`."""
    _, major, minor, *_ = tag.split("_")
    return int(major), int(minor)


def _run(
    command: Sequence[str], folder: Path = REPOSITORY, environment: Mapping[str, str] | None = None
) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WheelError(f"{' '.join(command[1:4])} failed:\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
