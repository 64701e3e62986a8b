"""A context: a text that comes in parts on a WebSocket, and its speech."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import replace
from enum import Enum, auto

from service.api.clause_speech import ClauseSpeech, Spoken, Unspoken
from service.api.elevenlabs.input_messages import InputMessage, final_message
from service.api.elevenlabs.speech_writer import SpeechWriter
from service.api.elevenlabs.stream_options import StreamOptions
from service.api.request_statistics import RequestStatistics
from service.api.schemas import cast_of
from service.api.ssml_in_parts import SsmlInParts
from service.api.state import ServiceState
from service.errors import EmptyTextError, InvalidRequestError, ServiceError
from service.speech import Synthesizer, TextKind
from service.text import is_blank

_MAX_MARKS = 256
"""Flushes that may wait for the speech before them. They have no text, so its limit does not bound
them."""


class _Mark(Enum):
    """What waits for the speech before it."""

    FLUSHED = auto()
    FINISHED = auto()
    ABANDONED = auto()


class Client(ABC):
    """Who listens to a context."""

    @abstractmethod
    async def tell(self, message: str, *, has_audio: bool = False) -> None:
        """Send a message."""

    @abstractmethod
    async def complain(self, error: ServiceError, context_id: str | None) -> None:
        """Tell of an error, which ends a context."""


class SpeechContext:
    """Speaks one text of a session.

    Args:
        context_id: as the client names it; None if the socket has only one.
        client: who listens.
        service: the state of the service.
        synthesizer: to use.
        statistics: counts what is spoken.
        options: of the session.
        turn: held while a clause is spoken, so that the contexts of a session take turns.

    Attributes:
        context_id: see above.
        is_closing: whether no more text is expected.
    """

    def __init__(
        self,
        context_id: str | None,
        client: Client,
        service: ServiceState,
        synthesizer: Synthesizer,
        statistics: RequestStatistics,
        options: StreamOptions,
        turn: asyncio.Lock,
    ) -> None:
        self.context_id = context_id
        self.is_closing = False
        self._client = client
        self._auto_mode = options.auto_mode
        self._writer = SpeechWriter(options, context_id, timed=synthesizer.model.gives_durations)
        self._speech: ClauseSpeech[str, _Mark] = ClauseSpeech(
            service, synthesizer, statistics, self._writer.write, turn
        )
        self._speech.manner = options.manner
        self._document = SsmlInParts(service.settings.max_text_length) if options.has_ssml else None
        self._is_flushed = False

    @property
    def is_busy(self) -> bool:
        """Tell whether something waits, or is being spoken."""
        return self._speech.is_busy

    async def hear(self, message: InputMessage) -> None:
        """Take a message: first its settings, then its text, then its flush.

        Raises:
            TextTooLongError: too much text would wait.
            InvalidRequestError: too many flushes would wait.
        """
        settings, text = message.voice_settings, message.text or ""
        if settings is not None and settings.speed is not None:
            self._speech.manner = replace(self._speech.manner, speed=settings.speed)
        if message.speakers is not None:
            self._speech.manner = replace(self._speech.manner, cast=cast_of(message.speakers))
        # The blank that opens a context is not a part of the text.
        is_begun = self._speech.text_end or (self._document and self._document.n_waiting)
        if not is_blank(text) or (text and is_begun):
            self._is_flushed = False
            parts = [(text, False)] if self._document is None else self._document.add(text)
            for part, is_document in parts:
                await self._say(part, is_document=is_document)
        if message.flush:
            await self._say_rest()
            self._flush()

    async def _say(self, text: str, *, is_document: bool) -> None:
        if self._auto_mode and not is_document and not text[-1].isspace():
            text += " "  # the next message is another sentence
        self._writer.hear(text)
        if is_document:
            self._add_document(text, "ssml")
            return
        await self._speech.add(text)
        if self._auto_mode:
            self._speech.flush(is_end=False)

    def _add_document(self, text: str, kind: TextKind) -> None:
        manner = self._speech.manner
        self._speech.manner = replace(manner, kind=kind)
        self._speech.add_document(text)
        self._speech.manner = manner

    async def _say_rest(self) -> None:
        """Say what waited for the rest of a document."""
        for part, is_document in self._document.rest() if self._document else ():
            await self._say(part, is_document=is_document)

    def close(self) -> None:
        """End as the client asks for: after the speech that it has flushed, otherwise at once.

        A client that closes a context again wants to hear no more of it.
        """
        if self._is_flushed and not self.is_closing:
            self._end(_Mark.FINISHED)
        else:
            self._speech.cancel(_Mark)
            self._end(_Mark.ABANDONED)

    async def finish(self) -> None:
        """Speak the text so far, then end."""
        async with self._speech.taking_text:
            if not self.is_closing:
                # Adding text would wait for this block.
                for part, is_document in self._document.rest() if self._document else ():
                    self._writer.hear(part)
                    self._add_document(part, "ssml" if is_document else "text")
                self._speech.flush()
                self._end(_Mark.FINISHED)

    async def run(self) -> None:
        """Speak until the context ends."""
        try:
            async with self._speech:
                await self._speak()
        except ServiceError as error:
            await self._client.complain(error, self.context_id)
        else:
            await self._client.tell(final_message(self.context_id))
        finally:
            self._writer.close()

    async def _speak(self) -> None:
        async for given in self._speech:
            if isinstance(given, Unspoken):
                if not isinstance(given.error, EmptyTextError):
                    raise given.error
            elif isinstance(given, Spoken):
                if given.round == self._speech.round:
                    await self._client.tell(given.item, has_audio=True)
            elif given is _Mark.ABANDONED:
                return
            else:
                is_over = given is _Mark.FINISHED
                message = self._writer.finish() if is_over else self._writer.rest()
                if message is not None:
                    await self._client.tell(message)
                if is_over:
                    return

    def _flush(self) -> None:
        if self._speech.n_marks >= _MAX_MARKS:
            raise InvalidRequestError(f"{_MAX_MARKS} flushes are waiting already")
        self._speech.flush()
        self._speech.mark(_Mark.FLUSHED)
        self._is_flushed = True

    def _end(self, mark: _Mark) -> None:
        self._speech.mark(mark)
        self.is_closing = True
