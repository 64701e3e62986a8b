"""Weights that are given must be the model's in name, element type and shape."""

import contextlib
import itertools
import random
import struct
from functools import partial

import numpy as np
import pytest
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

import ortffi
from ortffi import ElementType, SessionBuilder, Value
from ortffi._ort_format import OrtFormatError, initializers
from ortffi.model_file import ModelFileError, read_initializers
from tests.ortffi import tiny_models, typed_models
from tests.ortffi.hostile_arrays import LAYOUTS, NUMBERS
from tests.ortffi.raw_session import needs
from tests.ortffi.refusals import not_refused
from tests.ortffi.test_weights import GIVEN, X, add_weight, builder, ort_model, run
from tests.profiles import given

__all__ = ["ort_model"]

SHAPES = [(), (0,), (1,), (3,), (2,), (3, 1), (1, 3), (1000,), (3, 0), (100, 1000)]
REFUSED = r"initializers\['w'\] must be float32 of shape \[3\], not "


def sessions(ort_model, tmp_path):
    """Return each way to load a model with given weights, as functions of the builder."""
    (tmp_path / "model.onnx").write_bytes(add_weight())
    return {
        "memory": lambda chosen: chosen.commit_from_memory(add_weight()),
        "file": lambda chosen: chosen.commit_from_file(tmp_path / "model.onnx"),
        "mmap": lambda chosen: chosen.commit_from_mmap(tmp_path / "model.onnx"),
        "overridable": lambda chosen: chosen.commit_from_memory(add_weight(overridable=True)),
        "ORT format": lambda chosen: chosen.commit_from_memory(ort_model.read_bytes()),
        "ORT file": lambda chosen: chosen.commit_from_file(ort_model),
        "ORT mmap": lambda chosen: chosen.commit_from_mmap(ort_model),
    }


@pytest.mark.thorough
def test_another_type_or_shape_is_refused_however_the_model_is_loaded(ort_model, tmp_path):
    misses = []
    for how, load in sessions(ort_model, tmp_path).items():
        with load(builder().with_initializers({"w": GIVEN})) as session:
            assert run(session) == (X + GIVEN).tolist()
        others = [case for case in itertools.product([*NUMBERS, str], SHAPES) if case != ("f4", (3,))]
        for dtype, shape in others:
            array = np.zeros(shape, dtype)
            cases = [
                (partial(load, builder().with_initializers({"w": weight})), ortffi.InvalidArgumentError, REFUSED)
                for weight in (array, Value.from_numpy(array))
            ]
            misses += [f"{how}, {dtype}, {shape}: {miss}" for miss in not_refused(cases)]
    assert not misses, "\n".join(misses)


def test_a_weight_may_have_any_layout():
    for layout, arrange in LAYOUTS.items():
        array = arrange(GIVEN.copy())
        expected = (X + np.asarray(array)).tolist()
        with builder().with_initializers({"w": array}).commit_from_memory(add_weight()) as session:
            assert run(session) == expected, layout


@pytest.mark.parametrize("name", ["BFLOAT16", "INT4", "UINT4", "UINT2", "FLOAT8E5M2", "FLOAT8E8M0"])
def test_types_that_share_a_dtype_are_told_apart(name):
    tensor = TensorProto(name="w", data_type=getattr(TensorProto, name), dims=[3], raw_data=bytes(6))
    node = helper.make_node("Identity", ["w"], ["y"])
    model = helper.make_model(helper.make_graph([node], "g", [], [], [tensor])).SerializeToString()
    assert read_initializers(model) == {"w": {(ElementType[name], (3,))}}
    weights = {"w": np.zeros(3, ortffi.DTYPES[ElementType[name]])}
    with pytest.raises(ortffi.InvalidArgumentError, match=f"{name.lower()} .in an"):
        builder().with_initializers(weights).commit_from_memory(model)


def test_a_weight_that_the_model_does_not_have_is_refused():
    for option, name in itertools.product(
        ("with_initializers", "with_external_initializers"), ("x", "y", "W", "", "v")
    ):
        with pytest.raises(ortffi.InvalidArgumentError, match="no such initializer"):
            getattr(builder(), option)({name: GIVEN}).commit_from_memory(add_weight())


def test_external_weights_are_checked_too():
    needs("AddExternalInitializers")
    model = add_weight(external="weights.bin")
    for weight in (np.int8([1, 2, 3]), np.float32([1, 2]), np.float32([[1, 2, 3]]), np.zeros(0)):
        with pytest.raises(ortffi.InvalidArgumentError, match="external_" + REFUSED):
            builder().with_external_initializers({"w": weight}).commit_from_memory(model)


def constant_weight():
    """y = x + the output w of a constant."""
    kind = typed_models.tensor_type(shape=(3,))
    value = numpy_helper.from_array(np.float32([10, 20, 30]), "another name")
    nodes = [helper.make_node("Constant", [], ["w"], value=value), helper.make_node("Add", ["x", "w"], ["y"])]
    return typed_models.model(nodes, [typed_models.info("x", kind)], [typed_models.info("y", kind)])


def branches(*shapes):
    """y = the sum of w in one of two branches, each with a w of its own."""
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    node = helper.make_node("ReduceSum", ["w"], ["y"], keepdims=0)
    weights = [numpy_helper.from_array(np.ones(shape, np.float32), "w") for shape in shapes]
    first, other = (helper.make_graph([node], "branch", [], [out], [weight]) for weight in weights)
    x, y = typed_models.tensor_type(TensorProto.BOOL, ()), typed_models.tensor_type(shape=())
    return typed_models.of_one_node("If", x, y, then_branch=first, else_branch=other)


def in_ort_format(model, tmp_path):
    path = tmp_path / "made.ort"
    chosen = builder().with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
    chosen = chosen.with_config("session.save_model_format", "ORT").with_optimized_model(path)
    chosen.commit_from_memory(model).close()
    return path.read_bytes()


@pytest.mark.parametrize("is_ort", [False, True])
def test_constants_and_weights_of_branches_are_initializers(tmp_path, is_ort):
    models = constant_weight(), branches((3,), (3,)), branches((3,), (4,)), branches((4,), (3,))
    if is_ort:
        models = tuple(in_ort_format(model, tmp_path) for model in models)
    of_constant, of_branches, *of_different_ones = models
    with builder().with_initializers({"w": GIVEN}).commit_from_memory(of_constant) as session:
        assert run(session) == (X + GIVEN).tolist()
    with builder().with_initializers({"w": GIVEN}).commit_from_memory(of_branches) as session:
        assert session.run([np.array(True)])[0] in (3, GIVEN.sum())
    for model in (of_constant, of_branches):
        with pytest.raises(ortffi.InvalidArgumentError, match=REFUSED):
            builder().with_initializers({"w": np.zeros(4, np.float32)}).commit_from_memory(model)
    for model in of_different_ones:  # it cannot be both
        with pytest.raises(ortffi.InvalidArgumentError, match="must be float32 of shape"):
            builder().with_initializers({"w": GIVEN}).commit_from_memory(model)


def test_the_shape_of_a_sparse_weight_is_the_dense_one():
    values = helper.make_tensor("w", TensorProto.FLOAT, [1], [5])
    indices = helper.make_tensor("i", TensorProto.INT64, [1], [2])
    sparse = helper.make_sparse_tensor(values, indices, [3])
    graph = helper.make_graph([], "g", [], [], sparse_initializer=[sparse])
    found = read_initializers(helper.make_model(graph).SerializeToString())
    assert found == {"w": {(ElementType.FLOAT, (3,))}}


def test_both_formats_say_the_same(tmp_path):
    for model in (tiny_models.product(), tiny_models.count_up(), branches((2, 3), (4,))):
        expected = read_initializers(model)
        found = read_initializers(in_ort_format(model, tmp_path))
        assert found == expected
        assert found


def test_a_missing_file_is_reported_as_without_weights(tmp_path):
    with pytest.raises(ortffi.NoSuchFileError):
        builder().with_initializers({"w": GIVEN}).commit_from_file(tmp_path / "none.onnx")
    for content in (b"", b"none", add_weight()[:-5], b"1234ORTM" + bytes(100)):
        with pytest.raises(ortffi.InvalidProtobufError):
            builder().with_initializers({"w": GIVEN}).commit_from_memory(content)


def test_damaged_models_in_ort_format_are_read_or_refused(ort_model):
    content = ort_model.read_bytes()
    assert list(initializers(memoryview(content)))
    dice = random.Random(46)
    for _ in range(3000):
        broken = bytearray(content)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(0, len(broken) - 4)
            if 4 <= at < 8:
                continue
            broken[at : at + 4] = struct.pack("<I", dice.choice([0, 1, 2**31, 2**32 - 1, at]))
        kept = dice.choice([len(broken), dice.randrange(9, 99)])
        with contextlib.suppress(ModelFileError):
            read_initializers(bytes(broken[:kept]))


@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    with contextlib.suppress(OrtFormatError):
        for name, data_type, shape in initializers(memoryview(content)):
            assert (type(name), type(data_type), type(shape)) == (str, int, tuple)


def test_a_builder_checks_each_model_it_loads():
    chosen = SessionBuilder().with_intra_threads(1).with_initializers({"w": GIVEN})
    for _ in range(2):
        chosen.commit_from_memory(add_weight()).close()
        with pytest.raises(ortffi.InvalidArgumentError, match=r"must be float32 of shape \[64, 64"):
            chosen.commit_from_memory(tiny_models.product())
