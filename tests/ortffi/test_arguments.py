"""A wrong argument is refused by its name before ONNX Runtime sees it, at every public call."""

import inspect
import re
from enum import Enum
from types import SimpleNamespace

import numpy as np
import pytest

import ortffi
import ortffi.environment
from ortffi import Memory, RunOptions, SessionBuilder, Value
from tests.ortffi import tiny_models
from tests.ortffi.argument_rows import ROWS, X, call, wrong_values
from tests.ortffi.fake_vtable import FakeVtable
from tests.ortffi.raw_session import needs

REFUSED = (TypeError, ValueError, ortffi.InvalidArgumentError)
"""`ClosedError` is a `ValueError`."""

HARMLESS = {
    "GetAvailableProviders", "ReleaseAvailableProviders", "GetEpDevices", "GetTensorMemoryInfo",
    "MemoryInfoGetName", "MemoryInfoGetId", "GetTensorMutableData", "GetValueType", "HasValue",
}  # fmt: skip
"""What may be asked before an argument is refused."""

MADE_BY_ORTFFI = {
    "AssignedNode", "Device", "Environment", "IoBinding", "KernelEvent", "Library", "ModelFile",
    "ModelMetadata", "ProviderShare", "Session", "TypeInfo", "Value", "ValueInfo",
}  # fmt: skip
"""Classes whose objects a program is given; it does not make them itself."""

BETWEEN_MODULES = {"Environment.take_string"} | {
    f"{provider}.{method}"
    for provider in ("CPU", "CUDA", "Devices", "ExecutionProvider", "Provider", "TensorRT")
    for method in ("append", "check")
}
"""Called by ortffi itself with what it has made."""


def public_calls():
    """Give each public function, constructor and method that has parameters."""
    for name in ortffi.__all__:
        thing = getattr(ortffi, name)
        if inspect.isclass(thing):
            if issubclass(thing, Enum | BaseException):
                continue
            if name not in MADE_BY_ORTFFI:
                yield name, parameters(thing)
            for attribute, member in inspect.getmembers(thing, callable):
                if not attribute.startswith("_") and not inspect.isclass(member):
                    yield f"{name}.{attribute}", parameters(member)
        elif callable(thing):
            yield name, parameters(thing)


def parameters(function):
    return [parameter for name, parameter in inspect.signature(function).parameters.items() if name != "self"]


CALLS = {name: found for name, found in public_calls() if found and name not in BETWEEN_MODULES}
PARAMETERS = [(name, parameter.name) for name, found in CALLS.items() for parameter in found]


@pytest.fixture(scope="module")
def world(library, tmp_path_factory):
    """Objects to call, made with a vtable that takes notes."""
    fake = FakeVtable(library.api)
    with pytest.MonkeyPatch.context() as patch:
        environment = fake.environment()
        patch.setattr(ortffi.environment, "_environment", environment)
        folder = tmp_path_factory.mktemp("arguments")
        model, profile = tiny_models.identity(), folder / "profile.json"
        profile.write_text("[]")
        (folder / "model.onnx").write_bytes(model)
        read_only = X.copy()
        read_only.flags.writeable = False
        device = ortffi.Device("SomeProvider", "", {}, {}, ortffi.HardwareType.CPU, "", 0, 0, {}, _pointer=0)
        closed_value, closed_options = Value.from_numpy(X), RunOptions()
        closed_value.close()
        closed_options.close()
        with (
            SessionBuilder().with_intra_threads(1).commit_from_memory(model) as session,
            session.bind({"x": X}, {"y": np.empty(3, np.float32)}) as binding,
            Value.from_numpy(X.copy()) as value,
            RunOptions() as options,
            ortffi.PrepackedWeights() as weights,
        ):
            yield SimpleNamespace(
                fake=fake, model=model, file=folder / "model.onnx", profile=profile, read_only=read_only, device=device,
                session=session, value=value, weights=weights, closed_value=closed_value, closed_options=closed_options,
                owners={
                    "": ortffi, "Memory": Memory, "Session": session, "IoBinding": binding, "Value": value,
                    "RunOptions": options, "Environment": environment,
                },
            )  # fmt: skip
    # Targets of a run count as made by it, and are no mistake.
    assert not [mistake for mistake in fake.mistakes if "released" in mistake]


def test_every_public_call_and_parameter_is_in_the_table():
    """Who adds a parameter says here what it refuses."""
    wanted = {name: {parameter.name for parameter in found} for name, found in CALLS.items()}
    assert {name: set(row.wrong) for name, row in ROWS.items()} == wanted


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.works])
def test_right_arguments_are_accepted(world, name):
    result = call(name, ROWS[name], world)
    if isinstance(result, ortffi.Session | ortffi.IoBinding | Value):
        result.close()


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_wrong_arguments_are_refused_by_name_before_c_is_reached(world, name, parameter):
    row, fake = ROWS[name], world.fake
    needs(row.needs)
    wrong = row.wrong[parameter]
    is_variadic = any(known.kind is known.VAR_KEYWORD for known in CALLS[name] if known.name == parameter)
    complaints = []
    for value in wrong_values(wrong, world):
        outstanding = set(fake.outstanding)
        fake.calls.clear()
        try:
            result = call(name, row, world, **(value if is_variadic else {parameter: value}))
        except REFUSED as error:
            message = str(error)
        except Exception as error:
            complaints.append(f"{value!r:.60} raises {type(error).__name__}: {error}")
            continue
        else:
            complaints.append(f"{value!r:.60} is accepted")
            if isinstance(result, ortffi.Session | ortffi.IoBinding | Value | RunOptions):
                result.close()
            continue
        if not re.search(wrong.named or parameter.replace("_", "_?"), message, re.IGNORECASE):
            complaints.append(f"{value!r:.60} is refused without a name: {message}")
        reached = set(fake.calls) - HARMLESS - row.allowed
        if reached:
            complaints.append(f"{value!r:.60} reaches {', '.join(sorted(reached))}")
        if set(fake.outstanding) - outstanding:
            complaints.append(f"{value!r:.60} leaves something behind")
    assert not complaints, "\n".join(complaints)
