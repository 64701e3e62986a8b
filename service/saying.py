"""The command `say`: read a text, and write a sound file or play it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from service.audio import FORMATS, AudioFormat, encode, open_encoder, require_format
from service.complete_files import write_whole
from service.errors import InvalidRequestError
from service.playback import Player, play_file, play_samples
from service.progress import Progress
from service.speech import AudioSegment, Chunk, Coverage, Delivery, Plan, Synthesizer, Utterance
from service.text import USUAL, Normalization

OTHER_ENDINGS: dict[str, AudioFormat] = {"raw": "pcm", "ogg": "opus", "ulaw": "mulaw"}
"""Endings that are not a format's name."""

STANDARD_INPUT = "-"


def format_of(output: Path) -> AudioFormat:
    """Return the format that the ending of a file names.

    Raises:
        InvalidRequestError: it names none.
        UnsupportedFormatError: this installation cannot write it.
    """
    suffix = output.suffix.lower().removeprefix(".")
    name = OTHER_ENDINGS.get(suffix, suffix)
    for known in FORMATS:
        if known == name:
            require_format(known)
            return known
    endings = ", ".join(f".{ending}" for ending in (*FORMATS, *OTHER_ENDINGS))
    raise InvalidRequestError(f"{output}: the name must end in {endings}")


def read_text(text: str | None, file: Path | None) -> str:
    """Return what is to be said: the argument, a file's content or standard input.

    Raises:
        InvalidRequestError: there is none, there are two, or it is not UTF-8.
        OSError: the file cannot be read.
    """
    if text is not None and file is not None:
        raise InvalidRequestError("give a text or a file, not both")
    if text is None and file is None and sys.stdin.isatty():
        raise InvalidRequestError("give a text, a file (-f), or a text on standard input")
    try:
        if file is not None and str(file) != STANDARD_INPUT:
            return file.read_text(encoding="utf-8-sig")
        if text is None or text == STANDARD_INPUT:
            return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = "standard input" if file is None else str(file)
        raise InvalidRequestError(f"{where} is not UTF-8: {error.reason}") from error
    return text


def normalization_of(option: str) -> Normalization | None:
    """Return what `--normalize` asks for; None for no normalization.

    Args:
        option: `true`, `false`, a JSON object, or its names and values as `urls=short,code=skip`.

    Raises:
        InvalidRequestError: it is none of these, or has a choice that does not exist.
    """
    if option in ("true", "false"):
        return USUAL if option == "true" else None
    choices: Any
    if option.lstrip().startswith("{"):
        try:
            choices = json.loads(option)
        except json.JSONDecodeError as error:
            raise InvalidRequestError(f"--normalize: no JSON: {error}") from error
    else:
        pairs = [pair.partition("=") for pair in option.split(",")]
        if not all(sign for _, sign, _ in pairs):
            raise InvalidRequestError(
                f"--normalize {option}: give true, false, or choices such as urls=short,code=skip"
            )
        choices = {name.strip(): value.strip() for name, _, value in pairs}
    try:
        return TypeAdapter(Normalization).validate_python(choices)
    except ValidationError as error:
        fault = error.errors()[0]
        name = ".".join(map(str, fault["loc"]))
        raise InvalidRequestError(f"--normalize: {name}: {fault['msg']}") from error


def check_place(output: Path) -> None:
    """Find out before a long synthesis whether a file can be written. Raises OSError."""
    folder = output.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{output}: there is no folder {folder}")
    if output.is_dir():
        raise IsADirectoryError(f"{output} is a folder")
    if not os.access(output if output.exists() else folder, os.W_OK):
        raise PermissionError(f"{output} cannot be written")


def say_to_file(
    synthesizer: Synthesizer, utterance: Utterance, output: Path, delivery: Delivery
) -> str:
    """Write the speech of an utterance into a file; return a line about it.

    Raises:
        ServiceError: it cannot be said; see `Synthesizer.plan` and `stream`.
        OSError: the file cannot be written.
    """
    audio_format = format_of(output)
    spoken = _Spoken()
    segments = spoken.segments(synthesizer, utterance, delivery)
    parts = [segment.samples for segment in segments]
    write_whole(output, encode(parts, audio_format))
    return f"{output}: {spoken}"


def say_aloud(
    synthesizer: Synthesizer,
    utterance: Utterance,
    player: Player,
    delivery: Delivery,
) -> str:
    """Play the speech of an utterance, with what is made first; return a line about it.

    A loudness needs all of it first.

    Raises:
        PlaybackError: there is no player, or it cannot play.
        ServiceError: it cannot be said; see `Synthesizer.plan` and `stream`.
    """
    spoken = _Spoken()
    if delivery.loudness_lufs is None:
        delivery = replace(delivery, streamed=player.reads_samples)
    segments = spoken.segments(synthesizer, utterance, delivery)
    if player.reads_samples:
        play_samples(player, _samples(segments))
    else:
        play_file(player, encode([segment.samples for segment in segments], "wav"))
    return f"{player.command[0]}: {spoken}"


class _Spoken:
    """What was said so far."""

    def __init__(self) -> None:
        self._audio_s = self._compute_s = 0.0
        self._coverage = Coverage()

    def __str__(self) -> str:
        n_dropped = self._coverage.n_dropped
        dropped = f"; {n_dropped} characters are not said" if n_dropped else ""
        told = (f"{one.names} {one.line}:{one.column}" for one in self._coverage.ignored)
        ignored = ", ".join(told)
        ignored = f"; ignored: {ignored}" if ignored else ""
        return f"{self._audio_s:.2f} s of speech in {self._compute_s:.2f} s{dropped}{ignored}"

    def segments(
        self, synthesizer: Synthesizer, utterance: Utterance, delivery: Delivery
    ) -> Iterator[AudioSegment]:
        """Yield the segments of an utterance, and show how far they are."""
        progress = Progress(len(utterance.text))
        plan = synthesizer.plan(utterance, delivery)
        self._coverage = plan.coverage
        ends: list[int] = []
        with progress:
            for segment in synthesizer.stream(replace(plan, chunks=_noting_ends(plan, ends))):
                self._audio_s = segment.start_s + segment.duration_s
                self._compute_s += segment.compute_s
                if segment.is_last:
                    progress.show(segment.chunk + 1, ends[segment.chunk], self._audio_s)
                yield segment


def _noting_ends(plan: Plan, ends: list[int]) -> Iterator[Chunk]:
    """Yield the chunks, and note where in the text each one ends."""
    for chunk in plan.chunks:
        ends.append(max((word.text_end for word in chunk.words), default=ends[-1] if ends else 0))
        yield chunk


def _samples(segments: Iterable[AudioSegment]) -> Iterator[bytes]:
    encoder = open_encoder("pcm")
    for segment in segments:
        yield encoder.encode(segment.samples)
    yield encoder.finish()
