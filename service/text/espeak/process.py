"""Run espeak-ng in its own process, because some texts crash it.

espeak-ng 1.52 dereferences null pointers and writes past its arrays: in English `Tह-ं` causes a
segmentation fault, and `s's's's...` overflows the stack. So this process loads the library, and a
fork of it reads. When the fork dies, this process reports that and forks again, which takes some
milliseconds; a start takes a hundred.

It runs as a script, `python -IS process.py LIBRARY [DATA]`, with pipes as standard input and
output. It imports only the standard library, which takes a third of the memory of the whole
package. It ends when its input ends, and therefore with the service, however that ends.

A message is its length, then its bytes. The first output is `STARTED`, version, NUL and data
folder, or `FAILED` and the reason. Each request is a voice, NUL and a text. Its answer is `READ`
and the IPA, `FAILED` if there is no such voice, or `DIED`.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import struct
import sys
from typing import IO

STARTED, READ, FAILED, DIED = b"s", b"r", b"f", b"d"

TIE = "^"
"""The character that espeak-ng writes between the letters of one sound, as in `t^ʃ`."""

# speak_lib.h
_AUDIO_OUTPUT_SYNCHRONOUS = 2
_INITIALIZE_DONT_EXIT = 0x8000  # otherwise a bad data path ends the process
_CHARS_UTF8 = 1
_EE_OK = 0
_PHONEMES_IPA = 0x02
_PHONEMES_TIE = 0x80
_PHONEME_MODE = _PHONEMES_IPA | _PHONEMES_TIE | ord(TIE) << 8

# Language markers around words that espeak-ng reads by the rules of another language: (en)...(fr).
# They may contain ties. espeak-ng writes no other parentheses.
_LANGUAGE_SWITCH = re.compile(r"\([a-z^-]+\)")

# A letter that every voice reads by the rules of Armenian, which is the language of no voice here.
_FOREIGN_LETTER = "ա"

# A text takes about a millisecond. The limit is in processor time, which does not depend on the
# load of the machine.
_MAX_READING_S = 5.0

_SIGNALS_OF_FAULTS = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGPROF,
        signal.SIGSEGV,
    }
)

_LENGTH = struct.Struct("<I")


def send(stream: IO[bytes], message: bytes) -> None:
    """Write one message. Raises BrokenPipeError if the reader has gone."""
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """Wait for one message. Raises EOFError at the end of the stream."""
    header = stream.read(_LENGTH.size)
    if len(header) == _LENGTH.size:
        (length,) = _LENGTH.unpack(header)
        message = stream.read(length)
        if len(message) == length:
            return message
    raise EOFError


class _Library:
    """The started library. Raises OSError or AttributeError if that fails."""

    def __init__(self, library: str, data: str | None) -> None:
        self._library = ctypes.CDLL(library)
        _declare(self._library)
        self._data = data
        if data is not None:
            # espeak-ng 1.52 cuts paths off after 159 bytes, which those of uv's cache may exceed.
            os.chdir(data)
        sample_rate_hz = self._library.espeak_Initialize(
            _AUDIO_OUTPUT_SYNCHRONOUS, 0, None if data is None else b".", _INITIALIZE_DONT_EXIT
        )
        if sample_rate_hz <= 0:
            raise OSError(f"it does not start with the data in {data or 'its default folder'}")

    def describe(self) -> bytes:
        """Return version, NUL and data folder."""
        data = ctypes.c_char_p()
        version = self._library.espeak_Info(ctypes.byref(data))
        # "1.52.0" or "1.49.2  04.Jan.17"
        folder = data.value or b"" if self._data is None else os.fsencode(self._data)
        return bytes(version.split()[0]) + b"\0" + folder

    def phonemize(self, text: bytes, voice: bytes) -> str | None:
        """Return the IPA, None if there is no such voice."""
        if self._library.espeak_SetVoiceByName(voice) != _EE_OK:
            return None
        # The expectations of a second language's rules (a verb, a past tense) survive a text: after
        # `I was`, French reads `read` as a past tense. So do sounds in buffers that espeak-ng reads
        # before it writes them. A letter of a third language resets the rules and always leaves the
        # same content in the buffers.
        self._clauses(_FOREIGN_LETTER.encode())
        return " ".join(_LANGUAGE_SWITCH.sub("", self._clauses(text)).split())

    def _clauses(self, text: bytes) -> str:
        buffer = ctypes.create_string_buffer(text)
        rest = ctypes.c_void_p(ctypes.addressof(buffer))
        clauses: list[bytes] = []
        while rest.value is not None:
            # ctypes has copied the bytes, which C overwrites at the next call.
            clauses.append(
                self._library.espeak_TextToPhonemes(ctypes.byref(rest), _CHARS_UTF8, _PHONEME_MODE)
            )
        return b" ".join(clauses).decode()


def _declare(library: ctypes.CDLL) -> None:
    """Declare the C prototypes. Raises AttributeError if it is another library."""
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


def _read_texts(library: _Library, requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until the input ends."""
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        voice, _, text = request.partition(b"\0")
        # Restart the limit. Waiting for the next text takes no processor time.
        signal.setitimer(signal.ITIMER_PROF, _MAX_READING_S)
        ipa = library.phonemize(text, voice)
        send(answers, FAILED if ipa is None else READ + ipa.encode())


def _main(library: str, data: str | None = None) -> None:
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # espeak-ng prints warnings, which may contain the text. They must get neither into the answers
    # nor into the service's log. A crash must leave no core file either.
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Terminals and service managers send these to all processes, but the service continues for a
    # while.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    try:
        started = _Library(library, data)
    except (OSError, AttributeError) as error:
        send(answers, FAILED + str(error).encode())
        return
    send(answers, STARTED + started.describe())
    while True:
        reader = os.fork()
        if reader == 0:
            _read_texts(started, requests, answers)
            return
        _, status = os.waitpid(reader, 0)
        # If the fork was killed from outside, perhaps while idle, this process ends too.
        if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) in _SIGNALS_OF_FAULTS):
            return
        send(answers, DIED)


if __name__ == "__main__":
    _main(*sys.argv[1:])
