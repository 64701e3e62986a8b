"""What is spoken for a client: a text that is complete, or one that comes in parts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterable

from service.api.backlog import Manner, Order
from service.api.clause_speech import ClauseSpeech, Spoken, Unspoken
from service.api.job import SpeechJob
from service.api.request_statistics import RequestStatistics
from service.api.schemas import cast_of
from service.api.state import ServiceState
from service.api.wyoming.schemas import SynthesisRequest, SynthesisStart, VoiceChoice
from service.audio.encoding import to_int16
from service.errors import (
    EmptyTextError,
    LanguageUnavailableError,
    ServiceError,
)
from service.speech import SILENCE_S, AudioSegment, Delivery, Plan, Planner, Utterance
from service.text import find_language, is_variety

Speech = AsyncGenerator[bytes | ServiceError, None]
"""PCM samples, int16; or the error of a part that is left out. Raises the error of all of it."""


async def speak_whole(
    service: ServiceState, request: SynthesisRequest, statistics: RequestStatistics
) -> Speech:
    """Speak a text that is complete, as a stream of HTTP does."""
    synthesizer = service.require().synthesizer
    utterance = Utterance(
        request.text,
        request.text_format or ("auto" if "wyoming" in service.settings.auto_ssml else "text"),
        voice=_voice(synthesizer.planner, request.voice),
        silence_s=SILENCE_S,
        cast=cast_of(request.speakers),
    )
    job = SpeechJob(
        service,
        synthesizer,
        utterance,
        Delivery(streamed=True),
        lambda _, segments: _pcm(segments),
        statistics=statistics,
    )
    async with job:
        async for pcm in job:
            yield pcm


class PartialText:
    """A text that comes in parts, and its speech.

    Args:
        service: the state of the service.
        request: how it is spoken.
        statistics: counts what is spoken.

    Raises:
        ServiceError: it cannot be spoken that way.
    """

    def __init__(
        self, service: ServiceState, request: SynthesisStart, statistics: RequestStatistics
    ) -> None:
        synthesizer = service.require().synthesizer
        voice = _voice(synthesizer.planner, request.voice)
        is_usual = request.text_format is None and "wyoming" in service.settings.auto_ssml
        is_auto = is_usual or request.text_format == "ssml"
        synthesizer.planner.settle(voice, None)
        self._speech: ClauseSpeech[bytes, None] = ClauseSpeech(
            service, synthesizer, statistics, _clause_pcm
        )
        self._speech.manner = Manner(
            voice,
            silence_s=SILENCE_S,
            cast=cast_of(request.speakers),
            kind="auto" if is_auto else "text",
        )

    @property
    def is_busy(self) -> bool:
        """Tell whether text waits, or is being spoken."""
        return self._speech.is_busy

    async def add(self, text: str) -> None:
        """Add text; raises TextTooLongError as `ClauseSpeech.add` does."""
        await self._speech.add(text)

    async def end(self) -> None:
        """Let the speech end with the text so far."""
        async with self._speech.taking_text:
            self._speech.flush()
            self._speech.mark(None)

    async def speak(self) -> Speech:
        """Speak the text to its end."""
        async with self._speech:
            async for given in self._speech:
                if isinstance(given, Spoken):
                    yield given.item
                elif isinstance(given, Unspoken):
                    if given.error.status >= 500:
                        raise given.error
                    # Nothing but white space is no loss.
                    if not isinstance(given.error, EmptyTextError):
                        yield given.error
                else:
                    return


async def refuse(error: ServiceError) -> Speech:
    """Raise the error where the speech would begin."""
    raise error
    yield b""


def _voice(planner: Planner, choice: VoiceChoice | None) -> str | None:
    """Return the voice of a choice; None for the default voice.

    Raises:
        LanguageUnavailableError: no voice speaks the language.
    """
    if choice is None or choice.name is not None or choice.language is None:
        return choice.name if choice is not None else None
    if is_variety(planner.resolve(None).language or "", choice.language):
        return None
    language = find_language(choice.language).code
    for voice in planner.voices.voices:
        if voice.language == language:
            return voice.name
    raise LanguageUnavailableError(f"no voice speaks {language}")


def _pcm(segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
    for segment in segments:
        yield to_int16(segment.samples).tobytes()


def _clause_pcm(
    order: Order, plan: Plan, segments: Iterable[AudioSegment]
) -> Generator[bytes, None, None]:
    return _pcm(segments)
