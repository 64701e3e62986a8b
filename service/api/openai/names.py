"""Names of models and voices that OpenAI's clients send."""

MODELS = ("kokoro", "gpt-4o-mini-tts", "tts-1", "tts-1-hd")
"""The one model, by its own name and by the default names of clients."""

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
"""OpenAI's voices: the voice of the same name if Kokoro has it, otherwise a similar one."""
