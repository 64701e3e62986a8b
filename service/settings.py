"""Settings: flags override the environment, which overrides the configuration file."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import (
    SettingsError as SourceError,
)

from service.errors import SettingsError

ENVIRONMENT_PREFIX = "KOKORO_"
CONFIG_VARIABLE = "KOKORO_CONFIG"
"""The variable that names the configuration file if there is no `--config`."""

KEY_VARIABLE = "KOKORO_API_KEY"
"""The variable with the key of another service, for the commands that ask one."""

RENAMED: dict[str, str] = {}
"""New names of settings that older versions knew by another one; none so far. Files and
variables of those versions are refused with the new name."""

_LONGEST_NAME = 64
"""No known name is longer."""

Provider = Literal["cpu", "cuda", "tensorrt", "auto"]
ProviderOptions = dict[str, str | int | bool]
Decoding = Literal["windows", "whole"]
"""How a chunk is decoded: in windows, or whole."""


def _split_list(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part for part in (item.strip() for item in value.split(",")) if part)


Origins = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_list)]
"""A list in a file; text with commas in flags and variables."""


Names = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...], NoDecode, BeforeValidator(_split_list)
]
"""Written like `Origins`."""


SsmlDoors = Annotated[
    tuple[Literal["synthesize", "openai", "elevenlabs", "piper", "wyoming", "jobs"], ...],
    NoDecode,
    BeforeValidator(_split_list),
]
"""Written like `Origins`."""


Name = Annotated[str, Field(min_length=1)]


BUCKETS = (32, 40, 50, 64, 80, 104, 128, 160, 200, 256, 320, 400, 512, 640)
"""In frames of 25 ms: 0.8 to 16 s, longer than the longest chunk. Each is a quarter longer than the
one before, so padding adds 11 % on average. Longer runs are padded to a multiple of the last."""


def _ascending(numbers: tuple[int, ...]) -> tuple[int, ...]:
    if list(numbers) != sorted(set(numbers)):
        raise ValueError("the numbers must ascend")
    return numbers


Buckets = Annotated[
    tuple[Annotated[int, Field(ge=1, le=100_000)], ...],
    NoDecode,
    BeforeValidator(_split_list),
    AfterValidator(_ascending),
]
"""Numbers of frames, written like `Origins`."""


class Settings(BaseSettings):
    """Every setting with its default; `config/default.toml` describes each."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        # "model" is a field here and nothing of pydantic's.
        protected_namespaces=(),
    )

    host: str = Field("127.0.0.1", min_length=1, description="address to listen on")
    port: int = Field(8880, ge=0, le=65535, description="port to listen on; 0 picks a free one")
    provider: Provider = Field(
        "cpu",
        description="execution provider: cpu, cuda, tensorrt, or auto (cuda if it works, else cpu)",
    )
    model: Path | None = Field(
        None,
        description="model file, record of a model, or name of one that was added; default: the "
        "one in the installed model packages",
    )
    models_dir: Path | None = Field(
        None, description="folder of models that were added; default: one of this user"
    )
    cache_dir: Path | None = Field(
        None, description="folder for prepared models; default: ~/.cache/kokoro-service"
    )
    stream_decoding: Decoding = Field(
        "windows", description="how streams are decoded: in windows, or chunk by chunk (whole)"
    )
    file_decoding: Decoding = Field(
        "whole", description="how complete files are decoded: windows or whole"
    )
    prepare: bool = Field(
        True, description="prepare the model for this CPU once, before its first use"
    )
    kernels: str | None = Field(
        None,
        min_length=1,
        description="instruction set of the native operators, for tests and measurements; default: "
        "the fastest that the processor runs",
    )
    voices_dir: Path | None = Field(
        None, description="folder of voices; default: the included ones"
    )
    voice: str = Field("af_heart", min_length=1, description="voice for requests that name none")
    warm_languages: Names | None = Field(
        None,
        description="languages whose G2P is loaded at start, so that their first text is read as "
        "soon as others; default: the language of voice",
    )
    strict_models: bool = Field(
        False, description="answer 404 to model names that GET /v1/models does not list"
    )
    max_text_length: int = Field(
        20_000, ge=1, le=10_000_000, description="maximum length of a text, in characters"
    )
    max_requests: int = Field(
        32,
        ge=1,
        le=10_000,
        description="maximum requests in progress or waiting; more get 503",
    )
    max_websockets: int = Field(
        16,
        ge=0,
        le=10_000,
        description="maximum open WebSocket sessions and Wyoming connections; more are refused",
    )
    max_connections: int = Field(
        1024,
        ge=1,
        le=100_000,
        description="maximum open connections, of all kinds; one more takes the place of the one "
        "that has waited longest for its client",
    )
    session_idle_s: float = Field(
        0,
        ge=0,
        le=31_536_000,
        description="seconds without a message or speech until a WebSocket session is closed; 0 "
        "keeps it",
    )
    idle_unload_s: float = Field(
        0,
        ge=0,
        le=31_536_000,
        description="seconds without speech until the model leaves memory; 0 keeps it",
    )
    data_dir: Path | None = Field(
        None, description="folder for jobs, which outlive the process; default: there are no jobs"
    )
    max_document_bytes: int = Field(
        32 << 20, ge=1, le=1 << 40, description="maximum size of the document or text of a job"
    )
    document_cpu_s: float = Field(
        60,
        gt=0,
        le=86_400,
        description="maximum processor time to read a document, in seconds",
    )
    document_timeout_s: float = Field(
        300, gt=0, le=86_400, description="maximum time to read a document, in seconds"
    )
    document_memory_bytes: int = Field(
        512 << 20,
        ge=1 << 20,
        le=1 << 40,
        description="maximum memory to read a document; of two at a time",
    )
    max_jobs: int = Field(
        100, ge=1, le=100_000, description="maximum jobs that are kept; more get 503"
    )
    jobs_bytes: int = Field(
        8 << 30, ge=1, le=1 << 50, description="maximum size of all jobs; more get 503, or fail"
    )
    job_age_s: float = Field(
        604_800,
        gt=0,
        le=315_360_000,
        description="seconds after which a finished job is removed",
    )
    deadline_s: float = Field(
        1800, gt=0, le=86_400, description="maximum duration of a request, in seconds"
    )
    receive_timeout_s: float = Field(
        20, gt=0, le=3600, description="seconds to receive a request's headers, and then its body"
    )
    send_timeout_s: float = Field(
        60,
        gt=0,
        le=3600,
        description="seconds until a client that reads nothing is cut off",
    )
    shutdown_timeout_s: float = Field(
        30, ge=0, le=3600, description="seconds that requests have to finish when the service stops"
    )
    memory_budget_bytes: int = Field(
        0,
        ge=0,
        le=1 << 40,
        description="maximum memory of the model and its runs; 0 is no limit",
    )
    min_free_memory_bytes: int = Field(
        0,
        ge=0,
        le=1 << 40,
        description="minimum free memory of the machine; with less, requests get 503",
    )
    answer_memory_bytes: int = Field(
        256 << 20,
        ge=0,
        le=1 << 40,
        description="maximum memory of all answers in progress; more get 503; 0 is no limit",
    )
    audio_cache_bytes: int = Field(
        0,
        ge=0,
        le=1 << 40,
        description="memory for the audio cache; 0 switches it off",
    )
    wyoming: str | None = Field(
        None,
        min_length=1,
        description="address to serve Wyoming on: tcp://HOST:PORT, unix:///PATH or stdio://",
    )
    wyoming_zeroconf: str | None = Field(
        None,
        min_length=1,
        description="name to announce Wyoming by in the network; needs the extra zeroconf",
    )
    mcp: bool = Field(False, description="serve MCP for assistants at /mcp; needs the extra mcp")
    page: bool = Field(True, description="serve the page that speaks at /, and /docs")
    insecure: bool = Field(
        False, description="allow other interfaces than loopback without API keys"
    )
    api_keys_file: Path | None = Field(
        None, description="file of API keys, one per line; default: no key is needed"
    )
    lexicons_dir: Path | None = Field(
        None, description="folder of lexicons of API keys, NAME.toml; default: none"
    )
    private_lists: bool = Field(
        False, description="ask for a key also for lists of voices, models and languages"
    )
    cors_origins: Origins = Field(
        (), description="web origins whose pages may use the service, separated by commas"
    )
    threads: int = Field(
        0, ge=0, le=1024, description="intra-op threads; 0 is one for each usable processor"
    )
    workers: int = Field(
        1, ge=1, le=256, description="chunks computed at once; the threads are divided among them"
    )
    espeak_library: Path | None = Field(
        None,
        description="libespeak-ng.so; default: the espeakng-loader package's, else the system's",
    )
    espeak_data: Path | None = Field(
        None, description="espeak-ng-data folder; default: the library's own"
    )
    emoji: Literal["drop", "name"] = Field(
        "drop", description="drop emoji, or say their names (name)"
    )
    strict_characters: bool = Field(
        False,
        description="refuse texts with characters that cannot be read, instead of dropping these",
    )
    strict_ssml: bool = Field(
        False,
        description="refuse SSML of which something cannot be done, instead of ignoring that",
    )
    auto_ssml: SsmlDoors = Field(
        ("openai", "piper", "wyoming"),
        description="doors on which a text that opens like SSML is SSML: any of synthesize, "
        "openai, elevenlabs, piper, wyoming, jobs",
    )
    lexicon: Path | None = Field(
        None,
        description="file of pronunciations; default: the included one",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="lowest level to log"
    )
    log_format: Literal["text", "json"] = Field("text", description="format of log lines")
    telemetry: bool = Field(
        False, description="send traces, configured by OTEL_* variables; needs the extra otel"
    )
    cuda_device: int = Field(0, ge=0, description="number of the GPU to use")
    precision: Literal["float32", "float16"] = Field(
        "float32", description="precision of the decoder on a GPU"
    )
    buckets: Buckets = Field(
        BUCKETS, min_length=1, description="run lengths on a GPU, in frames, separated by commas"
    )
    cuda_options: ProviderOptions = Field(
        default_factory=dict, description="options of ONNX Runtime's CUDA provider"
    )
    tensorrt_options: ProviderOptions = Field(
        default_factory=dict, description="options of ONNX Runtime's TensorRT provider"
    )

    openai_voices: dict[Name, Name] = Field(
        default_factory=dict, description="voices or blends by names that OpenAI's clients send"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources; called by pydantic-settings."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(
    flags: Mapping[str, Any] | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings from all sources.

    Args:
        flags: values from the command line, by setting; they override every other source.
        config: a TOML file; None uses the one that `KOKORO_CONFIG` names, if any.
        environ: environment variables, to find the file and misspelled names; None uses the
            process's own.

    Raises:
        SettingsError: a key is unknown (the nearest known one is named), a value is malformed or
            out of range, or the file cannot be read.
    """
    environ = os.environ if environ is None else environ
    _refuse_unknown_variables(environ)
    file = config or (Path(environ[CONFIG_VARIABLE]) if environ.get(CONFIG_VARIABLE) else None)
    if file is not None and not file.is_file():
        raise SettingsError(f"the configuration file {file} does not exist")

    class FromFile(Settings):
        model_config = SettingsConfigDict(toml_file=file)

    try:
        return FromFile(**(flags or {}))
    except ValidationError as error:
        raise SettingsError("; ".join(_explain(item) for item in error.errors())) from error
    except (SourceError, ValueError) as error:  # an unreadable variable; malformed TOML
        where = f"{file}: " if file is not None else ""
        raise SettingsError(f"{where}{error}") from error


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean ...?)` for a misspelled name, or nothing if no known name is close."""
    if len(name) > _LONGEST_NAME:
        return ""  # no name is that long, and comparing long texts is slow
    matches = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {matches[0]}?)" if matches else ""


def _refuse_unknown_variables(environ: Mapping[str, str]) -> None:
    known = [ENVIRONMENT_PREFIX + name.upper() for name in Settings.model_fields]
    known += [CONFIG_VARIABLE, KEY_VARIABLE]
    for variable in environ:
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in known:
            new = RENAMED.get(variable.removeprefix(ENVIRONMENT_PREFIX).lower())
            if new is not None:
                new = ENVIRONMENT_PREFIX + new.upper()
                raise SettingsError(f"environment variable {variable} is {new} now")
            hint = nearest(variable, known)
            raise SettingsError(f"unknown environment variable {variable}{hint}")


def _explain(error: Any) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        if name in RENAMED:
            return f"the setting {name} is {RENAMED[name]} now"
        return f"unknown setting {name}{nearest(name, Settings.model_fields)}"
    return f"{name}: {error['msg']}, found {error['input']!r}"
