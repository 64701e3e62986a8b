"""What `__del__` of cyclic garbage may use, and what an exception during a release loses: nothing.

The garbage collector finalizes the objects of a cycle in any order, so the `__del__` of one of them
may use the others before or after their turn.
"""

import gc
import sys

import numpy as np
import pytest
from hypothesis import strategies as st

import ortffi
from ortffi import Memory, PrepackedWeights, RunOptions, Value
from ortffi._handle import Handle, Owned, Owner, WeakObjects
from ortffi.memory import Allocator
from ortffi.tensors import allocate_tensor
from tests.ortffi import tiny_models
from tests.ortffi.interruption import interrupted_at_each_step, interruptible
from tests.ortffi.lifetimes import LARGE, SMALL, load
from tests.ortffi.meeting import elsewhere
from tests.profiles import costly, given

NUMBERS = SMALL.tolist()


def session_that_has_run():
    """Make a session with plans that stage, borrow, and have bound."""
    session = load(tiny_models.identity())
    for x in (SMALL, LARGE) * 4:
        session.run([x])
    return session


def run(session):
    for x in (LARGE, SMALL):
        result = session.run([x])[0]
        assert result.tolist() == x.tolist()
    return result.tolist()


def run_bound(binding):
    binding.run()
    return binding.outputs()["y"].numpy().tolist()


def options():
    made = RunOptions()
    made.session = load(tiny_models.identity())
    return made


def allocator():
    session = load(tiny_models.identity())
    return Allocator(session._environment, session.handle, Memory.CPU)


def allocate(made):
    environment = ortffi.init()
    with made.handle.lend() as pointer:
        value = allocate_tensor(environment, pointer, (len(SMALL),), ortffi.ElementType.FLOAT)
        tensor = Value(environment, value, made.handle.share())
    tensor.copy_from(SMALL)
    return tensor.numpy().tolist()


def load_with(weights):
    builder = ortffi.SessionBuilder().with_intra_threads(1).with_prepacked_weights(weights)
    return run(builder.commit_from_memory(tiny_models.identity()))


THINGS = {
    "session": (session_that_has_run, run),
    "binding": (lambda: load(tiny_models.identity()).bind({"x": SMALL.copy()}, {"y": Memory.CPU}), run_bound),
    "run options": (options, lambda it: it.session.run([SMALL], options=it)[0].tolist()),
    "borrowed tensor": (lambda: Value.from_numpy(SMALL.copy()), lambda it: it.numpy().tolist()),
    "own tensor": (lambda: load(tiny_models.identity()).run_values([SMALL])[0], lambda it: it.numpy().tolist()),
    "sequence": (lambda: Value.from_sequence([SMALL.copy()]), lambda it: it.to_python()[0].tolist()),
    "allocator": (allocator, allocate),
    "shared weights": (PrepackedWeights, load_with),
    "memory of a result": (
        lambda: load(tiny_models.identity()).run([LARGE])[0].base,
        lambda it: np.frombuffer(it, np.float32, 3).tolist(),
    ),
    "memory of a view": (
        lambda: Value.from_numpy(SMALL.copy()).numpy(copy=False).base,
        lambda it: np.frombuffer(it, np.float32, 3).tolist(),
    ),
}


class Holder:
    """Refers to a thing, and uses it when it is collected."""

    def __init__(self, use, results):
        self.use, self.results = use, results

    def __del__(self):
        try:
            self.results.append(self.use())
        except BaseException as error:
            self.results.append(error)


def descendants(kind):
    for child in kind.__subclasses__():
        yield child
        yield from descendants(child)


def test_every_owner_is_among_the_things():
    public = {kind for kind in descendants(Owner) if not kind.__subclasses__()}
    made = [make() for make, _ in THINGS.values()]
    assert public <= {type(thing) for thing in made}


@pytest.mark.parametrize("name", THINGS)
@costly(3)
@given(
    holders=st.integers(1, 3),
    first=st.booleans(),
    wrappings=st.lists(st.sampled_from([list, dict]), max_size=3),
    own_handle=st.booleans(),
)
def test_what_dies_in_a_cycle_is_usable_until_the_end(name, holders, first, wrappings, own_handle):
    results = []
    tie(*THINGS[name], results, holders, first, wrappings, own_handle)
    gc.collect()
    assert results == [NUMBERS] * holders


def tie(make, use, results, holders, first, wrappings, own_handle):
    """Leave a cycle of a thing and its holders behind: those made first, or the thing."""
    place = [make()] if first else []
    chain = [Holder(lambda: use(place[0]), results) for _ in range(holders)]
    if not first:
        place.append(make())
    for wrap in wrappings:
        chain = [chain] if wrap is list else {"next": chain}
    place.append(chain)
    if own_handle and isinstance(place[0], Owner):  # its parts are in cycles of their own
        place[0].me = place[0].handle, place


def test_the_collector_does_not_see_an_owned_object():
    released = []
    owned = Owned(1, released.append)
    assert not gc.is_tracked(owned)
    assert owned not in gc.get_objects()
    gc.collect()
    assert not released
    del owned
    assert released == [1]


@interruptible
@pytest.mark.thorough
@pytest.mark.parametrize("name", THINGS)
def test_nothing_of_ours_runs_while_an_object_dies(name):
    """A signal handler may run in Python code, and Python drops what it raises there."""
    place = [THINGS[name][0]()]
    assert list(interrupted_at_each_step(place.clear)) == []
    assert not place


@interruptible
@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in THINGS if "memory" not in name])
def test_an_exception_during_close_is_raised_and_loses_nothing(name, monkeypatch):
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    make, _ = THINGS[name]
    place, steps = [make()], 0
    for _ in interrupted_at_each_step(lambda: place[0].close()):
        steps += 1
        thing = place.pop()
        elsewhere(thing.close)  # no lock is held either
        assert thing.handle._owned is None
        place.append(make())
    assert steps > 5
    assert lost == []


@interruptible
@pytest.mark.thorough
def test_a_handle_releases_once_whatever_interrupts_it():
    released, steps = [], 0
    place = [Handle(1, released.append, "thing")]
    for _ in interrupted_at_each_step(lambda: place[0].close()):
        steps += 1
        place[0].close()
        assert released == [1]
        released.clear()
        place[0] = Handle(1, released.append, "thing")
    assert steps > 5


def test_weak_objects_are_those_that_others_refer_to():
    remembered, kept = WeakObjects(), []
    for number in range(300):
        thing = Holder(list, [])
        for _ in range(20):
            remembered.add(thing)
        if number % 10 == 0:
            kept.append(thing)
    del thing
    assert set(remembered.alive()) == set(kept)
    assert len(remembered._references) < 100
