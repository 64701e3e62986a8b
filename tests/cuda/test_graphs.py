"""CUDA graphs on the stub: what is captured and replayed, and what a real one would do wrong."""

from collections import Counter

from ortffi._api import ErrorCode
from tests.cuda.graph_programs import START
from tests.cuda.stub import Refusal


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
    assert stub.graph_runs == [(-1, "none"), (0, "capture"), (0, "replay"), (0, "replay"), (3, "capture"), (-1, "none")]


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
    threads = [call.arguments["thread"] for call in stub.named("RunWithBinding") if "thread" in call.arguments]
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
    wanted = [f"Failed to parse the cuda graph annotation id: {text}" for text in ("first", "1 ", "")]
    assert answer.splitlines() == wanted
    assert stub.graph_runs == []
