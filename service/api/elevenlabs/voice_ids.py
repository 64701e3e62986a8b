"""ElevenLabs' voices, and the voices of Kokoro that speak for them."""

from __future__ import annotations

from typing import NamedTuple

from service.errors import InvalidBlendError, UnknownVoiceError, VoiceNotFoundError
from service.speech import Blend, Planner


class KnownVoice(NamedTuple):
    """A voice that many clients name: its id, its name and the voice that speaks for it."""

    voice_id: str
    name: str
    voice: str


KNOWN_VOICES = (
    KnownVoice("pNInz6obpgDQGcFmaJgB", "Adam", "am_adam"),
    KnownVoice("Xb7hH8MSUJpSbSDYk0k2", "Alice", "bf_alice"),
    KnownVoice("ErXwobaYiN019PkySvjV", "Antoni", "am_puck"),
    KnownVoice("9BWtsMINqrJLrRacOk9x", "Aria", "af_aoede"),
    KnownVoice("VR6AewLTigWG4xSOukaG", "Arnold", "am_onyx"),
    KnownVoice("hpp4J3VqNfWAUOO0d1Us", "Bella", "af_bella"),
    KnownVoice("pqHfZKP75CvOlQylNhV4", "Bill", "am_fenrir"),
    KnownVoice("nPczCjzI2devNBz1zQrb", "Brian", "am_onyx"),
    KnownVoice("N2lVS1w4EtoT3dr4eOWO", "Callum", "bm_lewis"),
    KnownVoice("IKne3meq5aSn9XLyUdCD", "Charlie", "bm_fable"),
    KnownVoice("XB0fDUnXU5powFXDhCwa", "Charlotte", "bf_isabella"),
    KnownVoice("iP95p4xoKVk53GoZ742B", "Chris", "am_michael"),
    KnownVoice("onwK4e9ZLuTAKqWW03F9", "Daniel", "bm_daniel"),
    KnownVoice("AZnzlk1XvdvUeBnXmlld", "Domi", "af_kore"),
    KnownVoice("MF3mGyEYCl7XYWbV9V6O", "Elli", "af_sky"),
    KnownVoice("cjVigY5qzO86Huf0OWal", "Eric", "am_eric"),
    KnownVoice("JBFqnCBsd6RMkjVDRZzb", "George", "bm_george"),
    KnownVoice("SOYHLrjzK2X1ezoPC6cr", "Harry", "am_fenrir"),
    KnownVoice("cgSgspJ2msm6clMCkdW9", "Jessica", "af_jessica"),
    KnownVoice("TxGEqnHWrfWFTfGW9XjX", "Josh", "am_echo"),
    KnownVoice("FGY2WhTYpPnrIDTdsKH5", "Laura", "af_nova"),
    KnownVoice("TX3LPaxmHKxFdv7VOQHJ", "Liam", "am_liam"),
    KnownVoice("pFZP5JQG7iQjIQuC4Bku", "Lily", "bf_lily"),
    KnownVoice("XrExE9yKIg1WjnnlVkGX", "Matilda", "af_alloy"),
    KnownVoice("21m00Tcm4TlvDq8ikWAM", "Rachel", "af_heart"),
    KnownVoice("SAz9YHcvj6GT2YYXdXww", "River", "af_river"),
    KnownVoice("CwhRBWXzGAHq8TQ4Fs17", "Roger", "am_puck"),
    KnownVoice("yoZ06aMxZJJ28mfd3POQ", "Sam", "am_michael"),
    KnownVoice("EXAVITQu4vr4xnSDxMaL", "Sarah", "af_sarah"),
    KnownVoice("bIHbv24MWmeRgasZH58o", "Will", "am_puck"),
)
"""ElevenLabs' default voices: the voice of the same name if Kokoro has it, otherwise a similar
one."""

_VOICES = {
    key.lower(): known.voice for known in KNOWN_VOICES for key in (known.voice_id, known.name)
}


def require_voice(planner: Planner, voice_id: str) -> tuple[str, Blend]:
    """Return a voice by an id or a name of ElevenLabs, or by its own name: its name and its parts.

    Raises:
        VoiceNotFoundError: there is no such voice.
    """
    voice = _VOICES.get(voice_id.lower(), voice_id)
    try:
        return voice, planner.resolve(voice)
    except (UnknownVoiceError, InvalidBlendError) as error:
        raise VoiceNotFoundError(error.message) from error
