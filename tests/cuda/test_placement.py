"""What a session on the stub's GPU says of its nodes: when asked, and in its profile."""

from collections import Counter

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from tests.cuda import runs

import ortffi

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
N_CHAIN = 400
OPERATORS = ("Neg", "Abs", "Atan", "Sin")


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """A model of 400 named nodes, 100 of each operator, which nothing optimizes away."""
    nodes = [
        helper.make_node(OPERATORS[index % 4], [f"x{index}"], [f"x{index + 1}"], name=f"/layer.{index}/node")
        for index in range(N_CHAIN)
    ]
    # All are outputs, so each has to be computed.
    ends = [helper.make_tensor_value_info(f"x{index}", TensorProto.FLOAT, ["n"]) for index in range(N_CHAIN + 1)]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)])
    path = tmp_path_factory.mktemp("chain") / "chain.onnx"
    onnx.save(model, path)
    return path


@pytest.fixture
def look(stub, chain, tmp_path):
    """Run the chain; the events of its profile, and its nodes by provider and operator."""

    def look(cuda=()):
        answer = runs.run_model(
            stub.python, tmp_path, chain, {"x0": np.ones(3, np.float32)}, cuda=dict(cuda), profile=True
        )
        assert answer["error"] is None
        nodes = Counter((provider, operator) for _, operator, provider in answer["assignment"])
        return ortffi.read_profile(answer["profile"]), nodes

    return look


def counted(events):
    return Counter((event.provider, event.operator) for event in events)


def test_what_cuda_has_no_kernel_for_is_left_to_the_cpu(look):
    events, nodes = look()
    assert nodes == {(CUDA, "Neg"): 100, (CUDA, "Abs"): 100, (CPU, "Atan"): 100, (CUDA, "Sin"): 100}
    assert counted(events) == nodes
    shares = ortffi.by_provider(events)
    assert shares[CUDA].node_share == 0.75
    assert shares[CPU].n_nodes == 100
    assert 0 < shares[CPU].time_share < 1


def test_operators_can_be_left_to_the_cpu(stub, look):
    stub.place(cpu_operators=["Neg", "Sin"])
    events, nodes = look()
    assert counted(events) == nodes
    assert {operator for provider, operator in nodes if provider == CPU} == {"Neg", "Sin"}


@pytest.mark.parametrize(("operators", "provider"), [("*", CPU), ("", CUDA)])
def test_all_or_none_can_be_left_to_the_cpu(stub, look, operators, provider):
    stub.place(cpu_operators=[operators])
    events, nodes = look()
    assert counted(events) == nodes
    assert {provider for provider, _ in nodes} == {provider}
    assert ortffi.by_provider(events)[provider].node_share == 1


def test_a_share_of_the_nodes_can_be_left_to_the_cpu(stub, look):
    stub.place(cpu_operators=[], cpu_share=0.25)
    events, nodes = look()
    assert counted(events) == nodes
    assert ortffi.by_provider(events)[CPU].node_share == pytest.approx(0.25, abs=0.06)
    again, _ = look()
    assert [event.provider for event in again] == [event.provider for event in events]


def test_copies_are_events_of_each_run(stub, look):
    before = counted(look()[0])
    stub.place(copies=5)
    events, nodes = look()
    copies = [event for event in events if event.operator.startswith("Memcpy")]
    assert Counter(event.operator for event in copies) == {"MemcpyFromHost": 3, "MemcpyToHost": 2}
    assert {event.provider for event in copies} == {CUDA}
    assert len({event.node for event in copies}) == 5
    assert counted(events) - counted(copies) == before
    # Copies are put in after the nodes were given to providers.
    assert not [operator for _, operator in nodes if operator.startswith("Memcpy")]


def test_copies_take_nothing_off_the_time_of_kernels(stub, look):
    stub.place(copies=50)
    events, _ = look()
    shares = ortffi.by_provider(events)
    total_s = sum(share.duration_s for share in shares.values())
    assert total_s == pytest.approx(sum(event.duration_s for event in events))


def test_a_session_that_requires_the_gpu_has_it(stub, look):
    look({"require": True, "max_cpu_nodes": 100})
    stub.place(cpu_operators=["*"])
    with pytest.raises(AssertionError, match="no node runs on CUDAExecutionProvider"):
        look({"require": True})
    stub.place(cpu_operators=["Atan", "Neg"])
    with pytest.raises(AssertionError, match="200 nodes run on the CPU, 199 are allowed"):
        look({"max_cpu_nodes": 199})


def test_on_the_cpu_a_profile_stays_as_it_is(stub, chain, tmp_path):
    stub.place(cpu_operators=[], copies=5)
    inputs = {"x0": np.ones(3, np.float32)}
    answer = runs.run_model(stub.python, tmp_path, chain, inputs, profile=True)
    assert {event.provider for event in ortffi.read_profile(answer["profile"])} == {CPU}
    assert {provider for _, _, provider in answer["assignment"]} == {CPU}


def test_the_service_does_not_run_where_the_gpu_computes_nothing(stub, kokoro, tmp_path):
    stub.place(cpu_operators=["*"])
    sound = tmp_path / "hello.wav"
    done = stub.service(
        "say", "Hello.", "-o", str(sound), "--provider", "cuda", "--model", str(kokoro),
        "--cache-dir", str(tmp_path / "cache"),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    complaint = done.stderr.splitlines()[-1]
    assert complaint.startswith("kokoro-service: provider = cuda: ")
    assert "0 % of the nodes" in complaint
    assert not sound.exists()
