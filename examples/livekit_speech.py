"""Speak through livekit-agents and write a WAV file, with kokoro-service behind a stock plug-in.

    python examples/livekit_speech.py elevenlabs speech.wav

The first argument names the plug-in, `openai` or `elevenlabs`. Text goes in word by word, as a
language model writes it. `elevenlabs` prints the words with their times. docs/agents.md says what
to install.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import wave
from collections.abc import Callable
from pathlib import Path

import aiohttp
from livekit.agents import tts
from livekit.agents.types import USERDATA_TIMED_TRANSCRIPT
from livekit.plugins import elevenlabs, openai

TEXT = "Hello there. The kettle is on, and the tea costs $2.50."


def through_openai(url: str, key: str, session: aiohttp.ClientSession) -> tts.TTS:
    """Return the plug-in for OpenAI, which speaks sentence by sentence; any voice."""
    plug_in = openai.TTS(base_url=f"{url}/v1", api_key=key, model="tts-1", voice="af_heart")
    return tts.StreamAdapter(tts=plug_in)


def through_elevenlabs(url: str, key: str, session: aiohttp.ClientSession) -> tts.TTS:
    """Return the plug-in for ElevenLabs' WebSocket: word times, any voice."""
    return elevenlabs.TTS(
        base_url=f"{url}/v1",
        api_key=key,
        voice_id="af_heart",
        encoding="pcm_24000",  # the default is mp3_22050_32
        http_session=session,
    )


PLUG_INS: dict[str, Callable[[str, str, aiohttp.ClientSession], tts.TTS]] = {
    "openai": through_openai,
    "elevenlabs": through_elevenlabs,
}


async def speak(arguments: argparse.Namespace) -> None:
    """Speak a text as an agent does."""
    async with aiohttp.ClientSession() as session:
        service = PLUG_INS[arguments.plug_in](arguments.url, arguments.key, session)
        with wave.open(str(arguments.path), "wb") as file:
            file.setparams((1, 2, service.sample_rate, 0, "NONE", None))
            async with service.stream() as stream:
                for piece in re.findall(r"\s*\S+", arguments.text):
                    stream.push_text(piece)
                stream.end_input()
                async for event in stream:
                    file.writeframes(event.frame.data.tobytes())
                    for word in event.frame.userdata.get(USERDATA_TIMED_TRANSCRIPT, []):
                        print(f"{word.start_time:.3f} s {word.strip()}")
        await service.aclose()


def main() -> None:
    """Read the command line and speak."""
    parser = argparse.ArgumentParser(description="speak through livekit and write a WAV file")
    parser.add_argument("plug_in", choices=PLUG_INS)
    parser.add_argument("path", type=Path, help="of the WAV file")
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--url", default="http://127.0.0.1:8880", help="of the service")
    parser.add_argument("--key", default="unused", help="if the service requires one")
    asyncio.run(speak(parser.parse_args()))


if __name__ == "__main__":
    main()
