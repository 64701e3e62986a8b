"""Audio with the times of its characters, as JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Generator, Iterable, Sequence

from service.api.elevenlabs.character_times import CharacterTime, CharacterTimes, aligned_parts
from service.api.elevenlabs.output_formats import OutputFormat
from service.api.elevenlabs.schemas import (
    CharacterAlignment,
    TimestampedAudio,
    TimestampedDialogue,
    VoiceSegment,
)
from service.api.rendering import AudioInText, word_answers
from service.api.schemas import Depth
from service.audio import SOURCE_RATE_HZ, open_encoder
from service.speech import AudioSegment, WordTime

_TIMES_BYTES_PER_S = 10_000
"""Memory of the words and the characters of a second of speech."""

_LINE_SAMPLES = 12_000
"""Samples of a file in a line: 32 KB in base64, at two bytes each. aiohttp, which pipecat reads
with, takes lines of 64 KB."""


LINES_MEDIA_TYPE = "application/x-ndjson"


class _Timestamped(AudioInText):
    """Audio with the times of its characters.

    Args:
        output_format: of the audio.
        text: that is said.
        depth: of the times of words; None for characters only.
        voices: of a dialogue: for each turn the id of its voice, and the offsets of its text.
    """

    def __init__(
        self,
        output_format: OutputFormat,
        text: str,
        depth: Depth | None = None,
        voices: Iterable[tuple[str, int, int]] = (),
    ) -> None:
        super().__init__(output_format.audio_format, output_format.sample_rate_hz)
        self._text = text
        self._depth = depth
        self._voices = tuple(voices)
        self._n_told = 0  # characters
        self.bytes_per_s += _TIMES_BYTES_PER_S

    def _object(
        self, audio: bytes, characters: Sequence[CharacterTime], words: Sequence[WordTime]
    ) -> bytes:
        """Return the answer, or its next part, with the next characters and words."""
        alignment = CharacterAlignment.of(characters)
        answer = TimestampedAudio(
            audio_base64=base64.b64encode(audio).decode(),
            alignment=alignment,
            normalized_alignment=alignment,
            words=word_answers(words, self._text, self._depth) if self._depth else None,
        )
        if self._voices:
            segments = self._segments(characters)
            answer = TimestampedDialogue(**dict(answer), voice_segments=segments)
        self._n_told += len(characters)
        # All in ASCII: some clients end a line at other characters too, such as U+2028.
        return json.dumps(answer.content(), separators=(",", ":")).encode()

    def _segments(self, characters: Sequence[CharacterTime]) -> list[VoiceSegment]:
        segments = []
        for number, (voice_id, start, end) in enumerate(self._voices):
            first = max(start - self._n_told, 0)
            last = min(end - self._n_told, len(characters))
            if first < last:
                segments.append(
                    VoiceSegment(
                        voice_id=voice_id,
                        start_time_seconds=round(characters[first].start_s, 6),
                        end_time_seconds=round(characters[last - 1].end_s, 6),
                        character_start_index=first,
                        character_end_index=last,
                        dialogue_input_index=number,
                    )
                )
        return segments


class WholeTimestampedAudio(_Timestamped):
    """A JSON object with the audio file and the times of all characters."""

    streams = False
    media_type = "application/json"

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write one part."""
        audio, words, end_s = self._encode(segments)
        times = CharacterTimes(self._text)
        for word in words:
            times.add(word)
        yield self._object(audio, times.finish(end_s), words)


class StreamedTimestampedAudio(_Timestamped):
    """Lines of JSON, each with a part of the audio file and the characters that start in it.

    After an error the connection breaks before the last line.
    """

    streams = True
    media_type = LINES_MEDIA_TYPE

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write a line for each half second at 24 kHz, and one for the end if something is left."""
        with open_encoder(self._format, self.sample_rate_hz) as encoder:
            n_samples = _LINE_SAMPLES * SOURCE_RATE_HZ // self.sample_rate_hz
            for part in aligned_parts(segments, self._text, n_samples):
                is_end = not part.samples.size
                audio = encoder.finish() if is_end else encoder.encode(part.samples)
                if audio or part.characters or (self._depth and part.words):
                    yield self._object(audio, part.characters, part.words) + b"\n"
