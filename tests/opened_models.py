"""Models opened without a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from service.loading import load_synthesizer
from service.model import Model, PreparedModel, Runtime, SplitModel, open_runtime
from service.model import open as open_model
from service.model.prepared import CacheKey, Variant
from service.preparation import Source
from service.settings import Settings
from service.speech import Synthesizer
from tests.small_kokoro import write_small_kokoro


def open_file(path: Path, runtime: Runtime | None = None) -> Model:
    """Open a model file as it is."""
    file = Source(path, False).file_as_it_is("as it is", lambda line: None)
    return open_model(file, runtime or open_runtime())


def open_folder(
    folder: Path,
    runtime: Runtime | None = None,
    variant: Variant = "float32",
    operators: Path | None = None,
) -> SplitModel:
    """Open what was rewritten into a folder, on the processor."""
    key = CacheKey("", 0, variant, "any")
    prepared = PreparedModel(folder.name, folder, key, "for a test", operators)
    model = open_model(prepared, runtime or open_runtime())
    assert isinstance(model, SplitModel)
    return model


def open_small(folder: Path, **settings: Any) -> Synthesizer:
    """Open a synthesizer with a model that hums at once, for tests of all but the sound."""
    path = write_small_kokoro(folder / "small.onnx")
    return load_synthesizer(Settings(model=path, prepare=False, **settings), lambda line: None)
