"""Runs in any order, with arrays of every layout: all results stay what they were.

What a session keeps from run to run (plans by shape and dtype, addresses, bound memory) is met by sequences of runs
that change everything between two calls; all results are kept and checked in the end.
"""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, note
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, precondition, rule

import ortffi
from ortffi import RunOptions, SessionBuilder
from tests.ortffi import tiny_models
from tests.ortffi.hostile_arrays import LAYOUTS, NUMBERS, REFUSED, RUNS, Given, apart, make, same, shapes, twice
from tests.profiles import costly

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")


class Sequences(RuleBasedStateMachine):
    """One session and one binding of it, used in any order with anything."""

    inputs = Bundle("inputs")

    @initialize(dtype=st.sampled_from(["f4", "f8", "i4", "i8"]))
    def open(self, dtype):
        self.dtype = dtype
        model = tiny_models.add(None, NUMBERS[dtype])
        self.session = SessionBuilder().with_intra_threads(1).commit_from_memory(model)
        self.options = RunOptions()
        self.results, self.used = [], []

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

    @rule(target=inputs, x=consumes(inputs))
    def overwrite_an_input(self, x):
        if not x.array.flags.writeable or type(x.array) is not np.ndarray:
            return x
        x.array[...] = x.array + 1
        changed = Given(x.array, np.array(x.array, order="C"), x.array.tobytes())
        self.used = [changed if used is x else used for used in self.used]
        return changed

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


Sequences.TestCase.settings = costly(part=6, stateful_step_count=30, suppress_health_check=list(HealthCheck))
TestSequences = Sequences.TestCase
