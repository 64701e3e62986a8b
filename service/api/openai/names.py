"""Names of models and voices that OpenAI's clients send."""

MODELS = ("kokoro", "gpt-4o-mini-tts", "tts-1", "tts-1-hd")
"""One model under its own name, and under those that clients send where nothing else is set."""

VOICES = {
    "alloy": "af_alloy",
    "ash": "am_michael",
    "ballad": "bm_george",
    "cedar": "am_fenrir",
    "coral": "af_bella",
    "echo": "am_echo",
    "fable": "bm_fable",
    "marin": "af_heart",
    "nova": "af_nova",
    "onyx": "am_onyx",
    "sage": "af_sarah",
    "shimmer": "af_aoede",
    "verse": "am_puck",
}
"""OpenAI's voices: the one of the same name where Kokoro has it, else one of a like timbre."""
