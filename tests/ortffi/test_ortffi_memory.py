"""Memory stays flat, however often something is done."""

from __future__ import annotations

import gc
import re
from pathlib import Path

import numpy as np
import pytest
import tiny_models

import ortffi

ALLOWED_KIB = 4096


def resident_kib():
    gc.collect()
    return int(re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])


def growth_kib(work, times, warm_up):
    for step in range(warm_up):
        work(step)
    before = resident_kib()
    for step in range(times):
        work(step)
    return resident_kib() - before


@pytest.mark.usefixtures("_api")
@pytest.mark.parametrize("length", [4, 5000])
def test_ten_thousand_runs(load, length):
    session = load(tiny_models.identity())
    array = np.ones(length, np.float32)
    assert growth_kib(lambda _: session.run({"x": array}), 10_000, 500) < ALLOWED_KIB


def test_ten_thousand_runs_with_strings(load):
    session = load(tiny_models.identity(8))
    array = np.array(["some text of a length that no string keeps inside itself"] * 8)
    assert growth_kib(lambda _: session.run({"x": array}), 10_000, 500) < ALLOWED_KIB


def test_ten_thousand_runs_with_varying_shapes(load):
    session = load(tiny_models.identity())
    array = np.ones(3000, np.float32)

    def work(step):
        session.run({"x": array[: step * 7919 % 3000]})

    assert growth_kib(work, 10_000, 3000) < ALLOWED_KIB


def test_ten_thousand_runs_that_fail_in_every_way(load):
    session = load(tiny_models.gather())
    x, index = np.ones(3, np.float32), np.array([0])
    text = np.array(["some text of a length that no string keeps inside itself"])
    wrong = [
        {"x": x},
        {"x": x, "index": np.array([7])},
        {"x": np.ones((5000, 1), np.float32), "index": index},
        {"x": text, "index": index},
        {"x": np.ones(5000, np.float32), "index": text},
        {"x": x, "index": "no array"},
        {"x": x, "index": np.zeros(3, ">i8")},
    ]

    def work(step):
        with pytest.raises((ortffi.OrtError, TypeError)):
            session.run(wrong[step % len(wrong)])
        with pytest.raises(ortffi.OrtError):
            session.run({"x": x, "index": index, f"unknown {step}": x})

    assert growth_kib(work, 10_000, 500) < ALLOWED_KIB


def test_two_hundred_sessions():
    model = tiny_models.add()
    ones = np.ones(2, np.float32)

    def work(_):
        with ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model) as session:
            session.run({"left": ones, "right": ones})

    assert growth_kib(work, 200, 50) < ALLOWED_KIB


def test_two_hundred_models_that_do_not_load(tmp_path):
    model = tiny_models.invalid_graph()

    def work(step):
        with pytest.raises(ortffi.OrtError):
            ortffi.SessionBuilder().commit_from_memory(model)
        with pytest.raises(ortffi.OrtError):
            ortffi.SessionBuilder().commit_from_file(tmp_path / str(step))

    assert growth_kib(work, 200, 50) < ALLOWED_KIB


def test_ten_thousand_values():
    array = np.ones(5000, np.float32)

    def work(_):
        with ortffi.Value.from_numpy(array) as value:
            value.numpy()

    assert growth_kib(work, 10_000, 500) < ALLOWED_KIB
