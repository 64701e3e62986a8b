"""Threads that meet in one session, and closing while they are inside."""

import threading

import numpy as np
import pytest

import ortffi
from tests.ortffi import tiny_models
from tests.ortffi.meeting import PATIENCE_S, check_results, together, wait_until

pytestmark = pytest.mark.thorough


def test_python_goes_on_while_the_library_computes(load, threads):
    session = load(tiny_models.count_up())
    run = threads.submit(session.run, {"n": np.array(300_000), "start": np.zeros(1, np.int64)})
    wait_until(lambda: session._handle.users or run.done(), "no run began")
    steps = 0
    while not run.done():
        steps += 1
    # With the GIL held by the run, this thread would get a turn a few times at most.
    assert steps > 100


@pytest.mark.usefixtures("_api")
@pytest.mark.parametrize(
    "length_of",
    [
        lambda _number, _step: 4,
        lambda _number, _step: 5000,
        lambda number, step: 1 + (number * 397 + step * 31) % 3000,
        lambda number, step: 2000 + 500 * ((number + step // 5) % 4),
    ],
    ids=["small", "large", "changing", "a few large"],
)
def test_no_result_is_ever_overwritten(load, threads, length_of):
    session = load(tiny_models.add())

    def work(number):
        held, results = [], []
        for step in range(150):
            shape = (length_of(number, step),)
            left = np.full(shape, number * 1000, np.float32)
            right = np.full(shape, step, np.float32)
            total, difference = session.run([left, right], copy=step % 7 == 0)
            held.append((total, shape, number * 1000 + step))
            held.append((difference, shape, number * 1000 - step))
            # Some go early, so that their memory is used again; the others are looked at again.
            results.append(held.pop(step * 31 % len(held)))
            del results[: step % 3]
        check_results(held)
        return held, results

    for held, results in together(threads, work):
        check_results(held)
        check_results(results)


def test_results_of_every_kind_of_run_at_once(load, threads):
    session = load(tiny_models.add())

    def work(number):
        array = np.full(3000, number, np.float32)
        target = np.empty(3000, np.float32)
        binding = session.bind({"left": array, "right": array}, {"total": target})
        held = []
        for step in range(40):
            other = np.full(3000, step, np.float32)
            held.append((session.run([array, other])[0], (3000,), number + step))
            values = session.run_values([array, other])
            held.append((values[1].numpy(copy=False), (3000,), number - step))
            future = session.submit([array, other])
            session.run_into([array, other], {"difference": target})
            assert (target == number - step).all()
            binding.run()
            assert (target == 2 * number).all()
            held.append((future.result()[0], (3000,), number + step))
            with ortffi.RunOptions(tag=str(number)) as options, options.deadline(PATIENCE_S):
                held.append((session.run([other, other], options=options)[0], (3000,), 2 * step))
        return held

    for held in together(threads, work):
        check_results(held)


def test_sessions_come_and_go_while_others_run(load, threads):
    session = load(tiny_models.identity())
    model = tiny_models.identity()

    def work(number):
        held = []
        for step in range(20):
            mine = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)
            for _ in range(4):
                for used in (session, mine):
                    array = np.full(2000 + number, number * 100 + step, np.float32)
                    held.append((used.run([array])[0], array.shape, number * 100 + step))
            binding = mine.bind({"x": array}, {"y": ortffi.Memory.CPU})
            binding.run()
            shown = binding.outputs()["y"].numpy(copy=False)
            if step % 2:
                mine.close()
            held.append((shown, array.shape, number * 100 + step))
            del mine
        return held

    for held in together(threads, work):
        check_results(held)


def test_a_binding_shared_by_threads_runs_for_one_at_a_time(load, threads):
    session = load(tiny_models.identity())
    array, target = np.zeros(3000, np.float32), np.empty(3000, np.float32)
    binding = session.bind({"x": array}, {"y": target})
    turn = threading.Lock()

    def work(number):
        for step in range(100):
            with turn:
                array[:] = number * 1000 + step
                binding.run()
                assert (target == number * 1000 + step).all()
            binding.run()
            binding.bind_input("x", array)
            assert binding.outputs()["y"].shape == (3000,)

    together(threads, work)


def test_a_run_is_stopped_from_another_thread_and_the_others_go_on(load, threads):
    session = load(tiny_models.count_up())
    endless = {"n": np.array(10**12), "start": np.zeros(1, np.int64)}
    short = {"n": np.array(100), "start": np.zeros(1, np.int64)}

    def work(number):
        for step in range(5):
            with ortffi.RunOptions() as options:
                if number % 2:
                    assert session.run(short, options=options)[0].tolist() == [100]
                elif number == 0:
                    with options.deadline(0.001), pytest.raises(ortffi.TerminatedError):
                        session.run(endless, options=options)
                else:
                    run = session.submit(endless, options=options)
                    wait_until(lambda run=run: run.running(), "the run did not begin")
                    options.terminate()
                    with pytest.raises(ortffi.TerminatedError):
                        run.result(PATIENCE_S)
                assert options.terminated == (number % 2 == 0), step

    together(threads, work, 6)


def test_a_mapping_that_another_thread_changes_is_taken_as_it_was(load, threads):
    session = load(tiny_models.add())
    one = np.ones(2000, np.float32)
    inputs = {"left": one, "right": one}
    done = threading.Event()

    def change():
        while not done.is_set():
            inputs["right"] = np.zeros(2000, np.float32)
            inputs.pop("left", None)
            inputs["left"] = one
            inputs["right"] = one
            inputs["more"] = one
            del inputs["more"]

    changing = threads.submit(change)
    try:
        for _ in range(2000):
            try:
                total, difference = session.run(inputs)
            except ortffi.InvalidArgumentError as error:
                # One was missing, or one too many, when the copy was made.
                assert "left" in str(error) or "more" in str(error)  # noqa: PT017
                continue
            assert set(total) == {2 - difference[0]}
    finally:
        done.set()
    changing.result(PATIENCE_S)
