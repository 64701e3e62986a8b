"""What the service says of itself and of its voices."""

from __future__ import annotations

from wyoming.info import Attribution, Info, TtsProgram, TtsVoice

from service import __version__
from service.speech import Voice
from service.text import LANGUAGES
from service.text.readers import Readers

_MAKER = Attribution("hexgrad", "https://huggingface.co/hexgrad/Kokoro-82M")


def describe_program(voices: list[Voice]) -> Info:
    """Return the answer to `describe`. A voice counts as installed if its language can be read."""
    program = TtsProgram(
        name="kokoro",
        description="Kokoro text-to-speech",
        attribution=_MAKER,
        installed=True,
        version=__version__,
        voices=[_describe(voice) for voice in voices],
        supports_synthesize_streaming=True,
    )
    return Info(tts=[program])


def _describe(voice: Voice) -> TtsVoice:
    language = LANGUAGES.get(voice.language or "")
    return TtsVoice(
        name=voice.name,
        description=_title(voice),
        attribution=_MAKER,
        installed=language is not None and Readers.is_available(language.code),
        version=__version__,
        languages=[_tag(language.code)] if language is not None else [],
    )


def _title(voice: Voice) -> str:
    """Return a name for people: `Heart (American English, female)`."""
    _, _, name = voice.name.partition("_")
    language = LANGUAGES.get(voice.language or "")
    details = [text for text in (language.name if language else None, voice.sex) if text]
    title = (name or voice.name).replace("_", " ").capitalize()
    return f"{title} ({', '.join(details)})" if details else title


def _tag(code: str) -> str:
    """Return a language's tag as BCP 47 writes it, such as `pt-BR`."""
    language, _, region = code.partition("-")
    return f"{language}-{region.upper()}" if region else language
