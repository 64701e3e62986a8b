"""A profile is read as ONNX Runtime writes it, and as much of it as there is."""

import json

import numpy as np
import pytest
from onnx import TensorProto, helper

import ortffi
from ortffi.profile import KernelEvent, by_provider, read_profile
from tests.ortffi import tiny_models

NAMES = ('say "cheese"', "back\\slash", "encoder/layer.0/MatMul", "", "über_kernel_time")


def model_of(names):
    nodes = [helper.make_node("Neg", [f"x{index}"], [f"x{index + 1}"], name=name) for index, name in enumerate(names)]
    ends = [helper.make_tensor_value_info(f"x{index}", TensorProto.FLOAT, ["n"]) for index in (0, len(names))]
    graph, opsets = helper.make_graph(nodes, "chain", ends[:1], ends[1:]), [helper.make_opsetid("", tiny_models.OPSET)]
    return helper.make_model(graph, ir_version=tiny_models.IR_VERSION, opset_imports=opsets).SerializeToString()


@pytest.fixture
def profile_of(tmp_path):
    """Run a model with a profile, not optimized, so that the nodes are its own; return the profile's path."""

    def profile_of(model, inputs):
        chosen = ortffi.SessionBuilder().with_intra_threads(1).with_profiling(tmp_path / "profile")
        chosen.with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
        with chosen.commit_from_memory(model) as session:
            session.run(inputs)
            return session.end_profiling()

    return profile_of


@pytest.fixture
def written(tmp_path):
    """Write a profile and return its path."""

    def written(text):
        path = tmp_path / "profile.json"
        path.write_text(text)
        return path

    return written


def event(node, provider, start_us, duration_us, thread=1):
    return KernelEvent(node, "Op", provider, start_us / 1e6, duration_us / 1e6, thread)


def line(node="a", **changes):
    arguments = {"op_name": "Add", "provider": "CPUExecutionProvider"}
    entry = {"cat": "Node", "name": f"{node}_kernel_time", "ts": 5, "dur": 7, "tid": 3}
    return json.dumps({**entry, "args": arguments, **changes})


def test_a_real_profile_names_each_node(profile_of):
    events = read_profile(profile_of(model_of(NAMES), {"x0": np.ones(3, np.float32)}))
    assert [event.node for event in events if event.node in NAMES] == [n for n in NAMES if n]
    assert [(event.operator, event.provider) for event in events] == [("Neg", "CPUExecutionProvider")] * len(NAMES)
    assert all(event.duration_s >= 0 for event in events)
    starts = [event.start_s for event in events]
    assert starts == sorted(starts)
    assert 0 < starts[-1] < 60


def test_a_loop_does_not_count_its_body_again(profile_of):
    inputs = {"n": np.array(1000), "start": np.zeros(1, np.int64)}
    events = read_profile(profile_of(tiny_models.count_up(), inputs))
    (loop,) = (event for event in events if event.operator == "Loop")
    assert len(events) == 2001
    share = by_provider(events)["CPUExecutionProvider"]
    assert share.duration_s == pytest.approx(loop.duration_s)
    assert (share.time_share, share.node_share, share.n_nodes) == (1, 1, 3)


def test_a_profile_cut_short_anywhere_gives_its_whole_events(profile_of, tmp_path):
    path, cut = profile_of(model_of(NAMES), {"x0": np.ones(3, np.float32)}), tmp_path / "cut.json"
    content, events = path.read_bytes(), read_profile(path)
    seen = set()
    for length in range(0, len(content), 7):
        cut.write_bytes(content[:length])
        some = read_profile(cut)
        assert some == events[: len(some)]
        seen.add(len(some))
    assert seen == set(range(len(NAMES) + 1))


def test_shares_of_two_providers():
    times = [
        ("a", "CUDA", 0, 30),
        ("b", "CPU", 30, 10),
        ("a", "CUDA", 40, 30),
        ("b", "CPU", 70, 10),
        ("c", "CPU", 80, 0),
    ]
    shares = by_provider([event(*each) for each in times])
    assert list(shares) == ["CUDA", "CPU"]
    assert [share.time_share for share in shares.values()] == pytest.approx([0.75, 0.25])
    assert [share.n_nodes for share in shares.values()] == [1, 2]
    assert [share.node_share for share in shares.values()] == pytest.approx([1 / 3, 2 / 3])
    assert shares["CUDA"].duration_s == pytest.approx(60e-6)


def test_what_runs_inside_a_node_is_not_the_nodes_own_time():
    events = [
        event("inner", "CUDA", 10, 60),
        event("innermost", "CPU", 20, 10),
        event("loop", "CPU", 0, 100),
        event("beside", "CUDA", 0, 100, thread=2),
        event("after", "CUDA", 100, 50),
    ]
    shares = by_provider(events)
    assert shares["CPU"].duration_s == pytest.approx((100 - 60 + 10) / 1e6)
    assert shares["CUDA"].duration_s == pytest.approx((60 - 10 + 100 + 50) / 1e6)


def test_no_events_and_no_time():
    assert by_provider([]) == {}
    assert by_provider([event("a", "CPU", 0, 0)])["CPU"].time_share == 0


@pytest.mark.parametrize("text", ["", "[", "[\n", "[]", "[\n]\n", "\n"])
def test_a_profile_without_events(written, text):
    assert read_profile(written(text)) == ()


@pytest.mark.parametrize(
    "other",
    [
        line(cat="Session"), line(name="a_fence_before"), line(name=None),
        line(args=None), line(ts="soon"), line(dur=None), "17", "null", '{"cat" : "Node","name" :"',
    ],
)  # fmt: skip
def test_what_is_no_kernels_event_is_left_out(written, other):
    events = read_profile(written(f"[{line('a')},\n{other},\n{line('b')}]\n"))
    assert [event.node for event in events] == ["a", "b"]


def test_names_that_were_not_escaped_are_read(written):
    """As ONNX Runtime 1.18 writes them."""
    path = written(
        '[\n{"cat" : "Node","pid" :1,"tid" :1,"dur" :49,"ts" :41,"ph" : "X",'
        '"name" :"q"u\\ote_kernel_time","args" : {"provider" : "CPU","op_name" : "Neg"}},\n]\n'
    )
    assert read_profile(path) == (KernelEvent('q"u\\ote', "Neg", "CPU", pytest.approx(41e-6), pytest.approx(49e-6), 1),)


def test_another_file_is_refused(written):
    path = written('{"cat": "Node"}')
    with pytest.raises(ValueError, match=r"profile\.json is not a profile"):
        read_profile(path)
    with pytest.raises(FileNotFoundError):
        read_profile(path.with_name("absent.json"))
