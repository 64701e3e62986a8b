"""Running a model once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ortffi.builder import SessionBuilder
from ortffi.elements import Array
from ortffi.value import Value


def infer(
    model: str | os.PathLike[str] | bytes | bytearray | memoryview,
    inputs: Mapping[str, Array | Value],
    output_names: Sequence[str] | None = None,
) -> list[Array]:
    """Load a model, run it once on the CPU, and release it.

    Args:
        model: the path of a file, or a buffer with the model.
        inputs: as for `Session.run`.
        output_names: as for `Session.run`.

    Raises:
        TypeError: `model` is neither a path nor a buffer, or as for `Session.run`.
        OrtError: the model cannot be loaded or run.
    """
    builder = SessionBuilder()
    if not isinstance(model, str | os.PathLike | bytes | bytearray | memoryview):
        raise TypeError(f"model must be a path or a buffer, not {type(model).__name__}")
    if isinstance(model, bytes | bytearray | memoryview):
        session = builder.commit_from_memory(model)
    else:
        session = builder.commit_from_file(model)
    with session:
        return session.run(inputs, output_names)
