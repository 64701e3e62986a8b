"""Chats, workflows and readers that speak through OpenAI's endpoint: LibreChat, LobeChat, n8n, Open WebUI,
OpenReader and SillyTavern."""

from urllib.parse import quote

from tests.clients.replay import (
    JSON,
    LONG,
    ORIGIN,
    PUNCTUATION,
    STRANGERS_KEY,
    TEXT,
    bearer,
    hear,
    heard,
    misses,
    preflight,
    replay,
    speaker,
)  # fmt: skip

# LibreChat, with the providers `openai` and `localai`.
# Read: danny-avila/LibreChat at 6aa8eff and a newer stored TTSService.js; getVoices.js at 00b3bc3.
# Its fields are those of librechat.yaml; undefined ones are left out. It passes the answer on while it comes, as MP3.
# A text from 4,096 characters on is asked for in pieces of at most 1,000.

AXIOS = {
    "Accept": "application/json, text/plain, */*", "Accept-Encoding": "gzip, compress, deflate, br",
    "User-Agent": "axios/1.12",
}  # fmt: skip

librechat = speaker(AXIOS, input=TEXT, model="tts-1")


def test_librechat_speaks_and_names_the_voice_as_the_model(keyed, server):
    assert not misses(keyed, librechat, [
        {"model": "kokoro", "voice": "af_sky"}, {}, {"voice": "nova", "backend": "kokoro"},
        {"model": "bm_george", "backend": "kokoro"},
    ])  # fmt: skip
    by_model = librechat(keyed, model="bm_george").body
    assert by_model == librechat(keyed, voice="bm_george").body != librechat(keyed).body
    # The word for a key that is not set.
    assert heard(librechat(server, "undefined", voice="nova")).size


def test_librechat_joins_the_answers_of_a_long_text(keyed):
    pieces = [librechat(keyed, input=text, voice="nova").body for text in (TEXT, LONG)]
    assert hear(b"".join(pieces)).size >= sum(hear(piece).size for piece in pieces) - 2 * 1_152


# LobeChat and its library @lobehub/tts.
# Read: npm @lobehub/tts 5.1.2; lobehub/lobehub at bb69396 (webapi/tts/openai/route.ts).
# Its server uses openai-node with three fields. The library may also ask from a browser, so the service must let the
# page in; it feeds any answer, errors too, to the audio decoder. A line break becomes a full stop, so a segment may be
# a full stop alone.

STAINLESS = {
    "X-Stainless-Lang": "js", "X-Stainless-Package-Version": "6.49.0", "X-Stainless-OS": "Linux",
    "X-Stainless-Arch": "x64", "X-Stainless-Runtime": "node", "X-Stainless-Retry-Count": "0",
    "X-Stainless-Runtime-Version": "v22.0.0", "X-Stainless-Timeout": "600",
}  # fmt: skip
OPENAIS_VOICES = ["alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer"]

lobechat = speaker({"Accept": "*/*", "User-Agent": "OpenAI/JS 6.49.0", **STAINLESS}, input=TEXT, model="tts-1")
in_a_browser = speaker({"Accept": "*/*", "Origin": ORIGIN}, input=TEXT, model="tts-1", voice="alloy")


def test_lobechats_server_speaks_with_each_voice_of_its_list(keyed):
    assert not misses(keyed, lobechat, [{"voice": voice} for voice in OPENAIS_VOICES])


def test_a_browser_with_lobechats_library_speaks(keyed):
    preflight(keyed, "authorization", "content-type")
    for text in (TEXT, ". "):
        reply = in_a_browser(keyed, input=text)
        assert (reply.status, reply.media_type) == (200, "audio/mpeg")
        assert reply.headers["access-control-allow-origin"] == ORIGIN
        assert reply.body


# n8n's node OpenAI, action "Generate audio".
# Read: npm @n8n/n8n-nodes-langchain 2.41.1, n8n-nodes-base 2.41.2 (the credential), @n8n/backend-network 1.15.1.
# A credential is good if it lists models. The node always sends all five fields, keeps the answer as a stream, and
# takes it for what it asked for.

N8N = {"accept": "*/*", "OpenAI-Organization": "", "User-Agent": "n8n"}
n8n = speaker(N8N, model="tts-1", input=TEXT, voice="alloy", response_format="mp3", speed=1)


def test_n8n_accepts_the_credential_and_speaks_with_all_of_its_lists(keyed):
    for key, status in ((bearer(), 200), (bearer(STRANGERS_KEY), 401)):
        assert replay(keyed, "GET", "/v1/models", {**N8N, **key}).status == status
    voices = ("alloy", "echo", "fable", "nova", "onyx", "shimmer")
    rows = [{"model": model, "voice": voice} for model in ("tts-1", "tts-1-hd") for voice in voices]
    rows += [{"response_format": form} for form in ("mp3", "opus", "aac", "flac")]
    assert not misses(keyed, n8n, [*rows, {"input": LONG, "speed": 4}, {"input": LONG, "speed": 0.3}])


# Open WebUI, with the engine "OpenAI" for speech.
# Read: PyPI open-webui 0.12.4 (routers/audio, utils/headers, the compiled front end); open-webui/open-webui at
# 6adde203 and 01fb3e46, which are older.
# Its server lists models and voices without the key, and falls back to OpenAI's names where that fails; it caches
# what its slim image can decode, which has no FFmpeg. `params` are the free JSON of AUDIO_TTS_OPENAI_PARAMS. Its
# browser asks for one sentence after the other; the first that fails ends the reading.

AIOHTTP = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "Python/3.11 aiohttp"}
FORWARDED = {
    "X-OpenWebUI-User-Name": quote("Zoë Müller"), "X-OpenWebUI-User-Id": "7f1c",
    "X-OpenWebUI-User-Email": "zoe@example.com", "X-OpenWebUI-User-Role": "user",
}  # fmt: skip
"""With ENABLE_FORWARD_USER_INFO_HEADERS."""

open_webui = speaker({**AIOHTTP, **FORWARDED}, input=TEXT, voice="alloy", model="tts-1")


def test_open_webui_lists_models_and_voices_without_the_key(keyed):
    # Version 0.12 asks the first path, older ones the second.
    for path, name in (("/v1/audio/models", "models"), ("/v1/models", "data")):
        listed = replay(keyed, "GET", path, AIOHTTP).json()[name]
        assert {"kokoro", "tts-1", "tts-1-hd"} <= {model["id"] for model in listed}
    voices = {one["id"]: one["name"] for one in replay(keyed, "GET", "/v1/audio/voices", AIOHTTP).json()["voices"]}
    assert {"af_heart", "bm_george", "alloy", "shimmer"} <= set(voices)
    assert all(voices.values())


def test_open_webui_speaks_with_listed_voices_and_what_its_administrator_likes(keyed):
    assert not misses(keyed, open_webui, [
        {"voice": "bm_george"}, {"response_format": "wav"}, {"response_format": "opus"}, {"response_format": "flac"},
        {"response_format": "pcm", "stream": True}, {"speed": "1.2", "lang_code": "a", "backend": "kokoro"},
        {"speed": None, "instructions": "softly", "seed": 7},
        {"normalization_options": {"normalize": True, "url_normalization": False}},
    ])  # fmt: skip


def test_open_webui_reads_on_after_a_sentence_of_punctuation(keyed):
    for sentence in (TEXT, PUNCTUATION, LONG):
        reply = open_webui(keyed, input=sentence)
        assert (reply.status, reply.media_type) == (200, "audio/mpeg")
        assert reply.body


# OpenReader, and its former self OpenReader-WebUI.
# Read: richardr1126/OpenReader-WebUI at 04def62 and 1dcffc8; richardr1126/openreader at 801f0dc, 218e248 and bf74149.
# It speaks through openai-node. Where the list of voices has anything but strings, the new one takes its own list of
# Kokoro's 54. After a 400 or 422 it repeats the request with fewer fields, and sends fewer from then on, so no
# sentence may give one.

NAMES = {
    "af": "alloy aoede bella heart jessica kore nicole nova river sarah sky",
    "am": "adam echo eric fenrir liam michael onyx puck santa",
    "bf": "alice emma isabella lily", "bm": "daniel fable george lewis", "ef": "dora", "em": "alex santa",
    "ff": "siwis", "hf": "alpha beta", "hm": "omega psi", "if": "sara", "im": "nicola",
    "jf": "alpha gongitsune nezumi tebukuro", "jm": "kumo", "pf": "dora", "pm": "alex santa",
    "zf": "xiaobei xiaoni xiaoxiao xiaoyi", "zm": "yunjian yunxi yunxia yunyang",
}  # fmt: skip
"""Its own list."""

openreader = speaker(
    {"Accept": "application/octet-stream", "User-Agent": "OpenAI/JS 6.49.0"}, None,
    model="kokoro", voice="af_sarah", input=TEXT, speed=1, response_format="mp3",
)  # fmt: skip


def test_openreader_lists_the_voices_of_its_own_list(keyed):
    known = {f"{kind}_{name}" for kind, names in NAMES.items() for name in names.split()}
    listed = replay(keyed, "GET", "/v1/audio/voices", {**JSON, **bearer()}).json()["voices"]
    assert known <= {voice["id"] for voice in listed}
    assert known <= set(replay(keyed, "GET", "/v1/audio/voices?format=names", bearer()).json()["voices"])


def test_openreader_is_answered_at_once(server):
    assert not misses(server, openreader, [
        {"language": "en"}, {"language": "es", "voice": "ef_dora", "input": "Un momento."},
        {"voice": "af_heart(0.5)+bf_emma(0.5)"}, {"instructions": "Read as for a child."},
        {"input": LONG, "speed": 0.5}, {"input": LONG, "speed": 3}, {"key": "none"},  # what it says where it has none
    ])  # fmt: skip
    reply = openreader(server, input=PUNCTUATION, language="en")
    assert (reply.status, reply.media_type) == (200, "audio/mpeg")
    assert reply.body


# SillyTavern, with its extension "OpenAI compatible" for speech.
# Read: SillyTavern/SillyTavern at 414e28b and 11386ca (extensions/tts/openai-compatible.js), and a newer stored text
# of src/endpoints/openai.js.
# Voices come from a setting with commas, which is split without trimming. Its server sends five fields, an empty key
# where none is set, and takes whatever comes for MP3.

NODE_FETCH = {
    "Accept": "*/*", "Accept-Encoding": "gzip, deflate, br", "User-Agent": "node-fetch", "Connection": "close",
}  # fmt: skip
sillytavern = speaker(NODE_FETCH, "", input=TEXT, response_format="mp3", voice="alloy", speed=1, model="tts-1")


def test_sillytavern_speaks_with_the_voices_of_its_setting(server):
    voices = ("alloy", " echo", " Fable", "af_heart", " af_bella(2)+af_sky(1)")
    assert not misses(server, sillytavern, [{"voice": voice} for voice in voices])


def test_sillytavern_speaks_at_both_ends_of_its_slider(server):
    quick, usual, slow = (heard(sillytavern(server, input=LONG, speed=s)).size for s in (4, 1, 0.25))
    assert 3 * quick < usual
    assert 3 * usual < slow
