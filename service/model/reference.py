"""The reference: a model's audio on the CPU, for the parity check on a GPU."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from service.model.kokoro import Inference
from service.model.parity import SENTENCES, Comparison, Speaker, Speaking, compare, speaker


class NoReferenceError(Exception):
    """The reference is missing or cannot be read; the message says which."""


@dataclass(frozen=True)
class Reference:
    """Recorded sentences of the parity check.

    Attributes:
        inferences: by name of the sentence.
    """

    inferences: Mapping[str, Inference]

    @classmethod
    def record(cls, model: Speaking) -> Reference:
        """Record the sentences from a model. Raises SynthesisError."""
        say = speaker(model)
        return cls({name: say(name) for name in SENTENCES})

    @property
    def speaker(self) -> Speaker:
        """Return a function that returns the recorded sentences."""
        return self.inferences.__getitem__

    def write(self, path: Path) -> None:
        """Write it to a file, atomically. Raises OSError."""
        arrays: dict[str, Any] = {}
        for name, inference in self.inferences.items():
            arrays[f"{name}_samples"] = inference.samples
            if inference.durations is not None:
                arrays[f"{name}_durations"] = inference.durations
        partial = path.with_suffix(".partial.npz")
        np.savez(partial, **arrays)
        partial.replace(path)

    @classmethod
    def read(cls, path: Path) -> Reference:
        """Read what `write` wrote. Raises NoReferenceError."""
        try:
            with open(path, "rb") as stream, np.load(stream) as file:
                return cls(
                    {
                        name: Inference(
                            file[f"{name}_samples"],
                            file.get(f"{name}_durations"),
                        )
                        for name in SENTENCES
                    }
                )
        except OSError as error:
            raise NoReferenceError(f"{path.name}: {error.strerror}") from error
        # A file of one array has no context: a TypeError, before Python 3.11 an AttributeError.
        except (
            AttributeError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile
        ) as error:  # fmt: skip
            raise NoReferenceError(f"{path.name} cannot be read") from error

    def check(self, model: Speaking) -> dict[str, Comparison]:
        """Compare a model with it; see `compare`. Raises UnlikeError."""
        return compare(self.speaker, speaker(model))
