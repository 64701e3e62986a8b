"""Put a synthesizer together from settings."""

from __future__ import annotations

from collections.abc import Callable

from service.model import Kokoro, Runtime, load_kokoro, model_path, open_runtime
from service.resources import resource
from service.settings import Settings
from service.speech import Synthesizer, VoiceLibrary
from service.text import Espeak, FrontEnd, load_vocabulary


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
    path = model_path(settings.model, settings.cache_dir)
    return load_kokoro(path, runtime, published=settings.model is None, progress=progress)


def load_voices(settings: Settings) -> VoiceLibrary:
    """Read the voices of the settings; see `VoiceLibrary`."""
    return VoiceLibrary(settings.voices_dir or resource("voices"))


def load_espeak(settings: Settings) -> Espeak:
    """Start espeak-ng; see `Espeak`."""
    return Espeak(settings.espeak_library, settings.espeak_data)


def load_synthesizer(settings: Settings, progress: Callable[[str], None]) -> Synthesizer:
    """Load everything that speaking needs.

    Args:
        settings: which model, voices, provider.
        progress: called with a line where something takes long.

    Raises:
        StartupError: something is missing or damaged; the message says what to do.
    """
    voices = load_voices(settings)
    espeak = load_espeak(settings)
    model = load_model(settings, load_runtime(settings), progress)
    return build_synthesizer(settings, model, voices, espeak)


def build_synthesizer(
    settings: Settings, model: Kokoro, voices: VoiceLibrary, espeak: Espeak
) -> Synthesizer:
    """Make a synthesizer of loaded parts; it owns the model.

    Raises:
        ServiceError: the default voice of the settings is not there.
    """
    return Synthesizer(
        model,
        voices,
        FrontEnd(espeak),
        load_vocabulary(),
        default_voice=settings.voice,
        max_text_length=settings.max_text_length,
        audio_cache_bytes=settings.audio_cache_bytes,
    )
