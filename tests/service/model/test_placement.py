import time

import numpy as np
import onnx
import pytest
from service.model.placement import GpuCheck, Placement
from tests.small_kokoro import write_small_kokoro

import ortffi

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


def event(node, provider, start_s, duration_s, operator="Conv", thread=1):
    return ortffi.KernelEvent(node, operator, provider, start_s, duration_s, thread)


def test_nodes_and_time_are_shared_between_providers():
    events = [
        event("a", CUDA, 0.0, 0.1),
        event("b", CPU, 0.1, 0.2, "Range"),
        event("c", CUDA, 0.3, 0.1),
        event("d", CUDA, 0.4, 0.1),
    ]
    placement = Placement.of_last_run([events], 0.8)
    assert placement.n_nodes == {CUDA: 3, CPU: 1}
    assert placement.gpu_node_share == pytest.approx(0.75)
    # The GPU is waited for at the end: all but the processor's own time is its time.
    assert placement.cpu_time_share == pytest.approx(0.25)
    assert placement.gpu_time_share == pytest.approx(0.75)
    assert placement.cpu_operators == ("Range",)
    assert placement.n_copies == 0


def test_all_on_the_gpu_and_all_on_the_processor():
    on_gpu = Placement.of_last_run([[event("a", CUDA, 0, 1)]], 1.0)
    assert (on_gpu.gpu_node_share, on_gpu.gpu_time_share) == (1.0, 1.0)
    on_cpu = Placement.of_last_run([[event("a", CPU, 0, 1)]], 1.0)
    assert (on_cpu.gpu_node_share, on_cpu.gpu_time_share) == (0.0, 0.0)


def test_nothing_seen_is_nothing_on_the_gpu():
    placement = Placement.of_last_run([], 1.0)
    assert placement.gpu_node_share == 0.0
    assert Placement.of_last_run([[event("a", CUDA, 0, 1)]], 0.0).gpu_time_share == 0.0


def test_copies_are_no_nodes():
    events = [
        event("a", CUDA, 0.0, 0.1),
        event("in", CUDA, 0.1, 0.1, "MemcpyFromHost"),
        event("out", CUDA, 0.2, 0.1, "MemcpyToHost"),
        event("back", CUDA, 0.3, 0.1, "MemcpyToHost"),
    ]
    placement = Placement.of_last_run([events], 1.0)
    assert placement.n_copies == 3
    assert placement.n_nodes == {CUDA: 1}


@pytest.mark.parametrize(
    ("events", "covered_s"),
    [
        ([("loop", 0.0, 0.4, 1), ("body", 0.1, 0.2, 1)], 0.4),  # one inside the other
        ([("body", 0.1, 0.2, 1), ("loop", 0.0, 0.4, 1)], 0.4),  # which ends first, as in a file
        ([("a", 0.0, 0.3, 1), ("b", 0.2, 0.3, 2)], 0.5),  # two threads at once
        ([("a", 0.0, 0.3, 1), ("b", 0.0, 0.3, 2)], 0.3),
        ([("a", 0.0, 0.1, 1), ("b", 0.5, 0.1, 1)], 0.2),  # apart
        ([("a", 0.0, 0.6, 1), ("b", 0.1, 0.1, 1), ("c", 0.4, 0.4, 2)], 0.8),
    ],
)
def test_time_is_counted_once(events, covered_s):
    made = [event(node, CPU, start, length, thread=thread) for node, start, length, thread in events]
    placement = Placement.of_last_run([made], 1.0)
    assert placement.cpu_time_share == pytest.approx(covered_s)


def test_only_the_last_of_several_runs_counts():
    first = [event("a", CPU, 0.0, 0.9), event("b", CUDA, 0.9, 0.1)]
    last = [event("a", CPU, 5.0, 0.1), event("b", CUDA, 5.1, 0.1)]
    placement = Placement.of_last_run([[*first, *last]], 0.5)
    assert placement.n_nodes == {CPU: 1, CUDA: 1}
    assert placement.cpu_time_share == pytest.approx(0.2)


def test_each_session_has_its_own_nodes_and_its_own_clock():
    encoder = [event("a", CPU, 0.0, 0.1), event("b", CUDA, 0.1, 0.1)]
    decoder = [event("a", CPU, 0.0, 0.2), event("b", CUDA, 0.2, 0.1)]
    placement = Placement.of_last_run([encoder, decoder], 0.6)
    assert placement.n_nodes == {CPU: 2, CUDA: 2}
    assert placement.cpu_time_share == pytest.approx(0.5)


def test_more_time_than_the_run_took_is_all_of_it():
    assert Placement.of_last_run([[event("a", CPU, 0, 2)]], 1.0).cpu_time_share == 1.0


def test_the_most_frequent_operators_of_the_processor_come_first():
    names = ["Range", "Shape", "Gather", "Shape", "Shape", "Gather"]
    events = [event(f"n{k}", CPU, k, 0.1, name) for k, name in enumerate(names)]
    events += [event("g", CUDA, 9, 0.1, "Conv")]
    placement = Placement.of_last_run([events], 10.0)
    assert placement.cpu_operators == ("Shape", "Gather", "Range")
    assert list(placement.n_nodes) == [CPU, CUDA]


def test_a_real_profile_of_the_processor_has_no_share_of_a_gpu(tmp_path):
    model = write_small_kokoro(tmp_path / "small.onnx")
    builder = ortffi.SessionBuilder().with_cpu().with_intra_threads(1)
    builder = builder.with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
    feeds = {
        "tokens": np.arange(500)[None] % 178, "style": np.zeros((1, 256), np.float32),
        "speed": np.ones(1, np.float32),
    }  # fmt: skip
    with builder.with_profiling(tmp_path / "profile").commit_from_file(model) as session:
        session.run(feeds)
        started = time.perf_counter()
        session.run(feeds)
        run_s = time.perf_counter() - started
        events = ortffi.read_profile(session.end_profiling())
    placement = Placement.of_last_run([events], run_s)
    nodes = onnx.load(model).graph.node
    assert placement.n_nodes == {CPU: len(nodes)}
    assert placement.gpu_node_share == 0.0
    assert placement.n_copies == 0
    assert set(placement.cpu_operators) == {node.op_type for node in nodes}
    # The kernels are inside the run.
    assert 0 < placement.cpu_time_share <= 1.0


def test_it_is_said_in_a_line():
    placement = Placement({CUDA: 1990, CPU: 10}, 4, 0.05, ("Range", "Shape"))
    assert str(placement) == (
        "100 % of the nodes (1990 CUDA, 10 CPU) and 95 % of the time on the GPU, 4 copies between "
        "host and device; left to the CPU: Range, Shape"
    )
    whole = str(Placement({CUDA: 7}, 0, 0.0, ()))
    assert whole.endswith("0 copies between host and device")
    check = GpuCheck(placement, {"short": 0.34, "long": 1.0}, 12.0, "no CUDA graphs: old")
    assert str(check) == (
        f"{placement}; durations equal to the CPU's, distance short 0.3 dB, long 1.0 dB; "
        "warmed up in 12.0 s; no CUDA graphs: old"
    )
