"""A library of HTTP against /synthesize: python http_library.py LIBRARY URL, which prints JSON.

The answer is read in the two usual ways: whole, and part by part while it comes.
"""

import asyncio
import base64
import json
import sys

TEXT = "One moment, please. The kettle is on, and the tea will be ready in a minute."
WHOLE = {"text": TEXT}
STREAMED = {"text": TEXT, "stream": True, "format": "pcm"}

Found = tuple[bytes, list[bytes]]


def use_requests(url):
    import requests

    whole = requests.post(url, json=WHOLE, timeout=300)
    whole.raise_for_status()
    with requests.post(url, json=STREAMED, stream=True, timeout=300) as answer:
        answer.raise_for_status()
        return whole.content, list(answer.iter_content(None))


def use_httpx(url):
    import httpx

    whole = httpx.post(url, json=WHOLE, timeout=300).raise_for_status()
    with httpx.stream("POST", url, json=STREAMED, timeout=300) as answer:
        answer.raise_for_status()
        return whole.content, list(answer.iter_raw())


def use_aiohttp(url):
    import aiohttp

    async def ask():
        async with aiohttp.ClientSession(raise_for_status=True) as session:
            async with session.post(url, json=WHOLE) as answer:
                whole = await answer.read()
            async with session.post(url, json=STREAMED) as answer:
                return whole, [part async for part in answer.content.iter_any()]

    return asyncio.run(ask())


LIBRARIES = {"requests": use_requests, "httpx": use_httpx, "aiohttp": use_aiohttp}


def main():
    library, url = sys.argv[1:]
    whole, parts = LIBRARIES[library](f"{url}/synthesize")
    streamed = base64.b64encode(b"".join(parts)).decode()
    print(json.dumps({"whole": base64.b64encode(whole).decode(), "streamed": streamed, "n_parts": len(parts)}))


if __name__ == "__main__":
    main()
