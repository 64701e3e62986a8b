import threading
import time
from copy import copy

import pytest

import ortffi
from service.errors import CancelledError, DeadlineError, OverloadedError, ServiceError
from service.speech import Cancellation
from service.speech.turns import Turns
from tests.ortffi.meeting import wait_until


@pytest.fixture(scope="module", autouse=True)
def _library():
    ortffi.init()


def start(work):
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def join(threads):
    for thread in threads:
        thread.join()


def test_turns_go_to_whoever_has_waited_longest():
    turns = Turns([None])
    order = []
    threads = []

    def work(number):
        with turns.take():
            order.append(number)

    with turns.take():
        for number in range(20):
            threads.append(start(lambda number=number: work(number)))
            wait_until(lambda number=number: turns.n_waiting == number + 1)
    join(threads)
    assert order == list(range(20))
    assert turns.n_waiting == 0


def test_who_comes_again_stands_behind_those_who_wait():
    turns = Turns([None])
    order = []
    begin = threading.Barrier(4)

    def work(name):
        begin.wait()
        for _ in range(50):
            with turns.take():
                order.append(name)
                # The others are all waiting again before this turn is over.
                wait_until(lambda: turns.n_waiting == n_others())

    def n_others():
        """Count those who want a turn yet, without the one who has it."""
        return sum(name != order[-1] and order.count(name) < 50 for name in "abcd")

    join([start(lambda name=name: work(name)) for name in "abcd"])
    for at in range(0, 200, 4):
        assert sorted(order[at : at + 4]) == list("abcd")


def test_only_one_has_the_turn_and_an_exception_gives_it_back():
    turns = Turns([None])
    with pytest.raises(ZeroDivisionError), turns.take():
        raise ZeroDivisionError
    inside, most = [], []

    def work():
        for _ in range(100):
            with turns.take():
                inside.append("")
                time.sleep(0)  # another thread may run
                most.append(len(inside))
                inside.pop()

    join([start(work) for _ in range(8)])
    assert set(most) == {1}


def test_who_is_cancelled_leaves_the_queue_at_once_or_gets_no_turn():
    turns = Turns([None])
    raised = []
    with Cancellation() as cancellation, turns.take():

        def work():
            try:
                with turns.take(cancellation):
                    raise AssertionError("this turn was cancelled")
            except CancelledError as error:
                raised.append(error)

        thread = start(work)
        wait_until(lambda: turns.n_waiting == 1)
        cancellation.cancel(CancelledError("gone"))
        thread.join()  # though the turn is still held here
        assert turns.n_waiting == 0
    assert [str(error) for error in raised] == ["gone"]
    with turns.take():
        pass
    for is_background in (False, True):
        with Cancellation(is_background=is_background) as cancellation:
            cancellation.cancel(CancelledError("gone"))
            with pytest.raises(CancelledError), turns.take(cancellation):
                raise AssertionError("no turn")
    with turns.take():
        pass


def test_the_first_reason_stays_and_terminates_the_run_options():
    calls = []
    reason = DeadlineError("first")
    with Cancellation() as cancellation:
        cancellation.check()
        with cancellation.calling(lambda: calls.append("during")):
            cancellation.cancel(reason)
            cancellation.cancel(CancelledError("second"))
        with cancellation.calling(lambda: calls.append("after")):
            pass
        assert calls == ["during", "after"]
        assert cancellation.run_options.terminated
        raised = []
        for _ in range(2):
            with pytest.raises(DeadlineError, match="first") as caught:
                cancellation.check()
            raised.append(caught.value)
        # It is an error of its own each time: who holds the reason does not hold the frames of one.
        assert raised[0] is not raised[1]
        assert reason.__traceback__ is None
    cancellation.cancel(CancelledError("too late"))
    assert cancellation.reason is reason
    cancellation.close()


def test_each_worker_is_lent_to_one_thread_at_a_time():
    turns = Turns(["one", "other"])
    with turns.take() as first, turns.take() as second:
        assert {first, second} == {"one", "other"}
        taken = []

        def work():
            with turns.take() as worker:
                taken.append(worker)

        thread = start(work)
        wait_until(lambda: turns.n_waiting == 1)
        assert taken == []
    thread.join()
    assert len(taken) == 1


def test_background_work_has_its_turn_when_nobody_else_waits():
    turns = Turns([None])
    order = []
    threads = []

    def work(name, *, is_background):
        with Cancellation(is_background=is_background) as cancellation, turns.take(cancellation):
            order.append(name)

    with turns.take():
        threads.append(start(lambda: work("behind", is_background=True)))
        wait_until(lambda: len(turns._waiting_behind) == 1)
        for number in range(3):
            threads.append(start(lambda number=number: work(f"{number}", is_background=False)))
            wait_until(lambda number=number: turns.n_waiting == number + 1)
    join(threads)
    assert order == ["0", "1", "2", "behind"]


def test_background_work_gives_way_once_for_each_who_comes():
    turns = Turns([1, 2])
    threads = []

    def come():
        with turns.take():
            pass

    with Cancellation(is_background=True) as one, Cancellation(is_background=True) as other:
        with turns.take(one), turns.take(other):
            assert not one.run_options.terminated
            threads.append(start(come))
            wait_until(lambda: turns.n_waiting == 1)
            assert one.run_options.terminated
            assert not other.run_options.terminated
            threads.append(start(come))
            wait_until(lambda: turns.n_waiting == 2)
            assert other.run_options.terminated
        join(threads)
        with turns.take(one):  # its runs are allowed again
            assert not one.run_options.terminated


def test_cancelled_background_work_does_not_run_again():
    with Cancellation(is_background=True) as cancellation:
        cancellation.cancel(CancelledError("gone"))
        cancellation.resume()
        assert cancellation.run_options.terminated


def errors(base):
    return [base, *(error for kind in base.__subclasses__() for error in errors(kind))]


def test_every_error_can_be_copied():
    for kind in errors(ServiceError):
        other = copy(kind("a message"))
        assert (type(other), other.message) == (kind, "a message")
    assert copy(OverloadedError("full", 7)).retry_after_s == 7
