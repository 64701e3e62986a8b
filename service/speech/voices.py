"""Voices: their files, descriptions and blends.

A blend is a sum of voices with weights, in each of the ways in which others write one:
`af_bella(2)+af_sky(1)`, `af_bella:60,af_sky:40`, `0.3*af_bella + 0.7*af_sky`, `af_bella,af_sky`; a
voice after a minus is taken away.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from service import tensor_files
from service.complete_files import write_whole
from service.errors import InvalidBlendError, UnknownVoiceError, VoiceError
from service.model.kokoro import MAX_TOKENS, STYLE_SIZE
from service.settings import nearest
from service.text import language_of_voice

FILE_BYTES = MAX_TOKENS * STYLE_SIZE * 4
"""A plain voice file: a style of 256 float32 for each number of tokens, little-endian, C order."""

MOST_FILE_BYTES = 256 << 20
"""Maximum size of a file of voices; one of 103 voices in float32 has 54 MB."""

NOT_VOICES = frozenset({"statistics.npz"})
"""Files beside the included voices that have other tensors."""

MAX_BLEND_LENGTH = 512
"""Maximum characters of a blend; there are 54 voices, and nobody mixes more than a few."""

UNKNOWN_PACE = 10.0
"""Phonemes per second of a voice without a description: the pace of the slowest voice."""

USUAL_LUFS = -21.0
"""Integrated loudness of the voice in the middle of all, and of voices without a description."""

VOICE_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9_])?")
"""What a voice may be called."""

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][0-9]{1,3})?"
_FACTOR = re.compile(rf" ?(?P<weight>{_NUMBER}) ?%? ?[*×] ?")
_WEIGHT = re.compile(
    rf" ?(?:\( ?(?P<bracketed>{_NUMBER}) ?%? ?\)|[:*×] ?(?P<bare>{_NUMBER}) ?%?) ?"
)
_SIGN = re.compile(r" ?([+,-]) ?")
_EXAMPLE = "example: af_bella(2)+af_sky(1)"
_SEXES = {"f": "female", "m": "male"}

Styles = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Voice:
    """The description of a voice.

    Attributes:
        name: such as `af_heart`.
        language: code of the language that it was trained on; None if unknown.
        sex: `female`, `male`, or None.
        licence: SPDX name, or None.
        sha256: of its file, from the manifest; None for a file that the manifest does not name.
        pace: its phonemes per second in long sentences of its language; see `bench.pace`.
        lufs: its integrated loudness; see `bench.loudness`.
    """

    name: str
    language: str | None
    sex: str | None
    licence: str | None
    sha256: str | None
    pace: float
    lufs: float = USUAL_LUFS


@dataclass(frozen=True)
class Blend:
    """One voice or several, with weights that sum to 1; those that are taken away are negative."""

    parts: tuple[tuple[Voice, float], ...]

    @property
    def name(self) -> str:
        """Return the name of the voice, or the names joined by `+`."""
        return "+".join(voice.name for voice, _ in self.parts)

    @property
    def language(self) -> str | None:
        """Return the language of the voice named first."""
        return self.parts[0][0].language

    @property
    def pace(self) -> float:
        """Return the pace of the slowest of the voices."""
        return min(voice.pace for voice, _ in self.parts)

    @property
    def evening_gain(self) -> float:
        """Return the factor of its samples that makes it as loud as the usual voice."""
        added = [(voice.lufs, weight) for voice, weight in self.parts if weight > 0]
        lufs = sum(lufs * weight for lufs, weight in added) / sum(weight for _, weight in added)
        gain: float = 10 ** ((USUAL_LUFS - lufs) / 20)
        return gain


class VoiceLibrary:
    """The voices of folders: every file of styles in them, described by a `manifest.json` in each.

    A plain file `NAME.bin`, PyTorch's `NAME.pt` and NumPy's `NAME.npy` have one voice each;
    `.npz`, `.safetensors` and dictionaries of PyTorch have one for each name in them. A voice that
    no manifest names is described by the first two letters of its name, its language and sex.
    Styles are loaded when first used, and kept.

    Args:
        folders: of the voices.
        elsewhere: the models that other voices are of, by the voices' names, for messages.

    Raises:
        VoiceError: a file is missing or damaged, two have the same voice, or there is none.
    """

    def __init__(self, *folders: Path, elsewhere: Mapping[str, str] | None = None) -> None:
        self._elsewhere = dict(elsewhere or {})
        self._voices: dict[str, Voice] = {}
        self._files: dict[str, Path] = {}
        for folder in folders:
            self._add(folder)
        if not self._voices:
            raise VoiceError(f"no voices (*.bin, *.pt, *.npz ...) in {folders[0]}")
        self._voices = dict(sorted(self._voices.items()))
        self._styles: dict[str, Styles] = {}
        self._lock = threading.Lock()

    def _add(self, folder: Path) -> None:
        manifest = _read_manifest(folder / "manifest.json")
        for path in sorted(folder.glob("*.*")):
            if path.suffix not in tensor_files.SUFFIXES or path.name in NOT_VOICES:
                continue
            for name in _verified(path, manifest):
                if name in self._files:
                    raise VoiceError(f"{self._files[name]} and {path} both have a voice {name}")
                self._files[name] = path
                self._voices[name] = _describe(name, manifest.get(name, {}))
        missing = sorted(set(manifest) - set(self._files))
        if missing:
            raise VoiceError(f"voices of {folder / 'manifest.json'} are missing: {missing}")

    @property
    def voices(self) -> list[Voice]:
        """Return every voice, by name."""
        return list(self._voices.values())

    def resolve(self, specification: str) -> Blend:
        """Read a voice's name or a blend; a voice without a weight has the weight 1.

        Raises:
            UnknownVoiceError: the voice does not exist; the message names the nearest.
            InvalidBlendError: it is malformed, a weight is not a positive number, or nothing is
                left of a voice or of the sum.
        """
        if len(specification) > MAX_BLEND_LENGTH:
            raise InvalidBlendError(f"a blend may have at most {MAX_BLEND_LENGTH} characters")
        weights: dict[str, float] = {}
        for name, weight in self._terms(" ".join(specification.split())):
            if name not in self._voices:
                place = self.elsewhere(name) or nearest(name, self._voices)
                raise UnknownVoiceError(f"no voice {name!r}{place}")
            weights[name] = weights.get(name, 0.0) + weight
        total = sum(weights.values())
        if not all(map(math.isfinite, (total, *weights.values()))):
            raise InvalidBlendError("the weights of a blend are too large")
        if total <= 0:
            raise InvalidBlendError("the weights of a blend must have a positive sum")
        parts = [(self._voices[name], w / total) for name, w in weights.items() if w]
        return Blend(tuple(parts))

    def elsewhere(self, name: str) -> str:
        """Return the end of a message that tells which model a voice is of; empty if none is."""
        model = self._elsewhere.get(name)
        return f"; it is a voice of the model {model}" if model else ""

    def _terms(self, specification: str) -> Iterator[tuple[str, float]]:
        """Yield the names in a blend with their weights, which a minus makes negative."""
        place, sign = 0, "+"
        while True:
            factor = _FACTOR.match(specification, place)
            if factor is not None:
                place = factor.end()
            name = self._name_at(specification, place)
            if name is None:
                rest = specification[place:].strip()
                raise InvalidBlendError(f"{rest!r:.60} is no voice with a weight; {_EXAMPLE}")
            place = specification.index(name, place) + len(name)
            after = _WEIGHT.match(specification, place)
            if after is not None:
                place = after.end()
            if factor is not None and after is not None:
                raise InvalidBlendError(f"{name} has two weights; {_EXAMPLE}")
            told = "1" if factor is None else factor["weight"]
            if after is not None:
                told = after["bracketed"] or after["bare"]
            weight = float(told)
            if not weight > 0:
                raise InvalidBlendError(f"the weight of {name} must be positive, not {told}")
            yield name, -weight if sign == "-" else weight
            if not specification[place:].strip():
                return
            between = _SIGN.match(specification, place)
            if between is None:
                rest = specification[place:].strip()
                raise InvalidBlendError(f"{rest!r:.60} is no weight of {name}; {_EXAMPLE}")
            place, sign = between.end(), between[1]

    def _name_at(self, specification: str, place: int) -> str | None:
        """Return the voice that is named at a place; a hyphen in its name is no minus."""
        while place < len(specification) and specification[place].isspace():
            place += 1
        match = VOICE_NAME.match(specification, place)
        if match is None:
            return None
        parts = match[0].split("-")
        names = ("-".join(parts[:n]) for n in range(len(parts), 0, -1))
        return next((name for name in names if name in self._voices), match[0])

    def style(self, blend: Blend, n_tokens: int) -> Styles:
        """Return the style for a chunk of so many tokens: row n - 1 of the voice.

        The model's own pipeline takes the same row (`pack[len(ps) - 1]`).

        Args:
            blend: what `resolve` returned.
            n_tokens: 1 to 510, without padding.

        Returns:
            float32 [1, 256], for a blend the weighted mean.
        """
        if not 1 <= n_tokens <= MAX_TOKENS:
            raise ValueError(f"no style for {n_tokens} tokens; there are 1 to {MAX_TOKENS}")
        rows = [w * self._load(voice.name)[n_tokens - 1] for voice, w in blend.parts]
        return np.asarray(sum(rows[1:], rows[0]), dtype=np.float32)

    def styles(self, blend: Blend) -> Styles:
        """Return the styles of a blend for all lengths, float32 [510, 1, 256]."""
        rows = [w * self._load(voice.name) for voice, w in blend.parts]
        return np.asarray(sum(rows[1:], rows[0]), dtype=np.float32)

    def _load(self, name: str) -> Styles:
        with self._lock:
            styles = self._styles.get(name)
            if styles is None:
                styles = self._styles[name] = read_styles(self._files[name])[name]
            return styles


def read_styles(path: Path) -> dict[str, Styles]:
    """Return the styles of each voice in a file, float32 [510, 1, 256], by name.

    A file may have 510 styles, more, of which the first 510 are taken, or one for all lengths.

    Raises:
        VoiceError: the file cannot be read, or has something else.
    """
    try:
        size = path.stat().st_size if path.suffix == ".bin" else 0
        # A plain file may begin as any other does, by chance; its size tells.
        found = (
            {"": np.fromfile(path, "<f4")}
            if size == FILE_BYTES
            else tensor_files.read(path, MOST_FILE_BYTES)
        )
    except tensor_files.UnknownFormatError as error:
        told = f"has {size} bytes; a plain voice file has {FILE_BYTES}" if size else error.message
        raise VoiceError(f"{path} {told}") from error
    except tensor_files.TensorFileError as error:
        raise VoiceError(f"{path}: {error.message}") from error
    if not found:
        raise VoiceError(f"{path} has no voice")
    styles = {}
    for key, tensor in found.items():
        name = key or path.stem
        told = f"{path}: {name}" if key else f"{path}"
        if not VOICE_NAME.fullmatch(name):
            raise VoiceError(
                f"{path} has a voice {name!r:.60}; a name has letters, digits, _ and -"
            )
        n_styles, rest = divmod(tensor.size, STYLE_SIZE)
        if rest or tensor.dtype.kind != "f" or not (n_styles == 1 or n_styles >= MAX_TOKENS):
            raise VoiceError(
                f"{told} has {tensor.dtype} {list(tensor.shape)}; a voice has float32 "
                f"[{MAX_TOKENS}, 1, {STYLE_SIZE}]"
            )
        rows = tensor.reshape(n_styles, 1, STYLE_SIZE).astype(np.float32, copy=False)
        if not np.isfinite(rows).all():
            raise VoiceError(f"{told} is damaged: it has numbers that are not finite")
        styles[name] = (
            np.ascontiguousarray(np.broadcast_to(rows, (MAX_TOKENS, 1, STYLE_SIZE)))
            if n_styles == 1
            else rows[:MAX_TOKENS]
        )
    return styles


def add_voice(
    folder: Path, name: str, styles: Styles, language: str | None, sex: str | None = None
) -> None:
    """Write a voice into a folder, with its description in the manifest there.

    Args:
        folder: is made if it is not there.
        name: as in `VOICE_NAME`.
        styles: float32 [510, 1, 256].
        language: code of the language that it speaks; None for what its name tells.
        sex: `female`, `male`, or None for what its name tells.

    Raises:
        VoiceError: the name is none, or is taken; or the folder cannot be written.
    """
    if not VOICE_NAME.fullmatch(name):
        raise VoiceError(f"{name!r:.60} is no name of a voice: letters, digits, _ and - alone")
    path, manifest_path = folder / f"{name}.bin", folder / "manifest.json"
    manifest = _read_manifest(manifest_path)
    if name in manifest or path.exists():
        raise VoiceError(f"{folder} has a voice {name} already")
    content = styles.astype("<f4").tobytes()
    described = {"language": language, "sex": sex}
    manifest[name] = {
        "sha256": hashlib.sha256(content).hexdigest(),
        **{key: value for key, value in described.items() if value is not None},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
        write_whole(manifest_path, json.dumps(manifest, indent=1).encode())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise VoiceError(
            f"{error.filename or folder} cannot be written: {error.strerror}"
        ) from error


def _read_manifest(path: Path) -> dict[str, dict[str, Any]]:
    if not path.is_file():
        return {}
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise VoiceError(f"{path} cannot be read: {error}") from error
    if not isinstance(manifest, dict) or not all(isinstance(v, dict) for v in manifest.values()):
        raise VoiceError(f"{path} must map each voice's name to its description")
    return manifest


def _describe(name: str, entry: dict[str, Any]) -> Voice:
    return Voice(
        name,
        entry.get("language", language_of_voice(name)),
        entry.get("sex", _SEXES.get(name[1:2])),
        entry.get("licence"),
        entry.get("sha256"),
        _pace(name, entry.get("pace", UNKNOWN_PACE)),
        _lufs(name, entry.get("lufs", USUAL_LUFS)),
    )


def _lufs(name: str, lufs: object) -> float:
    if not isinstance(lufs, (int, float)) or not -60 <= lufs <= 0:
        raise VoiceError(f"the loudness of {name} must be in LUFS, not {lufs!r}")
    return float(lufs)


def _pace(name: str, pace: object) -> float:
    if not isinstance(pace, (int, float)) or not 1 <= pace <= 100:
        raise VoiceError(f"the pace of {name} must be phonemes per second, not {pace!r}")
    return float(pace)


def _verified(path: Path, manifest: Mapping[str, dict[str, Any]]) -> Iterable[str]:
    """Return the names of the voices in a file, when it is as its manifest tells."""
    sha256 = manifest.get(path.stem, {}).get("sha256")
    if sha256 is None:
        return read_styles(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise VoiceError(f"{path} is damaged: its SHA-256 differs from the manifest's")
    return [path.stem]
