"""espeak-ng, called through ctypes: text in, IPA out.

espeak-ng is global C state and not thread-safe: unlocked threads get each other's phonemes, and
no error. So there is one lock for the process, held over choosing the voice and reading the text,
and the library is started once and never terminated.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import re
import threading
from dataclasses import dataclass
from pathlib import Path

from service.errors import EspeakError

# speak_lib.h
_AUDIO_OUTPUT_SYNCHRONOUS = 2
_INITIALIZE_DONT_EXIT = 0x8000  # without it a bad data path ends the process
_CHARS_UTF8 = 1
_EE_OK = 0
_PHONEMES_IPA = 0x02
_PHONEMES_TIE = 0x80
TIE = "^"
"""Character that espeak-ng puts between the letters of one sound, as in `t^ʃ`."""
_PHONEME_MODE = _PHONEMES_IPA | _PHONEMES_TIE | ord(TIE) << 8

# Around words that espeak-ng reads with another language's rules: (en)...(fr). Ties get in there
# too. No other parentheses come out of it.
_LANGUAGE_SWITCH = re.compile(r"\([a-z^-]+\)")

_SONAME = "libespeak-ng.so.1"
_LOADER_PACKAGE = "espeakng_loader"
_ADVICE = (
    "run `pip install 'kokoro-service[espeak]'` or `apt-get install libespeak-ng1 espeak-ng-data`"
)

_lock = threading.Lock()
_started: dict[str, _Started] = {}


@dataclass(frozen=True, slots=True)
class _Started:
    """A library after espeak_Initialize, which must happen only once."""

    library: ctypes.CDLL
    data: Path
    version: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A library to try, and the data to start it with (None: where it was built to look)."""

    library: str
    data: Path | None


class Espeak:
    """The espeak-ng library, loaded and started; objects with the same library share it.

    `library` is the shared object; without it, that of the `espeakng_loader` package is tried,
    then the system's. `data` is the folder `espeak-ng-data` or the one that holds it; without it,
    the folder beside the library, then the library's own default. What is given explicitly is
    used or refused, never replaced. Raises EspeakError.
    """

    def __init__(self, library: Path | None = None, data: Path | None = None) -> None:
        if data is not None:
            data = _data_folder(data)
        if library is not None:
            candidates = [_Candidate(str(library), data or _data_beside(library))]
        else:
            candidates = _search(data)
        problems: list[str] = []
        for candidate in candidates:
            try:
                self._started = _start(candidate)
            except _StartFailedError as error:
                problems.append(f"{candidate.library}: {error}")
            else:
                return
        raise EspeakError(f"espeak-ng cannot be used ({'; '.join(problems)}); {_ADVICE}")

    @property
    def version(self) -> str:
        """Return the library's version, such as `1.52.0`."""
        return self._started.version

    @property
    def data(self) -> Path:
        """Return the folder that the library reads its voices and dictionaries from."""
        return self._started.data

    def phonemize(self, text: str, voice: str) -> str:
        """Return the IPA of the text, sounds tied with `TIE`, clauses joined by a space.

        Punctuation is dropped, and whatever the voice cannot read. Words of other languages are
        read by their rules, without the marks that espeak-ng puts around them. The library cuts
        clauses of more than about 1,000 phonemes and words of more than about 200: see
        `service.text.pieces`. Raises EspeakError if it has no such voice, ValueError on NUL,
        where C would end the text.
        """
        if "\0" in text:
            raise ValueError("text must not contain NUL")
        library = self._started.library
        buffer = ctypes.create_string_buffer(text.encode())
        rest = ctypes.c_void_p(ctypes.addressof(buffer))
        clauses: list[str] = []
        with _lock:
            if library.espeak_SetVoiceByName(voice.encode()) != _EE_OK:
                raise EspeakError(f"espeak-ng has no voice {voice!r} in {self.data}; {_ADVICE}")
            while rest.value is not None:
                clause = library.espeak_TextToPhonemes(
                    ctypes.byref(rest), _CHARS_UTF8, _PHONEME_MODE
                )
                # The bytes are C's and change with the next call; ctypes has copied them here.
                clauses.append(clause.decode())
        return " ".join(_LANGUAGE_SWITCH.sub("", " ".join(clauses)).split())


class _StartFailedError(Exception):
    """One candidate does not work; the next one may."""


def _search(data: Path | None) -> list[_Candidate]:
    """Return the libraries to try when none was named, best first."""
    candidates = []
    # Found, not imported: the package's code is not needed, only its files.
    spec = importlib.util.find_spec(_LOADER_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        library = Path(folder, _SONAME)
        if not library.exists():
            library = library.with_suffix("")
        candidates.append(_Candidate(str(library), data or _data_beside(library)))
    candidates.append(_Candidate(ctypes.util.find_library("espeak-ng") or _SONAME, data))
    return candidates


def _data_folder(data: Path) -> Path:
    """Return the folder that holds `phontab`; espeak-ng itself would look elsewhere in silence."""
    for folder in (data / "espeak-ng-data", data):
        if (folder / "phontab").is_file():
            return folder
    raise EspeakError(f"no espeak-ng data in {data} (phontab is missing); {_ADVICE}")


def _data_beside(library: Path) -> Path | None:
    if library == Path(library.name):
        return None  # a bare name, for the system's search path to find
    folder = library.parent / "espeak-ng-data"
    return folder if folder.is_dir() else None


def _start(candidate: _Candidate) -> _Started:
    try:
        library = ctypes.CDLL(candidate.library)
        _declare(library)
    except (OSError, AttributeError) as error:
        raise _StartFailedError(str(error)) from error
    key = _identity(library)
    with _lock:
        started = _started.get(key)
        if started is None:
            started = _initialize(library, candidate.data)
            _started[key] = started
    if candidate.data is not None and not _same_folder(candidate.data, started.data):
        raise _StartFailedError(f"it runs with the data in {started.data}, not {candidate.data}")
    return started


def _identity(library: ctypes.CDLL) -> str:
    """Return what is the same for two names of one loaded library: the address of a function."""
    return str(ctypes.cast(library.espeak_Initialize, ctypes.c_void_p).value)


def _initialize(library: ctypes.CDLL, data: Path | None) -> _Started:
    path = None if data is None else str(data).encode()
    sample_rate_hz = library.espeak_Initialize(
        _AUDIO_OUTPUT_SYNCHRONOUS, 0, path, _INITIALIZE_DONT_EXIT
    )
    if sample_rate_hz <= 0:
        raise _StartFailedError(
            f"it does not start with the data in {data or 'its default folder'}"
        )
    used = ctypes.c_char_p()
    version = library.espeak_Info(ctypes.byref(used))
    # "1.52.0" or "1.49.2  04.Jan.17"
    return _Started(library, Path((used.value or b"").decode()), version.decode().split()[0])


def _same_folder(one: Path, other: Path) -> bool:
    return other.exists() and one.samefile(other)


def _declare(library: ctypes.CDLL) -> None:
    """Give the functions their C prototypes; AttributeError if it is another library."""
    library.espeak_Initialize.argtypes = [
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
    ]
    library.espeak_Initialize.restype = ctypes.c_int
    library.espeak_Info.argtypes = [ctypes.POINTER(ctypes.c_char_p)]
    library.espeak_Info.restype = ctypes.c_char_p
    library.espeak_SetVoiceByName.argtypes = [ctypes.c_char_p]
    library.espeak_SetVoiceByName.restype = ctypes.c_int
    library.espeak_TextToPhonemes.argtypes = [
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.c_int,
        ctypes.c_int,
    ]
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
