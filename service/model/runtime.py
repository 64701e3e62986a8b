"""ONNX Runtime for this service: the library, the provider, and how sessions are set up."""

from __future__ import annotations

import ctypes
import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import ortffi
from service.errors import ProviderError, StartupError

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Runtime:
    """A loaded ONNX Runtime and the provider that was asked for.

    Attributes:
        library: the file in use.
        found_by: how it was found.
        version: of ONNX Runtime.
        api_version: the newest API version that it has.
        compiled_in: names of the providers compiled into it.
        provider: `cpu`, `cuda`, or `auto`.
        threads: of a run.
        cuda_device: which GPU.
        cuda_options: for the CUDA provider.
    """

    library: Path
    found_by: str
    version: str
    api_version: int
    compiled_in: tuple[str, ...]
    provider: Literal["cpu", "cuda", "auto"]
    threads: int
    cuda_device: int = 0
    cuda_options: dict[str, str | int | bool] = field(default_factory=dict)

    def open_session(self, model: bytearray, folder: Path) -> tuple[ortffi.Session, str]:
        """Make a session of a serialised model.

        Args:
            model: the bytes; may go afterwards.
            folder: where tensors that the model keeps in other files are.

        Returns:
            The session, which the caller closes, and the provider in use, `cpu` or `cuda`.

        Raises:
            ProviderError: CUDA was asked for and cannot be had, or its options are wrong.
            ortffi.OrtError: the model is not valid.
        """

        def commit(builder: ortffi.SessionBuilder) -> ortffi.Session:
            return (
                builder.with_intra_threads(self.threads)
                # Lengths vary with every request; planned memory would pile up for each.
                .with_memory_pattern(False)
                # Threads take small blocks as they come free, instead of an equal share each at
                # the start: 3 % less time on two cores that others use as well.
                .with_config("session.dynamic_block_base", "4")
                .with_config("session.model_external_initializers_file_folder_path", str(folder))
                .commit_from_memory(model)
            )

        if self.provider == "cpu":
            return commit(ortffi.SessionBuilder().with_cpu()), "cpu"
        try:
            return commit(ortffi.SessionBuilder().with_provider(self._cuda())), "cuda"
        except (ortffi.OrtError, ortffi.ProviderUnavailableError) as error:
            reason = str(error).splitlines()[0]
            if self.provider == "cuda":
                raise ProviderError(
                    f"provider = cuda, but CUDA cannot be used: {reason}"
                ) from error
            logger.warning("CUDA cannot be used, running on the CPU: %s", reason)
        return commit(ortffi.SessionBuilder().with_cpu()), "cpu"

    def usable(self) -> dict[str, str]:
        """Try the providers that this service can use; say what is wrong, or nothing, of each."""
        verdicts = {}
        for name in ("cpu", "cuda"):
            try:
                ortffi.try_provider(self._cuda() if name == "cuda" else ortffi.CPU())
                verdicts[name] = ""
            except (ortffi.ProviderUnavailableError, ProviderError) as error:
                verdicts[name] = str(error).splitlines()[0]
        return verdicts

    def _cuda(self) -> ortffi.CUDA:
        try:
            return ortffi.CUDA(self.cuda_device, self.cuda_options)
        except (TypeError, ValueError) as error:
            raise ProviderError(f"cuda_options: {error}") from error


def open_runtime(
    provider: Literal["cpu", "cuda", "auto"] = "cpu",
    threads: int = 0,
    cuda_device: int = 0,
    cuda_options: dict[str, str | int | bool] | None = None,
) -> Runtime:
    """Load ONNX Runtime.

    Args:
        provider: where models shall run.
        threads: of a run; 0 takes every core that this process may use. (ONNX Runtime itself
            would count the host's cores, also in a container that may use only some.)
        cuda_device: which GPU.
        cuda_options: for the CUDA provider.

    Raises:
        StartupError: there is no usable library.
    """
    try:
        library = ortffi.init().library
    except ortffi.LibraryNotFoundError as error:
        raise StartupError(str(error)) from error
    return Runtime(
        library.path,
        library.found_by,
        library.version,
        library.api_version,
        tuple(ortffi.available_providers()),
        provider,
        threads or len(os.sched_getaffinity(0)),
        cuda_device,
        dict(cuda_options or {}),
    )


def return_freed_memory() -> None:
    """Give memory that was freed back to the system, where the C library can.

    Loading a session frees 17 MB in small pieces, which glibc would keep; others give it back
    by themselves.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
