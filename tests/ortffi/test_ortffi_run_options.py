"""Options of one run."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import tiny_models

import ortffi

SHRINK = ("memory.enable_memory_arena_shrinkage", "cpu:0")


def resident_bytes():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def kept_by_a_run(session, options):
    """Return what a session holds on to after a run that needed 64 MiB on the way.

    The arena never gives back its first region, which a small run makes. A power of two leaves no
    room in the next for the output, so that nothing holds that one.
    """
    session.run({"x": np.ones(1, np.float32)})
    array = np.ones(1 << 24, np.float32)
    before = resident_bytes()
    assert session.run({"x": array}, options=options)[0].tolist() == [2]
    return resident_bytes() - before


def test_an_arena_gives_its_memory_back_where_the_options_say_so(load):
    model = tiny_models.double_and_take_first()
    with ortffi.RunOptions().with_config(*SHRINK) as options:
        assert kept_by_a_run(load(model), options) < 16_000_000
    assert kept_by_a_run(load(model), None) > 48_000_000


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
    with (
        ortffi.SessionBuilder().commit_from_memory(model) as session,
        ortffi.RunOptions() as options,
    ):
        session.run({"x": np.ones(3, np.float32)}, options=options)
        session.run({"x": np.ones(3, np.float32)})
        with options.handle as pointer:
            assert seen == [pointer, None]
