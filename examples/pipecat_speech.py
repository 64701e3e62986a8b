"""Speak through pipecat and write a WAV file, with kokoro-service behind one of its plug-ins.

    python examples/pipecat_speech.py kokoro speech.wav

The first argument names the plug-in: `kokoro` is the one beside this file, and `kokoro-tokens` the
same without waiting for the end of a sentence; `openai`, `elevenlabs`, `elevenlabs-http` and
`piper` are pipecat's own. The text takes the way that a language model's takes in an agent. Words
are printed with their times. docs/agents.md says what to install.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import wave
from collections.abc import Callable
from functools import partial
from pathlib import Path

import aiohttp
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    Frame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.tts_service import TextAggregationMode, TTSService
from pipecat.workers.runner import WorkerRunner
from pipecat_kokoro import KokoroTTSService, KokoroTTSSettings

TEXT = "Hello there. The kettle is on, and the tea costs $2.50."


def kokoro(
    url: str, key: str, session: aiohttp.ClientSession, mode: str = "sentence"
) -> TTSService:
    """Return our own plug-in: word times, and a voice by its own name."""
    return KokoroTTSService(
        url=f"{url.replace('http', 'ws', 1)}/synthesize/stream",
        api_key=key,
        settings=KokoroTTSSettings(voice="af_heart"),
        text_aggregation_mode=TextAggregationMode(mode),
    )


def openai(url: str, key: str, session: aiohttp.ClientSession) -> TTSService:
    """Return pipecat's for OpenAI, which knows OpenAI's names of voices only, at 24 kHz."""
    from pipecat.services.openai.tts import OpenAITTSService

    settings = OpenAITTSService.Settings(voice="marin", model="kokoro")
    return OpenAITTSService(base_url=f"{url}/v1", api_key=key, settings=settings)


def elevenlabs(url: str, key: str, session: aiohttp.ClientSession) -> TTSService:
    """Return pipecat's for ElevenLabs' WebSocket: word times, any voice."""
    from pipecat.services.elevenlabs.tts import ElevenLabsTTSService

    settings = ElevenLabsTTSService.Settings(voice="af_heart", model="eleven_flash_v2_5")
    return ElevenLabsTTSService(url=url.replace("http", "ws", 1), api_key=key, settings=settings)


def elevenlabs_http(url: str, key: str, session: aiohttp.ClientSession) -> TTSService:
    """Return pipecat's for ElevenLabs' HTTP endpoints: word times, any voice."""
    from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService

    settings = ElevenLabsHttpTTSService.Settings(voice="af_heart", model="eleven_flash_v2_5")
    return ElevenLabsHttpTTSService(
        base_url=url, api_key=key, aiohttp_session=session, settings=settings
    )


def piper(url: str, key: str, session: aiohttp.ClientSession) -> TTSService:
    """Return pipecat's for piper's server; it sends no key."""
    from pipecat.services.piper.tts import PiperHttpTTSService

    settings = PiperHttpTTSService.Settings(voice="en_US-lessac-medium")
    return PiperHttpTTSService(
        base_url=f"{url}/synthesize", aiohttp_session=session, settings=settings
    )


PLUG_INS: dict[str, Callable[[str, str, aiohttp.ClientSession], TTSService]] = {
    "kokoro": kokoro,
    "kokoro-tokens": partial(kokoro, mode="token"),
    "openai": openai,
    "elevenlabs": elevenlabs,
    "elevenlabs-http": elevenlabs_http,
    "piper": piper,
}


class Recorder(FrameProcessor):
    """Stands where an agent has its loudspeaker: writes audio, prints what is spoken.

    Args:
        file: open for writing, with its format set.
    """

    def __init__(self, file: wave.Wave_write) -> None:
        super().__init__()
        self._file = file
        self._first_word_ns: int | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Note a frame, and pass it on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSAudioRawFrame):
            self._file.writeframes(frame.audio)
        elif isinstance(frame, TTSTextFrame):
            self._print(frame)
        await self.push_frame(frame, direction)

    def _print(self, frame: TTSTextFrame) -> None:
        if frame.pts is None:  # the plug-in has no word times
            print(frame.text)
            return
        if self._first_word_ns is None:
            self._first_word_ns = frame.pts
        print(f"{(frame.pts - self._first_word_ns) / 1e9:.3f} s {frame.text}")


async def speak(arguments: argparse.Namespace) -> list[str]:
    """Run a pipeline to its end; return the errors that it reported."""
    errors: list[str] = []
    async with aiohttp.ClientSession() as session:
        service = PLUG_INS[arguments.plug_in](arguments.url, arguments.key, session)
        with wave.open(str(arguments.path), "wb") as file:
            file.setparams((1, 2, arguments.rate, 0, "NONE", None))
            worker = PipelineWorker(
                Pipeline([service, Recorder(file)]),
                params=PipelineParams(audio_out_sample_rate=arguments.rate),
            )

            @worker.event_handler("on_pipeline_error")
            async def note(worker: PipelineWorker, frame: ErrorFrame) -> None:
                errors.append(frame.error)

            runner = WorkerRunner()
            await runner.add_workers(worker)
            pieces = re.findall(r"\s*\S+", arguments.text)  # a language model writes in such pieces
            await worker.queue_frames(
                [
                    LLMFullResponseStartFrame(),
                    *(LLMTextFrame(piece) for piece in pieces),
                    LLMFullResponseEndFrame(),
                    EndFrame(),
                ]
            )
            await runner.run()
    return errors


def main() -> None:
    """Read the command line and speak."""
    parser = argparse.ArgumentParser(description="speak through pipecat and write a WAV file")
    parser.add_argument("plug_in", choices=PLUG_INS)
    parser.add_argument("path", type=Path, help="of the WAV file")
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--url", default="http://127.0.0.1:8880", help="of the service")
    parser.add_argument("--key", default="unused", help="if the service requires one")
    parser.add_argument("--rate", type=int, default=24_000, help="samples per second")
    errors = asyncio.run(speak(parser.parse_args()))
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    main()
