"""Kokoro for pipecat: a text-to-speech service that speaks through the service's WebSocket.

Audio comes from the middle of the first sentence on, every word has its time, and an interruption
stops the speech in the service too. Written for pipecat-ai 1.14; docs/agents.md describes it.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from pipecat.frames.frames import ErrorFrame, Frame, TTSAudioRawFrame, TTSStoppedFrame
from pipecat.processors.frame_processor import FrameProcessorSetup
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import WebsocketTTSService
from pipecat.transcriptions.language import Language
from pipecat.utils.types import NOT_GIVEN, NotGiven
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

_WITH_REGION = ("en-gb", "en-us", "pt-br")
"""Languages that the service names with their region."""

_WITHOUT_SPACES = ("ja", "zh")
"""Languages whose words are not separated by spaces."""

_SILENCE_S = 0.1


@dataclass
class KokoroTTSSettings(TTSSettings):
    """What may change from one text to the next; None stands for the default of the service.

    Attributes:
        voice: of `GET /voices`, or a blend such as `af_bella(2)+af_sky(1)`.
        language: of the text; default: the voice's.
        speed: 2.0 is twice as fast.
    """

    speed: float | NotGiven | None = field(default_factory=lambda: NOT_GIVEN)


@dataclass
class _Span:
    """A part of the session's text, up to an offset; the context is None once it is interrupted."""

    context_id: str | None
    text_end: int


class KokoroTTSService(WebsocketTTSService):
    """Speaks through `/synthesize/stream`.

    Args:
        url: of the WebSocket.
        api_key: if the service requires one.
        settings: voice, language and speed.
        options: of pipecat's TTSService.
    """

    Settings = KokoroTTSSettings
    _settings: KokoroTTSSettings

    def __init__(
        self,
        *,
        url: str = "ws://127.0.0.1:8880/synthesize/stream",
        api_key: str | None = None,
        settings: KokoroTTSSettings | None = None,
        **options: Any,
    ) -> None:
        chosen = KokoroTTSSettings(model=None, voice=None, language=None, speed=None)
        if settings is not None:
            chosen.apply_update(settings)
        super().__init__(
            push_start_frame=True,
            push_text_frames=False,  # there is a frame for each word instead
            append_trailing_space=True,  # which tells the service that a sentence is complete
            # The service tells when a turn is complete. A language model may pause for long.
            stop_frame_timeout_s=60.0,
            settings=chosen,
            **options,
        )
        self._url = url
        self._headers = {} if api_key is None else {"X-API-Key": api_key}
        self._receive_task: Any = None
        self._connecting = asyncio.Lock()
        self._begin_session()

    def _begin_session(self) -> None:
        self._rate_hz = 0
        self._has_spaces = True
        self._text_end = 0
        self._spans: deque[_Span] = deque()
        self._flushed: deque[str] = deque()
        self._n_cancels = 0
        self._speaking: str | None = None
        self._starts_s: dict[str, float] = {}

    def can_generate_metrics(self) -> bool:
        """Tell pipecat to measure times."""
        return True

    def language_to_service_language(self, language: Language) -> str:
        """Return the service's code of a language."""
        code = language.value.lower()
        return code if code in _WITH_REGION else code.partition("-")[0]

    # Speaking.

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Send the next text of a turn; its audio comes to `_receive_messages`."""
        try:
            if self._websocket is None or self._websocket.state is State.CLOSED:
                await self._connect()
            self._text_end += len(text)
            self._spans.append(_Span(context_id, self._text_end))
            await self._send("text", text=text)
        except (ConnectionClosed, OSError) as error:
            yield ErrorFrame(error=f"the text was not sent: {error}")
        else:
            await self.start_tts_usage_metrics(text)
            yield None

    async def flush_audio(self, context_id: str | None = None) -> None:
        """End a turn: what is left of its text is spoken now."""
        if context_id is not None:
            self._flushed.append(context_id)
            await self._send("flush")

    async def on_audio_context_interrupted(self, context_id: str) -> None:
        """Cancel the speech, unless some that waits may not be interrupted."""
        for span in self._spans:
            if span.context_id == context_id:
                span.context_id = None
        if self._spans and not any(span.context_id for span in self._spans):
            self._spans.clear()
            self._starts_s.clear()
            self._n_cancels += 1
            await self._send("cancel")

    async def _update_settings(self, delta: TTSSettings) -> dict[str, Any]:
        changed = await super()._update_settings(delta)
        if changed and self._websocket is not None:
            await self._configure()
        return changed

    async def _configure(self) -> None:
        settings = self._settings
        fields = {
            "voice": settings.voice,
            "language": settings.language,
            "speed": settings.speed,
            "sample_rate": self.sample_rate,
        }
        await self._send("config", **{name: v for name, v in fields.items() if v is not None})

    async def _send(self, kind: str, **fields: Any) -> None:
        if self._websocket is None:
            raise ConnectionError("there is no connection")
        await self._websocket.send(json.dumps({"type": kind, **fields}))

    # Hearing.

    async def _receive_messages(self) -> None:
        async for content in self._websocket:
            if isinstance(content, str):
                await self._hear(json.loads(content))
            elif self._speaking is not None and not self._n_cancels:
                frame = TTSAudioRawFrame(content, self._rate_hz, 1, context_id=self._speaking)
                await self.append_to_audio_context(self._speaking, frame)

    async def _hear(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "ready":
            self._rate_hz = message["sample_rate_hz"]
            self._has_spaces = message["language"] not in _WITHOUT_SPACES
        elif kind == "audio":
            await self._begin_part(message)
        elif kind == "flushed":
            await self._end_turn(self._flushed.popleft())
        elif kind == "cancelled":
            self._n_cancels -= 1
        elif kind == "error":
            error = message["error"]
            if error["code"] == "text_too_long":
                # The service has dropped a text, so offsets do not agree any more: begin anew.
                raise ConnectionError(error["message"])
            await self.push_error(error["message"])

    async def _begin_part(self, message: dict[str, Any]) -> None:
        """Note whose audio follows, and say when its words are spoken."""
        self._speaking = None
        if self._n_cancels:
            return
        while self._spans and self._spans[0].text_end < message["text_end"]:
            self._spans.popleft()
        self._speaking = self._spans[0].context_id
        if self._speaking is None or not self.audio_context_available(self._speaking):
            return
        start_s = self._starts_s.setdefault(self._speaking, message["start_s"])
        words = [(word["text"], word["start_s"] - start_s) for word in message["words"]]
        await self.add_word_timestamps(
            words, self._speaking, includes_inter_frame_spaces=not self._has_spaces
        )

    async def _end_turn(self, context_id: str) -> None:
        while self._spans and self._spans[0].context_id in (context_id, None):
            self._spans.popleft()
        has_audio = self._starts_s.pop(context_id, None) is not None
        if not self.audio_context_available(context_id):
            return  # it was interrupted
        if not has_audio:  # such as "...": pipecat takes a turn without audio for a failure
            silence = bytes(2 * int(_SILENCE_S * self._rate_hz))
            frame = TTSAudioRawFrame(silence, self._rate_hz, 1, context_id=context_id)
            await self.append_to_audio_context(context_id, frame)
        await self.append_to_audio_context(context_id, TTSStoppedFrame(context_id=context_id))
        await self.remove_audio_context(context_id)

    # The connection.

    async def setup(self, setup: FrameProcessorSetup) -> None:
        """Connect; the sample rate is known now."""
        await super().setup(setup)
        await self._connect()

    async def _connect(self) -> None:
        await super()._connect()
        await self._connect_websocket()
        if self._websocket is not None and self._receive_task is None:
            self._receive_task = self.create_task(self._receive_task_handler(self._report_error))

    async def _disconnect(self) -> None:
        await super()._disconnect()
        if self._receive_task is not None:
            await self.cancel_task(self._receive_task)
            self._receive_task = None
        await self._disconnect_websocket()

    async def _connect_websocket(self) -> None:
        # Who speaks and who hears may both notice that the connection is gone.
        async with self._connecting:
            if self._websocket is None or self._websocket.state is not State.OPEN:
                await self._open_session()

    async def _open_session(self) -> None:
        try:
            self._websocket = await self._websocket_connect(
                self._url, additional_headers=self._headers, compression=None, max_size=None
            )
            self._begin_session()
            await self._configure()
        except Exception as error:
            self._websocket = None
            await self.push_error(f"no connection to {self._url}: {error}", exception=error)
            await self._call_event_handler("on_connection_error", str(error))
        else:
            await self._call_event_handler("on_connected")

    async def _disconnect_websocket(self) -> None:
        if self._websocket is not None:
            await self._websocket.close()
            self._websocket = None
            await self._call_event_handler("on_disconnected")
