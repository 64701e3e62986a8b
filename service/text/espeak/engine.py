"""espeak-ng: text in, IPA out.

This module finds the library. It runs in another process, `service.text.espeak.process`, which gets
one text at a time: espeak-ng has global state, is not thread-safe, and crashes on some texts.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from service.errors import EspeakError, InvalidTextError
from service.extras import advice
from service.text.espeak import process as espeak_process
from service.text.espeak.process import DIED, FAILED, receive, send

_SONAME = "libespeak-ng.so.1"
_LOADER_PACKAGE = "espeakng_loader"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A library to try, and its data folder; None for the library's own default."""

    library: str
    data: Path | None


def _what_to_do() -> str:
    return f"run `{advice('espeak')}` or `apt-get install libespeak-ng1 espeak-ng-data`"


class Espeak:
    """The espeak-ng library, in its own process that ends with this object.

    `library` is the shared object. If None, that of the `espeakng_loader` package is tried, then
    the system's. `data` is the folder `espeak-ng-data` or its parent. If None, the folder beside
    the library is tried, then the library's own default. An explicit argument is never replaced by
    a default. Raises EspeakError. Threads may share an object; forked processes must not.
    """

    def __init__(self, library: Path | None = None, data: Path | None = None) -> None:
        if data is not None:
            data = _data_folder(data)
        if library is not None:
            candidates = iter([_Candidate(str(library), data or _data_beside(library))])
        else:
            candidates = _search(data)
        problems: list[str] = []
        for candidate in candidates:
            try:
                process = _Process(candidate)
            except _StartFailedError as error:
                problems.append(f"{candidate.library}: {error}")
                continue
            self._candidate = candidate
            self._process: _Process | None = process
            self._lock = threading.Lock()
            self.version = process.version
            """The library's version, such as `1.52.0`."""
            self.data = process.data
            """The folder of the library's voices and dictionaries."""
            return
        raise EspeakError(f"espeak-ng cannot be used ({'; '.join(problems)}); {_what_to_do()}")

    def phonemize(self, text: str, voice: str) -> str:
        """Return the IPA of the text, with `^` inside sounds and clauses joined by spaces.

        espeak-ng drops punctuation and characters that the voice cannot read. It reads words of
        other languages by their rules; its language markers are removed. It truncates clauses of
        more than about 1,000 phonemes and words of more than about 200: see
        `service.text.espeak.slices`.

        Raises InvalidTextError if espeak-ng crashes on the text, EspeakError if it has no such
        voice or cannot be restarted, and ValueError if the text contains NUL, which would end it in
        C.
        """
        if "\0" in text:
            raise ValueError("text must not contain NUL")
        request = f"{voice}\0{text}".encode()
        with self._lock:
            # Twice: an earlier text may be the cause of the first crash.
            answer = self._ask(request) or self._ask(request)
        if answer is None:
            raise InvalidTextError(f"espeak-ng crashes on {text!r}")
        if answer == FAILED:
            raise EspeakError(f"espeak-ng has no voice {voice!r} in {self.data}; {_what_to_do()}")
        return answer[1:].decode()

    def has_voice(self, voice: str) -> bool:
        """Tell whether the library's data has a voice, such as `zle/ru`."""
        return (self.data / "lang" / voice).is_file()

    def _ask(self, request: bytes) -> bytes | None:
        """Return the answer, None if the process died first."""
        # The process is put back only after a complete exchange, so that the answer of an
        # interrupted one cannot go to the next request.
        process, self._process = self._process, None
        if process is None:
            try:
                process = _Process(self._candidate)
            except _StartFailedError as error:
                raise EspeakError(f"espeak-ng cannot be started again ({error})") from error
        try:
            answer = process.ask(request)
        except (EOFError, BrokenPipeError):
            return None
        self._process = process
        return None if answer == DIED else answer


class _StartFailedError(Exception):
    """One candidate does not work; the next one may."""


class _Process:
    """A running `service.text.espeak.process`, killed with its forks when this object is freed."""

    def __init__(self, candidate: _Candidate) -> None:
        arguments = [candidate.library]
        if candidate.data is not None:
            arguments.append(str(candidate.data))
        popen = subprocess.Popen(
            [sys.executable, "-IS", espeak_process.__file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        weakref.finalize(self, _end, popen)
        self.pid = popen.pid
        assert popen.stdin is not None
        assert popen.stdout is not None
        self._requests = popen.stdin
        self._answers = popen.stdout
        try:
            answer = receive(self._answers)
        except EOFError as error:
            raise _StartFailedError("it crashes the process that loads it") from error
        if answer.startswith(FAILED):
            raise _StartFailedError(answer[1:].decode())
        version, data = answer[1:].decode().split("\0")
        self.version = version
        self.data = Path(data)

    def ask(self, request: bytes) -> bytes:
        """Return the answer. Raises EOFError or BrokenPipeError if the process has ended."""
        send(self._requests, request)
        return receive(self._answers)


def _end(popen: subprocess.Popen[bytes]) -> None:
    os.killpg(popen.pid, signal.SIGKILL)
    popen.communicate()


def _search(data: Path | None) -> Iterator[_Candidate]:
    """Yield the libraries to try if none is given, best first.

    That of the system is looked for only if the others fail: it takes a tenth of a second, since
    ctypes runs ldconfig and, where there is one, the C compiler.
    """
    # Not imported: only the files of the package are needed, not its code.
    spec = importlib.util.find_spec(_LOADER_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        library = Path(folder, _SONAME)
        if not library.exists():
            library = library.with_suffix("")
        yield _Candidate(str(library), data or _data_beside(library))
    yield _Candidate(ctypes.util.find_library("espeak-ng") or _SONAME, data)


def _data_folder(data: Path) -> Path:
    """Return the folder with `phontab`. espeak-ng itself would silently look elsewhere."""
    for folder in (data / "espeak-ng-data", data):
        if (folder / "phontab").is_file():
            return folder
    raise EspeakError(f"no espeak-ng data in {data} (phontab is missing); {_what_to_do()}")


def _data_beside(library: Path) -> Path | None:
    if library == Path(library.name):
        return None  # a bare name, which the system's search path resolves
    folder = library.parent / "espeak-ng-data"
    return folder if folder.is_dir() else None
