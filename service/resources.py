"""Where the files that come with the service are: voices, configuration, completions, operators."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """Return the folder `voices`, `config` or `share` that belongs to this installation.

    A wheel carries them inside the package (`service/_data`); a source tree and an editable
    installation have them beside it.
    """
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


def native_library() -> Path:
    """Return where the compiled operators of this installation are, if they are there."""
    packaged = _PACKAGE / "_data" / "native"
    folder = packaged if packaged.is_dir() else _PACKAGE.parent / "native" / "build"
    return folder / "libkokoro_ops.so"
