"""Settings: flags before environment before configuration file before defaults."""

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
"""Names the configuration file where no `--config` does."""

_LONGEST_NAME = 64
"""Of anything that has one here, with room to spare."""

Provider = Literal["cpu", "cuda", "tensorrt", "auto"]
ProviderOptions = dict[str, str | int | bool]
Decoding = Literal["windows", "whole"]
"""How the sound of a piece is made: window by window, or at once."""


def _split_list(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part for part in (item.strip() for item in value.split(",")) if part)


Origins = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_list)]
"""A list in a file; in a flag or a variable the same, separated by commas."""


BUCKETS = (32, 40, 50, 64, 80, 104, 128, 160, 200, 256, 320, 400, 512, 640)
"""Frames of 25 ms: 0.8 to 16 s, more than the longest piece that is cut. Each is a quarter
longer than the one before, so that 11 % are added on average. More frames than the last has become
a multiple of it."""


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
"""Numbers of frames, written as `Origins` are."""


class Settings(BaseSettings):
    """Everything that can be set, with its default; `config/default.toml` says more of each."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        # "model" is a field here and nothing of pydantic's.
        protected_namespaces=(),
    )

    host: str = Field("127.0.0.1", min_length=1, description="address to listen on")
    port: int = Field(8880, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    provider: Provider = Field(
        "cpu",
        description="where the model runs: cpu, cuda, tensorrt, or auto (cuda if it can be had)",
    )
    model: Path | None = Field(
        None, description="model file; that of the installed model packages if not given"
    )
    cache_dir: Path | None = Field(
        None, description="where prepared models are kept; ~/.cache/kokoro-service if not given"
    )
    stream_decoding: Decoding = Field(
        "windows", description="how speech that is streamed is decoded: windows, or whole pieces"
    )
    file_decoding: Decoding = Field(
        "whole", description="how speech that is sent when it is complete is decoded"
    )
    prepare: bool = Field(
        True, description="rewrite the model for this processor, once, before it is first used"
    )
    voices_dir: Path | None = Field(
        None, description="folder of voices; those that come with the service if not given"
    )
    voice: str = Field("af_heart", min_length=1, description="voice of requests that name none")
    max_text_length: int = Field(
        20_000, ge=1, le=10_000_000, description="longest text of a request, in characters"
    )
    max_requests: int = Field(
        32, ge=1, le=10_000, description="requests spoken or waiting at a time; more get 503"
    )
    max_websockets: int = Field(
        16, ge=0, le=10_000, description="WebSocket sessions open at a time; more get 503"
    )
    deadline_s: float = Field(
        1800, gt=0, le=86_400, description="seconds that a request may take at most"
    )
    receive_timeout_s: float = Field(
        20, gt=0, le=3600, description="seconds for a request's head to come, then for its body"
    )
    send_timeout_s: float = Field(
        60, gt=0, le=3600, description="seconds without reading after which a client is gone"
    )
    shutdown_timeout_s: float = Field(
        30, ge=0, le=3600, description="seconds for requests in flight to finish when told to stop"
    )
    memory_budget_bytes: int = Field(
        0, ge=0, le=1 << 40, description="memory for the model, weights and runs; 0 sets no bound"
    )
    min_free_memory_bytes: int = Field(
        0,
        ge=0,
        le=1 << 40,
        description="refuse requests with 503 while the machine has less free memory than this",
    )
    answer_memory_bytes: int = Field(
        256 << 20,
        ge=0,
        le=1 << 40,
        description="memory that answers may take together; more get 503; 0 sets no bound",
    )
    audio_cache_bytes: int = Field(
        0, ge=0, le=1 << 40, description="memory for speech that may be asked for again; 0 is none"
    )
    insecure: bool = Field(
        False, description="let everyone in who reaches the address, though no API key is set"
    )
    api_keys_file: Path | None = Field(
        None, description="file of API keys, one a line; without, no key is asked for"
    )
    cors_origins: Origins = Field(
        (), description="web origins whose pages may use the service, separated by commas"
    )
    threads: int = Field(
        0, ge=0, le=1024, description="threads of a run; 0 takes every core the process may use"
    )
    espeak_library: Path | None = Field(
        None,
        description="libespeak-ng.so; the espeakng-loader package's or the system's if not given",
    )
    espeak_data: Path | None = Field(
        None, description="espeak-ng-data folder; the one of the library if not given"
    )
    emoji: Literal["drop", "name"] = Field(
        "drop", description="what becomes of emoji: drop, or name (said by their names)"
    )
    lexicon: Path | None = Field(
        None,
        description="file of words and how they are read; the one that comes with the service if "
        "not given",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="least severe messages to log"
    )
    log_format: Literal["text", "json"] = Field("text", description="how a line of the log looks")
    telemetry: bool = Field(
        False, description="send traces as OpenTelemetry's OTEL_* variables say; needs extra otel"
    )
    cuda_device: int = Field(0, ge=0, description="which GPU, with provider cuda or auto")
    precision: Literal["float32", "float16"] = Field(
        "float32", description="of the decoder on a GPU, in models that were prepared for one"
    )
    buckets: Buckets = Field(
        BUCKETS, min_length=1, description="numbers of frames of runs on a GPU, by commas"
    )
    cuda_options: ProviderOptions = Field(
        default_factory=dict, description="options of ONNX Runtime's CUDA provider"
    )
    tensorrt_options: ProviderOptions = Field(
        default_factory=dict, description="options of ONNX Runtime's TensorRT provider"
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
        """Order the sources; pydantic-settings calls this."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(
    flags: Mapping[str, Any] | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings of all sources.

    Args:
        flags: values from the command line, by setting; the strongest source.
        config: a TOML file; the one that `KOKORO_CONFIG` names where it is None, if any.
        environ: this process's environment, for finding misspelt variables and the file.

    Raises:
        SettingsError: a key is unknown (the nearest known one is named), a value is malformed or
            out of range, or the file cannot be read.
    """
    environ = os.environ if environ is None else environ
    _refuse_unknown_variables(environ)
    file = config or (Path(environ[CONFIG_VARIABLE]) if environ.get(CONFIG_VARIABLE) else None)
    if file is not None and not file.is_file():
        raise SettingsError(f"the configuration file {file} is not there")

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
    """Return ` (did you mean ...?)` for a misspelt name, or nothing where none is near."""
    if len(name) > _LONGEST_NAME:
        return ""  # none is, and looking for one in a long text would take its time
    matches = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {matches[0]}?)" if matches else ""


def _refuse_unknown_variables(environ: Mapping[str, str]) -> None:
    known = [ENVIRONMENT_PREFIX + name.upper() for name in Settings.model_fields]
    known.append(CONFIG_VARIABLE)
    for variable in environ:
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in known:
            hint = nearest(variable, known)
            raise SettingsError(f"unknown environment variable {variable}{hint}")


def _explain(error: Any) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"unknown setting {name}{nearest(name, Settings.model_fields)}"
    return f"{name}: {error['msg']}, found {error['input']!r}"
