"""Add models of others: a checkpoint or an ONNX file becomes a folder with a record."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from service.errors import InvalidRequestError, ModelError
from service.model.spec import RECORD, ModelName, ModelSpec, included_model, read_config
from service.preparation import digest
from service.preparation.checkpoints import Precision, read_weights, write_model
from service.speech import add_voice, read_styles
from service.tensor_files import SUFFIXES
from service.text import find_language

_CONFIG, _FILE, _VOICES = "config.json", "model.onnx", "voices"

_STRUCTURE: dict[tuple[str, ...], Any] = {
    ("hidden_dim",): 512, ("style_dim",): 128, ("n_layer",): 3, ("max_dur",): 50,
    ("text_encoder_kernel_size",): 5,
    ("plbert", "hidden_size"): 768, ("plbert", "intermediate_size"): 2048,
    ("plbert", "num_hidden_layers"): 12, ("plbert", "num_attention_heads"): 12,
    ("plbert", "max_position_embeddings"): 512,
    ("istftnet", "upsample_rates"): [10, 6], ("istftnet", "upsample_kernel_sizes"): [20, 12],
    ("istftnet", "upsample_initial_channel"): 512,
    ("istftnet", "resblock_kernel_sizes"): [3, 7, 11],
    ("istftnet", "resblock_dilation_sizes"): [[1, 3, 5]] * 3,
    ("istftnet", "gen_istft_n_fft"): 20, ("istftnet", "gen_istft_hop_size"): 5,
}  # fmt: skip
"""What a configuration may tell of every Kokoro-82M, whose graph is the published one."""


@dataclass(frozen=True)
class NewModel:
    """A model to add.

    Attributes:
        file: its checkpoint (`.pth`, `.pt`, `.safetensors`) or ONNX file.
        config: its own `config.json`.
        voices: a file of voices, or a folder of such; None for the included ones.
        name: its id; None for the name of the file.
        language: of those voices whose names tell none.
        voice: for requests that name none; None for the first of its voices.
        precision: of what is made of a checkpoint.
        licence: SPDX name.
        attribution: whom to name.
    """

    file: Path
    config: Path
    voices: Path | None = None
    name: str | None = None
    language: str | None = None
    voice: str | None = None
    precision: Precision = "int8"
    licence: str | None = None
    attribution: str | None = None


def add_model(new: NewModel, models_dir: Path, progress: Callable[[str], None]) -> ModelSpec:
    """Make a folder for a model; it is there only when all of it is.

    Args:
        new: what to add.
        models_dir: gets the folder; is made if it is not there.
        progress: called with a line where something takes long.

    Raises:
        ModelError: the checkpoint, its configuration or packages are not what is needed.
        VoiceError: a voice cannot be read.
        InvalidRequestError: the name is none, or is taken.
        OSError: the folder cannot be written.
    """
    name = _checked_name(new.name or new.file.stem.replace(" ", "-"), models_dir)
    token_ids, n_tokens = _checked_config(new.config)
    models_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".adding-", dir=models_dir) as partial:
        folder = Path(partial) / name
        folder.mkdir()
        names = [] if new.voices is None else _add_voices(new, folder / _VOICES)
        if new.voice is not None and names and new.voice not in names:
            raise InvalidRequestError(f"{new.voices} has no voice {new.voice}")
        _write_file(new, folder / _FILE, max(token_ids.values()), n_tokens, progress)
        shutil.copyfile(new.config, folder / _CONFIG)
        record = {
            "name": name, "config": _CONFIG, "file": _FILE, "sha256": digest(folder / _FILE),
            "voices": _VOICES if names else None, "voice": new.voice or next(iter(names), None),
            "licence": new.licence, "attribution": new.attribution,
        }  # fmt: skip
        (folder / RECORD).write_text(
            json.dumps({k: v for k, v in record.items() if v is not None}, indent=1) + "\n",
            encoding="utf-8",
        )
        folder.rename(models_dir / name)
    return ModelSpec.read(models_dir / name / RECORD)


def _checked_name(name: str, models_dir: Path) -> str:
    try:
        checked = TypeAdapter(ModelName).validate_python(name)
    except ValidationError as error:
        raise InvalidRequestError(
            f"{name!r:.80} is no name of a model: letters, digits, ., _ and - alone; set --name"
        ) from error
    if checked == included_model().name or (models_dir / checked).exists():
        raise InvalidRequestError(f"there is a model {checked} already in {models_dir}")
    return checked


def _checked_config(path: Path) -> tuple[dict[str, int], int | None]:
    """Return the ids of a configuration, and how many there are; its structure must be ours."""
    config, token_ids = read_config(path)
    for keys, ours in _STRUCTURE.items():
        theirs: Any = config
        for key in keys:
            theirs = theirs.get(key, ours) if isinstance(theirs, dict) else ours
        if theirs != ours:
            where = ".".join(keys)
            raise ModelError(f"{path}: {where} is {theirs!r:.60}, and Kokoro-82M has {ours!r}")
    return token_ids, config.get("n_token")


def _add_voices(new: NewModel, folder: Path) -> list[str]:
    assert new.voices is not None
    language = None if new.language is None else find_language(new.language).code
    files = [new.voices]
    if new.voices.is_dir():
        files = sorted(path for path in new.voices.iterdir() if path.suffix in SUFFIXES)
    names = []
    for file in files:
        for name, styles in read_styles(file).items():
            add_voice(folder, name, styles, language)
            names.append(name)
    if not names:
        raise InvalidRequestError(f"no voices (*.pt, *.bin, *.npz ...) in {new.voices}")
    return names


def _write_file(
    new: NewModel,
    path: Path,
    highest_id: int,
    n_tokens: int | None,
    progress: Callable[[str], None],
) -> None:
    if new.file.suffix == ".onnx":
        shutil.copyfile(new.file, path)
        return
    progress(f"reading {new.file}")
    weights = read_weights(new.file)
    table = weights.get("text_encoder.embedding.weight")
    n_rows = 0 if table is None else len(table)
    if table is not None and (highest_id >= n_rows or n_tokens not in (None, n_rows)):
        raise ModelError(
            f"{new.config} is of another model: it has ids up to {highest_id}, and {new.file} has "
            f"{n_rows} symbols"
        )
    try:
        write_model(weights, path, new.precision, progress)
    except ModelError as error:
        raise ModelError(f"{new.file}: {error.message}") from error


def remove_model(name: str, models_dir: Path) -> Path:
    """Remove the folder of a model that was added, and return where it was.

    Raises:
        InvalidRequestError: there is none of this name.
        OSError: it cannot be removed.
    """
    known = {path.parent.name: path.parent for path in models_dir.glob(f"*/{RECORD}")}
    if name not in known:
        raise InvalidRequestError(f"there is no model {name!r:.80} in {models_dir}")
    shutil.rmtree(known[name])
    return known[name]
