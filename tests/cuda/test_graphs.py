"""CUDA graphs on the stub: what is captured and replayed, and what a real one would do wrong."""

from __future__ import annotations

import importlib.util
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from ortffi._api import ErrorCode
from tests.cuda.stub import Refusal

IMPORTS = """
import threading
from onnx import TensorProto, helper
import ortffi
from tests.cuda.gpu_models import (
    SAME, TWICE, allocate, encode, first_of, graph, numbers, open_graphs, open_session, read, write,
)
from ortffi import Memory, RunOptions, SessionBuilder
"""

START = """
session = open_graphs()
x, y = allocate(session), allocate(session)
write(x, 1, 2)
binding = session.bind({"x": x}, {"y": y})
"""

UNASSIGNED = (
    "This session cannot use the graph capture feature as requested by the user  as all compute "
    "graph nodes have not been partitioned to the CUDAExecutionProvider"
)


@pytest.fixture
def python(stub):
    """Run a script on the stub; its assertions are the test's."""
    return lambda script: stub.python(IMPORTS + script)


@pytest.fixture(scope="session")
def custom_operators() -> Path:
    """The native library, with operators for the CPU."""
    source = Path(__file__).parents[2] / "native" / "build.py"
    spec = importlib.util.spec_from_file_location("native_build_of_cuda", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    library: Path = module.build()
    return library


def test_the_first_run_is_captured_and_those_after_it_replay(stub, python):
    python(
        START
        + """
for number in (1, 5, 7):
    write(x, number, -number)
    binding.run(graph(1))
    assert read(y) == [2 * number, -2 * number]
"""
    )
    assert stub.graph_runs == [(1, "capture"), (1, "replay"), (1, "replay")]


def test_each_id_is_a_graph_of_its_own(stub, python):
    python(
        START
        + """
longer = allocate(session, 3), allocate(session, 3)
write(longer[0], 4, 5, 6)
with session.bind({"x": longer[0]}, {"y": longer[1]}) as other:
    for number in (2, 1, 2, 1):
        (binding if number == 1 else other).run(graph(number))
assert read(y) == [2, 4] and read(longer[1]) == [8, 10, 12]
"""
    )
    assert stub.graph_runs == [(2, "capture"), (1, "capture"), (2, "replay"), (1, "replay")]


def test_without_an_id_it_is_graph_0_and_with_minus_1_none(stub, python):
    python(
        START
        + """
binding.run(graph(-1))
binding.run()
binding.run(RunOptions())
binding.run(graph(0))
options = graph(3)
binding.run(options)
binding.run(options.with_config("gpu_graph_id", "-1"))
"""
    )
    assert stub.graph_runs == [
        (-1, "none"), (0, "capture"), (0, "replay"), (0, "replay"), (3, "capture"), (-1, "none"),
    ]  # fmt: skip


def test_a_run_without_a_graph_may_be_bound_to_anything(stub, python):
    python(
        START
        + """
binding.run(graph(1))
host = numbers(0, 0)
binding.bind_input("x", numbers(8, 9))
binding.bind_output("y", host)
binding.run(graph(-1))
assert host.tolist() == [16, 18]
binding.bind_output("y", Memory.cuda())
binding.run(graph(-1))
assert read(binding.outputs()["y"]) == [16, 18]
assert session.run({"x": numbers(3, 4)}, options=graph(-1))[0].tolist() == [6, 8]
binding.bind_input("x", x)
binding.bind_output("y", y)
binding.run(graph(1))
assert read(y) == [2, 4]
"""
    )
    assert stub.graph_runs == [(1, "capture"), *[(-1, "none")] * 3, (1, "replay")]


def test_another_binding_to_the_same_memory_replays(stub, python):
    python(
        START
        + """
binding.run(graph(1))
binding.close()
with session.bind({"x": x}, {"y": y}) as other:
    other.run(graph(1))
"""
    )
    assert stub.graph_runs == [(1, "capture"), (1, "replay")]


def test_an_input_of_the_host_stays_captured_as_it_was_copied(python):
    """As on a real one: right, and of no use, for there is no way to change it."""
    python(
        START
        + """
array = numbers(3, 4)
binding.bind_input("x", array)
for _ in range(2):
    binding.run(graph(1))
    array[:] = 9
    assert read(y) == [6, 8]
"""
    )


def test_what_is_mapped_can_be_captured(stub, python):
    """Pinned memory, which the host writes and the GPU reads by the same address."""
    python("""
with open_graphs() as session:
    x, y = (session.allocate([2], memory=Memory("CudaPinned")) for _ in range(2))
    inputs, outputs = ({name: value.mapped(Memory.cuda())} for name, value in (("x", x), ("y", y)))
    with session.bind(inputs, outputs) as binding:
        for number in (1, 5):
            x.copy_from(numbers(number, -number))
            binding.run(graph(1))
            assert y.read().tolist() == [2 * number, -2 * number]
""")
    assert stub.graph_runs == [(1, "capture"), (1, "replay")]


def test_each_thread_captures_graphs_of_its_own(stub, python):
    python(
        START
        + """
for _ in range(2):
    thread = threading.Thread(target=lambda: [binding.run(graph(1)) for _ in range(2)])
    thread.start()
    thread.join()
binding.run(graph(1))
"""
    )
    assert Counter(stub.graph_runs) == {(1, "capture"): 3, (1, "replay"): 2}
    threads = [call.arguments["thread"] for call in stub.named("RunWithBinding")
               if "thread" in call.arguments]  # fmt: skip
    assert threads[0] == threads[1] != threads[2] == threads[3] != threads[4] != threads[0]


def test_graphs_are_of_a_session_and_go_with_it(stub, python):
    python(
        START
        + """
binding.run(graph(1))
with open_graphs() as other:
    with other.bind({"x": x}, {"y": y}) as second:
        second.run(graph(1))
session.close()
with open_graphs() as third:  # perhaps where the first was
    with third.bind({"x": x}, {"y": y}) as last:
        last.run(graph(1))
"""
    )
    assert stub.graph_runs == [(1, "capture")] * 3


def test_a_run_that_fails_captures_nothing(stub, python):
    python(
        START
        + """
binding.bind_output("y", allocate(session, 3))
for _ in range(2):
    try:
        binding.run(graph(1))
    except ortffi.InvalidArgumentError as error:
        assert "shape" in error.message, error
    else:
        raise AssertionError("not refused")
binding.bind_output("y", y)
binding.run(graph(1))
"""
    )
    assert stub.graph_runs == [(1, "capture")] * 3


def test_a_refused_run_captures_nothing(stub, python):
    # The first is the one that writes to x.
    stub.refuse(Refusal("RunWithBinding", "CUDA failure 700", code=ErrorCode.FAIL, call=2))
    python(
        START
        + """
try:
    binding.run(graph(1))
except ortffi.FailError as error:
    assert error.message == "CUDA failure 700", error
else:
    raise AssertionError("not refused")
binding.run(graph(1))
"""
    )
    assert stub.graph_runs == [(1, "capture")]


def test_only_a_session_that_was_told_to_captures(stub, python):
    python("""
for cuda in ({}, {"enable_cuda_graph": False}):
    with open_session(**cuda) as session:
        for _ in range(2):
            session.run({"x": numbers(1, 2)}, options=graph(1))
with SessionBuilder().commit_from_memory(TWICE) as session:
    session.run({"x": numbers(1, 2)}, options=graph(1))
""")
    assert stub.graph_runs == []
    assert len(stub.named("Run")) == 5


def test_an_id_that_is_no_number_is_refused(stub, python):
    answer = python(
        START
        + """
for text in ("first", "1 ", ""):
    try:
        binding.run(RunOptions(config={"gpu_graph_id": text}))
    except ortffi.FailError as error:
        print(error.message)
"""
    )
    wanted = [
        f"Failed to parse the cuda graph annotation id: {text}" for text in ("first", "1 ", "")
    ]
    assert answer.splitlines() == wanted
    assert stub.graph_runs == []


MISUSES = {
    "another output": ("binding.bind_output('y', allocate(session))", "output 'y' is bound to 0x"),
    "another input": ("binding.bind_input('x', allocate(session))", "input 'x' is bound to 0x"),
    "an input of the host": ("binding.bind_input('x', numbers(1, 2))", "input 'x' is bound to 0x"),
    "an input of another shape": (
        "binding.bind_input('x', first_of(x))", "[1], and was bound to 0x",
    ),
    "an output of the host": (
        "binding.bind_output('y', numbers(0, 0))", "output 'y' is not in the memory of the GPU",
    ),
    "memory for an output": (
        "binding.bind_output('y', Memory.cuda())", "output 'y' is bound to no tensor",
    ),
    "no input": ("binding.clear_inputs()", "2 inputs and outputs, and 1 are bound now"),
    "no binding": (
        "binding.run = lambda options: session.run({'x': x}, options=options)",
        "a run without a binding has new memory each time",
    ),
    "memory that was freed": (
        "binding.clear_outputs(); y.close(); binding.bind_output('y', allocate(session))",
        "output 'y' is bound to 0x",
    ),
}  # fmt: skip


@pytest.mark.parametrize("misuse", MISUSES)
def test_what_a_real_one_would_replay_wrong_ends_the_process(stub, misuse):
    what, complaint = MISUSES[misuse]
    done = stub.run([sys.executable, "-c", f"""{IMPORTS}{START}
binding.run(graph(1))
{what}
print("here", flush=True)
binding.run(graph(1))
print("there")
"""])  # fmt: skip
    assert done.returncode == -signal.SIGABRT, done.stdout + done.stderr
    assert done.stdout.split() == ["here"]
    assert done.stderr.startswith("stub of ONNX Runtime: ")
    assert complaint in done.stderr
    last = stub.calls[-1]
    assert last.refused is not None
    assert complaint in last.refused
    assert stub.graph_runs == [(1, "capture"), (1, "replay")]


@pytest.mark.parametrize("misuse", ["an output of the host", "memory for an output", "no binding"])
def test_what_cannot_be_captured_ends_the_process(stub, misuse):
    what, complaint = MISUSES[misuse]
    done = stub.run([sys.executable, "-c", f"{IMPORTS}{START}\n{what}\nbinding.run(graph(1))"])
    assert done.returncode == -signal.SIGABRT, done.stdout + done.stderr
    assert complaint in done.stderr
    assert stub.graph_runs == [(1, "capture")]


MAKE = """
def try_model(model):
    try:
        open_graphs(model).close()
    except ortffi.FailError as error:
        print(error.message)
    else:
        print("made")
    # The nodes are no hindrance to a session that captures nothing.
    open_session(model).close()
"""


@pytest.mark.parametrize(
    ("operator", "settings", "wanted"),
    [
        ("Sin", {}, "made"),
        ("Atan", {}, UNASSIGNED),
        ("Sin", {"cpu_operators": ["Sin"]}, UNASSIGNED),
        ("Sin", {"cpu_operators": ["Cos"]}, "made"),
        ("Sin", {"cpu_share": 1}, UNASSIGNED),
        ("Sin", {"copies": 1}, UNASSIGNED),
    ],
)
def test_a_node_on_the_cpu_hinders_the_session(stub, python, operator, settings, wanted):
    if settings:
        stub.place(**settings)
    answer = python(MAKE + f"try_model(encode(helper.make_node({operator!r}, ['x'], ['y'])))")
    assert answer == wanted + "\n"


@pytest.mark.parametrize(("copies", "wanted"), [(0, "made"), (1, UNASSIGNED)])
def test_nodes_that_compute_shapes_may_be_on_the_cpu(stub, python, copies, wanted):
    stub.place(cpu_operators=["Shape", "Gather"], copies=copies)
    answer = python(
        MAKE
        + """
zero = helper.make_node("Constant", [], ["zero"], value_ints=[0])
try_model(encode(
    zero,
    helper.make_node("Shape", ["x"], ["shape"]),
    helper.make_node("Gather", ["shape", "zero"], ["n"]),
    helper.make_node("Expand", ["x", "n"], ["y"]),
))
"""
    )
    assert answer == wanted + "\n"


def test_a_custom_operator_hinders_the_session(python, custom_operators):
    """It has a kernel for the CPU and none for the GPU, whatever its name is."""
    answer = python(f"""
node = helper.make_node("PolarToCartesian", ["x"], ["y"], domain="kokoro")
for cuda in ({{}}, {{"enable_cuda_graph": True}}):
    builder = SessionBuilder().with_custom_ops({str(custom_operators)!r}).with_cuda(**cuda)
    try:
        builder.commit_from_memory(encode(node, domains=("kokoro",))).close()
        print("made")
    except ortffi.FailError as error:
        print(error.message)
""")
    assert answer.splitlines() == ["made", UNASSIGNED]


def test_control_flow_hinders_the_session(python):
    answer = python(
        MAKE
        + """
info = helper.make_tensor_value_info
def branch(operator):
    node = helper.make_node(operator, ["x"], ["out"])
    return helper.make_graph([node], operator, [], [info("out", TensorProto.FLOAT, ["n"])])
try_model(encode(
    helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
    helper.make_node("Cast", ["sum"], ["positive"], to=TensorProto.BOOL),
    helper.make_node(
        "If", ["positive"], ["y"], then_branch=branch("Sin"), else_branch=branch("Cos")
    ),
))
"""
    )
    assert answer == (
        "This session cannot use the graph capture feature as requested by the user as the model "
        "has control flow nodes which can't be supported by CUDAExecutionProvider\n"
    )


def test_a_session_is_made_in_every_way(stub, python, tmp_path):
    """The four functions that make one: each asks for the nodes."""
    python(f"""
from ortffi import PrepackedWeights
path = {str(tmp_path / "model.onnx")!r}
for operator, is_made in (("Sin", True), ("Atan", False)):
    model = encode(helper.make_node(operator, ["x"], ["y"]))
    open(path, "wb").write(model)
    for shared in (False, True):
        for make in ("commit_from_file", "commit_from_memory"):
            builder = SessionBuilder().with_cuda(enable_cuda_graph=True)
            if shared:
                builder = builder.with_prepacked_weights(PrepackedWeights())
            try:
                getattr(builder, make)(path if make.endswith("file") else model).close()
            except ortffi.FailError as error:
                assert not is_made and "graph capture" in error.message, error
            else:
                assert is_made
""")
    made = {call.function for call in stub.calls if call.function.startswith("CreateSession")}
    assert len(made - {"CreateSessionOptions"}) == 4
