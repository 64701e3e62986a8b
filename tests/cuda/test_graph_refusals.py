"""CUDA graphs that cannot be captured, on the stub."""

from __future__ import annotations

import importlib.util
import signal
import sys
from pathlib import Path

import pytest
from tests.cuda.graph_programs import IMPORTS, START, UNASSIGNED


@pytest.fixture(scope="session")
def custom_operators():
    """The native library, with operators for the CPU."""
    source = Path(__file__).parents[2] / "native" / "build.py"
    spec = importlib.util.spec_from_file_location("native_build_of_cuda", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    library: Path = module.build()
    return library


MISUSES = {
    "another output": ("binding.bind_output('y', allocate(session))", "output 'y' is bound to 0x"),
    "another input": ("binding.bind_input('x', allocate(session))", "input 'x' is bound to 0x"),
    "an input of the host": ("binding.bind_input('x', numbers(1, 2))", "input 'x' is bound to 0x"),
    "an input of another shape": ("binding.bind_input('x', first_of(x))", "[1], and was bound to 0x"),
    "an output of the host": ("binding.bind_output('y', numbers(0, 0))", "output 'y' is not in the memory of the GPU"),
    "memory for an output": ("binding.bind_output('y', Memory.cuda())", "output 'y' is bound to no tensor"),
    "no input": ("binding.clear_inputs()", "2 inputs and outputs, and 1 are bound now"),
    "no binding": (
        "binding.run = lambda options: session.run({'x': x}, options=options)",
        "a run without a binding has new memory each time",
    ),
    "memory that was freed": (
        "binding.clear_outputs(); y.close(); binding.bind_output('y', allocate(session))",
        "output 'y' is bound to 0x",
    ),
}


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
