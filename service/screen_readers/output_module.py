"""The output module: speaks what speech-dispatcher sends, at once, and stops at once."""

from __future__ import annotations

import logging
import math
import os
import shlex
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile

from service.errors import ServiceError
from service.screen_readers.module_protocol import Answers, Commands, parts_of
from service.screen_readers.speech_session import SAMPLE_RATE_HZ, Piece, SpeechSession
from service.screen_readers.wording import CAPITAL_ICON, IDLE_WORDS, Kind, Reading
from service.settings import KEY_VARIABLE

logger = logging.getLogger(__name__)

_ICONS = Path("/usr/share/sounds/sound-icons")
"""Debian's package sound-icons."""

_SLOWEST, FASTEST = 1 / 3, 6.0
"""Speeds at -100 and at 100. The service takes no higher ones."""

_PITCHES_ST = (-4.0, 2.0)
"""Semitones at -100 and at 100: a recognizer still hears the words; see docs/markup.md."""

_QUIETEST_DB = -40.0
_CACHE_BYTES = 32 << 20
_LONGEST_CACHED_BYTES = 3 * 2 * SAMPLE_RATE_HZ
_IDLE_S = 0.3
"""Time without a command after which the cache is filled."""

_SETTLE_S = 0.01
"""Time from a stop to its event. speech-dispatcher stops the sound itself, at once; 0.11.4 then
loses the event, once in 200 times, if it comes before its own queue has stopped."""


@dataclass(frozen=True)
class Settings:
    """How is spoken, as speech-dispatcher says it: numbers from -100 to 100."""

    rate: int = 0
    pitch: int = 0
    volume: int = 100
    voice: str = "NULL"
    synthesis_voice: str = "NULL"
    language: str = "NULL"
    punctuation_mode: str = "none"
    spelling_mode: str = "off"
    cap_let_recogn: str = "none"

    def changed(self, given: Mapping[str, str]) -> Settings | None:
        """Return the settings with others; None if one has no such value. Unknown ones are left."""
        changes: dict[str, object] = {}
        for name, value in given.items():
            if name in ("rate", "pitch", "volume"):
                try:
                    number = int(value)
                except ValueError:
                    return None
                if not -100 <= number <= 100:
                    return None
                changes[name] = number
            elif name in Settings.__dataclass_fields__:
                changes[name] = value
        return replace(self, **changes)  # type: ignore[arg-type]  # of the fields' types

    @property
    def speed(self) -> float:
        """Return the speed: 1/3 at -100, 1 at 0, 6 at 100, and as many times more for each step."""
        most = FASTEST if self.rate > 0 else 1 / _SLOWEST
        return round(float(most ** (self.rate / 100)), 3)

    @property
    def pitch_st(self) -> float:
        """Return the pitch in semitones above the voice's own."""
        lowest, highest = _PITCHES_ST
        return round(self.pitch / 100 * (highest if self.pitch > 0 else -lowest), 2)

    @property
    def gain_db(self) -> float:
        """Return the gain: 0 dB at 100, half of the amplitude at 0."""
        share = (self.volume + 100) / 200
        return round(max(20 * math.log10(share), _QUIETEST_DB), 1) if share else _QUIETEST_DB


@dataclass(frozen=True)
class Voices:
    """The voices of the service.

    Attributes:
        rows: name, language (such as `en-us`) and sex of each.
        default: name of the one that speaks unless another is wanted.
    """

    rows: Sequence[tuple[str, str, str]]
    default: str

    def choose(self, settings: Settings) -> tuple[str, str]:
        """Return the voice that fits best, and its language.

        A voice that is named speaks. Otherwise the language decides, then its country, then the
        sex (`male1`, `female2`, `child_male`); the default voice speaks if it fits as well as
        another.
        """
        for name, language, _ in self.rows:
            if name == settings.synthesis_voice:
                return name, language
        wanted = settings.language.lower().replace("_", "-")
        sex = settings.voice.lower().rpartition("_")[2].rstrip("123")

        def fit(row: tuple[str, str, str]) -> tuple[bool, bool, bool, bool]:
            name, language, its_sex = row
            is_of_language = language.partition("-")[0] == wanted.partition("-")[0]
            return is_of_language, language == wanted, its_sex == sex, name == self.default

        own = [row for row in self.rows if row[0] == self.default]
        if wanted in ("null", ""):
            wanted = own[0][1] if own else "en-us"
        best = max(self.rows, key=fit)
        if not fit(best)[0] and own:
            best = own[0]
        return best[0], best[1]


@dataclass(eq=False)
class _Utterance:
    """Something that is said; `is_over` when its last event is sent, or nobody listens."""

    kind: Kind
    text: str
    settings: Settings
    is_heard: bool = True
    is_over: bool = False


class OutputModule:
    """Speaks one text at a time, in a thread of its own.

    Short speech is kept, and what screen readers say most is spoken in idle time, unheard.

    Args:
        session: with the service.
        voices: that there are.
        answers: to speech-dispatcher.
    """

    def __init__(self, session: SpeechSession, voices: Voices, answers: Answers) -> None:
        self._session = session
        self._voices = voices
        self._answers = answers
        self._settings = Settings()
        self._changed = threading.Condition(answers.lock)
        self._current: _Utterance | None = None
        self._waiting: _Utterance | None = None
        self._is_closed = False
        self._unsent: str | None = None
        self._cache: OrderedDict[tuple[str, str], tuple[Piece, ...]] = OrderedDict()
        self._n_cached_bytes = 0
        self._to_fill: Iterator[_Utterance] = iter(())
        self._filled_for: Settings | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    # What speech-dispatcher asks for; in the thread that reads.

    def voices(self) -> list[tuple[str, str, str]]:
        """Return the voices, with languages as speech-dispatcher writes them: `en-US`."""
        return [(name, _written(language), sex) for name, language, sex in self._voices.rows]

    def set(self, settings: dict[str, str]) -> bool:
        """Take settings for what is said from now on."""
        changed = self._settings.changed(settings)
        if changed is not None:
            self._settings = changed
        return changed is not None

    def speak(self, kind: Kind, text: str) -> bool:
        """Begin to speak; see `Talker.speak`."""
        try:
            self._session.connect()
        except ServiceError as error:
            logger.warning("%s", error)
            return False
        with self._changed:
            self._send_end()
            self._give_up()
            self._waiting = _Utterance(kind, text, self._settings)
            self._changed.notify()
        return True

    def stop(self) -> None:
        """End the speech, with the event STOP."""
        self._end("703 STOP")

    def pause(self) -> None:
        """End the speech, with the event PAUSE; the rest comes as another text."""
        self._end("704 PAUSE")

    def close(self) -> None:
        """Speak no more."""
        with self._changed:
            self._give_up()
            self._is_closed = True
            self._changed.notify()
        self._session.close()

    def _end(self, event: str) -> None:
        with self._changed:
            current = self._waiting or self._current
            if current is None or current.is_over or not current.is_heard:
                return
            self._give_up()
            self._unsent = event
            threading.Timer(_SETTLE_S, self._send_end, [event]).start()

    def _send_end(self, event: str | None = None) -> None:
        """Send the event of the end that waits, if it is this one, or any."""
        with self._changed:
            if self._unsent is not None and event in (None, self._unsent):
                self._answers.say(self._unsent)
                self._unsent = None

    def _give_up(self) -> None:
        """Let nobody hear what is being said; the lock is held."""
        if self._current is not None and not self._current.is_over:
            self._current.is_over = True
            self._session.cancel()
        self._waiting = None

    # Speaking; in the thread of its own.

    def _work(self) -> None:
        while True:
            with self._changed:
                utterance = self._take()
            if utterance is None:
                return
            try:
                self._say(utterance)
            except ServiceError as error:
                logger.warning("%s", error)
                self._finish(utterance, "703 STOP")

    def _take(self) -> _Utterance | None:
        """Wait for what is to be said next; None at the end. The lock is held."""
        is_filling = self._current is not None and not self._current.is_heard
        self._current = None
        while not self._is_closed:
            if self._waiting is not None:
                self._current, self._waiting = self._waiting, None
                return self._current
            idle_s = (0.0 if is_filling else _IDLE_S) if self._has_to_fill() else None
            if not self._changed.wait(idle_s):
                self._current = next(self._to_fill, None)
                if self._current is not None:
                    return self._current
            is_filling = False
        return None

    def _has_to_fill(self) -> bool:
        if self._filled_for != self._settings:
            self._filled_for = self._settings
            self._to_fill = self._idle_speech(self._settings)
        self._to_fill, is_left = _peeked(self._to_fill)
        return is_left

    def _idle_speech(self, settings: Settings) -> Iterator[_Utterance]:
        """Yield what is to be cached: letters, digits, and the words of the language."""
        letters = "abcdefghijklmnopqrstuvwxyz0123456789 .,"
        base = self._reading(settings).base
        said: list[tuple[Kind, str]] = [
            ("SPEAK", f"<speak>{word}</speak>") for word in IDLE_WORDS.get(base, ())
        ]
        said += [("CHAR", letter) for letter in letters]
        for kind, text in said:
            if self._key(kind, text, settings) not in self._cache:
                yield _Utterance(kind, text, settings, is_heard=False)

    def _reading(self, settings: Settings) -> Reading:
        language = settings.language.lower().replace("_", "-")
        if language in ("null", ""):
            language = self._voices.choose(settings)[1]
        return Reading(
            language,
            settings.punctuation_mode,
            settings.cap_let_recogn,
            settings.spelling_mode == "on",
            settings.pitch_st,
        )

    def _manner(self, settings: Settings) -> dict[str, object]:
        voice, _ = self._voices.choose(settings)
        return {"voice": voice, "speed": settings.speed, "volume": settings.gain_db}

    def _key(self, kind: Kind, text: str, settings: Settings) -> tuple[str, str]:
        return self._reading(settings).document(kind, text), repr(self._manner(settings))

    def _say(self, utterance: _Utterance) -> None:
        settings = utterance.settings
        icon = _icon(utterance.text) if utterance.kind == "SOUND_ICON" else None
        key = self._key(utterance.kind, utterance.text, settings)
        with self._changed:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
        self._begin(utterance)
        if icon is not None:
            self._send(utterance, [Piece(icon)])
        elif known is not None:
            self._send(utterance, known)
        else:
            self._speak(utterance, key)
        self._finish(utterance, "702 END")

    def _speak(self, utterance: _Utterance, key: tuple[str, str]) -> None:
        """Have the service speak, and keep what it says if it is short."""
        if utterance.is_over:
            return
        made: list[Piece] = []
        with closing(self._session.speak(key[0], self._manner(utterance.settings))) as pieces:
            for piece in pieces:
                made.append(piece)
                if not self._send(utterance, [piece]):
                    return
        if not utterance.is_over:
            self._keep(key, made)

    def _begin(self, utterance: _Utterance) -> None:
        with self._changed:
            if utterance.is_heard and not utterance.is_over:
                self._answers.say("701 BEGIN")

    def _finish(self, utterance: _Utterance, event: str) -> None:
        with self._changed:
            if utterance.is_heard and not utterance.is_over:
                self._answers.say(event)
            utterance.is_over = True

    def _send(self, utterance: _Utterance, pieces: Sequence[Piece]) -> bool:
        """Send speech and its marks in order; tell whether somebody still listens."""
        for piece in pieces:
            start = 0
            for name, place in (*piece.marks, ("", len(piece.pcm))):
                for part in parts_of(piece.pcm[start:place]):
                    if not self._send_part(utterance, part):
                        return False
                start = max(start, place)
                if name and not self._send_mark(utterance, name):
                    return False
        return not utterance.is_over

    def _send_part(self, utterance: _Utterance, pcm: bytes) -> bool:
        with self._changed:
            if utterance.is_heard and not utterance.is_over:
                self._answers.audio(pcm, SAMPLE_RATE_HZ)
            return not utterance.is_over

    def _send_mark(self, utterance: _Utterance, name: str) -> bool:
        if name == CAPITAL_ICON:
            return self._send_part(utterance, _TICK)
        with self._changed:
            if utterance.is_heard and not utterance.is_over:
                self._answers.mark(name)
            return not utterance.is_over

    def _keep(self, key: tuple[str, str], made: Sequence[Piece]) -> None:
        """Keep short speech; what was not said for longest goes first."""
        n_bytes = sum(len(piece.pcm) for piece in made)
        if not n_bytes or n_bytes > _LONGEST_CACHED_BYTES:
            return
        with self._changed:
            self._cache[key] = tuple(made)
            self._n_cached_bytes += n_bytes
            while self._n_cached_bytes > _CACHE_BYTES:
                _, old = self._cache.popitem(last=False)
                self._n_cached_bytes -= sum(len(piece.pcm) for piece in old)


def _peeked(items: Iterator[_Utterance]) -> tuple[Iterator[_Utterance], bool]:
    """Return the same items, and whether there are any."""
    first = next(items, None)
    if first is None:
        return iter(()), False

    def again() -> Iterator[_Utterance]:
        yield first
        yield from items

    return again(), True


def _written(language: str) -> str:
    base, hyphen, country = language.partition("-")
    return f"{base}{hyphen}{country.upper()}"


def _tick() -> bytes:
    """Return a tick of 40 ms at 2 kHz, which fades."""
    places = np.arange(SAMPLE_RATE_HZ * 40 // 1000)
    samples = 6000 * np.sin(2 * np.pi * 2000 / SAMPLE_RATE_HZ * places) * np.exp(-places / 200)
    return bytes(samples.astype("<i2").tobytes())


_TICK = _tick()


def _icon(name: str) -> bytes | None:
    """Return the samples of a sound icon at 24 kHz; None if there is no such file."""
    file = _ICONS / f"{Path(name.strip()).name}"
    found = next((one for one in (file, file.with_suffix(".wav")) if one.is_file()), None)
    if found is None:
        return None
    samples, rate_hz = soundfile.read(found, dtype="float32", always_2d=True)
    mono = samples.mean(axis=1)
    places = np.arange(int(mono.size * SAMPLE_RATE_HZ / rate_hz)) * (rate_hz / SAMPLE_RATE_HZ)
    resampled = np.interp(places, np.arange(mono.size), mono)
    return bytes((resampled * 32767).astype("<i2").tobytes())


def serve(server: str, voices: Voices) -> None:
    """Speak for speech-dispatcher, which has started this process, until it ends.

    Args:
        server: address of the service.
        voices: that it has.
    """
    output, sys.stdout = sys.stdout, sys.stderr  # what else is printed is no answer
    answers = Answers(output.buffer)
    session = SpeechSession(server, os.environ.get(KEY_VARIABLE))
    module = OutputModule(session, voices, answers)
    Commands(sys.stdin.buffer, answers, module).serve()


_LAUNCHER = """\
#!/bin/sh
# Made by `kokoro-service speech-dispatcher --install`; speech-dispatcher starts it.
exec {python} -m service speech-dispatcher --server {server} "$@"
"""


def install(server: str, folder: Path | None = None) -> Path:
    """Put the module where speech-dispatcher 0.11 and newer find those of a user.

    Args:
        server: address of the service.
        folder: where; default: `~/.local/libexec/speech-dispatcher-modules`.

    Returns:
        The program that speech-dispatcher starts.

    Raises:
        OSError: it cannot be written.
    """
    folder = folder or Path.home() / ".local/libexec/speech-dispatcher-modules"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "sd_kokoro"
    program.write_text(
        _LAUNCHER.format(python=shlex.quote(sys.executable), server=shlex.quote(server)),
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program
