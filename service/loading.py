"""Put a synthesizer together from settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from service.errors import StartupError
from service.model import (
    Kokoro,
    Runtime,
    Source,
    assemble,
    default_cache_dir,
    load_kokoro,
    model_path,
    open_runtime,
    prepare,
)
from service.resources import resource
from service.settings import Settings
from service.speech import Planner, Synthesizer, VoiceLibrary
from service.text import Espeak, FrontEnd, UserLexicon


def load_runtime(settings: Settings) -> Runtime:
    """Load ONNX Runtime as the settings ask for.

    Raises:
        StartupError: there is no usable library.
    """
    return open_runtime(
        settings.provider, settings.threads, settings.cuda_device, settings.cuda_options
    )


def load_model(settings: Settings, runtime: Runtime, progress: Callable[[str], None]) -> Kokoro:
    """Load the model of the settings; see `load_kokoro`."""
    return load_kokoro(
        model_path(settings.model, settings.cache_dir),
        runtime,
        published=settings.model is None,
        progress=progress,
        prepared_in=(settings.cache_dir or default_cache_dir()) if settings.prepare else None,
    )


def prepare_model(settings: Settings, progress: Callable[[str], None]) -> Path:
    """Put into the cache what serving with the same settings would load.

    Returns:
        The folder of the prepared model, or, where CUDA or `prepare = false` want none, the file
        of the published one. With `auto` both are put there.

    Raises:
        StartupError: it cannot be had, or the settings leave nothing to do.
    """
    path = model_path(settings.model, settings.cache_dir)
    published = settings.model is None
    as_it_is = settings.provider == "cuda" or not settings.prepare
    if as_it_is and not published:
        raise StartupError(
            "model is set, and with provider = cuda or prepare = false it is used as it is: "
            "there is nothing to prepare"
        )
    if published and (as_it_is or settings.provider == "auto"):
        assemble(path, progress)
    if as_it_is:
        return path
    cache_dir = settings.cache_dir or default_cache_dir()
    return prepare(Source(path, published), load_runtime(settings), cache_dir, progress).path.parent


def load_voices(settings: Settings) -> VoiceLibrary:
    """Read the voices of the settings; see `VoiceLibrary`."""
    return VoiceLibrary(settings.voices_dir or resource("voices"))


def load_espeak(settings: Settings) -> Espeak:
    """Start espeak-ng; see `Espeak`."""
    return Espeak(settings.espeak_library, settings.espeak_data)


def load_lexicon(settings: Settings) -> UserLexicon:
    """Read the lexicon of the settings, or the one that comes with the service.

    Raises:
        LexiconError: the file cannot be read, or an entry is wrong.
    """
    return UserLexicon.load(settings.lexicon or resource("config") / "lexicon.toml")


def load_front_end(settings: Settings) -> FrontEnd:
    """Make what reads texts.

    Raises:
        EspeakError: espeak-ng cannot be found or started.
        LexiconError: see `load_lexicon`.
    """
    return FrontEnd(load_espeak(settings), lexicon=load_lexicon(settings), emoji=settings.emoji)


def load_synthesizer(settings: Settings, progress: Callable[[str], None]) -> Synthesizer:
    """Load everything that speaking needs.

    Args:
        settings: which model, voices, provider.
        progress: called with a line where something takes long.

    Raises:
        StartupError: something is missing or damaged; the message says what to do.
    """
    voices = load_voices(settings)
    front_end = load_front_end(settings)
    model = load_model(settings, load_runtime(settings), progress)
    return build_synthesizer(settings, model, voices, front_end)


def build_synthesizer(
    settings: Settings, model: Kokoro, voices: VoiceLibrary, front_end: FrontEnd
) -> Synthesizer:
    """Make a synthesizer of loaded parts; it owns the model.

    Raises:
        ServiceError: the default voice of the settings is not there.
    """
    planner = Planner(
        front_end,
        voices,
        default_voice=settings.voice,
        max_text_length=settings.max_text_length,
    )
    return Synthesizer(model, planner, audio_cache_bytes=settings.audio_cache_bytes)
