"""A copy of the real vtable whose functions keep accounts, and fail or wait when told to."""

import ctypes
import dataclasses
from contextlib import contextmanager

import ortffi
from ortffi._api import SLOTS, Api, LogLevel
from ortffi.environment import Environment
from ortffi.errors import check

_KINDS = {
    "arena configuration": ("CreateArenaCfgV2", "ReleaseArenaCfg"),
    "threading options": ("CreateThreadingOptions", "ReleaseThreadingOptions"),
    "model metadata": ("SessionGetModelMetadata", "ReleaseModelMetadata"),
    "allocator": ("CreateAllocator", "ReleaseAllocator"),
    "binding": ("CreateIoBinding", "ReleaseIoBinding"),
    "memory info": ("CreateMemoryInfo", "ReleaseMemoryInfo"),
    "run options": ("CreateRunOptions", "ReleaseRunOptions"),
    "session": (
        "CreateSession", "CreateSessionFromArray", "CreateSessionWithPrepackedWeightsContainer",
        "CreateSessionFromArrayWithPrepackedWeightsContainer", "ReleaseSession",
    ),
    "prepacked weights": ("CreatePrepackedWeightsContainer", "ReleasePrepackedWeightsContainer"),
    "session options": ("CreateSessionOptions", "ReleaseSessionOptions"),
    "CUDA options": ("CreateCUDAProviderOptions", "ReleaseCUDAProviderOptions"),
    "TensorRT options": ("CreateTensorRTProviderOptions", "ReleaseTensorRTProviderOptions"),
    "tensor info": ("GetTensorTypeAndShape", "ReleaseTensorTypeAndShapeInfo"),
    "value": ("CreateValue", "GetValue", "CreateTensorAsOrtValue", "CreateTensorWithDataAsOrtValue", "ReleaseValue"),
    "type info": (
        "GetSequenceElementType", "GetMapValueType", "GetOptionalContainedTypeInfo", "SessionGetInputTypeInfo",
        "SessionGetOutputTypeInfo", "SessionGetOverridableInitializerTypeInfo", "ReleaseTypeInfo",
    ),
    "string": (
        "ModelMetadataGetDescription", "ModelMetadataGetDomain", "ModelMetadataGetGraphDescription",
        "ModelMetadataGetGraphName", "ModelMetadataGetProducerName", "ModelMetadataLookupCustomMetadataMap",
        "SessionGetInputName", "SessionGetOutputName", "SessionGetOverridableInitializerName", "SessionEndProfiling",
        "AllocatorFree",
    ),
    "status": ("ReleaseStatus",),
    "provider names": ("ReleaseAvailableProviders",),
}  # fmt: skip
"""What gives a thing to its caller, through its last parameter; at the end what takes it back."""

CREATES = {name: kind for kind, names in _KINDS.items() for name in names[:-1]}
RELEASES = {names[-1]: kind for kind, names in _KINDS.items()}
"""What a function takes back; the string is its second argument, everything else the first."""

CREATES_SEVERAL = {
    "Run", "GetBoundOutputNames", "GetBoundOutputValues", "GetAvailableProviders",
    "ModelMetadataGetCustomMetadataMapKeys",
}  # fmt: skip
"""What gives more than one thing; see `FakeVtable._note_results`."""

CREATES_FOR_GOOD = {
    "CreateStatus",  # released by `check`, as every status is
    "CreateEnv",
    "CreateEnvWithCustomLogger",
    "CreateEnvWithGlobalThreadPools",
    "CreateEnvWithCustomLoggerAndGlobalThreadPools",
    "CreateAndRegisterAllocator",
    "CreateCpuMemoryInfo",
    "RegisterCustomOpsLibrary",  # the library's handle
}
"""What is made once and stays until the process ends."""

LENDS = {"GetAllocatorWithDefaultOptions", "GetTensorMutableData"}
"""What gives a pointer to something that stays its owner's, though it is not const."""

_WORD = ctypes.sizeof(ctypes.c_void_p)


def pointer_at(address):
    return ctypes.c_void_p.from_address(address).value


def _outputs(arguments):
    """Return the outputs in the arguments of `Run` that are not null."""
    n_outputs, outputs = arguments[-2:]
    found = (pointer_at(outputs + index * _WORD) for index in range(n_outputs))
    return [output for output in found if output]


def environment_of(real, api):
    """Return an environment of a library whose API is another."""
    newest = real.api_version if api.version == real.api.version else api.version
    library = dataclasses.replace(real, api=api, api_version=newest)
    return Environment(library, LogLevel.FATAL)


class FakeVtable:
    """Forwards every call to a real library and writes down what was created and released.

    Attributes:
        outstanding: objects not released yet: (kind, address) pairs.
        mistakes: what was released without having been created, or twice.
        calls: the name of each function that returns a status, in the order of the calls.
        fail: asked before each such call with its name; the call fails where it answers true.
        replace: a Python function to call instead of the real one, by name.
    """

    def __init__(self, real):
        self._real = real
        self.outstanding, self.mistakes, self.created = set(), [], 0
        self.calls, self.replace = [], {}
        self.fail = lambda _name: False
        slots = [slot for slot in SLOTS.values() if slot.since <= real.version]
        size = max(slot.index for slot in slots) + 1
        self._table = (ctypes.c_void_p * size)()
        ctypes.memmove(self._table, real._pointer, ctypes.sizeof(self._table))
        self._callbacks = [self._install(slot) for slot in slots]

    def api(self, version=None):
        api = Api(ctypes.addressof(self._table), version or self._real.version, check)
        for name in RELEASES:
            if api.has(name):
                # Unlike a library, this table can be collected before what it still must release.
                getattr(api, name).table = self._table, self._callbacks
        return api

    def environment(self, version=None):
        """Make an environment of it, as for a library of this API version, with clean accounts."""
        environment = environment_of(ortffi.init().library, self.api(version))
        self.calls.clear()
        return environment

    @contextmanager
    def failing(self, *names):
        """Let every call of some functions fail."""
        self.fail = lambda name: name in names
        try:
            yield
        finally:
            self.fail = lambda _name: False

    def check(self):
        """All that was created has been released, once."""
        assert not self.outstanding
        assert not self.mistakes

    def real(self, name):
        """Return the real function of a slot, which returns its status instead of raising."""
        slot = SLOTS[name]
        return slot.signature()(self._real._address(slot))

    def status(self, code, message):
        """Make an `OrtStatus` as a failing function would return it."""
        status = self._real.raw("CreateStatus")(ctypes.c_int(code), message.encode())
        self._note_created("status", status)
        return status

    def _install(self, slot):
        real = self.real(slot.name)

        def fake(*arguments):
            if slot.returns_status:
                self.calls.append(slot.name)
                if self.fail(slot.name):
                    return self.status(ortffi.ErrorCode.FAIL, f"injected into {slot.name}")
            if slot.name in RELEASES:
                taken = arguments[1] if slot.name == "AllocatorFree" else arguments[0]
                self._note_released(RELEASES[slot.name], taken)
            # What a run is to fill it does not make.
            given = set(_outputs(arguments)) if slot.name == "Run" else set()
            result = self.replace.get(slot.name, real)(*arguments)
            if slot.returns_status:
                if result:
                    self.outstanding.add(("status", result))
                self._note_results(slot.name, arguments, given, failed=bool(result))
            return result

        callback = slot.signature()(fake)
        self._table[slot.index] = ctypes.cast(callback, ctypes.c_void_p).value
        return callback

    def _note_results(self, name, arguments, given, *, failed):
        if name == "Run":
            # A failed run may have left some of its outputs behind.
            for output in _outputs(arguments):
                if output not in given:
                    self._note_created("value", output)
        elif failed:
            return
        elif name in CREATES:
            self._note_created(CREATES[name], pointer_at(arguments[-1]))
        elif name == "GetBoundOutputNames":
            for argument in arguments[2:4]:
                if pointer_at(argument):
                    self._note_created("string", pointer_at(argument))
        elif name == "GetBoundOutputValues":
            self._note_array("value", ctypes.c_size_t, *arguments[2:])
        elif name == "ModelMetadataGetCustomMetadataMapKeys":
            self._note_array("string", ctypes.c_int64, *arguments[2:])
        elif name == "GetAvailableProviders":
            self._note_created("provider names", pointer_at(arguments[0]))

    def _note_array(self, kind, integer, items, count):
        """Note an array, and each thing in it."""
        array = pointer_at(items)
        if array:
            self._note_created("string", array)
            for index in range(integer.from_address(count).value):
                self._note_created(kind, pointer_at(array + index * _WORD))

    def _note_created(self, kind, address):
        if not address or (kind, address) in self.outstanding:
            self.mistakes.append(f"{kind} created at {address}")
            return
        self.created += 1
        self.outstanding.add((kind, address))

    def _note_released(self, kind, address):
        if address is None:  # which the header allows: `_Frees_ptr_opt_`
            return
        try:
            self.outstanding.remove((kind, address))
        except KeyError:
            self.mistakes.append(f"{kind} released at {address}, which is gone already")
