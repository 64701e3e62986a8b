"""What the stub refuses because CUDA refuses it; and ortffi with memory and graphs of a GPU."""

import json
import signal
import sys

import pytest

from tests.cuda.stub import Refusal

IMPORTS = """
import ctypes, json, os
from onnx import TensorProto, helper
import ortffi
from ortffi import Memory, RunOptions, SessionBuilder, Value
from ortffi._api import new
from tests.cuda.gpu_models import TWICE, allocate, encode, graph, numbers, open_graphs, open_session, read, write
"""
START = """
session = open_graphs()
x, y = allocate(session), allocate(session)
write(x, 1, 2)
binding = session.bind({"x": x}, {"y": y})
"""


@pytest.fixture
def python(stub):
    """Run a script on the stub; its assertions are the test's."""
    return lambda script: stub.python(IMPORTS + script)


def test_memory_of_the_gpu_is_used_in_every_way(stub, python):
    python("""
with open_session() as session:
    x, y = allocate(session), allocate(session)
    assert (x.memory, x.shape) == (Memory.cuda(), (2,)) and not x.memory.on_host
    write(x, 3, 4)
    assert session.run({"x": x})[0].tolist() == [6, 8]
    (value,) = session.run_values({"x": x})
    assert value.memory == Memory.CPU and value.read().tolist() == [6, 8]
    session.run_into({"x": x}, {"y": y})
    assert read(y) == [6, 8]
    with session.bind(None, {"y": y}) as binding:
        binding.bind_input("x", numbers(1))
        try:
            binding.run()
        except ortffi.InvalidArgumentError as error:
            assert "'y'" in error.message, error
        else:
            raise AssertionError("an output of another length was not refused")
        given = numbers(7, 8)
        binding.bind_input("x", given)
        given[:] = 0  # what is the host's is copied when it is bound
        binding.run()
        assert read(y) == [14, 16] and binding.outputs()["y"].memory == Memory.cuda()
        kept = []
        binding.bind_output("y", Memory.cuda())
        for count in (1, 2, 3):
            binding.bind_input("x", numbers(*range(count)))
            binding.run()
            kept.append(binding.outputs()["y"])
    assert {value.memory for value in kept} == {Memory.cuda()}
    assert [read(value) for value in kept] == [[0], [0, 2], [0, 2, 4]]
with open_session() as session:
    pinned = session.allocate([2], memory=Memory("CudaPinned"))
    pinned.copy_from(numbers(5, 6))
    assert pinned.memory == Memory("CudaPinned") and session.run({"x": pinned})[0].tolist() == [10, 12]
""")
    memories = [call.arguments["memory"] for call in stub.named("BindInput", "BindOutputToDevice")]
    assert set(memories) == {"Cpu", "Cuda"}


def test_a_session_has_only_the_memory_of_its_own_device(python):
    answer = python("""
for builder in (SessionBuilder(), SessionBuilder().with_cuda()):
    with builder.commit_from_memory(TWICE) as session:
        for device in (0, 1):
            try:
                print(session.allocate([2], memory=Memory.cuda(device)).memory)
            except ortffi.InvalidArgumentError as error:
                print(error.message)
""")
    lacking = "No requested allocator available"
    assert answer.splitlines() == [lacking, lacking, "Cuda:0", lacking]


def test_graphs_are_captured_and_replayed(stub, python):
    python(f"""{START}
for number in (1, 5):
    write(x, number, -number)
    binding.run(graph(1))
    assert read(y) == [2 * number, -2 * number]
binding.run(RunOptions())  # graph 0
host = numbers(0, 0)
binding.bind_output("y", host)
binding.run(graph(-1))
assert host.tolist() == [10, -10]
with open_graphs() as other:
    x, y = (other.allocate([2], memory=Memory("CudaPinned")) for _ in range(2))
    inputs, outputs = ({{name: value.mapped(Memory.cuda())}} for name, value in (("x", x), ("y", y)))
    with other.bind(inputs, outputs) as binding:
        for number in (1, 5):
            x.copy_from(numbers(number, -number))
            binding.run(graph(1))
            assert y.read().tolist() == [2 * number, -2 * number]
""")
    of_one, of_other = [(1, "capture"), (1, "replay"), (0, "capture"), (-1, "none")], [(1, "capture"), (1, "replay")]
    assert stub.graph_runs == of_one + of_other


def test_a_run_that_fails_captures_nothing(stub, python):
    # The first run is the one that writes to x.
    stub.refuse(Refusal("RunWithBinding", "CUDA failure 700", call=2))
    answer = python(f"""{START}
for options, output in ((graph(1), y), (graph(1), allocate(session, 3)), (graph("first"), y)):
    binding.bind_output("y", output)
    try:
        binding.run(options)
    except ortffi.OrtError as error:
        print(error.message)
binding.run(graph(1))
""")
    assert "CUDA failure 700" in answer
    assert "shape" in answer
    assert "Failed to parse the cuda graph annotation id: first" in answer
    assert stub.graph_runs == [(1, "capture")] * 2


MISUSES = {
    "binding.bind_output('y', allocate(session))": "output 'y' is bound to 0x",
    "binding.bind_input('x', allocate(session))": "input 'x' is bound to 0x",
    "binding.bind_input('x', numbers(1, 2))": "input 'x' is bound to 0x",
    "binding.bind_output('y', numbers(0, 0))": "output 'y' is not in the memory of the GPU",
    "binding.bind_output('y', Memory.cuda())": "output 'y' is bound to no tensor",
    "binding.clear_inputs()": "2 inputs and outputs, and 1 are bound now",
    "binding.run = lambda options: session.run({'x': x}, options=options)": "without a binding has new memory",
    "binding.bind_input('x', Value.from_numpy(numbers(1, 2)).mapped(Memory.cuda()))": "where the GPU cannot reach it",
}
TOUCHES = {"y.read()": "", "y.close(), ctypes.string_at(address, 4)": "", "ctypes.memset(address, 0, 4)": ""}


@pytest.mark.parametrize(("misuses", "ended_by"), [(MISUSES, signal.SIGABRT), (TOUCHES, signal.SIGSEGV)])
def test_what_a_real_one_would_do_wrong_ends_the_process(stub, misuses, ended_by):
    """Replay on other memory than what is bound, in silence; or let the host touch its memory."""
    misses = []
    for misuse, complaint in misuses.items():
        options = "graph(-1)" if "mapped" in misuse else "graph(1)"
        done = stub.run([sys.executable, "-c", f"""{IMPORTS}{START}
binding.run({options})
address = new(ortffi.init().api.GetTensorMutableData, y.handle.pointer)
print("here", flush=True)
{misuse}
binding.run({options})
print("there")
"""])  # fmt: skip
        if (done.returncode, done.stdout) != (-ended_by, "here\n") or complaint not in done.stderr:
            misses.append((misuse, done.returncode, done.stdout, done.stderr))
    assert not misses


def test_nodes_that_the_gpu_does_not_compute_cannot_be_captured(python):
    answer = python("""
def node(operator, *more, **attributes):
    return helper.make_node(operator, *(more or (["x"], ["y"])), **attributes)

def branch(operator):
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n"])
    return helper.make_graph([node(operator, ["x"], ["out"])], operator, [], [out])

shapes = (
    node("Constant", [], ["zero"], value_ints=[0]), node("Shape", ["x"], ["shape"]),
    node("Gather", ["shape", "zero"], ["n"]), node("Expand", ["x", "n"], ["y"]),
)
control_flow = (
    node("ReduceSum", ["x"], ["sum"], keepdims=0), node("Cast", ["sum"], ["positive"], to=TensorProto.BOOL),
    node("If", ["positive"], ["y"], then_branch=branch("Sin"), else_branch=branch("Cos")),
)
told = {}
for name, nodes, settings in (
    ("computed", [node("Sin")], {}),
    ("of no kernel", [node("Atan")], {}),
    ("left to the CPU", [node("Sin")], {"STUB_CPU_OPERATORS": "Sin"}),
    ("copied", [node("Sin")], {"STUB_COPIES": "1"}),
    ("shapes", shapes, {"STUB_CPU_OPERATORS": "Shape,Gather"}),
    ("control flow", control_flow, {}),
):
    os.environ.update(settings)
    open_session(encode(*nodes)).close()
    try:
        open_graphs(encode(*nodes)).close()
        told[name] = ""
    except ortffi.FailError as error:
        told[name] = error.message
    for setting in settings:
        del os.environ[setting]
print(json.dumps(told))
""")
    start = "This session cannot use the graph capture feature as requested by the user "
    unassigned = f"{start} as all compute graph nodes have not been partitioned to the CUDAExecutionProvider"
    assert json.loads(answer) == {
        "computed": "", "of no kernel": unassigned, "left to the CPU": unassigned, "copied": unassigned, "shapes": "",
        "control flow": f"{start}as the model has control flow nodes which can't be supported by CUDAExecutionProvider",
    }  # fmt: skip
