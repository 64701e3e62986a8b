"""A cache to prepare small models in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from service.loading import load_model
from service.model import Model, PreparedModel, open_runtime
from service.preparation import Source, get, getting, store
from service.preparation.operators import NativeUnavailableError
from service.settings import Settings
from tests.small_kokoro import COUNTER, write_small_kokoro

STYLE = np.zeros((1, 256), np.float32)

PROGRAM = (
    "import sys, json; sys.path = json.loads(sys.argv[2]); from tests import small_kokoro; "
    "from service.preparation.worker import main; "
    "main(json.loads(sys.argv[1]), small_kokoro.{})"
)


REAL_PROGRAM = store.PROGRAM


class Bench:
    """A source, a cache, and a rewriting to choose."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.cache, self.lines = folder / "cache", list[str]()
        self.source = write_small_kokoro(folder / "small.onnx")
        self.counter = folder / "counter"
        self._patch = patch
        patch.setenv(COUNTER, str(self.counter))
        patch.setattr(getting, "find_native_operators", no_operators)

    @property
    def prepared(self) -> Path:
        return self.cache / "prepared"

    @property
    def n_rewritings(self) -> int:
        return len(self.counter.read_text().splitlines()) if self.counter.exists() else 0

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.prepared.iterdir() if path.name != ".lock")

    def rewrite_by(self, name: str) -> None:
        self._patch.setattr(store, "PROGRAM", PROGRAM.format(name))

    def prepare(self, name: str) -> Path:
        self.rewrite_by(name)
        return self.get(self.lines.append).folder / "encoder.onnx"

    def get(self, progress: Callable[[str], None]) -> PreparedModel:
        source = Source(self.source, False)
        prepared = get(source, "processor", open_runtime(), self.cache, progress)
        assert isinstance(prepared, PreparedModel)
        return prepared

    def load(self, name: str) -> Model:
        self.rewrite_by(name)
        settings = Settings(model=self.source, cache_dir=self.cache)
        return load_model(settings, open_runtime(), self.lines.append)


def no_operators(kernels: str | None = None) -> None:
    raise NativeUnavailableError("this test wants none")
