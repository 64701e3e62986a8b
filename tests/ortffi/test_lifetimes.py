"""How long arrays, values and outputs live: as long as anything shows their memory."""

import gc

import numpy as np
import pytest
from tests.ortffi import tiny_models
from tests.ortffi.lifetimes import LARGE, MAKERS, SMALL, count, load, weak_array

import ortffi
from ortffi import Memory, Value

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("close", [True, False], ids=["closed", "dropped"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_view_outlives_whatever_it_came_from(watched, make, close):
    session = load(tiny_models.identity())
    array = make(session)
    part = array[1000:2000:2]
    if close:
        session.close()
    del session, array
    gc.collect()
    # Memory that is free by mistake would be one of these now.
    others = [np.full(5000, 7, np.float32) for _ in range(50)]
    assert (part == 1).all()
    assert part.shape == (500,)
    del part, others
    gc.collect()
    assert not watched.outstanding


def test_a_view_keeps_the_memory_of_a_closed_value(watched):
    array, gone = weak_array(5000)
    value = Value.from_numpy(array)
    shown = value.numpy(copy=False)
    value.close()
    del array
    gc.collect()
    assert gone() is not None
    assert (shown == np.arange(5000)).all()
    del shown
    gc.collect()
    assert gone() is None
    assert not watched.outstanding


def test_a_closed_value_lets_the_array_go():
    array, gone = weak_array(5000)
    value = Value.from_numpy(array)
    value.close()
    del array
    assert gone() is None


@pytest.mark.parametrize("make", [Value.from_sequence, lambda items: items[0]])
def test_what_is_made_of_a_value_keeps_the_memory_and_not_the_value(make):
    array, gone = weak_array(5000)
    part = Value.from_numpy(array)
    whole = make([part])
    if whole is not part:
        part.close()
    del array, part
    gc.collect()
    assert gone() is not None
    item = whole.items()[0] if whole.kind is ortffi.OnnxType.SEQUENCE else whole
    assert (item.numpy() == np.arange(5000)).all()
    del whole, item
    gc.collect()
    assert gone() is None


def test_an_output_that_is_an_input_shows_the_memory_that_was_really_given():
    # What cannot be borrowed is copied, and it is the copy that the output shows.
    with load(tiny_models.passing_through()) as session:
        names = [info.name for info in session.inputs]
        given = np.arange(1_000_000, dtype=np.float32)[::2]
        outputs = session.run_values([given] * len(names), names)
        others = [np.full(500_000, -1, np.float32) for _ in range(4)]
        for output in outputs:
            assert (output.numpy() == given).all()
        del others


def test_outputs_fed_back_keep_only_the_last(watched):
    with load(tiny_models.identity()) as session:
        state = Value.from_numpy(LARGE)
        for _ in range(50):
            (state,) = session.run_values([state])
            assert count(watched, "value") < 5
        assert (state.numpy() == 1).all()


def test_sequences_fed_back_keep_only_the_last(watched):
    with load(tiny_models.sequence_output()) as session:
        items = [Value.from_numpy(LARGE)]
        for _ in range(50):
            y, pair = session.run_values([items[0]])
            items = Value.from_sequence([*pair.items(), y]).items()
            gc.collect()
            assert count(watched, "value") < 15
        assert all((item.numpy() == 1).all() for item in items)
        del y, pair, items


def test_bound_outputs_fed_back_keep_only_the_last(watched):
    with load(tiny_models.identity()) as session:
        binding = session.bind({"x": LARGE}, {"y": Memory.CPU})
        for _ in range(50):
            binding.run()
            binding.bind_input("x", binding.outputs()["y"])
            assert count(watched, "value") < 5
        binding.run()
        assert (binding.outputs()["y"].numpy() == 1).all()


def test_an_output_with_memory_of_its_own_keeps_no_input():
    array, gone = weak_array(5000)
    with load(tiny_models.identity()) as session:
        (output,) = session.run_values([array])
        binding = session.bind({"x": array}, {"y": Memory.CPU})
        binding.run()
        bound = binding.outputs()["y"]
        binding.close()
    del array
    gc.collect()
    assert gone() is None
    assert output.numpy().tolist() == bound.numpy().tolist() == list(range(5000))


def test_a_memory_takes_every_run_s_output_anew():
    with load(tiny_models.identity()) as session:
        binding = session.bind(outputs={"y": Memory.CPU})
        shown = []
        for length in (5000, 5000, 3, 5000):
            array = np.full(length, len(shown), np.float32)
            binding.bind_input("x", array)
            binding.run()
            shown.append(binding.outputs()["y"].numpy(copy=False))
        assert [(array.shape, set(array.tolist())) for array in shown] == [
            ((5000,), {0}), ((5000,), {1}), ((3,), {2}), ((5000,), {3}),
        ]  # fmt: skip
        binding.bind_output("y", shown[0].copy())
        binding.run()
        first = binding.outputs()["y"].numpy(copy=False)
        binding.run()
        assert np.shares_memory(first, binding.outputs()["y"].numpy(copy=False))


@pytest.mark.parametrize("array", [SMALL, np.array(["text"] * 3)], ids=["numbers", "strings"])
def test_a_copy_owes_nothing_to_its_value(watched, array):
    value = Value.from_numpy(array)
    copy = value.numpy()
    value.close()
    assert not watched.outstanding
    assert copy.tolist() == array.tolist()
