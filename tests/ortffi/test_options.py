"""What each option of a session does."""

import ctypes
import logging
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import ortffi
from ortffi import ExecutionMode, GraphOptimizationLevel, LogLevel, SessionBuilder, SessionOptions
from tests.ortffi import tiny_models, typed_models
from tests.ortffi.raw_session import needs

X = np.float32([1, 2, 3])
ADD = tiny_models.add()


def builder():
    return SessionBuilder().with_intra_threads(1)


def assert_adds(session):
    total, difference = session.run({"left": X, "right": X})
    assert total.tolist() == (2 * X).tolist()
    assert not difference.any()


def assert_adds_with(chosen):
    with chosen.commit_from_memory(ADD) as session:
        assert_adds(session)


@pytest.mark.parametrize(
    "options",
    [SessionOptions(optimization_level=level) for level in GraphOptimizationLevel]
    + [
        SessionOptions(execution_mode=ExecutionMode.PARALLEL, inter_op_threads=2),
        SessionOptions(allow_spinning=False),
        SessionOptions(memory_pattern=False, cpu_arena=False),
        SessionOptions(log_id="adder", log_verbosity=1, log_level=LogLevel.FATAL),
        SessionOptions(providers=[ortffi.CPU()]),
        SessionOptions(optimization_level=99, execution_mode=0, log_level=4),
    ],
)
def test_a_session_computes_the_same_whatever_the_options(options):
    with SessionBuilder(options).with_intra_threads(1).commit_from_memory(ADD) as session:
        for _ in range(4):
            assert_adds(session)


def test_options_are_compared_and_replaced_and_never_changed():
    config = {"session.intra_op.allow_spinning": "0"}
    options = SessionOptions(intra_op_threads=2, config=config)
    config["more"] = "1"
    assert options == SessionOptions(intra_op_threads=2, config={"session.intra_op.allow_spinning": "0"})
    with pytest.raises(AttributeError):
        options.intra_op_threads = 3
    with pytest.raises(TypeError):
        options.config["key"] = "value"
    chosen = SessionBuilder(options).with_config("key", "value")
    assert chosen.options.config == {"session.intra_op.allow_spinning": "0", "key": "value"}
    assert "key" not in options.config
    assert SessionOptions(log_level=3).log_level is LogLevel.ERROR


def test_free_dimensions_are_fixed_by_name_or_denotation():
    with builder().commit_from_memory(ADD) as session:
        assert session.inputs[0].shape == ("n",)
    with builder().with_free_dimensions(n=3).commit_from_memory(ADD) as session:
        assert [info.shape for info in session.inputs] == [(3,), (3,)]
        assert_adds(session)
        with pytest.raises(ortffi.InvalidArgumentError, match=r"left|right"):
            session.run({"left": np.ones(4, np.float32), "right": np.ones(4, np.float32)})
    kind = typed_models.tensor_type(shape=("n",))
    kind.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    chosen = builder().with_options(free_dimension_denotations={"DATA_BATCH": 2})
    with chosen.commit_from_memory(typed_models.identity(kind)) as session:
        assert session.inputs[0].shape == (2,)


def test_an_optimized_model_is_written_and_loads(tmp_path):
    path = tmp_path / "optimized.onnx"
    assert_adds_with(builder().with_optimized_model(path).with_optimization_level(GraphOptimizationLevel.BASIC))
    with builder().commit_from_file(path) as session:
        assert_adds(session)
    with pytest.raises(ortffi.OrtError):
        builder().with_optimized_model(tmp_path / "nowhere" / "optimized.onnx").commit_from_memory(ADD)


def test_deterministic_compute_is_asked_for(watched):
    needs("SetDeterministicCompute")
    assert_adds_with(builder().with_deterministic_compute())
    assert watched.calls.count("SetDeterministicCompute") == 1


def test_a_profile_names_the_kernels(tmp_path):
    chosen = builder().with_profiling(tmp_path / "profile")
    with chosen.commit_from_memory(ADD) as session:
        for _ in range(3):
            assert_adds(session)
        path = session.end_profiling()
        with pytest.raises(ortffi.OrtError):
            session.end_profiling()
        assert_adds(session)
    assert path.parent == tmp_path
    assert path.name.startswith("profile")
    events = ortffi.read_profile(path)
    assert sorted(event.operator for event in events) == ["Add"] * 3 + ["Sub"] * 3
    assert all(event.provider == "CPUExecutionProvider" for event in events)
    assert ortffi.by_provider(events)["CPUExecutionProvider"].n_nodes == 2


def test_a_session_that_recorded_nothing_says_so(load):
    session = load(ADD)
    for _ in range(2):
        with pytest.raises(ortffi.OrtError):
            session.end_profiling()
    with pytest.raises((ortffi.OrtError, ortffi.UnsupportedError)):
        session.assignment()


def test_a_sessions_messages_go_to_its_logger(caplog):
    needs("SetUserLoggingFunction")
    logger = logging.getLogger("test.session")
    caplog.set_level(logging.DEBUG, logger.name)
    chosen = builder().with_logger(logger)
    assert_adds_with(chosen.with_log_level(LogLevel.VERBOSE).with_options(log_id="the adder"))
    assert {record.name for record in caplog.records} == {logger.name}
    assert any(record.log_id == "the adder" for record in caplog.records)
    caplog.clear()
    assert_adds_with(chosen.with_log_level(LogLevel.FATAL))
    assert not caplog.records


def test_the_assignment_counts_all_nodes():
    says_which = ortffi.init().api.has("Session_GetEpGraphAssignmentInfo")
    if not says_which:
        needs("SetUserLoggingFunction")
    with builder().with_assignment().commit_from_memory(ADD) as session:
        nodes = session.assignment()
        assert_adds(session)
    assert ortffi.count_by_provider(nodes) == {"CPUExecutionProvider": 2}
    if says_which:
        assert sorted(node.operator for node in nodes) == ["Add", "Sub"]
    with pytest.raises(ortffi.ClosedError):
        session.assignment()


@pytest.fixture
def cuda(watched):
    """A library that was built with CUDA and gives it no node; the CPU has all."""
    if not ortffi.init().api.has("Session_GetEpGraphAssignmentInfo"):
        needs("SetUserLoggingFunction")
    names = (ctypes.c_char_p * 2)(b"CUDAExecutionProvider", b"CPUExecutionProvider")
    made = ctypes.c_int()

    def available(out, count):
        ctypes.c_void_p.from_address(out).value = ctypes.addressof(names)
        ctypes.c_int.from_address(count).value = len(names)

    def create(out):
        ctypes.c_void_p.from_address(out).value = ctypes.addressof(made)

    watched.replace |= {
        "GetAvailableProviders": available,
        "ReleaseAvailableProviders": lambda _names, _count: None,
        "CreateCUDAProviderOptions": create,
        "UpdateCUDAProviderOptions": lambda *_: None,
        "SessionOptionsAppendExecutionProvider_CUDA_V2": lambda *_: None,
        "ReleaseCUDAProviderOptions": lambda _options: None,
    }


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize(
    ("demand", "words"),
    [
        ({"require": True}, "^no node runs on CUDAExecutionProvider; nodes: CPUExecutionProvider 2$"),
        ({"max_cpu_nodes": 0}, "2 nodes run.*0 are allowed"),
        ({"max_cpu_nodes": 1}, "2 nodes run.*1 are allowed"),
    ],
)
def test_a_session_that_leaves_too_many_nodes_to_the_cpu_is_refused(demand, words):
    with pytest.raises(ortffi.ProviderUnavailableError, match=words):
        builder().with_cuda(**demand).commit_from_memory(ADD)


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize("limit", [2, 3])
def test_a_session_may_leave_so_many_nodes_to_the_cpu(limit):
    with builder().with_cuda(max_cpu_nodes=limit).commit_from_memory(ADD) as session:
        assert_adds(session)
        assert ortffi.count_by_provider(session.assignment())["CPUExecutionProvider"] == 2


@pytest.mark.usefixtures("cuda")
def test_without_a_demand_the_cpu_may_have_all_nodes():
    chosen = builder().with_cuda()
    assert chosen.options.providers == (ortffi.CUDA(),)
    assert not chosen.options.on_host
    with chosen.commit_from_memory(ADD) as session:
        for _ in range(4):  # and nothing is bound, since inputs would be copied to the GPU
            assert_adds(session)


@pytest.fixture(scope="session")
def compile_operators(tmp_path_factory):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler: install gcc")

    def compile_operators(*flags):
        path = tmp_path_factory.mktemp("operators") / "libnegate.so"
        source = Path(__file__).with_name("custom_op.c")
        subprocess.run([compiler, "-std=gnu11", "-shared", "-fPIC", "-o", path, *flags, source], check=True)
        return path

    return compile_operators


def negate():
    """y = -x by an operator of the library above."""
    node = helper.make_node("Negate", ["x"], ["y"], domain="test.ortffi")
    kind = typed_models.tensor_type(shape=None)
    ends = typed_models.info("x", kind), typed_models.info("y", kind)
    return typed_models.model([node], [ends[0]], [ends[1]], 13, 8, {"test.ortffi": 1})


def test_a_library_of_operators_is_used(compile_operators):
    chosen = builder().with_custom_ops(compile_operators())
    for _ in range(2):
        with chosen.commit_from_memory(negate()) as session:
            for shape in [(3,), (2, 3), (), (0,), (5000,)]:
                x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
                for _ in range(4):
                    assert session.run({"x": x})[0].tolist() == (-x).tolist()


def test_without_a_library_that_works_the_model_is_refused(load, compile_operators, tmp_path, library):
    with pytest.raises(ortffi.OrtError, match=r"test\.ortffi|Negate"):
        load(negate())
    with pytest.raises(ortffi.FailError, match="wants nothing to do with it"):
        builder().with_custom_ops(compile_operators("-DREFUSE")).commit_from_memory(negate())
    text = tmp_path / "text.so"
    text.write_text("no library")
    for path in (text, tmp_path / "missing.so", library.path):
        with pytest.raises(ortffi.OrtError):
            builder().with_custom_ops(path).commit_from_memory(ADD)


def test_sessions_share_the_environments_threads_and_arena(run_python, library):
    script = f"""
import numpy as np
import ortffi
from tests.ortffi import tiny_models
environment = ortffi.init({str(library.path)!r}, thread_pools=ortffi.ThreadPools(1, 1))
environment.share_cpu_arena(ortffi.ArenaConfig(max_mem=1 << 20))
builder = ortffi.SessionBuilder().with_shared_threads().with_shared_arena()
sessions = [builder.commit_from_memory(tiny_models.add()) for _ in range(2)]
small, large = np.ones(10, np.float32), np.ones(1 << 20, np.float32)
for session in sessions:
    print(session.run([small, small])[0].sum())
    try:  # the arena is the one with a limit
        session.run([large, large])
    except ortffi.OrtError as error:
        print("memory" in error.message.lower())
"""
    done = run_python(script)
    assert done.stdout.split() == ["20.0", "True"] * 2, done.stderr
    assert done.returncode == 0


def test_what_the_environment_does_not_have_cannot_be_shared(run_python):
    # This process's has what any test of the service gave it, and that stays.
    script = """
import ortffi
from tests.ortffi import tiny_models
for name in ("shared_threads", "shared_arena"):
    try:
        ortffi.SessionBuilder().with_options(**{name: True}).commit_from_memory(tiny_models.add())
    except ValueError as error:
        print(error)
"""
    assert run_python(script).stdout.count("ortffi.init") == 2
