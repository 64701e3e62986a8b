"""Find libonnxruntime, load it, and negotiate the API version."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ortffi._api import (
    MINIMUM_API_VERSION,
    Api,
    OrtApiBase,
    c_string,
)
from ortffi._shared_object import fault_of
from ortffi._table import API_VERSION
from ortffi.errors import ApiVersionError, LibraryNotFoundError, check

if TYPE_CHECKING:  # a tenth of the time to import ortffi
    from pathlib import Path

SYSTEM_FOLDERS = (
    "usr/lib",
    "usr/local/lib",
    "usr/lib/aarch64-linux-gnu",
    "usr/lib/x86_64-linux-gnu",
)
"""Folders below the root that are always searched on Linux, in this order."""

_WHAT_TO_DO = (
    "Install ONNX Runtime's shared library, or set ONNXRUNTIME_DIR to the folder that holds it, "
    "or `pip install onnxruntime` (only the library inside that package is used)."
)


@dataclass(frozen=True)
class _Naming:
    """What an operating system calls the library, and where it keeps it."""

    usual: str
    pattern: re.Pattern[str]
    folders: tuple[str, ...]


_LINUX = _Naming(
    "libonnxruntime.so", re.compile(r"libonnxruntime\.so(?:\.(\d+(?:\.\d+)*))?"), SYSTEM_FOLDERS
)
# Untested on their systems: tests have only files of these names.
_MACOS = _Naming(
    "libonnxruntime.dylib",
    re.compile(r"libonnxruntime(?:\.(\d+(?:\.\d+)*))?\.dylib"),
    ("opt/homebrew/lib", "usr/local/lib"),
)
_WINDOWS = _Naming("onnxruntime.dll", re.compile(r"onnxruntime()\.dll", re.IGNORECASE), ())
_NAMINGS = {"darwin": _MACOS, "win32": _WINDOWS}


@dataclass(frozen=True)
class Library:
    """A loaded ONNX Runtime library.

    Attributes:
        path: the loaded file, with symbolic links resolved.
        found_by: where it was found: an environment variable, `pkg-config`, a folder,
            `ldconfig`, the `onnxruntime` package, or `argument`.
        version: the result of `GetVersionString`, such as `1.31.1`.
        api_version: the newest API version of the library. `api.version` may be older: it is the
            newest version that ortffi knows too.
        skipped: the places whose library could not be used, each with the reason.
        api: its vtable.
    """

    path: Path
    found_by: str
    version: str
    api_version: int
    skipped: tuple[str, ...]
    api: Api


@dataclass(frozen=True)
class _Place:
    name: str
    file: str | None
    note: str
    explicit: bool = False


def load_library(
    path: str | os.PathLike[str] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    root: str | os.PathLike[str] = "/",
) -> Library:
    """Load the library at `path`, or the first usable library that is found.

    The search order is: `ONNXRUNTIME_DIR` (the folder, then its `lib`), `ONNXRUNTIME_LIB_DIR`,
    pkg-config's `libonnxruntime`, the usual folders of the system, ldconfig's cache, and the copy
    inside the `onnxruntime` wheel, which is never imported. A library that an argument or an
    environment variable names must work. Any other library that does not load is skipped with a
    warning.

    Sets `ORT_DISABLE_TELEMETRY=1` in this process unless the variable is set. Otherwise official
    builds from 1.29.0 on start a telemetry client, and only this variable prevents it.

    Args:
        path: a library file; nothing else is searched.
        environ: the environment variables; by default those of this process.
        root: the root of the file system, to search another system's tree.

    Raises:
        TypeError, ValueError: an argument is of the wrong type, or the path contains a NUL.
        LibraryNotFoundError: there is no usable library, or the named one does not work, because
            it is truncated or damaged, for example; the message lists the places.
        ApiVersionError: the library is older than API version 11, or is not ONNX Runtime.
    """
    environ = os.environ if environ is None else environ
    if not isinstance(environ, Mapping):
        raise TypeError(f"environ must be a mapping, not {type(environ).__name__}")
    root = library_path("root", root)
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    if path is not None:
        file = library_path("path", path)
        places: Iterator[_Place] = iter([_Place("argument", file, file, explicit=True)])
    else:
        places = _places(environ, root)
    looked_at: list[str] = []
    skipped: list[str] = []
    for place in places:
        if place.file is None:
            looked_at.append(f"{place.name}: {place.note}")
            if place.explicit:
                raise LibraryNotFoundError(f"{place.name} is set, but {place.note}")
            continue
        try:
            return _open(os.path.realpath(place.file), place.name, tuple(skipped))
        except LibraryNotFoundError as error:
            if place.explicit:
                raise type(error)(f"{place.name}: {error}") from error
            looked_at.append(f"{place.name}: {error}")
            skipped.append(looked_at[-1])
            _warn("skipping a library that cannot be used: %s", looked_at[-1])
    places_text = "\n".join(f"  - {line}" for line in looked_at)
    raise LibraryNotFoundError(
        f"No usable {_naming().usual} was found. Searched:\n{places_text}\n{_WHAT_TO_DO}"
    )


def library_path(name: str, value: str | os.PathLike[str]) -> str:
    """Return a path argument as a string.

    Raises:
        TypeError: it is not a path; the message contains the name.
        ValueError: it contains a NUL character.
    """
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else value
    c_string(name, text)
    return text


def negotiate(
    version_string: str, get_api: Callable[[int], int | None], where: str
) -> tuple[int, int, int]:
    """Ask `get_api` for the newest API version that both ortffi and the library have.

    Args:
        version_string: the result of `GetVersionString`. Its minor number is the library's newest
            API version. A newer one is never requested: the library would print an error.
        get_api: `OrtApiBase::GetApi`, which returns null for a version that it does not have.
        where: the library's path, for the error message.

    Returns:
        The address of the vtable, its API version, and the newest API version of the library.

    Raises:
        ApiVersionError: the string is not a version, or the library has no API version from 11 on.
    """
    match = re.match(r"1\.(\d+)\.\d+", version_string)
    if match is None:
        raise ApiVersionError(
            f"{where} calls itself version {version_string!r}; ONNX Runtime 1.x was expected"
        )
    newest = int(match.group(1))
    for version in range(min(API_VERSION, newest), MINIMUM_API_VERSION - 1, -1):
        pointer = get_api(version)
        if pointer:
            return pointer, version, newest
    raise ApiVersionError(
        f"{where} is ONNX Runtime {version_string} and offers no API version from "
        f"{MINIMUM_API_VERSION} to {API_VERSION}; ortffi needs 1.{MINIMUM_API_VERSION} "
        "or newer"
    )


def _open(file: str, found_by: str, skipped: tuple[str, ...]) -> Library:
    from pathlib import Path

    # The real path: ONNX Runtime looks for provider libraries beside it and follows no link.
    fault = fault_of(file)
    if fault is not None:
        raise LibraryNotFoundError(f"{file} does not load: it {fault}")
    try:
        library = ctypes.CDLL(file, mode=ctypes.RTLD_LOCAL)
    except OSError as error:
        raise LibraryNotFoundError(f"{file} does not load: {error}") from error
    try:
        get_base = library.OrtGetApiBase
    except AttributeError as error:
        raise ApiVersionError(f"{file} is not ONNX Runtime: no OrtGetApiBase") from error
    get_base.restype = ctypes.POINTER(OrtApiBase)
    base = get_base().contents
    version = ctypes.string_at(base.GetVersionString()).decode("ascii", "replace")
    pointer, agreed, api_version = negotiate(version, base.GetApi, file)
    try:
        api = Api(pointer, agreed, check)
    except ValueError as error:
        raise ApiVersionError(f"{file} is ONNX Runtime {version}, but {error}") from error
    return Library(Path(file), found_by, version, api_version, skipped, api)


def _places(environ: Mapping[str, str], root: str) -> Iterator[_Place]:
    for variable, subfolders in (("ONNXRUNTIME_DIR", ("", "lib")), ("ONNXRUNTIME_LIB_DIR", ("",))):
        value = environ.get(variable, "")
        if value:
            folders = [os.path.join(value, folder).rstrip("/") for folder in subfolders]
            yield _in_folders(variable, folders, explicit=True)
        else:
            yield _Place(variable, None, "not set")
    yield _from_pkg_config(environ)
    for folder in _naming().folders:
        yield _in_folders(os.path.join(root, folder), [os.path.join(root, folder)])
    yield _from_ldconfig(root)
    yield _from_wheel()


def _naming() -> _Naming:
    return _NAMINGS.get(sys.platform, _LINUX)


def _in_folders(name: str, folders: list[str], *, explicit: bool = False) -> _Place:
    for folder in folders:
        file = _newest(folder)
        if file is not None:
            return _Place(name, file, file, explicit)
    listed = " and ".join(folders)
    return _Place(name, None, f"no {_naming().usual} in {listed}", explicit)


def _newest(folder: str) -> str | None:
    """Return a folder's `libonnxruntime.so`, or else the file with the highest version number."""
    pattern = _naming().pattern
    try:
        names = [name for name in os.listdir(folder) if pattern.fullmatch(name)]
    except OSError:  # absent or unreadable: the caller reports that nothing is there
        return None

    def rank(name: str) -> tuple[bool, list[int]]:
        match = pattern.fullmatch(name)
        version = match.group(1) if match else None
        return version is None, [int(part) for part in (version or "").split(".") if part]

    return os.path.join(folder, max(names, key=rank)) if names else None


def _from_pkg_config(environ: Mapping[str, str]) -> _Place:
    tool = _which("pkg-config", environ.get("PATH"))
    if tool is None:
        return _Place("pkg-config", None, "not installed")
    answer = _output([tool, "--variable=libdir", "libonnxruntime"], environ)
    if not answer:
        return _Place("pkg-config", None, "knows no libonnxruntime")
    return _in_folders("pkg-config", [answer])


def _from_ldconfig(root: str) -> _Place:
    # It is not on every PATH, but with glibc it is always in sbin.
    tool = _which("ldconfig", "/sbin:/usr/sbin:/bin:/usr/bin")
    if tool is None:
        return _Place("ldconfig", None, "not installed")
    cache = _output([tool, "-C", os.path.join(root, "etc/ld.so.cache"), "-p"], {"LC_ALL": "C"})
    for line in cache.splitlines():
        name, _, file = line.partition(" => ")
        if _LINUX.pattern.fullmatch(name.split("(")[0].strip()):
            return _Place("ldconfig", file.strip(), file.strip())
    return _Place("ldconfig", None, "no libonnxruntime.so in its cache")


# These modules take longer to import than all of ortffi, so they are imported only when needed.


def _warn(message: str, detail: str) -> None:
    import logging

    logging.getLogger(__name__).warning(message, detail)


def _which(tool: str, path: str | None) -> str | None:
    import shutil

    return shutil.which(tool, path=path)


def _output(command: list[str], environ: Mapping[str, str]) -> str:
    """Return a command's output, or an empty string if it failed."""
    import subprocess

    try:
        done = subprocess.run(
            command, env=dict(environ), capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _from_wheel() -> _Place:
    name = "the onnxruntime package"
    try:
        spec = importlib.util.find_spec("onnxruntime")
    except (ImportError, ValueError):  # a half-installed or half-imported package
        spec = None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        file = _newest(os.path.join(folder, "capi"))
        if file is not None:
            return _Place(name, file, file)
    return _Place(name, None, f"not installed, or without a {_naming().usual} (before 1.19)")
