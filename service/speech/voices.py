"""Voices: their files, descriptions and blends."""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from service.errors import InvalidBlendError, UnknownVoiceError, VoiceError
from service.model.kokoro import MAX_TOKENS, STYLE_SIZE
from service.settings import nearest
from service.text import language_of_voice

FILE_BYTES = MAX_TOKENS * STYLE_SIZE * 4
"""A voice file: one style of 256 float32 for each number of tokens, little-endian, C order."""

MAX_BLEND_LENGTH = 512
"""Maximum characters of a blend; there are 54 voices, and nobody mixes more than a few."""

UNKNOWN_PACE = 10.0
"""Phonemes per second of a voice without a description: the pace of the slowest voice."""

USUAL_LUFS = -21.0
"""Integrated loudness of the voice in the middle of all, and of voices without a description."""

_PART = re.compile(r"\s*([A-Za-z0-9_\-]+)\s*(?:\(([^()]*)\)\s*)?")
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
    """One voice or several, with weights that sum to 1."""

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
        lufs = sum(weight * voice.lufs for voice, weight in self.parts)
        gain: float = 10 ** ((USUAL_LUFS - lufs) / 20)
        return gain


class VoiceLibrary:
    """The voices of a folder: every `*.bin` in it, described by `manifest.json` if it is there.

    A file that the manifest does not name is a voice as well; the first two letters of its name
    tell its language and sex. Styles are loaded when first used, and kept.

    Raises:
        VoiceError: a file is missing or damaged, or there is no voice.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        manifest = _read_manifest(folder / "manifest.json")
        files = {path.stem: path for path in sorted(folder.glob("*.bin"))}
        missing = sorted(set(manifest) - set(files))
        if missing:
            raise VoiceError(f"voices of {folder / 'manifest.json'} are missing: {missing}")
        if not files:
            raise VoiceError(f"no voices (*.bin) in {folder}")
        self._voices = {name: _describe(name, manifest.get(name, {})) for name in files}
        for voice in self._voices.values():
            _verify(files[voice.name], voice)
        self._files = files
        self._styles: dict[str, Styles] = {}
        self._lock = threading.Lock()

    @property
    def voices(self) -> list[Voice]:
        """Return every voice, by name."""
        return list(self._voices.values())

    def resolve(self, specification: str) -> Blend:
        """Read a voice's name, or a blend such as `af_bella(2)+af_sky(1)`; no weight means 1.

        Raises:
            UnknownVoiceError: the voice does not exist; the message names the nearest.
            InvalidBlendError: it is malformed, or a weight is not a positive number.
        """
        if len(specification) > MAX_BLEND_LENGTH:
            raise InvalidBlendError(f"a blend may have at most {MAX_BLEND_LENGTH} characters")
        weights: dict[str, float] = {}
        for part in specification.split("+"):
            match = _PART.fullmatch(part)
            if match is None:
                raise InvalidBlendError(
                    f"{part!r} is not a voice with a weight; example: af_bella(2)+af_sky(1)"
                )
            name, weight = match.group(1), match.group(2)
            if name not in self._voices:
                raise UnknownVoiceError(f"no voice {name!r}{nearest(name, self._voices)}")
            weight = None if weight is None else weight.strip()
            weights[name] = weights.get(name, 0.0) + _weight(name, weight)
        total = sum(weights.values())
        if not math.isfinite(total):
            raise InvalidBlendError("the weights of a blend are too large")
        return Blend(tuple((self._voices[name], w / total) for name, w in weights.items()))

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

    def _load(self, name: str) -> Styles:
        with self._lock:
            styles = self._styles.get(name)
            if styles is None:
                styles = np.fromfile(self._files[name], "<f4").astype(np.float32, copy=False)
                styles = self._styles[name] = styles.reshape(MAX_TOKENS, 1, STYLE_SIZE)
            return styles


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


def _verify(path: Path, voice: Voice) -> None:
    content = path.read_bytes()
    if len(content) != FILE_BYTES:
        raise VoiceError(f"{path} has {len(content)} bytes; a voice has {FILE_BYTES}")
    if voice.sha256 is None:
        if not np.isfinite(np.frombuffer(content, "<f4")).all():
            raise VoiceError(f"{path} is damaged: it has numbers that are not finite")
    elif hashlib.sha256(content).hexdigest() != voice.sha256:
        raise VoiceError(f"{path} is damaged: its SHA-256 differs from the manifest's")


def _weight(name: str, text: str | None) -> float:
    if text is None:
        return 1.0
    try:
        weight = float(text)
    except ValueError as error:
        raise InvalidBlendError(f"the weight of {name} is not a number: {text!r}") from error
    if not (math.isfinite(weight) and weight > 0):
        raise InvalidBlendError(f"the weight of {name} must be positive, not {text}")
    return weight
