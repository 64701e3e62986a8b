"""ElevenLabs' SDK against a server: python elevenlabs_sdk.py URL KEY, which prints JSON."""

import base64
import json
import sys

from elevenlabs import ElevenLabs, VoiceSettings
from elevenlabs.core.api_error import ApiError

TEXT = "One moment, please."


def encoded(parts):
    return base64.b64encode(b"".join(parts)).decode()


def refusal(client):
    try:
        client.text_to_speech.convert_with_timestamps("nobody", text=TEXT)
    except ApiError as error:
        return {"status": error.status_code, "detail": error.body["detail"]}
    raise SystemExit("a voice that there is not spoke")


def main():
    url, key = sys.argv[1:]
    client = ElevenLabs(base_url=url, api_key=key)
    speech = client.text_to_speech
    # It says wss:// to every server, whatever the address; this one has no TLS.
    speech._ws_base_url = url.replace("http", "ws")
    timed = speech.convert_with_timestamps("af_heart", text=TEXT, output_format="pcm_24000")
    lines = list(speech.stream_with_timestamps("af_heart", text=TEXT, output_format="pcm_24000"))
    settings = VoiceSettings(speed=0.8, stability=0.4)
    pcm = {"text": TEXT, "output_format": "pcm_24000"}
    flash = {"model_id": "eleven_flash_v2_5", "output_format": "pcm_24000"}
    found = {
        "voices": [voice.voice_id for voice in client.voices.get_all().voices],
        "search": [voice.voice_id for voice in client.voices.search(search="heart").voices],
        "voice": client.voices.get("af_heart").name,
        "models": [model.model_id for model in client.models.list()],
        "mp3": encoded(speech.convert("21m00Tcm4TlvDq8ikWAM", text=TEXT)),
        "pcm": encoded(speech.convert("af_heart", **pcm)),
        "slow": encoded(speech.convert("af_heart", voice_settings=settings, **pcm)),
        "blend": encoded(speech.convert("af_bella(2)+af_sky(1)", **pcm)),
        "streamed": encoded(speech.stream("af_heart", **{**pcm, **flash})),
        "timed": {
            "audio": timed.audio_base_64,
            "characters": timed.alignment.characters,
            "starts": timed.alignment.character_start_times_seconds,
            "ends": timed.alignment.character_end_times_seconds,
        },
        "lines": {
            "audio": encoded(base64.b64decode(line.audio_base_64) for line in lines),
            "characters": [c for line in lines if line.alignment for c in line.alignment.characters],
        },
        "realtime": encoded(speech.convert_realtime("af_heart", text=iter(["One mo", "ment, ", "please."]), **flash)),
        "refusal": refusal(client),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
