"""Assemble a synthesizer from settings."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal

from service import model as models
from service import preparation
from service.errors import (
    LanguageUnavailableError,
    LexiconError,
    ModelError,
    ProviderError,
    ServiceError,
    SettingsError,
    StartupError,
)
from service.model import (
    GpuUnavailableError,
    Model,
    ModelFile,
    ModelOnDisk,
    Options,
    Runtime,
    StatisticsPredictor,
    longest_chunk_s,
    open_runtime,
    rehearse,
    require_gpu,
)
from service.model.spec import RECORD, SUFFIXES, ModelSpec, included_model
from service.preparation import NotPreparedError, Source, operators
from service.preparation.operators import KernelSpeed
from service.preparation.source import Progress
from service.resources import resource
from service.settings import Settings
from service.speech import LONGEST_CHUNK_S, Planner, Synthesizer, VoiceLibrary, Worker
from service.text import Espeak, EspeakSounds, FrontEnd, UserLexicon, Vocabulary

logger = logging.getLogger(__name__)

STATISTICS = "statistics.npz"
"""File of the published model's statistics, beside the included voices."""


def load_runtime(settings: Settings) -> Runtime:
    """Load ONNX Runtime, configured by the settings.

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
    """Let TensorRT keep what it compiles, which takes minutes, in the cache."""
    folder = str(_cache_dir(settings) / "tensorrt")
    return {
        "trt_engine_cache_enable": True,
        "trt_engine_cache_path": folder,
        "trt_timing_cache_enable": True,
        "trt_timing_cache_path": folder,
    }


def _cache_dir(settings: Settings) -> Path:
    return settings.cache_dir or preparation.default_cache_dir()


def load_spec(settings: Settings) -> ModelSpec:
    """Return what the model of the settings is.

    A model file alone is taken for another one of Kokoro v1.0, with its vocabulary and voices.

    Raises:
        ModelError: a record cannot be read.
    """
    model = settings.model
    if model is None:
        return included_model()
    if model.suffix in SUFFIXES:
        return ModelSpec.read(model)
    added = models_dir(settings) / model / RECORD
    if not model.exists() and len(model.parts) == 1 and added.is_file():
        return ModelSpec.read(added)
    return included_model().with_file(model)


def models_dir(settings: Settings) -> Path:
    """Return where models are added, a folder each: `models_dir`, or one of this user.

    That is the folder `kokoro-service/models` in `$XDG_DATA_HOME` or `~/.local/share`.
    """
    return settings.models_dir or _data_dir() / "models"


def load_models(settings: Settings) -> list[ModelSpec]:
    """Return the included model, and those that were added, by name.

    Raises:
        ModelError: a record cannot be read.
    """
    records = sorted(models_dir(settings).glob(f"*/{RECORD}"))
    return [included_model(), *(ModelSpec.read(record) for record in records)]


def _data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "kokoro-service"


def _source(settings: Settings) -> Source:
    spec = load_spec(settings)
    path = preparation.model_path(spec.file, settings.cache_dir)
    return Source(path, published=spec.file is None, expected=spec.sha256)


def load_model(settings: Settings, runtime: Runtime, progress: Progress) -> Model:
    """Load the model of the settings, prepared for its provider.

    If it cannot be prepared for the CPU, it is used as it is, with a warning that says why.

    Args:
        settings: which model, and how.
        runtime: the ONNX Runtime to run it with.
        progress: called with a line where something takes long.

    Raises:
        ModelError: the file is missing, or is not a Kokoro model.
        ProviderError: the GPU cannot be used, or fails the parity check.
        StartupError: the memory budget is too little.
    """
    source = _source(settings)
    if runtime.provider != "cpu":
        try:
            require_gpu(runtime)
            prepared = preparation.get(
                source, settings.precision, runtime, _cache_dir(settings), progress
            )
            return _open(prepared, settings, runtime, progress)
        except GpuUnavailableError as error:
            if runtime.provider != "auto":
                raise ProviderError(f"provider = {runtime.provider}: {error}") from error
            logger.warning("running on the CPU, because the GPU cannot be used: %s", error)
            runtime = runtime.on_processor
    detail = "as it is: prepare = false"
    if settings.prepare:
        try:
            return _load_prepared(source, settings, runtime, progress)
        except NotPreparedError as error:
            name = source.path.name
            logger.warning("%s; %s is used as it is, up to four times slower", error, name)
            detail = f"as it is: {error}"
    return _open(source.file_as_it_is(detail, progress), settings, runtime, progress)


def _load_prepared(
    source: Source, settings: Settings, runtime: Runtime, progress: Progress
) -> Model:
    cache_dir = _cache_dir(settings)
    prepared = preparation.get(source, "processor", runtime, cache_dir, progress, settings.kernels)
    try:
        model = _open(prepared, settings, runtime, progress)
    except ModelError as error:
        # Another environment may have removed it after it was found; then it is made anew.
        # Any other error occurs again.
        logger.debug("the prepared model cannot be opened: %s", error)
        prepared = preparation.get(
            source, "processor", runtime, cache_dir, progress, settings.kernels
        )
        model = _open(prepared, settings, runtime, progress)
    logger.info("%s was prepared for this machine: %s", model.name, prepared.detail)
    return model


def _open(prepared: ModelOnDisk, settings: Settings, runtime: Runtime, progress: Progress) -> Model:
    statistics = None if isinstance(prepared, ModelFile) else load_statistics()
    return models.open(
        prepared, runtime, buckets=settings.buckets, statistics=statistics, progress=progress
    )


def measure_kernels(settings: Settings) -> KernelSpeed:
    """Measure the kernels of the native operators that the settings ask for.

    Raises:
        NativeUnavailableError: there are none.
        SettingsError: there are none of the settings' name.
    """
    return operators.measure_kernels(operators.find_native_operators(kernels=settings.kernels))


def load_statistics() -> StatisticsPredictor:
    """Read the included statistics; see `StatisticsPredictor.load`."""
    return StatisticsPredictor.load(resource("voices") / STATISTICS)


def prepare_model(
    settings: Settings, target: Literal["cpu", "cuda"] | None, progress: Progress
) -> list[ModelOnDisk]:
    """Prepare the models that serving would load.

    Args:
        settings: which model, and where to.
        target: CPUs or GPUs; default: what the settings' provider needs; both with `auto`.
        progress: called with a line where something takes long.

    Returns:
        The prepared models, or files that are used as they are: the published one with
        `prepare = false`, and one in floats on a GPU.

    Raises:
        StartupError: something is missing, or the settings leave nothing to do.
    """
    source, cache_dir = _source(settings), _cache_dir(settings)
    runtime = load_runtime(settings).on_processor
    prepared: list[ModelOnDisk] = []
    for_cpu = target == "cpu" or (target is None and settings.provider in ("cpu", "auto"))
    if target == "cuda" or (target is None and settings.provider != "cpu"):
        prepared += preparation.make_for_gpus(source, runtime, cache_dir, progress)
    if for_cpu and settings.prepare:
        prepared.append(
            preparation.get(source, "processor", runtime, cache_dir, progress, settings.kernels)
        )
    elif for_cpu and source.published:
        prepared.append(source.file_as_it_is("as it is: prepare = false", progress))
    elif for_cpu:
        raise StartupError(
            "model is set, and with prepare = false it is used as it is: nothing to prepare"
        )
    return prepared


def load_voices(settings: Settings) -> VoiceLibrary:
    """Read the voices of the settings, or the included ones with those that were added."""
    spec = load_spec(settings)
    elsewhere = {
        path.stem: other.name
        for other in reversed(load_models(settings))  # the included one has the last word
        if other.name != spec.name
        for path in (other.voices or resource("voices")).glob("*.bin")
    }
    folder = settings.voices_dir or spec.voices
    if folder is not None:
        return VoiceLibrary(folder, elsewhere=elsewhere)
    added = added_voices_dir(settings)
    return VoiceLibrary(
        resource("voices"), *([added] if added.is_dir() else []), elsewhere=elsewhere
    )


def added_voices_dir(settings: Settings) -> Path:
    """Return where voices are added: `voices_dir`, the model's, or one of this user.

    The last is the folder `kokoro-service/voices` in `$XDG_DATA_HOME` or `~/.local/share`, beside
    the included voices.
    """
    return settings.voices_dir or load_spec(settings).voices or _data_dir() / "voices"


def usual_voice(settings: Settings) -> str:
    """Return the voice for requests that name none: of the settings, if they have one."""
    if "voice" in settings.model_fields_set:
        return settings.voice
    return load_spec(settings).voice or settings.voice


def load_espeak(settings: Settings) -> Espeak:
    """Start espeak-ng; see `Espeak`."""
    return Espeak(settings.espeak_library, settings.espeak_data)


def load_lexicon(settings: Settings) -> UserLexicon:
    """Read the lexicon of the settings, or the included one.

    Raises:
        LexiconError: the file cannot be read, or an entry is wrong.
    """
    return UserLexicon.load(settings.lexicon or resource("config") / "lexicon.toml")


def load_lexicons(settings: Settings) -> dict[str, UserLexicon]:
    """Read the lexicons of API keys, by the names of the keys; none without `lexicons_dir`.

    Raises:
        LexiconError: the folder or a file cannot be read, or an entry is wrong. The message names
            it.
    """
    folder = settings.lexicons_dir
    if folder is None:
        return {}
    if not folder.is_dir():
        raise LexiconError(f"lexicons_dir {folder} is not a folder")
    return {path.stem: UserLexicon.load(path) for path in sorted(folder.glob("*.toml"))}


def load_front_end(settings: Settings) -> FrontEnd:
    """Make the front end, which converts texts to phonemes.

    Raises:
        EspeakError: espeak-ng cannot be found or started.
        LexiconError: see `load_lexicon`.
    """
    front_end = FrontEnd(
        load_espeak(settings),
        lexicon=load_lexicon(settings),
        emoji=settings.emoji,
        strict=settings.strict_characters,
    )
    return _front_end_of(load_spec(settings), front_end)


def _front_end_of(spec: ModelSpec, front_end: FrontEnd) -> FrontEnd:
    """Return a front end that writes the symbols of a model. Raises ModelError."""
    told = {code: EspeakSounds(one.espeak, one.sounds) for code, one in spec.front_ends.items()}
    try:
        written = front_end.of_model(Vocabulary(spec.token_ids), told)
    except LanguageUnavailableError as error:
        raise ModelError(f"front_ends of the model {spec.name}: {error.message}") from error
    for code, sounds in told.items():
        if not front_end.readers.espeak.has_voice(sounds.voice):
            raise ModelError(
                f"front_ends.{code} of the model {spec.name}: espeak-ng has no voice {sounds.voice}"
            )
    return written


def load_synthesizer(settings: Settings, progress: Progress) -> Synthesizer:
    """Load everything that synthesis needs.

    Args:
        settings: which model, voices, provider.
        progress: called with a line where something takes long.

    Raises:
        StartupError: something is missing or damaged; the message says what to do.
    """
    voices = load_voices(settings)
    _check_names(settings, voices)
    front_end = load_front_end(settings)
    languages = _warm_languages(settings, voices, front_end)
    # Beside the model, much of which is loaded without Python.
    with ThreadPoolExecutor(1, "warm-up") as thread, ExitStack() as opened:
        warming = [thread.submit(front_end.warm_up, language) for language in languages]
        workers = load_workers(settings, load_runtime(settings), progress)
        for worker in workers:
            opened.callback(worker.close)
        for one in warming:
            one.result()
        opened.pop_all()  # the synthesizer closes them
    return build_synthesizer(settings, workers, voices, front_end)


def load_other_model(
    settings: Settings, name: str, front_end: FrontEnd, progress: Progress
) -> Synthesizer:
    """Load a model beside the one of the settings; see `load_synthesizer`.

    It has voices of its own, and names of OpenAI's voices do not stand for them.

    Args:
        settings: of the service, with this model's share of the memory budget.
        name: of a model that was added, or of the included one.
        front_end: of the other model; its readers are shared.
        progress: called with a line where something takes long.
    """
    spec = next(spec for spec in load_models(settings) if spec.name == name)
    settings = settings.model_copy(
        update={
            "model": None if spec.file is None else Path(name),
            "voice": spec.voice or Settings.model_fields["voice"].default,
            "voices_dir": None,
            "openai_voices": {},
        }
    )
    voices = load_voices(settings)
    workers = load_workers(settings, load_runtime(settings), progress)
    with ExitStack() as opened:
        for worker in workers:
            opened.callback(worker.close)
        front_end = _front_end_of(spec, front_end)
        synthesizer = build_synthesizer(settings, workers, voices, front_end)
        opened.pop_all()  # the synthesizer closes them
    return synthesizer


def _warm_languages(
    settings: Settings, voices: VoiceLibrary, front_end: FrontEnd
) -> tuple[str, ...]:
    """Return the codes of the languages whose G2P is loaded at start."""
    readers = front_end.readers
    if settings.warm_languages is None:
        language = voices.resolve(usual_voice(settings)).language
        return (language,) if language and readers.is_available(language) else ()
    try:
        return tuple(readers.require(name).code for name in settings.warm_languages)
    except LanguageUnavailableError as error:
        raise SettingsError(f"warm_languages: {error.message}") from error


def _check_names(settings: Settings, voices: VoiceLibrary) -> None:
    for name, voice in settings.openai_voices.items():
        try:
            voices.resolve(voice)
        except ServiceError as error:
            raise SettingsError(f"openai_voices.{name}: {error.message}") from error


def load_workers(settings: Settings, runtime: Runtime, progress: Progress) -> list[Model]:
    """Load the model once for each worker. Those after the first share its weights in memory.

    Args:
        settings: which model, how many workers.
        runtime: the ONNX Runtime to run it with; its threads are divided among the workers.
        progress: called with a line where something takes long.

    Raises:
        StartupError: see `load_model`; or there are more workers than threads, or several on a GPU.
    """
    n_workers = settings.workers
    if n_workers > runtime.threads:
        raise StartupError(
            f"workers = {n_workers}: each needs a thread of its own, and there are "
            f"{runtime.threads}; lower workers or raise threads"
        )
    runtime = replace(runtime, threads=runtime.threads // n_workers)
    workers = [load_model(settings, runtime, progress)]
    with ExitStack() as opened:
        opened.callback(workers[0].close)
        if n_workers > 1 and workers[0].provider != "cpu":
            raise StartupError(
                f"workers = {n_workers}: a GPU has one worker; set workers = 1 or provider = cpu"
            )
        for _ in range(1, n_workers):
            worker = _open(workers[0].prepared, settings, workers[0].runtime, progress)
            opened.callback(worker.close)
            workers.append(worker)
        opened.pop_all()  # the caller closes them
    return workers


def _more_bytes(settings: Settings) -> int:
    """Return by how much the file of the model is larger than that of the included one."""
    published, file = included_model().published, load_spec(settings).file
    if file is None or published is None:
        return 0
    return max(0, file.stat().st_size - published.size_bytes)


def build_synthesizer(
    settings: Settings, workers: Sequence[Model], voices: VoiceLibrary, front_end: FrontEnd
) -> Synthesizer:
    """Make a synthesizer of loaded parts. It owns the workers.

    Raises:
        ServiceError: the default voice of the settings does not exist.
    """
    variant = workers[0].prepared.variant
    planner = Planner(
        front_end,
        voices,
        default_voice=usual_voice(settings),
        max_text_length=settings.max_text_length,
        longest_chunk_s=longest_chunk_s(
            settings.memory_budget_bytes, variant, len(workers), _more_bytes(settings)
        )
        if settings.memory_budget_bytes
        else LONGEST_CHUNK_S,
        strict_ssml=settings.strict_ssml,
    )

    def reopen(closed: Model) -> Model:
        model = _open(closed.prepared, settings, closed.runtime, logger.info)
        with ExitStack() as opened:
            opened.callback(model.close)
            rehearse(model)
            opened.pop_all()  # the worker closes it
        return model

    return Synthesizer(
        [Worker(model, reopen) for model in workers],
        planner,
        audio_cache_bytes=settings.audio_cache_bytes,
        stream_decoding=settings.stream_decoding,
        file_decoding=settings.file_decoding,
    )
