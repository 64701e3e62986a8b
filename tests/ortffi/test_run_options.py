"""Options of one run."""

import _thread
import gc
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from tests.ortffi import tiny_models
from tests.ortffi.meeting import wait_until

import ortffi

SHRINK = ("memory.enable_memory_arena_shrinkage", "cpu:0")


# What a process keeps resident depends on all that it has freed, so each session gets a new one.
# The arena never gives back its first region, which a small run makes. A power of two leaves no
# room in the next for the output, so that nothing holds that one.
KEPT_BY_A_RUN = """
import numpy as np
import ortffi
from tests.ortffi import tiny_models
from tests.ortffi.meeting import wait_until
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


def test_an_arena_gives_its_memory_back_where_the_options_say_so(run_python):
    """The run needs 64 MiB on the way."""
    shrunk, kept = (run_python(KEPT_BY_A_RUN.format(shrink=each)) for each in (SHRINK, None))
    assert int(shrunk.stdout) < 16_000_000
    assert int(kept.stdout) > 48_000_000


def test_options_serve_many_runs_and_change_nothing_about_results(load, numbers):
    session = load(tiny_models.identity())
    with ortffi.RunOptions().with_config(*SHRINK) as options:
        for _ in range(10):
            assert session.run({"x": numbers}, options=options)[0].tolist() == numbers.tolist()
            assert session.run({"x": numbers})[0].tolist() == numbers.tolist()


def test_closed_options_are_refused_and_the_session_goes_on(load, numbers):
    session = load(tiny_models.identity())
    options = ortffi.RunOptions()
    options.close()
    options.close()
    with pytest.raises(ortffi.ClosedError, match="run options"):
        session.run({"x": numbers}, options=options)
    with pytest.raises(ortffi.ClosedError, match="run options"):
        options.with_config(*SHRINK)
    assert session.run({"x": numbers})[0].tolist() == numbers.tolist()


def test_entries_must_be_str_without_nul():
    with ortffi.RunOptions() as options:
        with pytest.raises(TypeError, match="value must be a str"):
            options.with_config("key", 1)
        with pytest.raises(ValueError, match="NUL"):
            options.with_config("key\0", "1")


def test_options_are_released(fake, use):
    use(fake.environment())
    options = ortffi.RunOptions().with_config(*SHRINK)
    assert [kind for kind, _ in fake.outstanding] == ["run options"]
    del options
    gc.collect()
    assert not fake.outstanding


def test_an_entry_that_onnx_runtime_refuses_fails_the_run_and_not_the_session(load):
    session = load(tiny_models.identity())
    entry = ("memory.enable_memory_arena_shrinkage", "no device")
    with ortffi.RunOptions() as options:
        assert options.with_config(*entry) is options
        with pytest.raises(ortffi.OrtError, match="device"):
            session.run({"x": np.ones(3, np.float32)}, options=options)
    assert session.run({"x": np.ones(3, np.float32)})[0].all()


def test_a_run_gets_the_options_it_was_given_and_others_get_none(fake, use):
    use(fake.environment())
    seen = []
    real = fake.real("Run")

    def run(session, options, *rest):
        seen.append(options)
        return real(session, options, *rest)

    fake.replace["Run"] = run
    model = tiny_models.identity()
    with ortffi.SessionBuilder().commit_from_memory(model) as session, ortffi.RunOptions() as options:
        session.run({"x": np.ones(3, np.float32)}, options=options)
        session.run({"x": np.ones(3, np.float32)})
        with options.handle.lend() as pointer:
            assert seen == [pointer, None]


def test_a_run_is_tagged_and_speaks_at_its_own_level(fake, use):
    use(fake.environment())
    seen = []
    for name in ("RunOptionsSetRunTag", "RunOptionsSetRunLogSeverityLevel",
                 "RunOptionsSetRunLogVerbosityLevel", "AddRunConfigEntry"):  # fmt: skip

        def record(options, *arguments, name=name):
            seen.append((name, *arguments))
            return fake.real(name)(options, *arguments)

        fake.replace[name] = record
    with (
        ortffi.RunOptions(
            tag="request 7",
            log_level=ortffi.LogLevel.FATAL,
            log_verbosity=2,
            shrink_arenas="cpu:0",
            config={"key": "value"},
        ) as options,
        ortffi.SessionBuilder().commit_from_memory(tiny_models.identity()) as session,
    ):
        assert session.run({"x": np.ones(3, np.float32)}, options=options)[0].all()
    assert seen == [
        ("RunOptionsSetRunTag", b"request 7"),
        ("RunOptionsSetRunLogSeverityLevel", 4),
        ("RunOptionsSetRunLogVerbosityLevel", 2),
        ("AddRunConfigEntry", b"key", b"value"),
        ("AddRunConfigEntry", SHRINK[0].encode(), SHRINK[1].encode()),
    ]


def endless(session, options):
    """Run far longer than any test waits."""
    return session.run([np.array(10**12), np.array([0])], options=options)


def is_usable(session, options):
    total, start = session.run([np.array(3), np.array([4])], options=options), 4
    return total[0].tolist() == [start + 3]


@pytest.mark.usefixtures("_api")
def test_a_run_is_stopped_from_another_thread_and_the_options_resume(load):
    session = load(tiny_models.count_up())
    with ortffi.RunOptions() as options:
        assert not options.terminated
        for _ in range(2):
            future = session.submit([np.array(10**12), np.array([0])], options=options)
            options.terminate()
            assert options.terminated
            with pytest.raises(ortffi.TerminatedError, match="terminate flag") as caught:
                future.result(60)
            assert caught.value.code is ortffi.ErrorCode.FAIL
            with pytest.raises(ortffi.TerminatedError):
                endless(session, options)
            options.resume()
            assert not options.terminated
            assert is_usable(session, options)
    assert is_usable(session, None)


def test_options_that_stop_one_run_leave_the_others(load):
    session = load(tiny_models.count_up())
    with ortffi.RunOptions() as stopped, ortffi.RunOptions() as other:
        stopped.terminate()
        for _ in range(5):  # also when it is bound
            with pytest.raises(ortffi.TerminatedError):
                endless(session, stopped)
            assert is_usable(session, other)


def test_a_deadline_stops_what_is_not_done(load):
    session = load(tiny_models.count_up())
    with ortffi.RunOptions() as options:
        with options.deadline(0.05), pytest.raises(ortffi.TerminatedError):
            endless(session, options)
        assert options.terminated
        options.resume()
        with options.deadline(3600) as same:
            assert same is options
            assert is_usable(session, options)
        assert not options.terminated
        with options.deadline(0), pytest.raises(ortffi.TerminatedError):
            endless(session, options)


def test_a_deadline_ends_with_its_block(load):
    session = load(tiny_models.count_up())
    n_threads = _thread._count()
    with ortffi.RunOptions() as options:
        for error in (KeyError, ortffi.OrtError):
            with suppress(KeyError, ortffi.OrtError), options.deadline(3600):
                wait_until(lambda: _thread._count() > n_threads, "there is no timer")
                raise error if error is KeyError else error(1, "message", "function")
        wait_until(lambda: _thread._count() <= n_threads, "a timer is left")
        assert is_usable(session, options)


def test_a_deadline_may_be_used_again_and_not_twice_at_once():
    with ortffi.RunOptions() as options:
        deadline = options.deadline(3600)
        for _ in range(2):
            with deadline, pytest.raises(RuntimeError, match="in use"), deadline:
                pass
        assert not options.terminated


def test_no_deadline_passes_after_its_block(load):
    """Whichever of the two comes first: afterwards the options stay as they are."""
    session = load(tiny_models.count_up())
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


def test_options_may_be_closed_inside_a_deadline(run_python):
    done = run_python(
        "import ortffi\n"
        "options = ortffi.RunOptions()\n"
        "with options.deadline(3600):\n"
        "    options.close()\n"
        "    print(options.closed)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_a_deadline_stops_a_run_whose_options_are_being_closed(load):
    session = load(tiny_models.count_up())
    options = ortffi.RunOptions()
    with ThreadPoolExecutor(1) as pool, options.deadline(0.2):
        run = pool.submit(endless, session, options)
        while not options.handle.users and not run.done():  # it has not begun
            pass
        options.close()  # waits for the run, which only the deadline ends
        with pytest.raises(ortffi.TerminatedError):
            run.result()
    assert options.terminated


def test_closed_options_are_released_when_the_deadline_ends(fake, use):
    use(fake.environment())
    options = ortffi.RunOptions()
    with options.deadline(3600):
        options.close()
        assert "run options" in {kind for kind, _ in fake.outstanding}
    assert not fake.outstanding
    assert not fake.mistakes


def test_a_program_may_end_inside_a_deadline(run_python):
    done = run_python(
        "import ortffi\noptions = ortffi.RunOptions()\ndeadline = options.deadline(3600)\ndeadline.__enter__()\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_closed_options_can_neither_stop_nor_resume():
    options = ortffi.RunOptions()
    options.close()
    for use in (options.terminate, options.resume, options.deadline(1).__enter__):
        with pytest.raises(ortffi.ClosedError, match="run options"):
            use()


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
