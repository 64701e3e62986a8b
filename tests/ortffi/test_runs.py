"""The ways to run a session, and memory to run in."""

import asyncio
import gc
import queue
import threading

import numpy as np
import pytest

import ortffi
from ortffi import ElementType, InvalidArgumentError, Memory, RunOptions, Value
from tests.ortffi import tiny_models, typed_models
from tests.ortffi.meeting import PATIENCE_S

LATER = 4
"""By then a run is bound."""
SMALL, LARGE = 8, 5000


@pytest.fixture
def adder(load):
    return load(tiny_models.add())


def pair(length=SMALL):
    return np.arange(length, dtype=np.float32), np.full(length, 2, np.float32)


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_inputs_come_in_the_models_order(adder, kind, length):
    left, right = pair(length)
    for _ in range(LATER):
        total, difference = adder.run(kind([left, right]))
        assert total.tolist() == (left + right).tolist()
        assert difference.tolist() == (left - right).tolist()
        assert len(adder.run_values(kind([left, right]))) == 2


def test_too_many_or_too_few_inputs_are_refused_at_once(adder):
    left, right = pair()
    for run in (adder.run, adder.submit):
        with pytest.raises(InvalidArgumentError, match="3 inputs were given; there are 2"):
            run([left, right, left])
        with pytest.raises(InvalidArgumentError, match="'right' is missing"):
            run([left])
        with pytest.raises(InvalidArgumentError, match="'left' is missing"):
            run([])
        with pytest.raises(TypeError, match="mapping"):
            run(iter([left, right]))
    with pytest.raises(TypeError, match="callback must be callable"):
        adder.submit(pair(), callback="print")
    with pytest.raises(TypeError, match="options must be RunOptions"):
        adder.submit(pair(), options="fast")


def test_names_have_a_place(adder):
    assert [adder.input_index(info.name) for info in adder.inputs] == [0, 1]
    assert [adder.output_index(info.name) for info in adder.outputs] == [0, 1]
    for index in (adder.input_index, adder.output_index):
        with pytest.raises(KeyError, match="'nobody'; there are '"):
            index("nobody")


def test_outputs_come_by_name(adder):
    left, right = pair()
    for _ in range(LATER):
        outputs = adder.run_named({"left": left, "right": right})
        assert list(outputs) == ["total", "difference"]
        assert outputs["difference"].tolist() == (left - right).tolist()
        outputs = adder.run_named([left, right], ["difference", "total"], copy=True)
        assert list(outputs) == ["difference", "total"]
        assert outputs["total"].tolist() == (left + right).tolist()
    assert list(adder.run_named([left, right], iter(["total"]))) == ["total"]
    with RunOptions() as options:
        assert list(adder.run_named([left, right], options=options)) == ["total", "difference"]


@pytest.mark.parametrize("length", [0, 1, SMALL, LARGE])
@pytest.mark.parametrize("as_value", [False, True])
def test_a_run_goes_into_memory_that_is_there(adder, length, as_value):
    left, right = pair(length)
    total = np.full(length, -1, np.float32)
    target = Value.from_numpy(total) if as_value else total
    for _ in range(LATER):
        total[...] = -1
        assert adder.run_into([left, right], {"total": target}) is None
        assert total.tolist() == (left + right).tolist()
        left += 1


def test_a_run_goes_into_a_part_of_an_array_and_leaves_the_rest(adder):
    left, right = pair()
    whole = np.full((3, SMALL), -1, np.float32)
    adder.run_into([left, right], {"total": whole[1], "difference": whole[2]})
    assert whole[0].tolist() == [-1] * SMALL
    assert whole[1].tolist() == (left + right).tolist()
    assert whole[2].tolist() == (left - right).tolist()


def test_a_target_of_another_shape_is_refused_and_stays_as_it_is(adder):
    left, right = pair()
    for shape in [(SMALL + 1,), (SMALL - 1,), (1, SMALL), (), (0,)]:
        target = np.full(shape, -1, np.float32)
        for _ in range(LATER):
            with pytest.raises(ortffi.OrtError):
                adder.run_into([left, right], {"total": target})
        assert (target == -1).all()
    assert adder.run([left, right])[0].tolist() == (left + right).tolist()


def test_an_output_that_is_an_input_has_no_target(load):
    ends = [typed_models.info("x", typed_models.tensor_type())]
    session, x = load(typed_models.model([], ends, ends)), np.ones(SMALL, np.float32)
    (same,) = session.run([x])
    assert same.tolist() == x.tolist()
    assert not np.shares_memory(same, x)
    with pytest.raises(ValueError, match="input too"):
        session.run_into([x], {"x": np.empty(SMALL, np.float32)})


def test_values_are_the_next_runs_inputs(adder):
    left, right = pair(LARGE)
    values = [Value.from_numpy(left), Value.from_numpy(right)]
    for _ in range(10):
        values = [adder.run_values(values, ["total"])[0], values[1]]
    assert values[0].numpy().tolist() == (left + 10 * right).tolist()
    adder.close()
    assert values[0].numpy()[0] == 20


def test_a_view_of_a_value_outlives_it_and_its_session(load):
    session = load(tiny_models.identity())
    (value,) = session.run_values([np.arange(LARGE, dtype=np.float32)])
    view = value.numpy(copy=False)
    assert not view.flags.writeable
    session.run_values([np.zeros(LARGE, np.float32)])
    value.close()
    session.close()
    gc.collect()
    assert view.tolist() == list(range(LARGE))


def test_a_run_in_the_background_has_a_future(adder):
    left, right = pair(LARGE)
    futures = [adder.submit([left, right + step]) for step in range(10)]
    for step, future in enumerate(futures):
        total, _ = future.result(PATIENCE_S)
        assert total.tolist() == (left + right + step).tolist()


def test_a_future_can_be_awaited(adder):
    async def main():
        return await asyncio.wrap_future(adder.submit(pair(), ["total"]))

    assert asyncio.run(main())[0].tolist() == sum(pair()).tolist()


def test_a_callback_is_called_with_the_future(adder):
    seen = queue.SimpleQueue()
    adder.submit(pair(), callback=lambda future: seen.put((future.result()[0].tolist(), threading.get_ident())))
    total, thread = seen.get(timeout=PATIENCE_S)
    assert total == sum(pair()).tolist()
    assert thread != threading.get_ident()


def test_what_goes_wrong_in_the_background_is_the_futures(load):
    session = load(tiny_models.gather())
    x = np.ones(3, np.float32)
    future = session.submit([x, np.array([7])])
    assert isinstance(future.exception(PATIENCE_S), ortffi.OrtError)
    with pytest.raises(ortffi.OrtError, match="indices"):
        future.result()
    with pytest.raises(TypeError, match="'x'"):
        session.submit([None, np.array([7])]).result(PATIENCE_S)
    assert session.submit([x, np.array([2])]).result(PATIENCE_S)[0].tolist() == [1]


def test_close_waits_for_what_runs_in_the_background(load):
    session = load(tiny_models.count_up())
    futures = [session.submit([np.array(2000), np.array([n])]) for n in range(4)]
    session.close()
    assert [future.result(0)[0].tolist() for future in futures] == [[2000 + n] for n in range(4)]
    with pytest.raises(ortffi.ClosedError):
        session.submit([np.array(1), np.array([0])])


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), [2, 3], (np.int64(4),)])
@pytest.mark.parametrize("element_type", [ElementType.FLOAT, ElementType.INT64, ElementType.BOOL])
def test_a_session_allocates_tensors(adder, shape, element_type):
    with adder.allocate(shape, element_type) as value:
        assert (value.shape, value.element_type, value.memory) == (tuple(shape), element_type, Memory.CPU)
        assert value.memory.on_host
        ones = np.ones(shape, ortffi.DTYPES[element_type])
        value.copy_from(ones)
        assert value.numpy().tolist() == ones.tolist()


def test_an_allocated_tensor_is_input_and_target_and_outlives_the_session(adder):
    left, right = pair(LARGE)
    source, target = adder.allocate([LARGE]), adder.allocate([LARGE])
    source.copy_from(left)
    adder.run_into({"left": source, "right": right}, {"total": target})
    adder.close()
    gc.collect()
    assert target.numpy().tolist() == (left + right).tolist()


def test_memory_that_no_provider_has_is_refused(adder):
    for name in ("Cuda", "NoSuchMemory"):
        with pytest.raises(ortffi.OrtError):
            adder.allocate([3], memory=Memory(name))
    with pytest.raises((ortffi.OrtError, MemoryError)):
        adder.allocate([2**61])


def test_a_memory_says_where_it_is():
    assert [str(memory) for memory in (Memory.CPU, Memory.cuda(2))] == ["Cpu:0", "Cuda:2"]
    assert [memory.on_host for memory in (Memory("CudaPinned"), Memory.cuda())] == [True, False]
    assert len({Memory(), Memory("Cpu", 0), Memory.CPU, Memory.cuda(0), Memory("Cuda")}) == 2


def test_an_empty_tensor_has_its_shape():
    for element_type in (ElementType.FLOAT, ElementType.STRING):
        with Value.empty((2, 3), element_type) as value:
            assert value.numpy().shape == (2, 3)
            assert value.element_type is element_type
    with Value.empty((2,), ElementType.STRING) as value:
        assert value.numpy().tolist() == ["", ""]
        with pytest.raises(TypeError, match="cannot be overwritten"):
            value.copy_from(np.array(["a", "b"]))


def test_a_tensor_is_overwritten_by_its_like_only():
    with Value.from_numpy(np.zeros((2, 3), np.float32)) as value:
        value.copy_from(np.arange(6, dtype=np.float32).reshape(3, 2).T)
        assert value.numpy().tolist() == [[0, 2, 4], [1, 3, 5]]
        with Value.from_numpy(np.full((2, 3), 7, np.float32)) as other:
            value.copy_from(other)
        assert (value.numpy() == 7).all()
        with pytest.raises(ValueError, match=r"expected shape \(2, 3\), not \(3, 2\)"):
            value.copy_from(np.ones((3, 2), np.float32))
        with pytest.raises(TypeError, match="expected float32"):
            value.copy_from(np.ones((2, 3)))
        value.copy_from(value)
        assert (value.numpy() == 7).all()


@pytest.mark.parametrize("has_run", [False, True])
def test_a_session_runs_nothing_once_it_is_closed_and_still_describes_itself(adder, has_run):
    left, right = pair()
    if has_run:
        adder.run([left, right])
    adder.close()
    adder.close()
    runs = [adder.run, adder.run_named, adder.run_values, adder.submit]
    uses = [adder.bind, lambda: adder.allocate([3]), lambda: adder.run_into([left, right], {"total": left.copy()})]
    for use in [*uses, *(lambda run=run: run([left, right]) for run in runs)]:
        with pytest.raises(ortffi.ClosedError, match="session is closed"):
            use()
    assert adder.inputs[0].name == "left"
