"""Plug-in execution providers: their libraries and devices.

A plug-in is a separate shared library (for WebGPU, OpenVINO, QNN, TensorRT RTX, ...) that is not
part of the ONNX Runtime build. Register it, choose some of `devices()`, and pass them to a session
as `Devices`. All of this needs API version 22, ONNX Runtime 1.22.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum

from ortffi._api import Api, ErrorCode, c_string
from ortffi._provider_options import OptionValue, arrays, plain
from ortffi._shared_object import fault_of
from ortffi.environment import Environment, init
from ortffi.errors import NoSuchFileError, OrtError, ProviderUnavailableError, require
from ortffi.providers import ExecutionProvider, keep

# ONNX Runtime owns the list of devices: it must not be read while another thread registers.
_lock = threading.RLock()


class HardwareType(IntEnum):
    """`OrtHardwareDeviceType`: the kind of hardware of a device."""

    UNKNOWN = -1
    """A kind that this version of ortffi does not know."""
    CPU = 0
    GPU = 1
    NPU = 2


@dataclass(frozen=True)
class Device:
    """A piece of hardware that an execution provider can run on; made by `devices`.

    It is valid until the provider's library is unregistered.

    Attributes:
        provider: the execution provider's name, such as `WebGpuExecutionProvider`.
        vendor: the vendor of the provider.
        metadata: the provider's description of itself and the device, such as its `version`.
        options: the provider's default options for this device.
        hardware_type: CPU, GPU or NPU.
        hardware_vendor: the vendor of the hardware; may be empty.
        vendor_id: that vendor's PCI id, 0 if there is none.
        device_id: the vendor's number for the hardware model; two devices of the same model have
            the same number.
        hardware_metadata: ONNX Runtime's description of the hardware.
    """

    provider: str
    vendor: str
    metadata: dict[str, str] = field(hash=False)
    options: dict[str, str] = field(hash=False)
    hardware_type: HardwareType
    hardware_vendor: str
    vendor_id: int
    device_id: int
    hardware_metadata: dict[str, str] = field(hash=False)
    _pointer: int = field(repr=False)


def register_provider_library(name: str, path: str | os.PathLike[str]) -> None:
    """Load the library of a plug-in execution provider (`RegisterExecutionProviderLibrary`).

    Afterwards `devices()` includes its devices, if the machine has the hardware.

    Args:
        name: an unused name for the library, for `unregister_provider_library`.
        path: the shared library; a relative path starts at the current folder.

    Raises:
        UnsupportedError: the ONNX Runtime library is older than 1.22.
        NoSuchFileError: there is no such file.
        ProviderUnavailableError: the file is not a provider library or does not load, or the name
            is taken; the message has ONNX Runtime's reason.
    """
    api = _api()
    encoded = _registered_name(name)
    # The real path, because the libraries it needs are looked up beside it. And an absolute path,
    # because ONNX Runtime resolves a relative one from its own folder.
    name_of_file = os.fsdecode(path)
    c_string("path", name_of_file)
    file = os.path.realpath(name_of_file)
    if not os.path.isfile(file):
        raise NoSuchFileError(
            ErrorCode.NO_SUCHFILE, f"{path!r} is not a file", "RegisterExecutionProviderLibrary"
        )
    fault = fault_of(file)
    if fault is not None:
        raise ProviderUnavailableError(f"{file} {fault}")
    with _lock:
        try:
            api.RegisterExecutionProviderLibrary(init().pointer, encoded, c_string("path", file))
        except OrtError as error:
            raise ProviderUnavailableError(
                f"{file} cannot be registered as execution provider library {name!r}: "
                f"{error.message.strip()}"
            ) from error


def unregister_provider_library(name: str) -> None:
    """Unload a plug-in execution provider's library (`UnregisterExecutionProviderLibrary`).

    First close the sessions that use it: ONNX Runtime does not check, and such a session crashes
    the process when it is next run or closed (observed with 1.31.1).

    Raises:
        UnsupportedError: the ONNX Runtime library is older than 1.22.
        OrtError: no library is registered with this name.
    """
    api = _api()
    encoded = _registered_name(name)
    with _lock:
        api.UnregisterExecutionProviderLibrary(init().pointer, encoded)


def devices() -> tuple[Device, ...]:
    """Return the devices of the execution providers of this process (`GetEpDevices`).

    The CPU is always included. Few other providers that are compiled into ONNX Runtime have
    devices here. The devices of registered libraries come last.

    Raises:
        UnsupportedError: the ONNX Runtime library is older than 1.22.
    """
    api = _api()
    with _lock:
        return tuple(_describe(api, pointer) for pointer in _pointers(init()))


@contextmanager
def lend(environment: Environment, chosen: Sequence[Device]) -> Iterator[list[int]]:
    """Lend the `OrtEpDevice*` of each device inside a `with` block.

    Raises:
        UnsupportedError: the ONNX Runtime library is older than 1.22.
        ProviderUnavailableError: a device is gone because its library was unregistered.
    """
    require(environment.api, "GetEpDevices")
    with _lock:
        _check_present(environment, chosen)
        yield [device._pointer for device in chosen]


def _check_present(environment: Environment, chosen: Sequence[Device]) -> None:
    # ONNX Runtime would use a pointer to a device that is gone.
    names = {
        pointer: _text(environment.api.EpDevice_EpName(pointer))
        for pointer in _pointers(environment)
    }
    for device in chosen:
        if names.get(device._pointer) != device.provider:
            raise ProviderUnavailableError(
                f"a device of {device.provider} is gone: its library was unregistered"
            )


@dataclass(frozen=True)
class Devices(ExecutionProvider):
    """Some devices of one plug-in provider (`SessionOptionsAppendExecutionProvider_V2`).

    Attributes:
        devices: some of `ortffi.devices()`, all of the same provider.
        options: see the provider's documentation; keys and values are not checked.

    Raises:
        TypeError: an element is not a device, or a key or value is of the wrong type.
        ValueError: there are no devices, they have different providers, or a string is empty or
            contains a NUL.
    """

    devices: Sequence[Device]
    options: Mapping[str, OptionValue] = field(default_factory=dict, hash=False)
    _settings: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.devices, str | bytes) or not isinstance(self.devices, Iterable):
            raise TypeError(f"devices must be a sequence, not {type(self.devices).__name__}")
        chosen = tuple(self.devices)
        for device in chosen:
            if not isinstance(device, Device):
                raise TypeError(f"devices must be of Device, not {type(device).__name__}")
        names = sorted({device.provider for device in chosen})
        if len(names) != 1:
            raise ValueError(f"devices must be of one provider, not of {names or 'none'}")
        object.__setattr__(self, "devices", chosen)
        object.__setattr__(self, "name", names[0])
        keep(self, plain(self.options))

    def check(self, environment: Environment) -> None:
        """Raise ProviderUnavailableError if a device's library was unregistered.

        Raises:
            UnsupportedError: the library is older than 1.22.
        """
        with lend(environment, self.devices):
            pass

    def append(self, environment: Environment, options_pointer: int) -> None:
        """Add it to session options.

        Raises:
            ProviderUnavailableError: a device's library was unregistered.
            OrtError: the provider refused an option, or cannot use these devices together.
            UnsupportedError: the library is older than 1.22.
        """
        with lend(environment, self.devices) as pointers:
            environment.api.SessionOptionsAppendExecutionProvider_V2(
                options_pointer,
                environment.pointer,
                (ctypes.c_void_p * len(pointers))(*pointers),
                len(pointers),
                *arrays(self._settings),
            )


def _api() -> Api:
    api = init().api
    require(api, "GetEpDevices")
    return api


def _registered_name(name: str) -> bytes:
    encoded = c_string("name", name)
    if not encoded:
        raise ValueError("a provider library's name must not be empty")
    return encoded


def _pointers(environment: Environment) -> list[int]:
    array, count = ctypes.c_void_p(), ctypes.c_size_t()
    environment.api.GetEpDevices(environment.pointer, ctypes.byref(array), ctypes.byref(count))
    return _addresses(array.value, count.value)


def _describe(api: Api, pointer: int) -> Device:
    """Describe an `OrtEpDevice`; ONNX Runtime keeps owning all of it."""
    hardware = api.EpDevice_Device(pointer)
    number = int(api.HardwareDevice_Type(hardware))
    known = number in HardwareType._value2member_map_
    return Device(
        provider=_text(api.EpDevice_EpName(pointer)),
        vendor=_text(api.EpDevice_EpVendor(pointer)),
        metadata=_pairs(api, api.EpDevice_EpMetadata(pointer)),
        options=_pairs(api, api.EpDevice_EpOptions(pointer)),
        hardware_type=HardwareType(number) if known else HardwareType.UNKNOWN,
        hardware_vendor=_text(api.HardwareDevice_Vendor(hardware)),
        vendor_id=int(api.HardwareDevice_VendorId(hardware)),
        device_id=int(api.HardwareDevice_DeviceId(hardware)),
        hardware_metadata=_pairs(api, api.HardwareDevice_Metadata(hardware)),
        _pointer=pointer,
    )


def _pairs(api: Api, pointer: int | None) -> dict[str, str]:
    """Copy an `OrtKeyValuePairs` (`GetKeyValuePairs`)."""
    if not pointer:
        return {}
    keys, values, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    api.GetKeyValuePairs(pointer, ctypes.byref(keys), ctypes.byref(values), ctypes.byref(count))
    columns = (_addresses(column.value, count.value) for column in (keys, values))
    return {_text(key): _text(value) for key, value in zip(*columns, strict=True)}


def _addresses(array: int | None, count: int) -> list[int]:
    return list((ctypes.c_void_p * count).from_address(array)) if array and count else []


def _text(pointer: int | None) -> str:
    return ctypes.string_at(pointer).decode("utf-8", "replace") if pointer else ""
