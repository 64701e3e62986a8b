"""Names of models, voices and languages that OpenAI's clients send."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from service.errors import UnknownModelError, UnknownVoiceError
from service.settings import nearest
from service.speech import VoiceLibrary
from service.text import find_language, language_of_voice

MODELS = ("kokoro", "gpt-4o-mini-tts", "tts-1", "tts-1-hd")
"""The server's own model, by its own name and by the default names of clients."""

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

_DATE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{4})")
"""What follows the name in a dated one: `gpt-4o-mini-tts-2025-12-15`, `tts-1-1106`."""

_NAME = re.compile(r"[A-Za-z0-9_\-]+")


def check_model(name: str, others: Sequence[str]) -> None:
    """Raise UnknownModelError for a name that is none of `MODELS`, with or without a date.

    Args:
        name: that a client sent.
        others: names of further models.
    """
    for model in (*MODELS, *others):
        if name == model or (name.startswith(model) and _DATE.fullmatch(name[len(model) :])):
            return
    known = dict.fromkeys((*MODELS, *others))
    raise UnknownModelError(f"no model {name!r}{nearest(name, known)}; known: {', '.join(known)}")


def language_code(name: str) -> str:
    """Return the code of a language by a tag of BCP 47, or by Kokoro's letter.

    Raises:
        LanguageUnavailableError: there is no such language.
    """
    language = language_of_voice(name) if len(name) == 1 else None
    return language or find_language(name).code


class VoiceNames:
    """The names of voices: the service's own, and those that stand for one of them or for a blend.

    Args:
        added: the setting `openai_voices`, which adds to `VOICES` or replaces them.
        voices: that there are. Of `VOICES`, those that stand for others are left out.

    Attributes:
        mapped: voice or blend by each name that is not the voice's own.
    """

    def __init__(self, added: Mapping[str, str], voices: VoiceLibrary) -> None:
        self._library = voices
        own = {voice.name: voice.name for voice in voices.voices}
        self.mapped = {name: voice for name, voice in VOICES.items() if voice in own}
        self.mapped |= added
        self._voices = {**own, **self.mapped}
        self._folded = {name.casefold(): voice for name, voice in self._voices.items()}

    def knows(self, name: str) -> bool:
        """Tell whether a name, in any case, is that of a voice."""
        return self._find(name) is not None

    def resolve(self, name: str) -> str:
        """Return the voice or the blend that a name stands for; names may be in any case.

        A blend is returned with the names in it resolved. What is malformed is returned as it is.

        Raises:
            UnknownVoiceError: it is a single name, and there is no such voice.
        """
        name = name.strip()
        found = self._find(name)
        if found is not None:
            return found
        if _NAME.fullmatch(name):
            place = self._library.elsewhere(name) or nearest(name, self._voices)
            raise UnknownVoiceError(f"unknown voice {name!r}{place}")
        return _NAME.sub(lambda match: self._resolve_part(match[0]), name)

    def _resolve_part(self, part: str) -> str:
        """Return the voice of a name in a blend; what a hyphen joins may be two, with a minus."""
        voice = self._find(part)
        if voice is None and "-" in part:
            return "-".join(map(self._resolve_part, part.split("-")))
        # A blend cannot be a part of another.
        return voice if voice is not None and _NAME.fullmatch(voice) else part

    def _find(self, name: str) -> str | None:
        return self._voices.get(name) or self._folded.get(name.casefold())
