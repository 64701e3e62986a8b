"""The protocol between speech-dispatcher and its output modules, from the module's side.

Its description is doc/speech-dispatcher.texi and src/modules/module_process.c of the program.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from service.screen_readers.wording import Kind

_BAD_PARAMETER = "303 ERROR INVALID PARAMETER OR VALUE"
_SAMPLES_AT_ONCE = 6_000
"""Samples of a message: a quarter of a second at 24 kHz. One is always sent to its end."""

_ESCAPE, _FLIP = 0x7D, 0x20


class Talker(Protocol):
    """What an output module does."""

    def voices(self) -> list[tuple[str, str, str]]:
        """Return name, language (BCP 47) and sex of each voice."""

    def set(self, settings: dict[str, str]) -> bool:
        """Take settings; tell whether all are understood."""

    def speak(self, kind: Kind, text: str) -> bool:
        """Begin to speak; tell whether it can be spoken."""

    def stop(self) -> None:
        """End the speech at once."""

    def pause(self) -> None:
        """End the speech at once; speech-dispatcher says the rest later."""

    def close(self) -> None:
        """Speak no more."""


class Answers:
    """Writes answers and events, each as a whole, from several threads.

    Args:
        stream: to speech-dispatcher.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._debug: BinaryIO | None = None
        self.lock = threading.RLock()

    def say(self, *lines: str) -> None:
        """Write lines."""
        self._write("".join(f"{line}\n" for line in lines).encode(errors="replace"))

    def mark(self, name: str) -> None:
        """Tell that a mark sounds after what was sent."""
        self.say(f"700-{' '.join(name.split())}", "700 INDEX MARK")

    def audio(self, pcm: bytes, rate_hz: int) -> None:
        """Send int16 samples, mono. The end of a line in them is escaped, and so is the escape."""
        head = (
            f"705-bits=16\n705-num_channels=1\n705-sample_rate={rate_hz}\n"
            f"705-num_samples={len(pcm) // 2}\n705-big_endian=0\n705-AUDIO"
        )
        escaped = pcm.replace(b"\x7d", bytes((_ESCAPE, _ESCAPE ^ _FLIP)))
        escaped = escaped.replace(b"\n", bytes((_ESCAPE, 0x0A ^ _FLIP)))
        self._write(head.encode() + b"\0" + escaped + b"\n705 AUDIO\n")

    def debug_into(self, path: Path | None) -> bool:
        """Copy what is sent, but for audio, into a file; tell whether it can be written."""
        with self.lock:
            if self._debug is not None:
                self._debug.close()
            self._debug = None
            if path is None:
                return True
            try:
                self._debug = path.open("ab", buffering=0)
            except OSError:
                return False
            return True

    def _write(self, content: bytes) -> None:
        with self.lock:
            if self._debug is not None:
                self._debug.write(content.partition(b"705-AUDIO")[0])
            with suppress(BrokenPipeError):  # the end of its input follows
                self._stream.write(content)
                self._stream.flush()


def parts_of(pcm: bytes) -> Iterator[bytes]:
    """Yield samples in parts that may each be sent as one message."""
    size = 2 * _SAMPLES_AT_ONCE
    for start in range(0, len(pcm), size):
        yield pcm[start : start + size]


class Commands:
    """Reads commands, and answers each.

    Args:
        stream: from speech-dispatcher.
        answers: to it.
        talker: does what they say.
    """

    def __init__(self, stream: BinaryIO, answers: Answers, talker: Talker) -> None:
        self._stream = stream
        self._answers = answers
        self._talker = talker
        self._simple: dict[str, Callable[[], None]] = {
            "INIT": lambda: answers.say("299-kokoro speaks", "299 OK LOADED SUCCESSFULLY"),
            "STOP": talker.stop,
            "PAUSE": talker.pause,
            "LIST VOICES": self._list_voices,
            "SET": self._set,
            "AUDIO": self._audio,
            "LOGLEVEL": self._log_level,
        }

    def serve(self) -> None:
        """Answer until `QUIT`, or the end."""
        kinds: tuple[Kind, ...] = ("SPEAK", "CHAR", "KEY", "SOUND_ICON")
        while (line := self._line()) is not None:
            command = line.strip()
            kind = next((kind for kind in kinds if kind == command), None)
            if kind is not None:
                self._speak(kind)
            elif command in self._simple:
                self._simple[command]()
            elif command.startswith("DEBUG"):
                self._debug(command)
            elif command == "QUIT":
                self._talker.close()
                self._answers.say("210 OK QUIT")
                return
            else:
                self._answers.say("300 ERR UNKNOWN COMMAND")
        self._talker.close()

    def _line(self) -> str | None:
        line = self._stream.readline()
        return line.decode(errors="replace").removesuffix("\n") if line else None

    def _lines(self) -> list[str]:
        """Return lines up to a dot; those that begin with one have another before it."""
        lines: list[str] = []
        while (line := self._line()) not in (None, "."):
            assert line is not None
            lines.append(line[1:] if line.startswith(".") else line)
        return lines

    def _speak(self, kind: Kind) -> None:
        self._answers.say("202 OK RECEIVING MESSAGE")
        lines = self._lines()
        text = "\n".join(lines)
        # The dot comes on a line of its own, after the line that ends the text.
        text = text.removesuffix("\n")
        if not text:
            self._answers.say("301 ERROR CANT SPEAK")
        elif kind != "SPEAK" and "\n" in text.strip("\n"):
            self._answers.say("305 DATA MORE THAN ONE LINE")
        else:
            with self._answers.lock:  # the answer goes before the events
                is_spoken = self._talker.speak(kind, text)
                self._answers.say("200 OK SPEAKING" if is_spoken else "301 ERROR CANT SPEAK")

    def _list_voices(self) -> None:
        voices = self._talker.voices()
        if voices:
            lines = ("\t".join(("200-" + name, *others)) for name, *others in voices)
            self._answers.say(*lines, "200 OK VOICE LIST SENT")
        else:
            self._answers.say("304 CANT LIST VOICES")

    def _parameters(self, kind: str) -> dict[str, str] | None:
        """Return parameters; None, with an answer, if a line has none."""
        self._answers.say(f"207 OK RECEIVING {kind}SETTINGS")
        found: dict[str, str] = {}
        lines = self._lines()
        for line in lines:
            name, equals, value = line.partition("=")
            if not equals or not name:
                self._answers.say("302 ERROR BAD SYNTAX")
                return None
            found[name] = value
        return found

    def _set(self) -> None:
        settings = self._parameters("")
        if settings is not None:
            is_known = self._talker.set(settings)
            self._answers.say("203 OK SETTINGS RECEIVED" if is_known else _BAD_PARAMETER)

    def _audio(self) -> None:
        settings = self._parameters("AUDIO ")
        if settings is None:
            return
        if settings.get("audio_output_method") == "server":
            self._answers.say("203 OK AUDIO INITIALIZED")
        else:  # speech-dispatcher plays itself since 0.11
            self._answers.say(_BAD_PARAMETER)

    def _log_level(self) -> None:
        if self._parameters("LOGLEVEL ") is not None:
            self._answers.say("203 OK LOGLEVEL SET")

    def _debug(self, command: str) -> None:
        words = command.split()
        if words[1:] == ["OFF"]:
            self._answers.debug_into(None)
            self._answers.say("200 OK DEBUGGING OFF")
        elif len(words) == 3 and words[1] == "ON":
            is_open = self._answers.debug_into(Path(words[2]))
            self._answers.say(
                "200 OK DEBUGGING ON" if is_open else "303 CANT OPEN CUSTOM DEBUG FILE"
            )
        else:
            self._answers.say("302 ERROR BAD SYNTAX")
