"""What piper's clients send, on its own door and on `/synthesize`."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

from pydantic import BaseModel, Field

from service.errors import LanguageUnavailableError
from service.speech import Utterance
from service.text import LANGUAGES, find_language, language_of_voice

logger = logging.getLogger(__name__)

_PIPER_VOICE = re.compile(r"(?P<locale>[a-z]{2,3}_[A-Z]{2})-\w+-(x_low|low|medium|high)")

_NO_EFFECT = "of piper's voices; accepted, but without effect"


class PiperFields(BaseModel):
    """Fields of piper's voices that have no meaning for Kokoro's."""

    speaker: str | None = Field(None, description=_NO_EFFECT)
    speaker_id: int | str | None = Field(None, description=_NO_EFFECT)
    noise_scale: float | None = Field(None, description=_NO_EFFECT)
    noise_w: float | None = Field(None, description=_NO_EFFECT)
    noise_w_scale: float | None = Field(None, description=_NO_EFFECT)


def with_own_voice(utterance: Utterance, default_voice: str) -> Utterance:
    """Return an utterance with the default voice of its language if it names a voice of piper.

    Args:
        utterance: perhaps with a voice such as `en_US-lessac-medium`.
        default_voice: of the service; also the default of its own language.

    Raises:
        LanguageUnavailableError: there is no voice for the language of piper's voice.
    """
    match = _PIPER_VOICE.fullmatch(utterance.voice or "")
    if match is None:
        return utterance
    language = find_language(match["locale"]).code
    is_of_default = language_of_voice(default_voice) == language
    voice = default_voice if is_of_default else LANGUAGES[language].default_voice
    if voice is None:
        raise LanguageUnavailableError(
            f"the model has no voice for {LANGUAGES[language].name} ({language}) to stand for"
            f" {utterance.voice}; set voice to one of another language, such as {default_voice},"
            f" and language to {language}"
        )
    logger.info("%s speaks for a voice of piper in %s", voice, language)
    return replace(utterance, voice=voice)
