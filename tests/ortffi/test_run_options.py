"""Options of one run."""

import _thread
from contextlib import suppress

import numpy as np
import pytest

import ortffi
from ortffi import LogLevel
from tests.ortffi import tiny_models
from tests.ortffi.meeting import wait_until

SHRINK = ("memory.enable_memory_arena_shrinkage", "cpu:0")


# What a process keeps resident depends on all that it has freed, so each session gets a new one.
# The arena never gives back its first region, which a small run makes. A power of two leaves no
# room in the next for the output, so that nothing holds that one.
KEPT_BY_A_RUN = """
import numpy as np
import ortffi
from tests.ortffi import tiny_models
from tests.ortffi.growth import resident_kib

model = tiny_models.double_and_take_first()
with ortffi.SessionBuilder().commit_from_memory(model) as session, ortffi.RunOptions() as options:
    if {shrink}:
        options.with_config(*{shrink})
    session.run({{"x": np.ones(1, np.float32)}})
    array = np.ones(1 << 24, np.float32)
    before = resident_kib()
    assert session.run({{"x": array}}, options=options)[0].tolist() == [2]
    print((resident_kib() - before) * 1024)
"""


@pytest.mark.thorough
def test_an_arena_gives_its_memory_back_where_the_options_say_so(run_python):
    """The run needs 64 MiB on the way."""
    shrunk, kept = (run_python(KEPT_BY_A_RUN.format(shrink=each)) for each in (SHRINK, None))
    assert int(shrunk.stdout) < 16_000_000
    assert int(kept.stdout) > 48_000_000


def test_options_serve_many_runs_and_change_nothing_about_results(load, numbers):
    session = load(tiny_models.identity())
    options = ortffi.RunOptions().with_config(*SHRINK)
    for how in (options, None) * 10:
        assert session.run({"x": numbers}, options=how)[0].tolist() == numbers.tolist()
    options.close()
    options.close()
    uses = [options.terminate, options.resume, options.deadline(1).__enter__, lambda: options.with_config(*SHRINK)]
    for use in [*uses, lambda: session.run({"x": numbers}, options=options)]:
        with pytest.raises(ortffi.ClosedError, match="run options"):
            use()
    assert session.run({"x": numbers})[0].tolist() == numbers.tolist()


def test_options_are_released(watched):
    options = ortffi.RunOptions().with_config(*SHRINK)
    assert [kind for kind, _ in watched.outstanding] == ["run options"]
    del options


def test_an_entry_that_onnx_runtime_refuses_fails_the_run_and_not_the_session(load, numbers):
    session = load(tiny_models.identity())
    with ortffi.RunOptions() as options:
        assert options.with_config(SHRINK[0], "no device") is options
        with pytest.raises(ortffi.OrtError, match="device"):
            session.run({"x": numbers}, options=options)
    assert session.run({"x": numbers})[0].any()


def test_a_run_gets_the_options_it_was_given_and_others_get_none(watched, load, numbers):
    seen = []
    real = watched.real("Run")
    watched.replace["Run"] = lambda session, options, *rest: (seen.append(options), real(session, options, *rest))[1]
    with load(tiny_models.identity()) as session, ortffi.RunOptions() as options:
        session.run({"x": numbers}, options=options)
        session.run({"x": numbers})
        with options.handle.lend() as pointer:
            assert seen == [pointer, None]


def test_a_run_is_tagged_and_speaks_at_its_own_level(watched, load, numbers):
    seen = []
    for name in ("RunOptionsSetRunTag", "RunOptionsSetRunLogSeverityLevel",
                 "RunOptionsSetRunLogVerbosityLevel", "AddRunConfigEntry"):  # fmt: skip

        def record(options, *arguments, name=name):
            seen.append((name, *arguments))
            return watched.real(name)(options, *arguments)

        watched.replace[name] = record
    options = ortffi.RunOptions(
        tag="request 7", log_level=LogLevel.FATAL, log_verbosity=2, shrink_arenas="cpu:0", config={"key": "value"}
    )
    with options, load(tiny_models.identity()) as session:
        assert session.run({"x": numbers}, options=options)[0].any()
    assert seen == [
        ("RunOptionsSetRunTag", b"request 7"),
        ("RunOptionsSetRunLogSeverityLevel", 4),
        ("RunOptionsSetRunLogVerbosityLevel", 2),
        ("AddRunConfigEntry", b"key", b"value"),
        ("AddRunConfigEntry", SHRINK[0].encode(), SHRINK[1].encode()),
    ]


ENDLESS = [np.array(10**12), np.array([0])]
"""Inputs of a run far longer than any test waits."""


@pytest.fixture
def session(load):
    return load(tiny_models.count_up())


def is_usable(session, options):
    return session.run([np.array(3), np.array([4])], options=options)[0].tolist() == [7]


@pytest.mark.usefixtures("_api")
def test_a_run_is_stopped_from_another_thread_and_the_options_resume(session):
    with ortffi.RunOptions() as options:
        assert not options.terminated
        for _ in range(2):
            future = session.submit(ENDLESS, options=options)
            options.terminate()
            assert options.terminated
            with pytest.raises(ortffi.TerminatedError, match="terminate flag") as caught:
                future.result(60)
            assert caught.value.code is ortffi.ErrorCode.FAIL
            with pytest.raises(ortffi.TerminatedError):
                session.run(ENDLESS, options=options)
            options.resume()
            assert not options.terminated
            assert is_usable(session, options)
    assert is_usable(session, None)


def test_options_that_stop_one_run_leave_the_others(session):
    with ortffi.RunOptions() as stopped, ortffi.RunOptions() as other:
        stopped.terminate()
        for _ in range(5):  # also when it is bound
            with pytest.raises(ortffi.TerminatedError):
                session.run(ENDLESS, options=stopped)
            assert is_usable(session, other)


def test_a_deadline_stops_what_is_not_done(session):
    with ortffi.RunOptions() as options:
        for seconds in (0.05, 0):
            with options.deadline(seconds), pytest.raises(ortffi.TerminatedError):
                session.run(ENDLESS, options=options)
            assert options.terminated
            options.resume()
            with options.deadline(3600) as same:
                assert same is options
                assert is_usable(session, options)
            assert not options.terminated


def test_a_deadline_ends_with_its_block(session):
    n_threads = _thread._count()
    with ortffi.RunOptions() as options:
        for error in (KeyError(), ortffi.OrtError(1, "message", "function")):
            with suppress(KeyError, ortffi.OrtError), options.deadline(3600):
                wait_until(lambda: _thread._count() > n_threads, "there is no timer")
                raise error
        wait_until(lambda: _thread._count() <= n_threads, "a timer is left")
        assert is_usable(session, options)


def test_a_deadline_may_be_used_again_and_not_twice_at_once():
    with ortffi.RunOptions() as options:
        deadline = options.deadline(3600)
        for _ in range(2):
            with deadline, pytest.raises(RuntimeError, match="in use"), deadline:
                pass
        assert not options.terminated


def test_no_deadline_passes_after_its_block(session):
    """Whichever of the two comes first: afterwards the options stay as they are."""
    passed = 0
    with ortffi.RunOptions() as options:
        for number in range(300):
            with options.deadline(number * 1e-6):
                pass
            passed += options.terminated
            options.resume()
            assert is_usable(session, options)
            assert not options.terminated
    assert passed < 300


@pytest.mark.thorough
def test_options_may_be_closed_and_a_program_may_end_inside_a_deadline(run_python):
    begin = "import ortffi\noptions = ortffi.RunOptions()\n"
    close = "with options.deadline(3600):\n    options.close()\n    print(options.closed)\n"
    end = "deadline = options.deadline(3600)\ndeadline.__enter__()\n"
    for script, printed in ((close, "True\n"), (end, "")):
        done = run_python(begin + script)
        assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


def test_a_deadline_stops_a_run_whose_options_are_being_closed(session, threads):
    options = ortffi.RunOptions()
    with options.deadline(0.2):
        run = threads.submit(session.run, ENDLESS, options=options)
        wait_until(lambda: options.handle.users or run.done(), "it has not begun")
        options.close()  # waits for the run, which only the deadline ends
        with pytest.raises(ortffi.TerminatedError):
            run.result()
    assert options.terminated


def test_closed_options_are_released_when_the_deadline_ends(watched):
    options = ortffi.RunOptions()
    with options.deadline(3600):
        options.close()
        assert "run options" in {kind for kind, _ in watched.outstanding}
    assert not watched.outstanding


def test_a_stopped_run_is_told_apart_from_a_failed_one(load):
    session = load(tiny_models.gather())
    x = np.ones(3, np.float32)
    with ortffi.RunOptions() as options:
        with pytest.raises(ortffi.OrtError) as caught:
            session.run([x, np.array([9])], options=options)
        assert not isinstance(caught.value, ortffi.TerminatedError)
        options.terminate()
        with pytest.raises(ortffi.TerminatedError):
            session.run([x, np.array([0])], options=options)
