"""From a session to a loaded model that keeps the contract."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import ortffi
from service.errors import ModelError, StartupError
from service.memory import return_freed_memory
from service.model.decoder import Decoder
from service.model.kokoro import Kokoro, Preparation, Used
from service.model.manifest import DECODER, ENCODER
from service.model.runtime import Runtime
from service.preparation.source import Progress, Source
from service.settings import BUCKETS

logger = logging.getLogger(__name__)


def open_kokoro(
    path: Path,
    runtime: Runtime,
    *,
    published: bool = False,
    progress: Progress = logger.info,
    detail: str = "as it is",
) -> Kokoro:
    """Load a model file as it is, on the CPU. Raises ModelError."""
    model, sha256 = Source(path, published).read(progress)
    try:
        session = runtime.open_session(model, path.resolve().parent)
    except ortffi.OrtError as error:
        raise unloadable(path, runtime, error) from error
    del model
    return_freed_memory()
    preparation = Preparation(None, None, detail)
    return hold(session, "cpu", path.name, sha256, runtime, preparation)


def open_prepared(
    folder: Path,
    operators: Path | None,
    runtime: Runtime,
    *,
    name: str,
    sha256: str,
    preparation: Preparation,
) -> Kokoro:
    """Load a prepared model on the CPU.

    Args:
        folder: with its files.
        operators: library of our own operators, if the model uses them.
        runtime: to run it with.
        name: of the model that it was made of.
        sha256: likewise.
        preparation: how it was made.

    Raises:
        ModelError: ONNX Runtime refuses it, or it does not keep the contract.
    """
    with ExitStack() as opened:
        path = folder / ENCODER.graph
        try:
            encoder = opened.enter_context(runtime.open_prepared(path, operators))
            path = folder / DECODER.graph
            session = opened.enter_context(runtime.open_prepared(path, operators))
        except ortffi.OrtError as error:
            raise unloadable(path, runtime, error) from error
        decoder = Decoder(session, BUCKETS)
        opened.pop_all()  # `hold` closes them
    return hold(encoder, "cpu", name, sha256, runtime, preparation, decoder=decoder)


def hold(
    session: ortffi.Session,
    provider: Used,
    name: str,
    sha256: str,
    runtime: Runtime,
    preparation: Preparation,
    buckets: Sequence[int] = BUCKETS,
    decoder: Decoder | None = None,
) -> Kokoro:
    """Hold a session against the contract, and close it where it does not keep it.

    Raises:
        ModelError: it does not.
    """
    try:
        kokoro = Kokoro(session, provider, name, sha256, runtime, preparation, buckets, decoder)
    except StartupError:
        session.close()
        if decoder is not None:
            decoder.close()
        raise
    if not kokoro.gives_durations:
        logger.warning("%s does not tell durations: lost audio cannot be noticed", name)
    return kokoro


def unloadable(path: Path, runtime: Runtime, error: ortffi.OrtError) -> ModelError:
    """Return what to raise of a file that ONNX Runtime refuses."""
    reason = " ".join(str(error).split())
    return ModelError(f"{path} cannot be loaded by ONNX Runtime {runtime.version}: {reason}")
