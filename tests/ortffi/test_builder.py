"""Loading a model: from a file, from memory, and what is refused."""

import numpy as np
import pytest
from tests.ortffi import tiny_models

import ortffi
from ortffi import ErrorCode, GraphOptimizationLevel, LogLevel, OrtError, SessionBuilder

ONES = np.ones(2, np.float32)
MODEL = tiny_models.add()


@pytest.fixture(params=["file", "memory"])
def commit(request, tmp_path):
    """Load bytes as a model, both ways."""

    def from_file(content):
        path = tmp_path / "modèle.onnx"
        path.write_bytes(content)
        return SessionBuilder().commit_from_file(path)

    def from_memory(content):
        return SessionBuilder().commit_from_memory(content)

    return from_file if request.param == "file" else from_memory


def assert_works(session):
    with session:
        assert session.run({"left": ONES, "right": ONES})[0].tolist() == [2, 2]


def test_a_model_loads(commit):
    assert_works(commit(MODEL))


@pytest.mark.parametrize("path_type", [str, bytes])
def test_a_path_may_be_str_or_bytes(tmp_path, path_type):
    path = tmp_path / "é.onnx"
    path.write_bytes(MODEL)
    encoded = str(path) if path_type is str else str(path).encode()
    assert_works(SessionBuilder().commit_from_file(encoded))


@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, "u1")])
def test_a_model_loads_from_any_buffer_and_the_buffer_may_go(buffer):
    session = SessionBuilder().commit_from_memory(buffer(MODEL))
    assert_works(session)


def test_the_buffer_may_be_overwritten_once_the_session_is_made():
    model = bytearray(MODEL)
    session = SessionBuilder().commit_from_memory(model)
    model[:] = bytes(len(model))
    model.clear()  # which a buffer that is still lent would refuse
    assert_works(session)


@pytest.mark.parametrize(
    "entries",
    [
        {"session.use_ort_model_bytes_directly": "1"},
        {"session.use_ort_model_bytes_directly": "1", "session.use_ort_model_bytes_for_initializers": "0"},
    ],
)
def test_the_buffer_is_kept_where_it_is_read_in_place(entries):
    builder = SessionBuilder()
    for entry in entries.items():
        builder.with_config(*entry)
    model = bytearray(MODEL)
    session = builder.commit_from_memory(model)
    with pytest.raises(BufferError):
        model.clear()
    session.close()
    model.clear()


def test_garbage_is_no_protobuf(commit):
    with pytest.raises(ortffi.InvalidProtobufError) as caught:
        commit(b"this is no model, this is a text" * 100)
    assert caught.value.code is ErrorCode.INVALID_PROTOBUF
    assert caught.value.function.startswith("CreateSession")
    assert caught.value.message
    assert_works(commit(MODEL))


@pytest.mark.parametrize("missing", [1, 10, len(MODEL) // 2, len(MODEL) - 1])
def test_a_truncated_model_is_no_protobuf(commit, missing):
    with pytest.raises(ortffi.InvalidProtobufError):
        commit(MODEL[:-missing])
    assert_works(commit(MODEL))


def test_an_empty_model_is_refused(commit):
    with pytest.raises(OrtError, match="graph") as caught:
        commit(b"")
    assert caught.value.function.startswith("CreateSession")


def test_an_invalid_model_is_refused_with_the_operators_name(commit):
    with pytest.raises(OrtError, match="NoSuchOperator"):
        commit(tiny_models.invalid_graph())


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ortffi.NoSuchFileError, match=r"missing\.onnx") as caught:
        SessionBuilder().commit_from_file(tmp_path / "missing.onnx")
    assert caught.value.code == 3
    with pytest.raises(ortffi.NoSuchFileError):
        SessionBuilder().commit_from_file("")


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(OrtError) as caught:
        SessionBuilder().commit_from_file(tmp_path)
    assert caught.value.function == "CreateSession"


def test_a_path_with_nul_is_refused_and_not_cut(tmp_path):
    (tmp_path / "model").write_bytes(MODEL)
    with pytest.raises(ValueError, match="NUL"):
        SessionBuilder().commit_from_file(f"{tmp_path}/model\0.onnx")


@pytest.mark.parametrize("path", [None, 3, ["model.onnx"]])
def test_a_path_must_be_one(path):
    with pytest.raises(TypeError):
        SessionBuilder().commit_from_file(path)


@pytest.mark.parametrize("model", [None, "text", 3, [1, 2], memoryview(MODEL)[::2]])
def test_a_model_in_memory_must_be_a_contiguous_buffer(model):
    with pytest.raises(TypeError):
        SessionBuilder().commit_from_memory(model)


def test_every_option_changes_the_builder_and_leaves_a_session_that_works():
    builder = SessionBuilder()
    for with_option, value in [
        (builder.with_optimization_level, GraphOptimizationLevel.BASIC),
        (builder.with_intra_threads, 1),
        (builder.with_inter_threads, 1),
        (builder.with_memory_pattern, False),
        (builder.with_memory_pattern, True),
        (builder.with_cpu_arena, False),
        (builder.with_cpu_arena, True),
        (builder.with_log_level, LogLevel.ERROR),
    ]:
        assert with_option(value) is builder
    assert builder.with_cpu() is builder
    assert builder.with_config("session.intra_op.allow_spinning", "0") is builder
    assert_works(builder.commit_from_memory(MODEL))


def test_options_reach_onnx_runtime_each_time_a_builder_is_committed(fake, use):
    use(fake.environment())
    builder = (
        SessionBuilder()
        .with_optimization_level(GraphOptimizationLevel.EXTENDED)
        .with_intra_threads(2)
        .with_inter_threads(3)
        .with_memory_pattern(False)
        .with_cpu_arena(False)
        .with_config("session.set_denormal_as_zero", "1")
        .with_log_level(LogLevel.ERROR)
    )
    seen = []
    names = {
        "SetSessionGraphOptimizationLevel": 2,
        "SetIntraOpNumThreads": 2,
        "SetInterOpNumThreads": 3,
        "DisableMemPattern": None,
        "DisableCpuMemArena": None,
        "AddSessionConfigEntry": (b"session.set_denormal_as_zero", b"1"),
        "SetSessionLogSeverityLevel": 3,
    }
    for name in names:

        def record(_options, *arguments, name=name):
            value = arguments if len(arguments) > 1 else (*arguments, None)[0]
            seen.append((name, value))

        fake.replace[name] = record
    for _ in range(2):
        seen.clear()
        builder.commit_from_memory(MODEL).close()
        assert seen == list(names.items())


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("with_intra_threads", (-1,), ValueError),
        ("with_intra_threads", (2**31,), ValueError),
        ("with_intra_threads", ("2",), TypeError),
        ("with_intra_threads", (True,), TypeError),
        ("with_inter_threads", (1.5,), TypeError),
        ("with_optimization_level", (7,), ValueError),
        ("with_log_level", (9,), ValueError),
        ("with_config", ("key\0", "1"), ValueError),
        ("with_config", ("key", "1\0"), ValueError),
        ("with_config", ("key", 1), TypeError),
    ],
)
def test_an_option_that_c_would_misread_is_refused(method, arguments, error):
    with pytest.raises(error):
        getattr(SessionBuilder(), method)(*arguments)


def test_infer_takes_a_path_or_a_buffer(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(MODEL)
    inputs = {"left": ONES, "right": ONES}
    for model in (path, str(path), MODEL, bytearray(MODEL), memoryview(MODEL)):
        assert [a.tolist() for a in ortffi.infer(model, inputs)] == [[2, 2], [0, 0]]
    assert [a.tolist() for a in ortffi.infer(MODEL, inputs, ["difference"])] == [[0, 0]]
    with pytest.raises(ortffi.NoSuchFileError):
        ortffi.infer(tmp_path / "missing", inputs)


def test_infer_lets_the_model_go(fake, use):
    use(fake.environment())
    ortffi.infer(MODEL, {"left": ONES, "right": ONES})
    with pytest.raises(OrtError):
        ortffi.infer(MODEL, {"left": ONES})
    assert not fake.outstanding
    assert not fake.mistakes
