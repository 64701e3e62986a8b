"""What a model is: its file, vocabulary, voices and languages, from one record beside it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from service.errors import ModelError
from service.resources import resource

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SUFFIXES = frozenset({".toml", ".json"})
"""Of the records."""

RECORD = "model.json"
"""Name of the record of a model that was added, in its folder."""

_MOST_BYTES = 1 << 20
_MOST_IDS = 10_000

ModelName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$")
]
"""What a model may be called: it is a name of a folder, and an id of `GET /v1/models`."""

_Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Published(BaseModel):
    """A model file that comes in the parts of packages.

    Attributes:
        name: of the file.
        size_bytes: of the file.
        sha256: of the file.
        packages: each has a `part.bin`; all of them, in order, are the file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    size_bytes: int = Field(ge=1)
    sha256: _Sha256
    packages: tuple[str, ...] = Field(min_length=1)


class EspeakFrontEnd(BaseModel):
    """How a model's voices of a language were taught to read: by espeak-ng, and how it is written.

    Attributes:
        espeak: voice file of espeak-ng, below `espeak-ng-data/lang`, such as `gmw/de`.
        sounds: the model's symbols for sounds in espeak-ng's IPA; `^` joins the letters of one
            sound, `#` is the boundary of a word.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    espeak: str = Field(pattern=r"^[a-z]{2,4}/[A-Za-z0-9_-]{2,40}$")
    sounds: dict[Annotated[str, Field(min_length=1, max_length=20)], str] = Field(
        default_factory=dict, max_length=500
    )


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ModelName
    title: str = ""
    licence: str | None = None
    attribution: str | None = None
    config: Path
    file: Path | None = None
    sha256: _Sha256 | None = None
    published: Published | None = None
    voices: Path | None = None
    voice: str | None = None
    front_ends: Mapping[str, EspeakFrontEnd] = Field(default_factory=dict)


class ModelSpec(_Record):
    """A record with its paths resolved. Never changes.

    Attributes:
        name: id of the model in `GET /v1/models`.
        title: its name for people.
        licence: SPDX name of the weights' licence, or None.
        attribution: whom to name, or None.
        config: the model's own `config.json`.
        file: its ONNX file; None if packages have it.
        sha256: of the file; None if nobody knows it.
        published: which packages have it; None if there is a file.
        voices: folder of its voices; None for the included ones.
        voice: for requests that name none; None for the one of the settings.
        front_ends: those of languages, by their codes, that the service is not to read its own way.
        token_ids: ids of the model's symbols, of one character each.
    """

    token_ids: Mapping[str, int]

    @classmethod
    def read(cls, path: Path) -> ModelSpec:
        """Read a record, and the vocabulary that it names; paths in it are relative to it.

        Raises:
            ModelError: a file is missing or says something wrong. The message, one line, names it.
        """
        try:
            record = _Record.model_validate(_content(path))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ModelError(f"{path}: {where}: {first['msg']}") from error
        if (record.file is None) == (record.published is None):
            raise ModelError(f"{path}: it needs either file or published")
        fields = {name: getattr(record, name) for name in _Record.model_fields}
        for name, value in fields.items():
            if isinstance(value, Path):
                fields[name] = (path.parent / value.expanduser()).resolve()
        token_ids = read_config(fields["config"])[1]
        for language, front_end in record.front_ends.items():
            unknown = sorted(set("".join(front_end.sounds.values())) - set(token_ids))
            if unknown:
                raise ModelError(
                    f"{path}: front_ends.{language}.sounds: the model has no symbol {unknown[0]!r}"
                )
        return cls(**fields, token_ids=token_ids)

    def with_file(self, file: Path) -> ModelSpec:
        """Return the same of another file, which has the same vocabulary and voices."""
        return self.model_copy(update={"file": file, "sha256": None, "published": None})


@cache
def included_model() -> ModelSpec:
    """Return the model that comes with the service. It is read once."""
    return ModelSpec.read(resource("config") / "models" / "kokoro-v1.0.toml")


def read_config(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Return a model's own `config.json`, and the ids of its symbols, of one character each.

    Raises:
        ModelError: the file cannot be read, or its ids, the object `vocab`, are not such.
    """
    found = _content(path)
    ids = found.get("vocab") if isinstance(found, dict) else None
    if not isinstance(ids, dict) or not 0 < len(ids) <= _MOST_IDS:
        raise ModelError(f"{path} has no vocab, the ids of the model's symbols")
    n_tokens = found.get("n_token", _MOST_IDS)
    if type(n_tokens) is not int:
        raise ModelError(f"{path}: n_token is no number")
    for symbol, token_id in ids.items():
        if len(symbol) != 1 or type(token_id) is not int or not 0 < token_id < n_tokens:
            raise ModelError(
                f"{path}: vocab: {symbol!r:.20} has the id {token_id!r:.20}; each symbol is one "
                f"character, and its id is between 1 and {n_tokens - 1}"
            )
    return found, dict(ids)


def _content(path: Path) -> Any:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ModelError(f"{path} has more than {_MOST_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ModelError(f"{path} is no {path.suffix[1:]}: {reason:.100}") from error
