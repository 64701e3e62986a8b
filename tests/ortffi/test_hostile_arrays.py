"""Whatever array goes in: the result is right and its own, or an exception names the input.

What a session keeps from run to run (plans by shape and dtype, addresses, bound memory) is met by
sequences of runs that change everything between two calls; all results are kept and looked at in
the end.
"""

from __future__ import annotations

import mmap
import re
import tempfile
from dataclasses import dataclass
from multiprocessing import shared_memory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from onnx import TensorProto

import ortffi
from ortffi import Memory, RunOptions, SessionBuilder, Value
from tests.ortffi import tiny_models
from tests.profiles import costly

NUMBERS = {
    "f2": TensorProto.FLOAT16, "f4": TensorProto.FLOAT, "f8": TensorProto.DOUBLE,
    "i1": TensorProto.INT8, "i2": TensorProto.INT16, "i4": TensorProto.INT32,
    "i8": TensorProto.INT64, "u1": TensorProto.UINT8, "u2": TensorProto.UINT16,
    "u4": TensorProto.UINT32, "u8": TensorProto.UINT64, "?": TensorProto.BOOL,
}  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")

RANK_LIMIT = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32
STAGED = 4096
"""Bytes up to which an input is copied into memory that stays; larger ones are borrowed."""
RUNS = 4
"""By the last of them a run is bound."""

REFUSED = (TypeError, ValueError, ortffi.OrtError)


class Subclass(np.ndarray):
    """An array of a class of one's own, which says what it likes about itself."""

    def __eq__(self, other):
        raise AssertionError("nobody may compare")

    __hash__ = None


def counted(shape, dtype):
    """Return an array with different elements, as far as the dtype has them."""
    count = int(np.prod(shape, dtype=int))
    return (np.arange(1, count + 1) % 251).astype(dtype).reshape(shape)


def misaligned(array):
    """Return a copy that begins at an odd address."""
    raw = bytearray(array.nbytes + 1)
    view = np.frombuffer(raw, np.uint8, array.nbytes, 1).view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def from_bytes(array):
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)


def mapped(array):
    """Return a copy in anonymous mapped memory."""
    memory = mmap.mmap(-1, array.nbytes + 1)
    view = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
    view[...] = array
    return view


def in_a_file(array):
    """Return a copy in a mapped file."""
    if not array.size:  # numpy maps no empty file
        return array
    with tempfile.TemporaryFile() as file:
        file.write(array.tobytes())
        file.flush()
        return np.memmap(file, array.dtype, "r+", shape=array.shape or (1,)).reshape(array.shape)


def spread(array):
    """Return every second element of an array with gaps."""
    if not array.ndim:
        return array
    whole = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    whole[..., ::2] = array
    return whole[..., ::2]


def read_only(array):
    array.flags.writeable = False
    return array


def one_for_all(array):
    """Return a view that shows one element everywhere."""
    return np.broadcast_to(array.reshape(-1)[:1].reshape(()) if array.size else array, array.shape)


LAYOUTS = {
    "plain": lambda array: array,
    "fortran": lambda array: np.array(array, order="F"),
    "transposed": lambda array: array.T.copy(order="C").T,
    "backwards": lambda array: array[::-1] if array.ndim else array,
    "backwards inside": lambda array: array[..., ::-1] if array.ndim else array,
    "spread": spread,
    "broadcast": one_for_all,
    "read-only": read_only,
    "bytes": from_bytes,
    "misaligned": misaligned,
    "mapped": mapped,
    "file": in_a_file,
    "subclass": lambda array: array.view(Subclass),
    "matrix": lambda array: np.asmatrix(array) if array.ndim == 2 else array,
    "masked": lambda array: np.ma.MaskedArray(array, mask=False),
    "record": lambda array: array.view(np.recarray),
}

shapes = st.one_of(
    hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4),
    # Some of what makes the layouts stops at 32 before numpy 2.3.
    st.integers(6, 32).map(lambda rank: (1,) * (rank - 1) + (3,)),
    st.sampled_from([(3000,), (64, 64), (0, 5000), (5, 0), (1024,), (1025,), (2, 30, 50)]),
)


@dataclass
class Given:
    """An array, what it holds, and how it came to be."""

    array: Any
    expected: np.ndarray
    before: bytes

    def check_untouched(self):
        assert self.array.tobytes() == self.before
        assert np.asarray(self.array).tobytes() == self.before


def make(shape, dtype, layout):
    array = LAYOUTS[layout](counted(shape, dtype))
    expected = np.array(np.asarray(array), dtype, order="C")
    return Given(array, expected, array.tobytes())


@st.composite
def numbers(draw, dtypes=tuple(NUMBERS)):
    return make(draw(shapes), draw(st.sampled_from(dtypes)), draw(st.sampled_from(sorted(LAYOUTS))))


def twice(array):
    return np.asarray(array + array)


def same(result, expected):
    assert type(result) is np.ndarray
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.flags.c_contiguous
    assert result.tobytes() == expected.tobytes()


def apart(*arrays):
    """No two share memory; `may_` looks at the bounds, and a result fills its own."""
    for index, first in enumerate(arrays):
        for second in arrays[index + 1 :]:
            assert not np.may_share_memory(first, second)


@pytest.fixture(scope="module")
def identities(library):
    """A session y = x for each dtype."""
    sessions = {
        dtype: SessionBuilder().with_intra_threads(1).commit_from_memory(
            tiny_models.identity(number)
        )
        for dtype, number in {**NUMBERS, "O": TensorProto.STRING}.items()
    }  # fmt: skip
    yield sessions
    for session in sessions.values():
        session.close()


def session_of(identities, given):
    return identities["?" if given.expected.dtype == bool else given.expected.dtype.str[1:]]


@given(x=numbers(), copy=st.booleans())
def test_a_run_gives_back_what_it_was_given(identities, x, copy):
    session = session_of(identities, x)
    results = [session.run({"x": x.array}, copy=copy)[0] for _ in range(RUNS)]
    for result in results:
        same(result, x.expected)
        assert result.flags.writeable
    apart(*results, x.array)
    results[0][...] = 0
    for result in results[1:]:
        same(result, x.expected)
    x.check_untouched()


@given(x=numbers())
def test_values_hold_what_they_were_given(identities, x):
    session = session_of(identities, x)
    with Value.from_numpy(x.array) as value:
        same(value.numpy(), x.expected)
        (output,) = session.run_values({"x": value})
        (again,) = session.run_values({"x": x.array})
        same(session.run({"x": value})[0], x.expected)
    for result in (output.numpy(), again.numpy(), output.numpy(copy=False)):
        same(result, x.expected)
        apart(result, x.array)
    with Value.empty(x.expected.shape, output.element_type) as other:
        other.copy_from(x.array)
        same(other.numpy(), x.expected)
        apart(other.numpy(copy=False), x.array)
    x.check_untouched()


@given(x=numbers(), layout=st.sampled_from(sorted(LAYOUTS)))
def test_a_target_is_filled_or_refused_by_name(identities, x, layout):
    session = session_of(identities, x)
    target = make(x.expected.shape, x.expected.dtype, layout)
    flags = target.array.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable):
        with pytest.raises(ValueError, match="'y'"):
            session.run_into({"x": x.array}, {"y": target.array})
        target.check_untouched()
    else:
        session.run_into({"x": x.array}, {"y": target.array})
        assert np.asarray(target.array).tobytes() == x.expected.tobytes()
    x.check_untouched()


@given(x=numbers())
def test_an_input_is_bound_or_refused_by_name(identities, x):
    session = session_of(identities, x)
    if not (x.array.flags.c_contiguous and x.array.flags.aligned):
        with pytest.raises(ValueError, match="'x'"):
            session.bind({"x": x.array})
        return
    with session.bind({"x": x.array}, {"y": Memory.CPU}) as binding:
        binding.run()
        (output,) = binding.outputs().values()
        same(output.numpy(), x.expected)
        apart(output.numpy(copy=False), x.array)
    x.check_untouched()


@costly()
@given(w=numbers(dtypes=("f4",)))
def test_weights_are_taken_in_any_layout(w):
    from onnx import helper

    from tests.ortffi import typed_models

    if not w.expected.size or w.expected.ndim > 8:
        return
    kind = typed_models.tensor_type(shape=w.expected.shape)
    # Not zeros: adding those may be optimised away before they are replaced (1.14).
    own = helper.make_tensor("w", TensorProto.FLOAT, w.expected.shape, np.ones(w.expected.size))
    model = typed_models.model(
        [helper.make_node("Add", ["x", "w"], ["y"])], [typed_models.info("x", kind)],
        [typed_models.info("y", kind)], 13, 8, initializers=[own],
    )  # fmt: skip
    chosen = SessionBuilder().with_intra_threads(1).with_initializers({"w": w.array})
    with chosen.commit_from_memory(model) as session:
        same(session.run({"x": np.zeros_like(w.expected)})[0], w.expected)
    w.check_untouched()


NO_TENSORS = [
    np.zeros(3, ">f4"), np.zeros(3, ">i8"), np.zeros(3, "c8"), np.zeros(3, "c16"),
    np.zeros(3, "M8[ns]"), np.zeros(3, "m8[s]"), np.zeros(3, "S4"), np.zeros(3, "V4"),
    np.zeros(3, [("a", "f4"), ("b", "i4")]), np.zeros(3, [("a", "f4")]), np.zeros((), ">f4"),
    np.zeros((0, 3), ">f4"), np.zeros(2000, ">f4"), np.zeros(2000, "M8[ns]"),
    np.zeros(3, np.longdouble), np.array([1, "a"], object), np.array([None], object),
    np.array([b"a"], object), np.array([["a", 1.5]], object), np.array(None),
    np.array([np.float32(1)], object), np.array("a\0b", object), np.array(["a", "\0"], object),
    np.ma.masked_array(np.zeros(3, ">f4")), np.zeros(3, "f4").astype(np.dtype("O")),
]  # fmt: skip


@pytest.mark.parametrize("index", range(len(NO_TENSORS)))
def test_what_is_no_tensor_is_refused_by_name(identities, index):
    array = NO_TENSORS[index]
    before = array.tobytes() if not array.dtype.hasobject else array.tolist()
    for dtype in ("f4", "i8", "O"):
        session = identities[dtype]
        good = np.array(["good"] if dtype == "O" else [1], "O" if dtype == "O" else dtype)
        for use in (
            lambda session=session: session.run({"x": array}),
            lambda session=session: session.run([array]),
            lambda session=session: session.run_values({"x": array}),
            lambda session=session: session.run_into({"x": array}, {"y": np.empty(3, "f4")}),
            lambda session=session: session.bind({"x": array}),
            lambda session=session: session.bind(outputs={"y": array}),
        ):
            for _ in range(2):
                with pytest.raises(REFUSED, match=r"'[xy]'"):
                    use()
        # Fine before, fine after.
        assert session.run({"x": good})[0].tolist() == good.tolist()
    for use in (Value.from_numpy, Value.from_numpy(np.zeros(3, "f4")).copy_from):
        with pytest.raises(REFUSED):
            use(array)
    with pytest.raises(REFUSED, match=r"initializers\['w'\]"):
        ortffi.SessionOptions(initializers={"w": array})
    assert (array.tobytes() if not array.dtype.hasobject else array.tolist()) == before


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@given(
    array=hnp.arrays(object, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0), elements=texts),
    layout=st.sampled_from(["plain", "fortran", "transposed", "backwards", "spread", "subclass",
                            "matrix", "masked", "read-only", "broadcast"]),
    as_text=st.booleans(),
)  # fmt: skip
def test_strings_of_any_layout_come_back(identities, array, layout, as_text):
    if as_text:
        array = array.astype(str)
    array = LAYOUTS[layout](array)
    expected = np.asarray(array).tolist()
    session = identities["O"]
    for result in (
        session.run({"x": array})[0],
        session.run({"x": array})[0],
        session.run_values({"x": array})[0].numpy(),
        Value.from_numpy(array).numpy(),
    ):
        assert type(result) is np.ndarray
        assert result.dtype == object
        assert result.shape == array.shape
        assert result.tolist() == expected
    assert np.asarray(array).tolist() == expected


@pytest.mark.parametrize("rank", [RANK_LIMIT - 1, RANK_LIMIT])
@pytest.mark.parametrize("last", [0, 1, 7, 5000])
def test_the_highest_rank_comes_back(identities, rank, last):
    x = counted((1,) * (rank - 1) + (last,), "f4")
    for _ in range(RUNS):
        same(identities["f4"].run({"x": x})[0], x)
    same(identities["f4"].run_values({"x": x})[0].numpy(), x)
    text = x.astype(int).astype(str).astype(object)
    assert identities["O"].run({"x": text})[0].tolist() == text.tolist()


def test_memory_that_processes_share_is_read_and_written(identities):
    memory = shared_memory.SharedMemory(create=True, size=STAGED * 4)
    try:
        x = np.frombuffer(memory.buf, "f4", STAGED // 2)
        y = np.frombuffer(memory.buf, "f4", STAGED // 2, STAGED * 2)
        x[...] = counted(x.shape, "f4")
        for _ in range(RUNS):
            identities["f4"].run_into({"x": x}, {"y": y})
            same(y.copy(), x.copy())
            (result,) = identities["f4"].run({"x": x})
            apart(result, x)
        (later,) = identities["f4"].run({"x": x[:8]})
        del x, y
    finally:
        memory.close()
        memory.unlink()
    same(later, counted((8,), "f4"))
    same(result, counted(result.shape, "f4"))


def test_an_input_that_changes_its_shape_in_place_is_read_as_it_is(identities):
    x = counted((4, 3), "f4")
    for shape in [(4, 3), (3, 4), (12,), (2, 6), (12,)] * 2:
        x = x.reshape(shape)
        same(identities["f4"].run({"x": x})[0], x)
    large = counted((64, 64), "f4")
    for _ in range(RUNS):
        for view in (large, large.T, large[::-1], large[1:], large[:-1], large.view("i4")):
            if view.dtype == np.float32:
                same(identities["f4"].run({"x": view})[0], np.ascontiguousarray(view))
            else:
                with pytest.raises(ortffi.InvalidArgumentError, match="'x' must be float32"):
                    identities["f4"].run({"x": view})


class Sequences(RuleBasedStateMachine):
    """One session and one binding of it, used in any order with anything."""

    inputs = Bundle("inputs")

    @initialize(dtype=st.sampled_from(["f4", "f8", "i4", "i8"]))
    def open(self, dtype):
        self.dtype = dtype
        model = tiny_models.add(None, NUMBERS[dtype])
        self.session = SessionBuilder().with_intra_threads(1).commit_from_memory(model)
        self.options = RunOptions()
        self.results = []
        self.used = []

    def keep(self, result, expected):
        same(result, expected)
        for other in (*(other for other, _ in self.results), *(x.array for x in self.used)):
            apart(result, other)
        self.results.append((result, expected.copy()))

    @rule(target=inputs, shape=shapes, layout=st.sampled_from(sorted(LAYOUTS)))
    def make(self, shape, layout):
        return make(shape, self.dtype, layout)

    @rule(target=inputs, x=inputs)
    def make_another_alike(self, x):
        array = np.asarray(x.expected + 1, self.dtype)
        return Given(array, array.copy(), array.tobytes())

    @rule(x=inputs, times=st.integers(1, RUNS), copy=st.booleans(), positional=st.booleans(),
          with_options=st.booleans())  # fmt: skip
    def run(self, x, times, copy, positional, with_options):
        self.used.append(x)
        inputs = [x.array, x.array] if positional else {"right": x.array, "left": x.array}
        options = self.options if with_options else None
        for _ in range(times):
            total, difference = self.session.run(inputs, options=options, copy=copy)
            self.keep(total, twice(x.expected))
            self.keep(difference, np.zeros_like(x.expected))

    @rule(x=inputs)
    def run_one_output(self, x):
        self.used.append(x)
        self.keep(self.session.run([x.array, x.array], ["total"])[0], twice(x.expected))

    @rule(x=inputs)
    def run_to_a_value(self, x):
        self.used.append(x)
        (value,) = self.session.run_values([x.array, x.array], ["total"])
        view = value.numpy(copy=False)
        same(view, twice(x.expected))
        self.keep(value.numpy(), twice(x.expected))
        self.results.append((view, twice(x.expected)))

    @rule(x=inputs)
    def run_into_an_array(self, x):
        target = np.empty_like(x.expected)
        self.session.run_into([x.array, x.array], {"total": target})
        self.keep(target, twice(x.expected))

    @rule(x=inputs)
    def run_in_the_background(self, x):
        total, _ = self.session.submit([x.array, x.array]).result(60)
        self.keep(total, twice(x.expected))

    @rule(x=inputs)
    def bind(self, x):
        self.used.append(x)
        target = np.empty_like(x.expected)
        source = np.ascontiguousarray(x.expected).reshape(x.expected.shape).copy()
        with self.session.bind({"left": source, "right": source}, {"total": target}) as binding:
            binding.run()
            source[...] = source + source
            binding.run()
        self.keep(target, twice(twice(x.expected)))

    @rule(x=inputs)
    def run_wrongly(self, x):
        for wrong in (x.array.astype("c8"), x.array.astype("?"), None, x.array.tolist()):
            with pytest.raises(REFUSED, match=re.compile("left|right")):
                self.session.run([x.array, wrong])

    @rule(x=inputs, y=inputs)
    def run_with_shapes_that_may_not_go_together(self, x, y):
        self.used += [x, y]
        try:
            expected = np.asarray(x.expected + y.expected)
        except ValueError:
            with pytest.raises(ortffi.OrtError):
                self.session.run([x.array, y.array])
            return
        if expected.ndim <= 8:  # the kernel for broadcasting need not take more
            self.keep(self.session.run([x.array, y.array], ["total"])[0], expected)

    @precondition(lambda self: self.results)
    @rule(data=st.data())
    def drop_a_result(self, data):
        del self.results[data.draw(st.integers(0, len(self.results) - 1))]

    @precondition(lambda self: self.results)
    @rule(data=st.data())
    def overwrite_a_result(self, data):
        result, _ = self.results.pop(data.draw(st.integers(0, len(self.results) - 1)))
        if result.flags.writeable:
            result[...] = 0

    @rule(x=inputs)
    def overwrite_an_input(self, x):
        if x.array.flags.writeable and type(x.array) is np.ndarray:
            x.array[...] = x.array + 1
            x.expected = np.array(x.array, order="C")
            x.before = x.array.tobytes()

    @precondition(lambda self: self.results)
    @rule(data=st.data(), times=st.integers(1, RUNS))
    def feed_a_result_back(self, data, times):
        result, expected = data.draw(st.sampled_from(self.results), "result")
        for _ in range(times):
            total, _ = self.session.run([result, result])
            same(total, twice(expected))
            self.results.append((total, twice(expected)))

    @invariant()
    def results_stay(self):
        for result, expected in getattr(self, "results", ()):
            assert result.tobytes() == expected.tobytes()
        for x in getattr(self, "used", ()):
            assert np.asarray(x.array).tobytes() == x.before

    def teardown(self):
        if hasattr(self, "session"):
            note("closing")
            self.session.close()
            self.options.close()
            self.results_stay()


Sequences.TestCase.settings = costly(
    part=6,
    stateful_step_count=30,
    suppress_health_check=list(HealthCheck),
)
TestSequences = Sequences.TestCase
