"""Views by every way that makes one, and arrays that tell when they go."""

import weakref
from collections import Counter

import numpy as np

from ortffi import Memory, SessionBuilder, Value

SMALL, LARGE = np.ones(3, np.float32), np.ones(5000, np.float32)


def load(model):
    return SessionBuilder().with_intra_threads(1).commit_from_memory(model)


def weak_array(length):
    """Return an array that tells when it goes; numpy's own do so too, their slices do not."""
    array = np.arange(length, dtype=np.float32)
    return array, weakref.ref(array)


def count(watched, kind):
    return Counter(kind for kind, _ in watched.outstanding)[kind]


MAKERS = {
    "run, first": lambda session: session.run([LARGE])[0],
    "run, bound": lambda session: [session.run([LARGE])[0] for _ in range(5)][-1],
    "run_values": lambda session: session.run_values([LARGE])[0].numpy(copy=False),
    "allocate": lambda session: filled(session.allocate([5000])),
    "empty": lambda _: filled(Value.empty([5000])),
    "from_numpy": lambda _: Value.from_numpy(LARGE.copy()).numpy(copy=False),
    "items": lambda _: Value.from_sequence([LARGE.copy()]).items()[0].numpy(copy=False),
    "outputs": lambda session: bound_output(session, Memory.CPU).numpy(copy=False),
    "outputs into an array": lambda session: bound_output(session, np.empty(5000, np.float32)).numpy(copy=False),
}


def filled(value):
    value.copy_from(LARGE)
    return value.numpy(copy=False)


def bound_output(session, target):
    binding = session.bind({"x": LARGE}, {"y": target})
    binding.run()
    return binding.outputs()["y"]
