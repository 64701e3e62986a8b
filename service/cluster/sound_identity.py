"""Cache keys of utterances: everything that decides what the file of one is."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from service import __version__
from service.cluster.speaker import SpeechForm
from service.errors import LexiconError, ModelError, VoiceError
from service.loading import load_spec
from service.settings import Settings
from service.speech import Utterance

_KEY_LENGTH = 32
"""Hexadecimal digits: 128 bits, so that no two of any corpus are the same by chance."""

_DECISIVE = (
    "provider", "precision", "buckets", "prepare", "file_decoding", "emoji", "voice",
    "max_text_length", "memory_budget_bytes", "cuda_options", "tensorrt_options",
)  # fmt: skip
"""Settings that decide what is said or how it sounds. Threads and workers do not."""


class SoundIdentity:
    """Makes the cache keys of utterances.

    Two utterances have the same key if the service, its settings, the model, the voices and the
    lexicon are the same, and what is said, how, and how it is written.

    Args:
        settings: of the service.
        form: how utterances are written.

    Raises:
        StartupError: a file that the settings name cannot be read.
    """

    def __init__(self, settings: Settings, form: SpeechForm) -> None:
        chosen = settings.model_dump(mode="json")
        parts: dict[str, Any] = {
            "version": __version__,
            "settings": {name: chosen[name] for name in _DECISIVE},
            "form": asdict(form),
        }
        spec = load_spec(settings)
        if spec.file is not None:
            parts["model"] = _digest([spec.file], ModelError)
            parts["symbols"] = dict(spec.token_ids)
        voices = settings.voices_dir or spec.voices
        if voices is not None:
            files = sorted(path for path in voices.glob("*.*") if path.is_file())
            parts["voices"] = _digest(files, VoiceError)
        if settings.lexicon is not None:
            parts["lexicon"] = _digest([settings.lexicon], LexiconError)
        self._begin = hashlib.sha256(_canonical(parts))

    def key(self, utterance: Utterance) -> str:
        """Return the cache key of an utterance: 32 hexadecimal digits."""
        digest = self._begin.copy()
        digest.update(_canonical(asdict(utterance)))
        return digest.hexdigest()[:_KEY_LENGTH]


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=True).encode()


def _digest(
    files: list[Path], error: type[ModelError] | type[VoiceError] | type[LexiconError]
) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0")
        try:
            with open(path, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as failure:
            raise error(f"{path} cannot be read: {failure.strerror}") from failure
    return digest.hexdigest()
