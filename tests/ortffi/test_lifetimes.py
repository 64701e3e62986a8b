"""How long arrays, values and outputs live: as long as anything shows their memory."""

import gc
import itertools

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
    del others


def test_a_view_keeps_the_memory_of_a_closed_value(watched):
    array, gone = weak_array(5000)
    value = Value.from_numpy(array)
    shown = value.numpy(copy=False)
    value.close()
    del array
    gc.collect()
    assert (shown == np.arange(5000)).all()
    del shown
    gc.collect()
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


def feed_outputs_back(session):
    state = Value.from_numpy(LARGE)
    while True:
        (state,) = session.run_values([state])
        yield state


def feed_sequences_back(session):
    items = [Value.from_numpy(LARGE)]
    while True:
        y, pair = session.run_values([items[0]])
        items = Value.from_sequence([*pair.items(), y]).items()
        gc.collect()
        yield items[-1]


def feed_bound_outputs_back(session):
    binding = session.bind({"x": LARGE}, {"y": Memory.CPU})
    while True:
        binding.run()
        binding.bind_input("x", binding.outputs()["y"])
        yield binding.outputs()["y"]


def test_what_is_fed_back_keeps_only_the_last(watched, feed, model, most):
    with load(model()) as session:
        for value in itertools.islice(feed(session), 50):
            assert count(watched, "value") <= most
            assert (value.numpy() == 1).all()


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
        given = [np.full(length, number, np.float32) for number, length in enumerate((5000, 5000, 3, 5000))]
        shown = []
        for array in given:
            binding.bind_input("x", array)
            binding.run()
            shown.append(binding.outputs()["y"].numpy(copy=False))
        assert [array.tolist() for array in shown] == [array.tolist() for array in given]
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
