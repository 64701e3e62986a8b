"""Put a synthesizer together from settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from service.errors import StartupError
from service.model import (
    GpuOptions,
    Kokoro,
    Options,
    Runtime,
    Source,
    assemble,
    default_cache_dir,
    load_kokoro,
    longest_piece_s,
    model_path,
    open_runtime,
    prepare,
    prepare_for_gpu,
)
from service.resources import resource
from service.settings import Settings
from service.speech import LONGEST_PIECE_S, Planner, Synthesizer, VoiceLibrary
from service.text import Espeak, FrontEnd, UserLexicon

Target = Literal["cpu", "cuda"]
"""What a model is prepared for: the processor, or GPUs."""


def load_runtime(settings: Settings) -> Runtime:
    """Load ONNX Runtime as the settings ask for.

    Raises:
        StartupError: there is no usable library.
    """
    return open_runtime(
        settings.provider,
        settings.threads,
        settings.cuda_device,
        settings.cuda_options,
        {**_engine_caches(settings), **settings.tensorrt_options},
        settings.memory_budget_bytes,
    )


def _engine_caches(settings: Settings) -> Options:
    """Have TensorRT keep what it compiles, which takes minutes, where prepared models are kept."""
    folder = str(_cache_dir(settings) / "tensorrt")
    return {
        "trt_engine_cache_enable": True,
        "trt_engine_cache_path": folder,
        "trt_timing_cache_enable": True,
        "trt_timing_cache_path": folder,
    }


def _cache_dir(settings: Settings) -> Path:
    return settings.cache_dir or default_cache_dir()


def load_model(settings: Settings, runtime: Runtime, progress: Callable[[str], None]) -> Kokoro:
    """Load the model of the settings; see `load_kokoro`."""
    return load_kokoro(
        model_path(settings.model, settings.cache_dir),
        runtime,
        published=settings.model is None,
        progress=progress,
        prepared_in=_cache_dir(settings) if settings.prepare else None,
        gpu=GpuOptions(_cache_dir(settings), settings.precision, settings.buckets),
    )


def prepare_model(
    settings: Settings, target: Target | None, progress: Callable[[str], None]
) -> list[Path]:
    """Put into the cache what serving would load.

    Args:
        settings: which model, where to.
        target: what it is for; by default what the settings' provider needs: with `auto` both.
        progress: called with a line where something takes long.

    Returns:
        The folders of the prepared models; or files, where they are taken as they are: the
        published one with `prepare = false`, and one in floats on a GPU.

    Raises:
        StartupError: it cannot be had, or the settings leave nothing to do.
    """
    source = Source(model_path(settings.model, settings.cache_dir), settings.model is None)
    runtime, cache_dir = load_runtime(settings).on_processor, _cache_dir(settings)
    paths: list[Path] = []
    for_cpu = target == "cpu" or (target is None and settings.provider in ("cpu", "auto"))
    if target == "cuda" or (target is None and settings.provider != "cpu"):
        paths += prepare_for_gpu(source, runtime, cache_dir, progress)
    if for_cpu and settings.prepare:
        paths.append(prepare(source, runtime, cache_dir, progress).folder)
    elif for_cpu and source.published:
        assemble(source.path, progress)
        paths.append(source.path)
    elif for_cpu:
        raise StartupError(
            "model is set, and with prepare = false it is used as it is: nothing to prepare"
        )
    return paths


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
        longest_piece_s=longest_piece_s(settings.memory_budget_bytes, model.preparation.variant)
        if settings.memory_budget_bytes
        else LONGEST_PIECE_S,
    )
    return Synthesizer(
        model,
        planner,
        audio_cache_bytes=settings.audio_cache_bytes,
        stream_decoding=settings.stream_decoding,
        file_decoding=settings.file_decoding,
    )
