"""Assemble the published model from the packages with its parts."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

from service.errors import ModelError
from service.extras import advice
from service.model.spec import included_model

_FILE = included_model().published
assert _FILE is not None  # the included model has no file of its own
FILE_NAME, SIZE_BYTES, SHA256, PACKAGES = _FILE.name, _FILE.size_bytes, _FILE.sha256, _FILE.packages
"""The int8 export of Kokoro-82M v1.0, and the packages with its parts."""

_BLOCK_BYTES = 1 << 20

Progress = Callable[[str], None]


def default_cache_dir() -> Path:
    """Return the default cache: the folder `kokoro-service` in `$XDG_CACHE_HOME` or `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "kokoro-service"


def model_path(model: Path | None, cache_dir: Path | None) -> Path:
    """Return the model file of the settings, whether it exists or not."""
    return model or (cache_dir or default_cache_dir()) / FILE_NAME


def assemble(path: Path, progress: Progress) -> None:
    """Write the published model to `path`, from the installed packages.

    The file is written atomically. Concurrent processes wait for each other, and only the first
    writes it.

    Args:
        path: of the file; its folder is created.
        progress: called with a line now and then.

    Raises:
        ModelError: a package is missing, the parts are not the published file, or the folder
            cannot be written.
    """
    parts = [_part(package) for package in PACKAGES]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if is_published(path):
                return
            _write(path, parts, progress)
    except OSError as error:
        raise ModelError(
            f"the model cannot be written to {path.parent}: {error.strerror}; "
            "set cache_dir to a folder that can be written, or model to a model file"
        ) from error


def is_published(path: Path) -> bool:
    """Tell whether a file is the published model, byte for byte."""
    if not path.is_file() or path.stat().st_size != SIZE_BYTES:
        return False
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest() == SHA256


def _part(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        part = Path(folder) / "part.bin"
        if part.is_file():
            return part
    raise ModelError(
        f"no model: the package {package.replace('_', '-')} is not installed; "
        f"{advice('model')}, or set --model to a model file"
    )


def _write(path: Path, parts: list[Path], progress: Progress) -> None:
    partial = path.with_suffix(".partial")
    try:
        _join(parts, partial, progress)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    progress(f"model ready: {path}")


def _join(parts: list[Path], partial: Path, progress: Progress) -> None:
    digest = hashlib.sha256()
    written = 0
    with open(partial, "wb") as out:
        for part in parts:
            with open(part, "rb") as file:
                while block := file.read(_BLOCK_BYTES):
                    digest.update(block)
                    out.write(block)
                    written += len(block)
            progress(f"assembling the model: {100 * written // SIZE_BYTES} %")
        out.flush()
        os.fsync(out.fileno())
    if digest.hexdigest() != SHA256:
        raise ModelError(
            "the model packages are damaged: their parts are not the published model; "
            f"run {advice('model')} --force-reinstall"
        )
