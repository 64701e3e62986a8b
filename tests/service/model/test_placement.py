import time

import numpy as np
import onnx
import pytest

import ortffi
from service.model.placement import GpuCheck, Placement
from tests.small_kokoro import write_small_kokoro

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


def event(node, provider, start_s, duration_s, operator="Conv", thread=1):
    return ortffi.KernelEvent(node, operator, provider, start_s, duration_s, thread)


def placed(run_s, *sessions):
    return Placement.of_last_run([[event(*given) for given in events] for events in sessions], run_s)


def test_nodes_and_time_are_shared_between_providers_and_copies_are_no_nodes():
    a, b, c, d = ("a", CUDA, 0.0, 0.1), ("b", CPU, 0.1, 0.2, "Range"), ("c", CUDA, 0.3, 0.1), ("d", CUDA, 0.4, 0.1)
    placement = placed(0.8, [a, b, c, d])
    assert (placement.n_nodes, placement.gpu_node_share) == ({CUDA: 3, CPU: 1}, pytest.approx(0.75))
    # The GPU is waited for at the end: all but the processor's own time is its time.
    assert placement.cpu_time_share == pytest.approx(0.25)
    assert placement.gpu_time_share == pytest.approx(0.75)
    assert (placement.cpu_operators, placement.n_copies) == (("Range",), 0)
    copies = [("in", CUDA, 0.1, 0.1, "MemcpyFromHost")]
    copies += [(name, CUDA, 0.2, 0.1, "MemcpyToHost") for name in ("out", "back")]
    placement = placed(1.0, [("a", CUDA, 0.0, 0.1), *copies])
    assert (placement.n_copies, placement.n_nodes) == (3, {CUDA: 1})


@pytest.mark.parametrize(("run_s", "sessions", "node_share", "time_share"), [
    (1.0, [[("a", CUDA, 0, 1)]], 1.0, 1.0), (1.0, [[("a", CPU, 0, 1)]], 0.0, 0.0),
    # Nothing was seen; no time; more time than the run took is all of it.
    (1.0, [], 0.0, 1.0), (0.0, [[("a", CUDA, 0, 1)]], 1.0, 0.0), (1.0, [[("a", CPU, 0, 2)]], 0.0, 0.0),
    # Only the last of several runs counts.
    (0.5, [[("a", CPU, 0, 0.9), ("b", CUDA, 0.9, 0.1), ("a", CPU, 5.0, 0.1), ("b", CUDA, 5.1, 0.1)]], 0.5, 0.8),
    # Each session has its own nodes and its own clock.
    (0.6, [[("a", CPU, 0, d), ("b", CUDA, d, 0.1)] for d in (0.1, 0.2)], 0.5, 0.5),
])  # fmt: skip
def test_shares(run_s, sessions, node_share, time_share):
    placement = placed(run_s, *sessions)
    assert (placement.gpu_node_share, placement.gpu_time_share) == pytest.approx((node_share, time_share))
    assert sum(placement.n_nodes.values()) == len({(k, e[0]) for k, events in enumerate(sessions) for e in events})


@pytest.mark.parametrize(("events", "covered_s"), [
    ([("loop", 0.0, 0.4, 1), ("body", 0.1, 0.2, 1)], 0.4),  # one inside the other
    ([("body", 0.1, 0.2, 1), ("loop", 0.0, 0.4, 1)], 0.4),  # which ends first, as in a file
    ([("a", 0.0, 0.3, 1), ("b", 0.2, 0.3, 2)], 0.5),  # two threads at once
    ([("a", 0.0, 0.3, 1), ("b", 0.0, 0.3, 2)], 0.3),
    ([("a", 0.0, 0.1, 1), ("b", 0.5, 0.1, 1)], 0.2),  # apart
    ([("a", 0.0, 0.6, 1), ("b", 0.1, 0.1, 1), ("c", 0.4, 0.4, 2)], 0.8),
])  # fmt: skip
def test_time_is_counted_once(events, covered_s):
    made = [(node, CPU, start, length, "Conv", thread) for node, start, length, thread in events]
    assert placed(1.0, made).cpu_time_share == pytest.approx(covered_s)


def test_the_most_frequent_operators_of_the_processor_come_first():
    names = ["Range", "Shape", "Gather", "Shape", "Shape", "Gather"]
    events = [(f"n{k}", CPU, k, 0.1, name) for k, name in enumerate(names)]
    placement = placed(10.0, [*events, ("g", CUDA, 9, 0.1, "Conv")])
    assert placement.cpu_operators == ("Shape", "Gather", "Range")
    assert list(placement.n_nodes) == [CPU, CUDA]


def test_a_real_profile_of_the_processor_has_no_share_of_a_gpu(tmp_path):
    model = write_small_kokoro(tmp_path / "small.onnx")
    builder = ortffi.SessionBuilder().with_cpu().with_intra_threads(1)
    builder = builder.with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
    feeds = {
        "tokens": np.arange(500)[None] % 178, "style": np.zeros((1, 256), np.float32), "speed": np.ones(1, np.float32)
    }  # fmt: skip
    with builder.with_profiling(tmp_path / "profile").commit_from_file(model) as session:
        session.run(feeds)
        started = time.perf_counter()
        session.run(feeds)
        run_s = time.perf_counter() - started
        events = ortffi.read_profile(session.end_profiling())
    placement = Placement.of_last_run([events], run_s)
    nodes = onnx.load(model).graph.node
    assert (placement.n_nodes, placement.gpu_node_share) == ({CPU: len(nodes)}, 0.0)
    assert (placement.n_copies, set(placement.cpu_operators)) == (0, {node.op_type for node in nodes})
    # The kernels are inside the run.
    assert 0 < placement.cpu_time_share <= 1.0


def test_it_is_said_in_a_line():
    placement = Placement({CUDA: 1990, CPU: 10}, 4, 0.05, ("Range", "Shape"))
    assert str(placement) == (
        "100 % of the nodes (1990 CUDA, 10 CPU) and 95 % of the time on the GPU, 4 copies between "
        "host and device; left to the CPU: Range, Shape"
    )
    assert str(Placement({CUDA: 7}, 0, 0.0, ())).endswith("0 copies between host and device")
    check = GpuCheck(placement, {"short": 0.34, "long": 1.0}, 12.0, "no CUDA graphs: old")
    assert str(check) == (
        f"{placement}; durations equal to the CPU's, distance short 0.3 dB, long 1.0 dB; "
        "warmed up in 12.0 s; no CUDA graphs: old"
    )
