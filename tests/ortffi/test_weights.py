"""Weights that are given to a session, shared by sessions, kept in files, or mapped."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

import ortffi
from ortffi import PrepackedWeights, SessionBuilder, Value
from tests.ortffi import tiny_models, typed_models
from tests.ortffi.raw_session import needs

X = np.float32([1, 2, 3])
OWN = np.float32([10, 20, 30])
GIVEN = np.float32([100, 200, 300])
SIZE = 64
"""Of a matrix that MatMul rearranges."""


def add_weight(*, overridable=False, external=None):
    """y = x + w, with w in the model, or in a file beside it."""
    weight = helper.make_tensor("w", TensorProto.FLOAT, [3], OWN)
    if external is not None:
        weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3])
        weight.data_location = TensorProto.EXTERNAL
        for key, value in {"location": external, "offset": "0", "length": "12"}.items():
            weight.external_data.add(key=key, value=value)
    kind = typed_models.tensor_type(shape=(3,))
    inputs = [typed_models.info("x", kind)]
    inputs += [typed_models.info("w", kind)] if overridable else []
    node = helper.make_node("Add", ["x", "w"], ["y"])
    return typed_models.model([node], inputs, [typed_models.info("y", kind)], 13, 8, initializers=[weight])


def builder():
    return SessionBuilder().with_intra_threads(1)


def run(session):
    return session.run({"x": X})[0].tolist()


def test_a_weight_may_be_an_input_where_the_model_says_so(load):
    session = load(add_weight(overridable=True))
    assert [info.name for info in session.inputs] == ["x"]
    (info,) = session.overridable_initializers
    assert (info.name, info.shape, info.dtype) == ("w", (3,), np.float32)
    for _ in range(3):
        assert run(session) == (X + OWN).tolist()
        assert session.run({"x": X, "w": GIVEN})[0].tolist() == (X + GIVEN).tolist()
    with pytest.raises(ortffi.InvalidArgumentError, match="'w' must be float32"):
        session.run({"x": X, "w": GIVEN.astype(np.int64)})
    y = np.empty(3, np.float32)
    session.bind({"x": X, "w": GIVEN}, {"y": y}).run()
    assert y.tolist() == (X + GIVEN).tolist()


def test_a_weight_of_the_models_own_is_no_input(load):
    session = load(add_weight())
    assert session.overridable_initializers == ()
    with pytest.raises(ortffi.InvalidArgumentError, match="w"):
        session.run({"x": X, "w": GIVEN})


@pytest.mark.parametrize("as_value", [False, True])
def test_a_session_computes_with_the_weights_it_was_given(as_value):
    weight = Value.from_numpy(GIVEN) if as_value else GIVEN
    chosen = builder().with_initializers({"w": weight})
    for _ in range(2):
        with chosen.commit_from_memory(add_weight()) as session:
            assert run(session) == (X + GIVEN).tolist()
    if as_value:
        weight.close()
        with pytest.raises(ortffi.ClosedError):
            chosen.commit_from_memory(add_weight())


def test_a_session_keeps_the_weights_it_borrows():
    weight = GIVEN.copy()
    gone = weakref.ref(weight)
    value = Value.from_numpy(weight)
    session = builder().with_initializers({"w": value}).commit_from_memory(add_weight())
    del weight
    value.close()
    gc.collect()
    assert gone() is not None
    assert run(session) == (X + GIVEN).tolist()
    session.close()
    del session
    gc.collect()
    assert gone() is None


def test_sessions_with_the_same_weights_share_what_is_made_of_them(watched):
    matrix = np.eye(SIZE, dtype=np.float32) * 2
    x = np.arange(2 * SIZE, dtype=np.float32).reshape(2, SIZE)
    with PrepackedWeights() as weights, Value.from_numpy(matrix) as value:
        chosen = builder().with_prepacked_weights(weights).with_initializers({"w": value})
        sessions = [chosen.commit_from_memory(tiny_models.product()) for _ in range(3)]
    made = [name for name in watched.calls if "PrepackedWeightsContainer" in name]
    assert made == ["CreatePrepackedWeightsContainer", *["CreateSessionFromArrayWithPrepackedWeightsContainer"] * 3]
    for session in sessions:  # which keep the weights, though both were closed
        assert session.run({"x": x})[0].tolist() == (x * 2).tolist()
        session.close()


def test_prepacked_weights_serve_models_in_files_too(tmp_path):
    (tmp_path / "model.onnx").write_bytes(add_weight())
    with PrepackedWeights() as weights:
        chosen = builder().with_prepacked_weights(weights)
        with chosen.commit_from_file(tmp_path / "model.onnx") as session:
            assert run(session) == (X + OWN).tolist()
    with pytest.raises(ortffi.ClosedError):
        chosen.commit_from_memory(add_weight())


def test_weights_in_a_file_beside_the_model_are_found(tmp_path, monkeypatch):
    (tmp_path / "model.onnx").write_bytes(add_weight(external="weights.bin"))
    with pytest.raises(ortffi.OrtError, match=r"weights\.bin"):
        builder().commit_from_file(tmp_path / "model.onnx")
    (tmp_path / "weights.bin").write_bytes(OWN.tobytes())
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "model.onnx", "model.onnx"):
        with builder().commit_from_file(path) as session:
            assert run(session) == (X + OWN).tolist()
    if ortffi.init().library.api_version <= 20:
        pytest.skip("ONNX Runtime up to 1.20 cannot be told the folder of a model in memory")
    with builder().commit_from_mmap(tmp_path / "model.onnx") as session:
        assert run(session) == (X + OWN).tolist()


@pytest.mark.parametrize("kind", [np.array, bytes, bytearray, memoryview])
def test_external_weights_are_given_as_arrays_or_as_the_files_content(kind):
    model = add_weight(external="weights.bin")
    if kind is np.array:
        needs("AddExternalInitializers")
        chosen = builder().with_external_initializers({"w": GIVEN})
    else:
        needs("AddExternalInitializersFromFilesInMemory")
        chosen = builder().with_external_files({"weights.bin": kind(GIVEN.tobytes())})
        with pytest.raises(ortffi.OrtError):
            builder().with_external_files({"weights.bin": kind(b"1234")}).commit_from_memory(model)
    for _ in range(2):
        session = chosen.commit_from_memory(model)
        gc.collect()
        assert run(session) == (X + GIVEN).tolist()
        session.close()


def test_an_old_library_says_what_it_lacks(fake, use):
    use(fake.environment(11))
    for chosen, function in (
        (builder().with_external_initializers({"w": GIVEN}), "AddExternalInitializers"),
        (builder().with_external_files({"weights.bin": b""}), "AddExternalInitializersFromFilesInMemory"),
        (builder().with_deterministic_compute(), "SetDeterministicCompute"),
    ):
        with pytest.raises(ortffi.UnsupportedError, match=rf"{function} came with"):
            chosen.commit_from_memory(add_weight())
    assert {kind for kind, _ in fake.outstanding} <= {"value"}  # what the last builder holds


def test_a_failed_commit_releases_everything(watched):
    chosen = builder().with_initializers({"w": GIVEN})
    for victim in ("AddInitializer", "CreateSessionOptions", "CreateSessionFromArray", "SetIntraOpNumThreads"):
        watched.fail = lambda name, victim=victim: name == victim
        with pytest.raises(ortffi.FailError, match=victim):
            chosen.commit_from_memory(add_weight())
    watched.fail = lambda _name: False
    with chosen.commit_from_memory(add_weight()) as session:
        assert run(session) == (X + GIVEN).tolist()


@pytest.fixture
def ort_model(tmp_path):
    """The model in ORT format, as ONNX Runtime itself writes it."""
    path = tmp_path / "model.ort"
    chosen = builder().with_optimized_model(path).with_config("session.save_model_format", "ORT")
    chosen.commit_from_memory(add_weight()).close()
    assert path.read_bytes()[4:8] == b"ORTM"
    return path


@pytest.mark.parametrize("how", ["file", "mmap", "memory"])
def test_a_model_in_ort_format_loads(ort_model, how):
    model = ort_model.read_bytes() if how == "memory" else ort_model
    session = getattr(builder(), f"commit_from_{how}")(model)
    del model
    gc.collect()
    for _ in range(3):
        assert run(session) == (X + OWN).tolist()
    session.close()


def is_mapped(path):
    return str(path) in Path("/proc/self/maps").read_text()


def test_a_mapped_model_in_ort_format_stays_mapped_while_its_session_lives(ort_model):
    session = builder().commit_from_mmap(ort_model)
    assert is_mapped(ort_model)
    ort_model.unlink()  # which takes it from nobody who has it
    assert run(session) == (X + OWN).tolist()
    session.close()
    del session
    gc.collect()
    assert not is_mapped(ort_model)


def test_a_mapped_onnx_model_is_let_go(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(add_weight())
    with builder().commit_from_mmap(path) as session:
        gc.collect()
        assert not is_mapped(path)
        assert run(session) == (X + OWN).tolist()


def test_a_cut_model_and_what_cannot_be_mapped_are_refused(ort_model, tmp_path):
    content = ort_model.read_bytes()
    assert len(content) > 1000
    for kept in (1000, 100, 8, 0):
        ort_model.write_bytes(content[:kept])
        for commit in (builder().commit_from_file, builder().commit_from_mmap):
            with pytest.raises(ortffi.OrtError):
                commit(ort_model)
    for path, error in ((tmp_path / "missing", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(error):
            builder().commit_from_mmap(path)
