"""From a model file to a loaded model: verified, prepared for this machine, fit for use."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import ortffi
from service.errors import ModelError, ProviderError, StartupError
from service.memory import return_freed_memory
from service.model import assembly, durations
from service.model.assembly import FILE_NAME, SHA256, SIZE_BYTES, assemble
from service.model.kokoro import Kokoro, Preparation
from service.model.manifest import Recipe, Variant, digest
from service.model.native import NativeUnavailableError, find_native_operators
from service.model.preparation import NotPreparedError, PreparedModels, Workshop
from service.model.processor import integer_products
from service.model.rewriting.version import VERSION
from service.model.runtime import CudaUnavailableError, Runtime

logger = logging.getLogger(__name__)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Source:
    """A model file as somebody published it.

    Attributes:
        path: the file.
        published: whether it is the published model that `assemble` writes; it is then verified,
            and made where it is missing or damaged.
    """

    path: Path
    published: bool

    def sha256(self) -> str:
        """Return the digest; of the published model without reading it. Raises ModelError."""
        if self.published:
            return SHA256
        try:
            return digest(self.path)
        except OSError as error:
            raise _unreadable(self.path, error) from error

    def read(self, progress: Progress) -> tuple[bytearray, str]:
        """Return the file and its digest; the published one is put into the cache for it.

        Raises:
            ModelError: it cannot be had.
        """
        if self.published and not (self.path.is_file() and self.path.stat().st_size == SIZE_BYTES):
            assemble(self.path, progress)
        model, sha256 = _read(self.path)
        if self.published and sha256 != SHA256:
            progress(f"{FILE_NAME} in the cache is damaged; making it anew")
            assemble(self.path, progress)
            model, sha256 = _read(self.path)
        return model, sha256

    def file(self, folder: Path) -> Path:
        """Return a file with the model, which may be in a folder that goes afterwards.

        The published model is not put into the cache for this: nobody needs it there once it is
        prepared, and its parts are still installed.

        Raises:
            ModelError: it cannot be had.
        """
        if not self.published or assembly.is_published(self.path):
            return self.path
        path = folder / FILE_NAME
        assemble(path, lambda line: None)  # half a second, and a path that soon goes
        return path


@dataclass(frozen=True)
class Prepared:
    """A prepared model in the cache.

    Attributes:
        path: its file; the weights are beside it.
        recipe: what it was made of.
        operators: library of our own operators that it uses, if it does.
        preparation: the same for people.
    """

    path: Path
    recipe: Recipe
    operators: Path | None
    preparation: Preparation


def prepare(source: Source, runtime: Runtime, cache_dir: Path, progress: Progress) -> Prepared:
    """Find the model that was prepared for this machine, or make it.

    Raises:
        NotPreparedError: it cannot be prepared.
        ModelError: the source cannot be had.
    """
    variant: Variant
    try:
        native = find_native_operators()
    except NativeUnavailableError as error:
        operators, variant, products = None, "stock", integer_products()
        detail = f"ONNX Runtime's operators, half as fast as our own: {error}"
        preparation = Preparation(variant, None, detail)
    else:
        operators, variant, products = native.path, "native", "any"
        preparation = Preparation(variant, native.kernels, f"our own operators, {native.kernels}")
    recipe = Recipe(source.sha256(), VERSION, variant, runtime.version, products)
    workshop = Workshop(operators, runtime.threads, source.file)
    path = PreparedModels(cache_dir).get(recipe, workshop, progress)
    return Prepared(path, recipe, operators, preparation)


def load_kokoro(
    path: Path,
    runtime: Runtime,
    *,
    published: bool,
    progress: Progress,
    prepared_in: Path | None = None,
) -> Kokoro:
    """Load a model file and hold it against the contract.

    Args:
        path: the file.
        runtime: the ONNX Runtime to run it with.
        published: whether the file is the published model; see `Source`.
        progress: called with a line where something takes long.
        prepared_in: cache for the model as it is prepared for this machine, which then runs in its
            place on the CPU; None uses the file as it is. Where preparing fails, the file is used
            as it is too, with a warning that says why.

    Raises:
        ModelError: the file is missing, is no model, or does not fit the contract.
        ProviderError: CUDA was asked for and cannot be had.
    """
    source = Source(path, published)
    if runtime.provider != "cpu":
        try:
            return _load_on_cuda(source, runtime, progress)
        except CudaUnavailableError as error:
            if runtime.provider == "cuda":
                raise ProviderError(f"provider = cuda, but CUDA cannot be used: {error}") from error
            logger.warning("CUDA cannot be used, running on the CPU: %s", error)
            runtime = replace(runtime, provider="cpu")
    detail = "as it is: prepare = false"
    if prepared_in is not None:
        try:
            prepared = prepare(source, runtime, prepared_in, progress)
        except NotPreparedError as error:
            logger.warning("%s; %s is used as it is, up to four times slower", error, path.name)
            detail = f"as it is: {error}"
        else:
            return _open_prepared(source, prepared, runtime)
    return open_kokoro(path, runtime, published=published, progress=progress, detail=detail)


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
    _declare_durations(model)
    try:
        session = runtime.open_session(model, path.resolve().parent)
    except ortffi.OrtError as error:
        raise _unloadable(path, runtime, error) from error
    del model
    return_freed_memory()
    preparation = Preparation(None, None, detail)
    return _hold(session, "cpu", path.name, sha256, runtime, preparation)


def _load_on_cuda(source: Source, runtime: Runtime, progress: Progress) -> Kokoro:
    sha256 = ""

    def read() -> bytearray:
        nonlocal sha256
        model, sha256 = source.read(progress)
        _declare_durations(model)
        return model

    session = runtime.open_cuda_session(read, source.path.resolve().parent)
    return_freed_memory()
    preparation = Preparation(None, None, "as it is, for CUDA")
    kokoro = _hold(session, "cuda", source.path.name, sha256, runtime, preparation)
    if sha256 == SHA256:
        logger.warning(
            "%s is made for the processor: CUDA has no kernels for its quantised operators, so "
            "most of it runs there all the same; give a float32 export with model",
            source.path.name,
        )
    return kokoro


def _open_prepared(source: Source, prepared: Prepared, runtime: Runtime) -> Kokoro:
    try:
        session = runtime.open_prepared(prepared.path, prepared.operators)
    except ortffi.OrtError as error:
        raise _unloadable(prepared.path, runtime, error) from error
    return_freed_memory()
    logger.info(
        "%s was prepared for this machine: %s", source.path.name, prepared.preparation.detail
    )
    return _hold(
        session,
        "cpu",
        source.path.name,
        prepared.recipe.source_sha256,
        runtime,
        prepared.preparation,
    )


def _hold(
    session: ortffi.Session,
    provider: str,
    name: str,
    sha256: str,
    runtime: Runtime,
    preparation: Preparation,
) -> Kokoro:
    """Hold a session against the contract, and close it where it does not keep it."""
    try:
        kokoro = Kokoro(session, provider, name, sha256, runtime, preparation)
    except StartupError:
        session.close()
        raise
    if not kokoro.gives_durations:
        logger.warning("%s does not tell durations: lost audio cannot be noticed", name)
    return kokoro


def _declare_durations(model: bytearray) -> None:
    if durations.is_computed(model):
        model += durations.output_declaration()


def _unloadable(path: Path, runtime: Runtime, error: ortffi.OrtError) -> ModelError:
    reason = " ".join(str(error).split())
    return ModelError(f"{path} cannot be loaded by ONNX Runtime {runtime.version}: {reason}")


def _unreadable(path: Path, error: OSError) -> ModelError:
    return ModelError(f"the model file {path} cannot be read: {error.strerror}")


def _read(path: Path) -> tuple[bytearray, str]:
    """Return a file and its sha256. Never two copies of it at once: it is 92 MB or more."""
    try:
        with open(path, "rb") as file:
            model = bytearray(os.fstat(file.fileno()).st_size)
            n_read = file.readinto(model)
    except OSError as error:
        raise _unreadable(path, error) from error
    if n_read != len(model):
        raise ModelError(f"the model file {path} changed while it was read; start again")
    return model, hashlib.sha256(model).hexdigest()
