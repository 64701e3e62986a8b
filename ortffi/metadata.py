"""The metadata of a loaded model."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ortffi._api import c_string, new
from ortffi._handle import Handle
from ortffi.environment import Environment
from ortffi.errors import FailError, UnsupportedError, check, require

_SESSION_GET_OPSET = 17
"""The index of `SessionGetOpsetForDomain` in `struct OrtModelEditorApi`."""

_NO_VERSION = 2**63 - 1
"""ONNX Runtime's value for a model without a version."""

_WORD = ctypes.sizeof(ctypes.c_void_p)


@dataclass(frozen=True)
class ModelMetadata:
    """The metadata that the exporter wrote into a model; missing strings are empty.

    Attributes:
        producer_name: the tool that made the model.
        graph_name: the name of its main graph.
        domain: the namespace of the model, as a reversed host name.
        description: the model's doc string.
        graph_description: the main graph's doc string.
        version: the model's own version, 0 if it has none.
        custom: further entries by key; read-only.
    """

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def read_metadata(environment: Environment, session: int) -> ModelMetadata:
    """Read the metadata of a session's model (`SessionGetModelMetadata`).

    Args:
        environment: the environment of the session.
        session: an `OrtSession*`, lent during the call.

    Raises:
        OrtError: ONNX Runtime reported an error.
    """
    api = environment.api
    handle = Handle(
        new(api.SessionGetModelMetadata, session), api.ReleaseModelMetadata, "model metadata"
    )
    try:
        with handle.lend() as metadata:

            def text(getter: Callable[..., Any], *arguments: object) -> str:
                # The pointer is null for a key without a value.
                pointer = new(getter, metadata, environment.allocator, *arguments, allow_null=True)
                return environment.take_string(pointer) if pointer else ""

            version = ctypes.c_int64()
            api.ModelMetadataGetVersion(metadata, ctypes.byref(version))
            return ModelMetadata(
                producer_name=text(api.ModelMetadataGetProducerName),
                graph_name=text(api.ModelMetadataGetGraphName),
                domain=text(api.ModelMetadataGetDomain),
                description=text(api.ModelMetadataGetDescription),
                graph_description=text(api.ModelMetadataGetGraphDescription),
                version=0 if version.value == _NO_VERSION else version.value,
                custom=MappingProxyType(
                    {
                        key.decode("utf-8", "replace"): text(
                            api.ModelMetadataLookupCustomMetadataMap, key
                        )
                        for key in _custom_keys(environment, metadata)
                    }
                ),
            )
    finally:
        handle.close()


def _custom_keys(environment: Environment, metadata: int) -> list[bytes]:
    """Copy the keys (`ModelMetadataGetCustomMetadataMapKeys`), as bytes for the lookup."""
    api, allocator = environment.api, environment.allocator
    array, count = ctypes.c_void_p(), ctypes.c_int64()
    api.ModelMetadataGetCustomMetadataMapKeys(
        metadata, allocator, ctypes.byref(array), ctypes.byref(count)
    )
    if array.value is None:
        return []
    pointers = (ctypes.c_size_t * count.value).from_address(array.value)[:]
    try:
        return [ctypes.string_at(pointer) for pointer in pointers]
    finally:
        # Free all of them, even if freeing one fails.
        failures = []
        for pointer in (*pointers, array.value):
            try:
                api.AllocatorFree(allocator, pointer)
            except Exception as error:
                failures.append(error)
        if failures:
            raise failures[0]


def opset_version(environment: Environment, session: int, domain: str = "") -> int | None:
    """Return the opset version of a domain in a session's model (`SessionGetOpsetForDomain`).

    ONNX Runtime adds its own domains, such as `com.microsoft`, to every model it loads.

    Args:
        environment: the environment of the session.
        session: an `OrtSession*`, lent during the call.
        domain: of the operators; empty or `ai.onnx` for ONNX's own.

    Returns:
        The version, or None if the model does not use the domain.

    Raises:
        UnsupportedError: the library is older than 1.22, or was built without the function.
        OrtError: ONNX Runtime reported an error.
    """
    api, encoded = environment.api, c_string("domain", "" if domain == "ai.onnx" else domain)
    require(api, "GetModelEditorApi")
    editor = api.GetModelEditorApi()
    if not editor:  # a minimal build
        raise UnsupportedError("SessionGetOpsetForDomain", 22, api.version)
    address = ctypes.c_void_p.from_address(editor + _SESSION_GET_OPSET * _WORD).value or 0
    function = ctypes.CFUNCTYPE(
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)
    )(address)
    version = ctypes.c_int()
    status = function(session, encoded, ctypes.byref(version))
    if status is not None:
        try:
            check(api, status, "SessionGetOpsetForDomain")
        except FailError as error:
            if "not used" not in error.message:
                raise
            return None
    return version.value
