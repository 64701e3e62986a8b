"""livekit's plug-in for OpenAI in some formats: python livekit_openai.py URL MODEL FORMAT...

Prints JSON: the samples in each format, decoded by livekit, at 24,000 a second.
"""

import asyncio
import base64
import json
import sys

from livekit.plugins import openai


async def say(url, model, audio_format):
    service = openai.TTS(base_url=url, api_key="unused", model=model, voice="af_heart", response_format=audio_format)
    frame = await service.synthesize("One moment, please.").collect()
    await service.aclose()
    if frame.sample_rate != 24_000:
        raise SystemExit(f"{audio_format} has {frame.sample_rate} Hz")
    return base64.b64encode(frame.data.tobytes()).decode()


async def main(url, model, *formats):
    print(json.dumps({name: await say(url, model, name) for name in formats}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
