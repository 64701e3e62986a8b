"""Weights that are given to a session in place of those of its model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import cast

from ortffi._api import ErrorCode
from ortffi._extents import Extent, extents
from ortffi.elements import spell
from ortffi.errors import InvalidArgumentError, InvalidProtobufError
from ortffi.model_file import Model, ModelFileError, read_initializers
from ortffi.options import SessionOptions
from ortffi.value import Value


def check_weights(options: SessionOptions, model: Model, function: str) -> list[Extent]:
    """Refuse weights that the model does not have in this way; return the memory of all.

    ONNX Runtime ignores other names. Its kernels read a weight as what the model says: with another
    element type or shape they read memory that is not the weight's.

    Args:
        options: of the session.
        model: as for `inspect_model`; a file that cannot be read is left to ONNX Runtime.
        function: the C function that will load the model, for error messages.

    Raises:
        InvalidArgumentError: there is no such initializer, or it has another element type or shape.
        InvalidProtobufError: the initializers of the model cannot be read.
    """
    weights = list(_weights(options))
    if weights:
        with suppress(OSError):
            _check(weights, model, function)
    return [extent for _, name, value in weights for extent in extents(f"weight {name!r}", value)]


def _weights(options: SessionOptions) -> Iterator[tuple[str, str, Value]]:
    for option in ("initializers", "external_initializers"):
        for name, value in getattr(options, option).items():
            yield option, name, cast("Value", value)


def _check(weights: list[tuple[str, str, Value]], model: Model, function: str) -> None:
    try:
        known = read_initializers(model)
    except ModelFileError as error:
        raise InvalidProtobufError(ErrorCode.INVALID_PROTOBUF, str(error), function) from error
    for option, name, value in weights:
        what = f"{option}[{name!r}]"
        if name not in known:
            _refuse(f"{what}: the model has no such initializer", function)
        found = value.element_type, value.shape
        for wanted in known[name]:  # several subgraphs may have one of the same name
            if found != wanted:
                kinds = [f"{spell(kind)} of shape {list(shape)}" for kind, shape in (wanted, found)]
                _refuse(f"{what} must be {kinds[0]}, not {kinds[1]}", function)


def _refuse(message: str, function: str) -> None:
    raise InvalidArgumentError(ErrorCode.INVALID_ARGUMENT, message, function)
