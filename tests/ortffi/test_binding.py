"""Inputs and outputs that are bound once and run again and again."""

import gc
import itertools
import weakref
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from onnx import TensorProto

import ortffi
from ortffi import Memory, RunOptions, Value
from tests.ortffi import tiny_models, typed_models
from tests.ortffi.meeting import together
from tests.ortffi.refusals import not_refused

LENGTHS = [1, 8, 5000]


@pytest.fixture
def adder(load):
    return load(tiny_models.add())


def arrays(length=8):
    left, right = np.arange(length, dtype=np.float32), np.full(length, 2, np.float32)
    return left, right, np.full(length, -1, np.float32), np.full(length, -1, np.float32)


@pytest.fixture
def bound(adder):
    """A binding of left and right to total, and these three."""
    left, right, total, _ = arrays()
    return adder.bind({"left": left, "right": right}, {"total": total}), left, right, total


@pytest.mark.parametrize("length", LENGTHS)
def test_what_is_written_to_a_bound_input_is_the_next_runs(adder, length):
    left, right, total, difference = arrays(length)
    with adder.bind({"left": left, "right": right}, {"total": total, "difference": difference}) as binding:
        for step in range(5):
            left[...] = step
            right[0] = step * 10
            binding.run()
            assert total.tolist() == (left + right).tolist()
            assert difference.tolist() == (left - right).tolist()
            assert (left == step).all()


def test_values_are_bound_like_arrays_and_so_are_read_only_arrays(adder):
    left, right, total, _ = arrays()
    right.flags.writeable = False
    with Value.from_numpy(left) as value, Value.from_numpy(total) as target:
        binding = adder.bind({"left": value, "right": right}, {"total": target})
    binding.synchronize_inputs()  # which waits for nothing on the host
    binding.run()  # it keeps the values
    binding.synchronize_outputs()
    assert total.tolist() == (left + right).tolist()


def test_memory_is_allocated_for_each_run(adder):
    left, right, _, _ = arrays(5000)
    binding = adder.bind({"left": left, "right": right}, {"total": Memory.CPU})
    binding.bind_output("difference")
    binding.run()
    first = binding.outputs()
    assert list(first) == ["total", "difference"]
    left += 1
    binding.run()
    second = binding.outputs()
    assert first["total"].numpy().tolist() == (left - 1 + right).tolist()
    assert second["total"].numpy().tolist() == (left + right).tolist()
    binding.close()
    assert second["difference"].numpy().tolist() == (left - right).tolist()


def test_outputs_show_what_is_bound(bound):
    binding, left, right, total = bound
    binding.run()
    (value,) = binding.outputs().values()
    assert np.shares_memory(value.numpy(copy=False), total)
    left += 5
    binding.run()
    assert value.numpy().tolist() == total.tolist() == (left + right).tolist()


def test_a_name_can_be_bound_anew(adder):
    left, right, total, other = arrays()
    binding = adder.bind({"left": left, "right": right}, {"total": total})
    binding.run()
    binding.bind_input("left", right)
    binding.bind_output("total", other)
    total[...] = -1
    binding.run()
    assert (total == -1).all()
    assert other.tolist() == (right + right).tolist()
    longer = np.ones(20, np.float32)
    binding.bind_input("left", longer)
    binding.bind_input("right", longer)
    with pytest.raises(ortffi.OrtError):
        binding.run()  # into eight elements
    binding.bind_output("total", Memory.CPU)
    binding.run()
    assert binding.outputs()["total"].numpy().tolist() == [2] * 20


def test_what_is_cleared_is_bound_no_more(adder, bound):
    binding, left, right, total = bound
    binding.clear_outputs()
    assert binding.outputs() == adder.bind().outputs() == {}
    binding.bind_output("difference", total)
    binding.run()
    assert total.tolist() == (left - right).tolist()
    binding.clear_inputs()
    with pytest.raises(ortffi.OrtError):
        binding.run()
    binding.bind_input("left", left)
    binding.bind_input("right", left)
    binding.run()
    assert not total.any()


def test_a_missing_input_fails_the_run_until_it_is_bound(adder):
    left, right, total, _ = arrays()
    binding = adder.bind({"left": left}, {"total": total})
    with pytest.raises(ortffi.OrtError, match=r"Add|Sub"):
        binding.run()
    binding.bind_input("right", right)
    binding.run()
    assert total.tolist() == (left + right).tolist()


def test_an_input_of_another_shape_is_refused(load):
    session = load(tiny_models.identity(TensorProto.FLOAT, [2, 3]))
    arrays = (np.ones(shape, np.float32) for shape in [(2, 4), (2, 3, 1), (6,)])
    runs = [session.bind({"x": array}, {"y": Memory.CPU}).run for array in arrays]
    assert not not_refused((run, ortffi.InvalidArgumentError, r"\bx\b") for run in runs)


EIGHT = np.ones(8, np.float32)
UNBINDABLE = [
    ("input", "nobody", EIGHT, ValueError, "no input 'nobody'.*'left'"),
    ("output", "nobody", EIGHT, ValueError, "no output 'nobody'.*'total'"),
    ("output", "nobody", Memory.CPU, ValueError, "no output 'nobody'"),
    ("output", "left", EIGHT, ValueError, "no output 'left'"),
    ("input", "left", np.ones(8), TypeError, "'left'.*float32"),
    ("input", "left", np.ones(16, np.float32)[::2], ValueError, "'left'.*C-contiguous"),
    ("input", "left", np.ones((8, 2), np.float32).T, ValueError, "'left'.*C-contiguous"),
    ("input", "left", np.ones(8, ">f4"), TypeError, "'left'.*byte order"),
    ("input", "left", [1.0], TypeError, "'left'.*list"),
    ("output", "total", np.broadcast_to(np.float32(1), 8), ValueError, "'total'.*read-only"),
    ("output", "total", np.ones(8, np.int32), TypeError, "'total'.*float32"),
    ("output", "total", "Cpu", TypeError, "'total'.*str"),
]


def test_what_cannot_be_bound_is_refused_by_name(adder, bound):
    binding, left, right, total = bound
    bind = {"input": binding.bind_input, "output": binding.bind_output}
    for side, name, thing, error, words in UNBINDABLE:
        first, anew = partial(bind[side], name, thing), partial(adder.bind, **{f"{side}s": {name: thing}})
        assert not not_refused([(first, error, words), (anew, error, words)])
        binding.run()  # as before
        assert total.tolist() == (left + right).tolist()
        total[...] = -1
    with pytest.raises(ortffi.OrtError):
        binding.bind_output("total", Memory("NoSuchMemory"))


def test_strings_and_sequences_are_bound_as_values(load):
    session = load(tiny_models.identity(TensorProto.STRING))
    text = np.array(["a", "ä"])
    with pytest.raises(ValueError, match=r"'x' cannot be used in place.*Value"):
        session.bind({"x": text})
    with Value.from_numpy(text) as value:
        binding = session.bind({"x": value}, {"y": Memory.CPU})
    binding.run()
    assert binding.outputs()["y"].numpy().tolist() == ["a", "ä"]
    binding = load(typed_models.split()).bind({"x": np.float32([1, 2])}, {"y": Memory.CPU})
    binding.run()
    assert [item.tolist() for item in binding.outputs()["y"].to_python()] == [[1], [2]]


def test_a_run_takes_options(load):
    session = load(tiny_models.count_up())
    total = np.zeros(1, np.int64)
    binding = session.bind({"n": np.array(3), "start": np.array([5])}, {"total": total})
    with RunOptions(tag="bound") as options:
        binding.run(options)
        assert total.tolist() == [8]
        options.terminate()
        with pytest.raises(ortffi.TerminatedError):
            binding.run(options)
        options.resume()
        binding.run(options)
    with pytest.raises(ortffi.ClosedError, match="run options"):
        binding.run(options)
    binding.run()


def test_a_binding_keeps_what_is_bound(adder):
    left, right, total, _ = arrays(5000)
    gone = weakref.ref(left)
    binding = adder.bind({"left": left, "right": right}, {"total": total})
    expected = (left + right).tolist()
    del left
    gc.collect()
    assert gone() is not None
    binding.run()
    assert total.tolist() == expected
    binding.bind_input("left", right)
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("how", ["close", "session", "with"])
def test_a_closed_binding_refuses_every_use(adder, bound, how):
    binding, left, _, total = bound
    if how == "with":
        with binding:
            binding.run()
    else:
        (binding if how == "close" else adder).close()
    binding.close()
    assert binding.closed
    uses = (
        binding.run, binding.outputs, binding.clear_inputs, binding.clear_outputs, binding.synchronize_inputs,
        binding.synchronize_outputs, lambda: binding.bind_input("left", left),
        lambda: binding.bind_output("total", total), lambda: binding.bind_output("total"),
    )  # fmt: skip
    assert not not_refused((use, ortffi.ClosedError, "closed") for use in uses)


def test_bindings_of_a_session_do_not_mind_each_other_or_plain_runs(adder):
    left, right, total, difference = arrays()
    first = adder.bind({"left": left, "right": right}, {"total": total})
    second = adder.bind({"left": right, "right": left}, {"difference": difference})
    for _ in range(5):
        first.run()
        second.run()
        assert adder.run([left, left])[0].tolist() == (left + left).tolist()
        assert total.tolist() == (left + right).tolist()
        assert difference.tolist() == (right - left).tolist()
        left += 1


def test_threads_take_turns(adder, threads):
    left, right, total, _ = arrays(5000)
    binding = adder.bind({"left": left, "right": right}, {"total": total})
    together(threads, lambda _: [binding.run() for _ in range(50)], 4)
    assert total.tolist() == (left + right).tolist()


def test_a_binding_is_usable_after_whatever_has_failed(fake, use):
    use(fake.environment())
    left, right, total, _ = arrays()
    session = ortffi.SessionBuilder().commit_from_memory(tiny_models.add())
    with session, session.bind({"left": left, "right": right}, {"total": total}) as binding:
        for victim, step in itertools.product(
            ("BindInput", "BindOutput", "BindOutputToDevice", "RunWithBinding", "GetBoundOutputNames",
             "GetBoundOutputValues", "CreateIoBinding", "SynchronizeBoundInputs", "SynchronizeBoundOutputs"),
            (lambda: session.bind({"left": left}, {"total": total}), lambda: binding.bind_output("total"), binding.run,
             binding.outputs, binding.synchronize_inputs, binding.synchronize_outputs),
        ):  # fmt: skip
            with fake.failing(victim), suppress(ortffi.FailError):
                step()
        binding.bind_output("total", total)
        binding.run()
        assert total.tolist() == (left + right).tolist()
    gc.collect()
    assert not fake.outstanding
