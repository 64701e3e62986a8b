"""Loading a model: from a file, from memory, and what is refused."""

from functools import partial

import numpy as np
import pytest

import ortffi
from ortffi import ErrorCode, GraphOptimizationLevel, LogLevel, OrtError, SessionBuilder
from tests.ortffi import tiny_models
from tests.ortffi.refusals import not_refused

ONES = np.ones(2, np.float32)
MODEL = tiny_models.add()


@pytest.fixture(params=["file", "memory"])
def commit(request, tmp_path):
    """Load bytes as a model, both ways."""

    def from_file(content):
        path = tmp_path / "modèle.onnx"
        path.write_bytes(content)
        return SessionBuilder().commit_from_file(path)

    return from_file if request.param == "file" else SessionBuilder().commit_from_memory


def assert_works(session):
    with session:
        assert session.run({"left": ONES, "right": ONES})[0].tolist() == [2, 2]


def test_a_path_may_be_str_or_bytes(tmp_path):
    path = tmp_path / "é.onnx"
    path.write_bytes(MODEL)
    for given in (path, str(path), str(path).encode()):
        assert_works(SessionBuilder().commit_from_file(given))


def test_a_model_loads_from_any_buffer_and_the_buffer_may_be_overwritten():
    for buffer in (bytes, memoryview, lambda model: np.frombuffer(model, "u1")):
        assert_works(SessionBuilder().commit_from_memory(buffer(MODEL)))
    model = bytearray(MODEL)
    session = SessionBuilder().commit_from_memory(model)
    model[:] = bytes(len(model))
    model.clear()  # which a buffer that is still lent would refuse
    assert_works(session)


@pytest.mark.parametrize("more", [{}, {"session.use_ort_model_bytes_for_initializers": "0"}])
def test_the_buffer_is_kept_where_it_is_read_in_place(more):
    builder = SessionBuilder()
    for entry in {"session.use_ort_model_bytes_directly": "1", **more}.items():
        builder.with_config(*entry)
    model = bytearray(MODEL)
    session = builder.commit_from_memory(model)
    with pytest.raises(BufferError):
        model.clear()
    session.close()
    model.clear()


def test_what_is_no_model_is_refused(commit):
    """After each the builder still loads a model."""
    for content, error, words in [
        (b"this is no model, this is a text" * 100, ortffi.InvalidProtobufError, "."),
        *((MODEL[:-missing], ortffi.InvalidProtobufError, ".") for missing in (1, 10, len(MODEL) // 2, len(MODEL) - 1)),
        (b"", OrtError, "graph"),
        (tiny_models.invalid_graph(), OrtError, "NoSuchOperator"),
    ]:
        with pytest.raises(error, match=words) as caught:
            commit(content)
        assert caught.value.function.startswith("CreateSession")
        assert caught.value.message
        assert error is OrtError or caught.value.code is ErrorCode.INVALID_PROTOBUF
        assert_works(commit(MODEL))


def test_what_is_no_path_of_a_model_is_refused(tmp_path):
    (tmp_path / "model").write_bytes(MODEL)
    missing, commit = ortffi.NoSuchFileError, SessionBuilder().commit_from_file
    assert not not_refused(
        (partial(commit, path), error, words)
        for path, error, words in [
            (tmp_path / "missing.onnx", missing, r"missing\.onnx"), ("", missing, ""),
            (tmp_path, OrtError, r"CreateSession\]"), (f"{tmp_path}/model\0.onnx", ValueError, "NUL"),
        ]
    )  # fmt: skip


def test_every_option_changes_the_builder_and_leaves_a_session_that_works():
    builder = SessionBuilder()
    for with_option, *values in [
        (builder.with_optimization_level, GraphOptimizationLevel.BASIC), (builder.with_intra_threads, 1),
        (builder.with_inter_threads, 1), (builder.with_memory_pattern, False), (builder.with_memory_pattern, True),
        (builder.with_cpu_arena, False), (builder.with_cpu_arena, True), (builder.with_log_level, LogLevel.ERROR),
        (builder.with_cpu,), (builder.with_config, "session.intra_op.allow_spinning", "0"),
    ]:  # fmt: skip
        assert with_option(*values) is builder
    assert_works(builder.commit_from_memory(MODEL))


def test_options_reach_onnx_runtime_each_time_a_builder_is_committed(fake, use):
    use(fake.environment())
    builder = SessionBuilder().with_optimization_level(GraphOptimizationLevel.EXTENDED).with_intra_threads(2)
    builder.with_inter_threads(3).with_memory_pattern(False).with_cpu_arena(False)
    builder.with_config("session.set_denormal_as_zero", "1").with_log_level(LogLevel.ERROR)
    expected = [
        ("SetSessionGraphOptimizationLevel", 2), ("SetIntraOpNumThreads", 2), ("SetInterOpNumThreads", 3),
        ("DisableMemPattern",), ("DisableCpuMemArena",),
        ("AddSessionConfigEntry", b"session.set_denormal_as_zero", b"1"), ("SetSessionLogSeverityLevel", 3),
    ]  # fmt: skip
    seen = []
    for name, *_ in expected:
        fake.replace[name] = lambda _options, *arguments, name=name: seen.append((name, *arguments))
    for _ in range(2):
        seen.clear()
        builder.commit_from_memory(MODEL).close()
        assert seen == expected


def test_infer_takes_a_path_or_a_buffer(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(MODEL)
    inputs = {"left": ONES, "right": ONES}
    for model in (path, str(path), MODEL, bytearray(MODEL), memoryview(MODEL)):
        assert [a.tolist() for a in ortffi.infer(model, inputs)] == [[2, 2], [0, 0]]
    assert [a.tolist() for a in ortffi.infer(MODEL, inputs, ["difference"])] == [[0, 0]]
    with pytest.raises(ortffi.NoSuchFileError):
        ortffi.infer(tmp_path / "missing", inputs)
