"""Trying which execution providers work on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ortffi._api import LogLevel, new
from ortffi._protobuf import message
from ortffi.environment import Environment, init
from ortffi.errors import OrtError, ProviderUnavailableError
from ortffi.plugins import Device, Devices, devices
from ortffi.providers import (
    CPU,
    CUDA,
    SUFFIX,
    ExecutionProvider,
    Provider,
    TensorRT,
    available_providers,
)


def usable_providers() -> list[str]:
    """Return the names of the providers for which `try_provider` succeeds.

    Those compiled into the library come first, in the library's order of preference, then those of
    registered plug-in libraries. Trying a provider loads its libraries, which stay loaded: CUDA
    takes a second or more and hundreds of megabytes.
    """
    names = available_providers()
    names += [name for name in dict.fromkeys(_plug_ins()) if name not in names]
    return [name for name in names if _reason_against(_candidates(name)) is None]


def try_provider(provider: str | ExecutionProvider) -> None:
    """Make a session with a provider for a model of one node, and release it.

    This finds a missing vendor library, driver or device. It does not find problems that only a
    run has: too little memory, or a GPU for which the build has no kernels.

    Args:
        provider: a name as in `available_providers` or `Provider`, or an object with options. A
            name is tried without options on device 0, or on any device of a plug-in.

    Raises:
        ProviderUnavailableError: it cannot be used; the message has ONNX Runtime's reason.
        TypeError: neither a name nor a provider.
    """
    if isinstance(provider, str):
        candidates = _candidates(provider)
    elif isinstance(provider, ExecutionProvider):
        candidates = [provider]
    else:
        raise TypeError(
            f"provider must be an ExecutionProvider or a name, not {type(provider).__name__}"
        )
    error = _reason_against(candidates)
    if isinstance(error, ProviderUnavailableError):
        raise error
    if error is not None:
        reason = str(error)
        if isinstance(error, OrtError):
            # Without the location in ONNX Runtime's source that may precede it.
            reason = re.sub(
                r"(?s)^.*\[ONNXRuntimeError\] : \d+ : \w+ : ", "", error.message
            ).strip()
        raise ProviderUnavailableError(
            f"{candidates[0].name} cannot be used here: {reason}"
        ) from error


def _reason_against(candidates: Iterable[ExecutionProvider]) -> Exception | None:
    """Try one after another; return None if one works, otherwise the first one's error."""
    first: Exception | None = None
    for candidate in candidates:
        try:
            _make_session(init(), candidate)
        except (OrtError, RuntimeError) as error:
            first = first or error
        else:
            return None
    return first


def _make_session(environment: Environment, provider: ExecutionProvider) -> None:
    """Make a session and release it."""
    provider.check(environment)
    api = environment.api
    options = new(api.CreateSessionOptions)
    try:
        api.SetIntraOpNumThreads(options, 1)
        # An error is raised, so it need not be logged too.
        api.SetSessionLogSeverityLevel(options, LogLevel.FATAL)
        provider.append(environment, options)
        session = new(api.CreateSessionFromArray, environment.pointer, _MODEL, len(_MODEL), options)
        api.ReleaseSession(session)
    finally:
        api.ReleaseSessionOptions(options)


def _candidates(name: str) -> list[ExecutionProvider]:
    """Return the providers with a name: one provider, or one for each device of a plug-in."""
    short = name.casefold().removesuffix(SUFFIX.casefold())
    if short == "cpu":
        return [CPU()]
    if short == "cuda":
        return [CUDA()]
    if short == "tensorrt":
        return [TensorRT()]
    provider = Provider(name)
    if provider.name not in available_providers():
        # Not every plug-in's name has the suffix of ONNX Runtime's own providers.
        known = _plug_ins()
        found = known.get(name) or known.get(provider.name)
        if found:
            return [Devices([device]) for device in found]
    return [provider]


def _plug_ins() -> dict[str, list[Device]]:
    """Return the devices of each provider that is known by its devices."""
    found: dict[str, list[Device]] = {}
    if init().api.has("GetEpDevices"):
        for device in devices():
            found.setdefault(device.provider, []).append(device)
    return found


def _model() -> bytes:
    """Encode a model with the one node y = Identity(x), both a float32 tensor of one element.

    The field numbers are those of onnx.proto. ONNX Runtime from 1.8 on knows IR version 7 and
    opset 13.
    """
    shape = message(2, message(1, b"\x08\x01"))  # one dimension, dim_value = 1
    kind = message(2, message(1, b"\x08\x01" + shape))  # tensor_type, elem_type = FLOAT
    node = message(1, b"x") + message(2, b"y") + message(4, b"Identity")
    graph = (
        message(1, node)
        + message(2, b"g")
        + message(11, message(1, b"x") + kind)  # input
        + message(12, message(1, b"y") + kind)  # output
    )
    return b"\x08\x07" + message(7, graph) + message(8, b"\x10\x0d")


_MODEL = _model()
