"""What each option of a session does."""

import ctypes
import logging
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from onnx import helper
from tests.ortffi import tiny_models, typed_models
from tests.ortffi.raw_session import needs

import ortffi
from ortffi import (
    CPU,
    CUDA,
    ExecutionMode,
    FailError,
    GraphOptimizationLevel,
    LogLevel,
    ProviderUnavailableError,
    SessionBuilder,
    SessionOptions,
)

X = np.float32([1, 2, 3])


def builder():
    return SessionBuilder().with_intra_threads(1)


def assert_adds(session):
    total, difference = session.run({"left": X, "right": X})
    assert total.tolist() == (2 * X).tolist()
    assert not difference.any()


@pytest.mark.parametrize(
    "options",
    [SessionOptions(optimization_level=level) for level in GraphOptimizationLevel]
    + [
        SessionOptions(execution_mode=ExecutionMode.PARALLEL, inter_op_threads=2),
        SessionOptions(allow_spinning=False),
        SessionOptions(memory_pattern=False, cpu_arena=False),
        SessionOptions(log_id="adder", log_verbosity=1, log_level=LogLevel.FATAL),
        SessionOptions(providers=[CPU()]),
        SessionOptions(optimization_level=99, execution_mode=0, log_level=4),
    ],
)
def test_a_session_computes_the_same_whatever_the_options(options):
    with SessionBuilder(options).with_intra_threads(1).commit_from_memory(tiny_models.add()) as session:
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


def test_free_dimensions_are_fixed_by_name():
    with builder().commit_from_memory(tiny_models.add()) as session:
        assert session.inputs[0].shape == ("n",)
    with builder().with_free_dimensions(n=3).commit_from_memory(tiny_models.add()) as session:
        assert [info.shape for info in session.inputs] == [(3,), (3,)]
        assert_adds(session)
        with pytest.raises(ortffi.InvalidArgumentError, match=r"left|right"):
            session.run({"left": np.ones(4, np.float32), "right": np.ones(4, np.float32)})


def test_free_dimensions_are_fixed_by_denotation():
    kind = typed_models.tensor_type(shape=("n",))
    kind.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    model = typed_models.identity(kind)
    options = SessionOptions(free_dimension_denotations={"DATA_BATCH": 2}, intra_op_threads=1)
    with SessionBuilder(options).commit_from_memory(model) as session:
        assert session.inputs[0].shape == (2,)


def test_an_optimized_model_is_written_and_loads(tmp_path):
    path = tmp_path / "optimized.onnx"
    chosen = builder().with_optimized_model(path)
    chosen.with_optimization_level(GraphOptimizationLevel.BASIC)
    chosen.commit_from_memory(tiny_models.add()).close()
    with builder().commit_from_file(path) as session:
        assert_adds(session)


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    chosen = builder().with_optimized_model(tmp_path / "nowhere" / "optimized.onnx")
    with pytest.raises(ortffi.OrtError):
        chosen.commit_from_memory(tiny_models.add())


def test_deterministic_compute_is_asked_for(fake, use):
    needs("SetDeterministicCompute")
    use(fake.environment())
    with builder().with_deterministic_compute().commit_from_memory(tiny_models.add()) as session:
        assert_adds(session)
    assert fake.calls.count("SetDeterministicCompute") == 1


def test_a_profile_names_the_kernels(tmp_path):
    chosen = builder().with_profiling(tmp_path / "profile")
    with chosen.commit_from_memory(tiny_models.add()) as session:
        for _ in range(3):
            assert_adds(session)
        path = session.end_profiling()
    assert path.parent == tmp_path
    assert path.name.startswith("profile")
    events = ortffi.read_profile(path)
    assert {event.operator for event in events} == {"Add", "Sub"}
    assert len(events) == 6
    assert all(event.provider == "CPUExecutionProvider" for event in events)
    assert ortffi.by_provider(events)["CPUExecutionProvider"].n_nodes == 2


def test_a_session_without_a_profile_says_so(load, tmp_path):
    session = load(tiny_models.add())
    for _ in range(2):
        with pytest.raises(ortffi.OrtError):
            session.end_profiling()
    with builder().with_profiling(tmp_path / "p").commit_from_memory(tiny_models.add()) as session:
        session.end_profiling()
        with pytest.raises(ortffi.OrtError):
            session.end_profiling()
        assert_adds(session)


def test_a_sessions_messages_go_to_its_logger(caplog):
    needs("SetUserLoggingFunction")
    logger = logging.getLogger("test.session")
    caplog.set_level(logging.DEBUG, logger.name)
    chosen = builder().with_logger(logger).with_log_level(LogLevel.VERBOSE)
    with chosen.with_options(log_id="the adder").commit_from_memory(tiny_models.add()) as session:
        assert_adds(session)
    assert caplog.records
    assert {record.name for record in caplog.records} == {logger.name}
    assert any(record.log_id == "the adder" for record in caplog.records)
    quiet = builder().with_logger(logger).with_log_level(LogLevel.FATAL)
    caplog.clear()
    with quiet.commit_from_memory(tiny_models.add()) as session:
        assert_adds(session)
    assert not caplog.records


@pytest.fixture
def recorded():
    """A session that knows which provider has which node."""
    if not ortffi.init().api.has("Session_GetEpGraphAssignmentInfo"):
        needs("SetUserLoggingFunction")
    with builder().with_assignment().commit_from_memory(tiny_models.add()) as session:
        yield session


def test_the_assignment_counts_all_nodes(recorded):
    nodes = recorded.assignment()
    assert ortffi.count_by_provider(nodes) == {"CPUExecutionProvider": 2}
    if ortffi.init().api.has("Session_GetEpGraphAssignmentInfo"):
        assert sorted(node.operator for node in nodes) == ["Add", "Sub"]
    assert_adds(recorded)
    recorded.close()
    with pytest.raises(ortffi.ClosedError):
        recorded.assignment()


def test_a_session_that_recorded_nothing_says_so(load):
    session = load(tiny_models.add())
    with pytest.raises((ortffi.OrtError, ortffi.UnsupportedError)):
        session.assignment()


@pytest.fixture
def cuda(fake, use):
    """A library that was built with CUDA and gives it no node; the CPU has all."""
    if not ortffi.init().api.has("Session_GetEpGraphAssignmentInfo"):
        needs("SetUserLoggingFunction")
    use(fake.environment())
    names = (ctypes.c_char_p * 2)(b"CUDAExecutionProvider", b"CPUExecutionProvider")
    made = ctypes.c_int()

    def available(out, count):
        ctypes.c_void_p.from_address(out).value = ctypes.addressof(names)
        ctypes.c_int.from_address(count).value = len(names)

    def create(out):
        ctypes.c_void_p.from_address(out).value = ctypes.addressof(made)

    fake.replace |= {
        "GetAvailableProviders": available,
        "ReleaseAvailableProviders": lambda _names, _count: None,
        "CreateCUDAProviderOptions": create,
        "UpdateCUDAProviderOptions": lambda *_: None,
        "SessionOptionsAppendExecutionProvider_CUDA_V2": lambda *_: None,
        "ReleaseCUDAProviderOptions": lambda _options: None,
    }
    yield fake
    assert not fake.outstanding
    assert not fake.mistakes


@pytest.mark.usefixtures("cuda")
def test_a_session_without_a_node_on_the_gpu_is_refused_where_one_is_required():
    chosen = builder().with_cuda(require=True)
    with pytest.raises(ProviderUnavailableError) as caught:
        chosen.commit_from_memory(tiny_models.add())
    message = str(caught.value)
    assert message == "no node runs on CUDAExecutionProvider; nodes: CPUExecutionProvider 2"


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize(("limit", "is_refused"), [(0, True), (1, True), (2, False), (3, False)])
def test_a_session_that_leaves_too_many_nodes_to_the_cpu_is_refused(limit, is_refused):
    chosen = builder().with_cuda(max_cpu_nodes=limit)
    if is_refused:
        with pytest.raises(ProviderUnavailableError, match=rf"2 nodes run.*{limit} are allowed"):
            chosen.commit_from_memory(tiny_models.add())
    else:
        with chosen.commit_from_memory(tiny_models.add()) as session:
            assert_adds(session)
            assert ortffi.count_by_provider(session.assignment())["CPUExecutionProvider"] == 2


@pytest.mark.usefixtures("cuda")
def test_without_a_demand_the_cpu_may_have_all_nodes():
    chosen = builder().with_cuda()
    assert chosen.options.providers == (CUDA(),)
    assert not chosen.options.on_host
    with chosen.commit_from_memory(tiny_models.add()) as session:
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


def test_without_the_library_the_model_is_refused(load):
    with pytest.raises(ortffi.OrtError, match=r"test\.ortffi|Negate"):
        load(negate())


def test_a_library_that_refuses_says_why(compile_operators):
    chosen = builder().with_custom_ops(compile_operators("-DREFUSE"))
    with pytest.raises(FailError, match="wants nothing to do with it"):
        chosen.commit_from_memory(negate())


def test_what_is_no_library_of_operators_is_refused(tmp_path, library):
    text = tmp_path / "text.so"
    text.write_text("no library")
    for path in (text, tmp_path / "missing.so", library.path):
        with pytest.raises(ortffi.OrtError):
            builder().with_custom_ops(path).commit_from_memory(tiny_models.add())


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


@pytest.mark.parametrize("name", ["shared_threads", "shared_arena"])
def test_what_the_environment_does_not_have_cannot_be_shared(run_python, name):
    # This process's has what any test of the service gave it, and that stays.
    script = f"""
import ortffi
from tests.ortffi import tiny_models
try:
    ortffi.SessionBuilder().with_options({name}=True).commit_from_memory(tiny_models.add())
except ValueError as error:
    print(error)
"""
    done = run_python(script)
    assert done.returncode == 0, done.stderr
    assert "ortffi.init" in done.stdout
