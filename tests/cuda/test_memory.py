"""Memory of the stub's GPU: where it says that it is, who can touch it, and what goes there."""

import signal
import sys

import pytest

IMPORTS = """
import ctypes
import numpy as np
import ortffi
from tests.cuda.gpu_models import (
    SAME, TWICE, allocate, exercise, first_of, numbers, open_session, read, write,
)
from ortffi import ElementType, Memory, SessionBuilder, Value
from ortffi._api import new
"""


@pytest.fixture
def python(stub):
    """Run a script on the stub; its assertions are the test's."""
    return lambda script: stub.python(IMPORTS + script)


def bound(stub):
    calls = stub.named("BindInput", "BindOutput", "BindOutputToDevice")
    return [(c.function, c.arguments["name"], c.arguments["memory"]) for c in calls]


def test_it_says_that_it_is_on_the_gpu(python):
    python("""
GPU_DEVICE, DEFAULT, NVIDIA = 1, 0, 0x10DE
with open_session(device_id=3) as session:
    value = session.allocate([2, 5], ElementType.INT64, Memory.cuda(3))
    assert value.memory == Memory.cuda(3)
    assert not value.memory.on_host
    assert (value.shape, value.element_type) == ((2, 5), ElementType.INT64)
    api = ortffi.init().api
    info, device = new(api.GetTensorMemoryInfo, value.handle.pointer), ctypes.c_int()
    api.MemoryInfoGetDeviceType(info, ctypes.byref(device))
    assert device.value == GPU_DEVICE
    # An allocator is also found by a description without the name of the memory.
    named = new(api.CreateMemoryInfo_V2, b"a GPU", GPU_DEVICE, NVIDIA, 3, DEFAULT, 0, 0)
    with session.handle.lend() as pointer:
        allocator = new(api.CreateAllocator, pointer, named)
    name = ctypes.c_char_p()
    api.MemoryInfoGetName(new(api.AllocatorGetInfo, allocator), ctypes.byref(name))
    assert name.value == b"Cuda"
    api.ReleaseAllocator(allocator)
    api.ReleaseMemoryInfo(named)
""")


@pytest.mark.parametrize("provider", ["on the CPU", "on the GPU"])
def test_a_session_has_only_the_memory_of_its_own_device(stub, python, provider):
    cuda = ".with_cuda()" if provider == "on the GPU" else ""
    answer = python(f"""
with SessionBuilder(){cuda}.commit_from_memory(TWICE) as session:
    for device in (0, 1):
        try:
            print(session.allocate([2], memory=Memory.cuda(device)).memory)
        except ortffi.InvalidArgumentError as error:
            print(error.message)
""")
    lacking = "No requested allocator available"
    wanted = ["Cuda:0", lacking] if cuda else [lacking, lacking]
    assert answer.splitlines() == wanted
    assert len(stub.named("CreateAllocator")) == (2 if cuda else 0)


@pytest.mark.parametrize(
    "touch",
    [
        "value.read()",
        "ctypes.memset(address, 0, 4)",
        "value.close(), ctypes.string_at(address, 4)",
        "pinned.close(), ctypes.string_at(pinned_address, 4)",
    ],
)
def test_a_host_that_touches_it_is_ended(stub, touch):
    script = f"""
with open_session() as session:
    value = allocate(session)
    address = new(ortffi.init().api.GetTensorMutableData, value.handle.pointer)
    pinned = session.allocate([2], memory=Memory("CudaPinned"))
    pinned_address = new(ortffi.init().api.GetTensorMutableData, pinned.handle.pointer)
    ctypes.memset(pinned_address, 0, 4)
    print("here", flush=True)
    {touch}
    print("there")
"""
    done = stub.run([sys.executable, "-c", IMPORTS + script])
    assert done.returncode == -signal.SIGSEGV, done.stdout + done.stderr
    assert done.stdout.split() == ["here"]
    assert "stub of ONNX Runtime: the host touched memory of the GPU, or pinned" in done.stderr


def test_another_fault_is_not_called_one_of_the_gpu(stub):
    script = "with open_session() as session: allocate(session); ctypes.string_at(8)"
    done = stub.run([sys.executable, "-c", IMPORTS + script])
    assert done.returncode == -signal.SIGSEGV, done.stdout + done.stderr
    assert "memory of the GPU" not in done.stderr


def test_what_is_there_before_is_not_zero(python):
    python("""
with open_session() as session:
    assert np.isnan(read(allocate(session))).all()
""")


def test_an_input_of_the_host_is_copied_when_it_is_bound(stub, python):
    python("""
x, y = numbers(1, 2), numbers(0, 0)
with open_session() as session, session.bind({"x": x}, {"y": y}) as binding:
    x[:] = 7
    binding.run()
    assert y.tolist() == [2, 4]
    binding.run()
    assert y.tolist() == [2, 4]
    binding.bind_input("x", x)
    binding.run()
    assert y.tolist() == [14, 14]
""")
    assert bound(stub) == [("BindInput", "x", "Cpu"), ("BindOutput", "y", "Cpu"), ("BindInput", "x", "Cpu")]
    first, second = (call.arguments["address"] for call in stub.named("BindInput"))
    assert first != second


def test_on_the_cpu_an_input_is_not_copied(stub, python):
    """The other way round: else the test above would show nothing of the GPU."""
    python("""
x, y = numbers(1, 2), numbers(0, 0)
with SessionBuilder().commit_from_memory(TWICE) as session:
    with session.bind({"x": x}, {"y": y}) as binding:
        x[:] = 7
        binding.run()
        assert y.tolist() == [14, 14]
""")
    assert bound(stub) == []


def test_an_input_on_the_gpu_is_borrowed(stub, python):
    python("""
with open_session() as session:
    x, y = allocate(session), numbers(0, 0)
    with session.bind({"x": x}, {"y": y}) as binding:
        for number in (1, 5):
            write(x, number, number)
            binding.run()
            assert y.tolist() == [2 * number] * 2
""")
    assert bound(stub)[0] == ("BindInput", "x", "Cuda")
    addresses = [c.arguments["address"] for c in stub.named("BindInput", "BindOutput")
                 if c.arguments["memory"] == "Cuda"]  # fmt: skip
    # As the input here, and as what is written to.
    assert len(addresses) == 3
    assert len(set(addresses)) == 1


def test_a_tensor_on_the_gpu_is_an_output_of_run_after_run(python):
    python("""
with open_session() as session:
    y = allocate(session)
    with session.bind(None, {"y": y}) as binding:
        for number in (1, 5):
            binding.bind_input("x", numbers(number, -number))
            binding.run()
            assert read(y) == [2 * number, -2 * number]
            assert binding.outputs()["y"].memory == Memory.cuda()
""")


def test_an_output_that_is_left_to_the_gpu_is_new_in_each_run(python):
    python("""
with open_session() as session:
    kept = []
    with session.bind(None, {"y": Memory.cuda()}) as binding:
        for number in range(3):
            binding.bind_input("x", numbers(*range(number + 1)))
            binding.run()
            kept.append(binding.outputs()["y"])
assert [value.shape for value in kept] == [(1,), (2,), (3,)]
assert {value.memory for value in kept} == {Memory.cuda()}
assert [read(value) for value in kept] == [[0], [0, 2], [0, 2, 4]]
""")


def test_a_part_of_a_tensor_is_where_the_whole_is(python):
    python("""
with open_session() as session:
    x, y = allocate(session), allocate(session)
    write(x, 3, 4)
    assert read(first_of(x)) == [3]
    write(first_of(y), 5)
    assert read(y)[0] == 5 and np.isnan(read(y)[1])
""")


def test_values_on_the_gpu_go_through_a_run_without_a_binding(python):
    python("""
with open_session() as session:
    x, y = allocate(session), allocate(session)
    write(x, 3, 4)
    assert session.run({"x": x})[0].tolist() == [6, 8]
    (value,) = session.run_values({"x": x})
    assert value.memory == Memory.CPU and value.read().tolist() == [6, 8]
    session.run_into({"x": x}, {"y": y})
    assert read(y) == [6, 8]
    assert read(x) == [3, 4]
""")


def test_an_output_of_another_length_is_refused(python):
    python("""
with open_session() as session:
    y = allocate(session, 3)
    with session.bind({"x": numbers(1, 2)}, {"y": y}) as binding:
        try:
            binding.run()
        except ortffi.InvalidArgumentError as error:
            assert "shape" in error.message, error
        else:
            raise AssertionError("not refused")
    assert np.isnan(read(y)).all()
""")


COPY = """
with open_session() as session:
    one, other = allocate(session), allocate(session)
    one.copy_from(numbers(1, 2))
    other.copy_from(one)
    print(other.numpy().tolist())
"""


def test_there_is_nothing_to_copy_tensors_with(stub):
    done = stub.run([sys.executable, "-c", IMPORTS + COPY])
    assert "UnimplementedError: Data transfer implementation" in done.stderr
    assert len(stub.named("CopyTensors")) == 1


def test_tensors_are_copied_where_the_stub_is_told_to(stub, python):
    stub.copy_tensors()
    assert python(COPY) == "[1.0, 2.0]\n"
    assert len(stub.named("CopyTensors")) == 3


def test_pinned_memory_is_of_the_host(python):
    python("""
with open_session() as session:
    pinned = session.allocate([2], memory=Memory("CudaPinned"))
    assert pinned.memory == Memory("CudaPinned")
    pinned.copy_from(numbers(1, 2))
    assert pinned.read().tolist() == [1, 2]
    other = session.allocate([2], memory=Memory("CudaPinned"))
    with session.bind({"x": pinned}, {"y": other}) as binding:
        binding.run()
    with session.bind({"x": other}, {"y": pinned}) as binding:
        binding.run()
    assert (other.read().tolist(), pinned.read().tolist()) == ([2, 4], [4, 8])
""")


def test_the_gpu_reaches_pinned_memory_where_it_is(stub, python):
    """So what is mapped is copied nowhere, and needs no bringing to the GPU."""
    python("""
with open_session() as session:
    x, y = (session.allocate([2], memory=Memory("CudaPinned")) for _ in range(2))
    inputs, outputs = ({name: value.mapped(Memory.cuda())} for name, value in (("x", x), ("y", y)))
    with session.bind(inputs, outputs) as binding:
        for number in (1, 5):
            x.copy_from(numbers(number, -number))
            binding.run()
            assert y.read().tolist() == [2 * number, -2 * number]
""")
    assert bound(stub) == [("BindInput", "x", "Cuda"), ("BindOutput", "y", "Cuda")]


def test_the_gpu_cannot_reach_other_memory_of_the_host(stub):
    script = """
with open_session() as session:
    array = numbers(1, 2)
    x = Value.from_numpy(array).mapped(Memory.cuda())
    with session.bind({"x": x}, {"y": Memory.CPU}) as binding:
        print("here", flush=True)
        binding.run()
"""
    done = stub.run([sys.executable, "-c", IMPORTS + script])
    assert done.returncode == -signal.SIGABRT, done.stdout + done.stderr
    assert done.stdout.split() == ["here"]
    assert "where the GPU cannot reach it" in done.stderr


def test_all_that_the_sanitizers_look_at_is_right(python):
    python("exercise()")
