from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ortffi
from bench import gpu
from bench.gpu import Extent, Setup, against, blocks, lack_of_gpu, mixed_lengths, share_on_gpu
from bench.processes import ChildError
from bench.sides import Spoken
from service.machine import Machine
from service.settings import Settings


class Talker:
    """Stands in for a process that speaks; each token takes it as long as the last one."""

    def __init__(self, token_s: float, n_samples: int = 24_000) -> None:
        self.token_s = token_s
        self.n_samples = n_samples
        self.said: list[int] = []

    def say(self, phonemes: str) -> Spoken:
        self.said.append(len(phonemes))
        seconds = self.token_s * len(phonemes)
        return Spoken(seconds, seconds, self.n_samples, (self.n_samples // 600,), 1.0, 1.0)


FEW = Extent(one_length=3, n_tokens=10, blocks=((8, 20), (12, 30), (16, 24)))


def test_blocks_have_each_length_once_and_take_about_as_long() -> None:
    found = blocks()
    lengths = [n for block in found for n in block]
    assert len(found) == 7
    assert len(set(lengths)) == len(lengths) == 56
    assert (min(lengths), max(lengths)) == (8, 228)
    totals = [sum(block) for block in found]
    assert max(totals) < 1.3 * min(totals)
    for block in found:
        assert block != sorted(block)
        assert all(abs(one - other) >= 28 for one, other in pairwise(block))


@pytest.mark.parametrize(
    ("their_token_s", "met"), [(0.001, [False, False]), (0.003, [True, False]), (0.005, [True] * 2)]
)
def test_bounds_are_held_to_one_length_and_to_mixed_ones(
    their_token_s: float, met: list[bool]
) -> None:
    rows = against(Talker(0.002), Talker(their_token_s), FEW, bounds=True)  # type: ignore[arg-type]
    assert [row.met for row in rows] == [met[0], None, met[1], None]
    assert f"{their_token_s / 0.002:.3f} times" in rows[0].compared
    assert rows[2].measurement == "mixed lengths, 2 requests"
    assert "3 pairs" in rows[2].compared


def test_peers_without_bounds_miss_none() -> None:
    rows = against(Talker(0.002), Talker(0.001), FEW, bounds=False)  # type: ignore[arg-type]
    assert {row.met for row in rows} == {None}


def test_both_sides_say_all_of_it_in_the_same_order() -> None:
    ours, theirs = Talker(0.002), Talker(0.001)
    mixed_lengths(ours, theirs, FEW, None)  # type: ignore[arg-type]
    assert ours.said == theirs.said == [8, 20, 12, 30, 16, 24] * 2


@pytest.mark.parametrize(("n_samples", "alike"), [(24_600, True), (23_400, True), (25_200, False)])
def test_sides_that_do_not_say_the_same_are_not_compared(n_samples: int, alike: bool) -> None:
    sides: Sequence[Any] = (Talker(0.002), Talker(0.001, n_samples))
    if alike:
        against(*sides, FEW, bounds=True)
        return
    with pytest.raises(ChildError, match=r"say the same: 1\.00 s and 1\.05 s"):
        against(*sides, FEW, bounds=True)


def test_repeats_limit_everything() -> None:
    assert Extent().limited(None) == Extent()
    limited = Extent().limited(2)
    assert (limited.one_length, limited.servers, limited.streams) == (2, 2, 2)
    assert list(limited.blocks) == blocks()[:2]


def test_nodes_that_are_not_the_processors_are_the_gpus() -> None:
    nodes = {"CUDAExecutionProvider": 80, "TensorrtExecutionProvider": 10}
    assert share_on_gpu({**nodes, "CPUExecutionProvider": 10}) == 0.9
    assert share_on_gpu(nodes) == 1.0
    assert share_on_gpu({"CPUExecutionProvider": 10}) == 0.0


def test_a_side_of_ours_has_settings_and_variables() -> None:
    setup = Setup(settings={"cache_dir": "/cache"}, environment={"ONNXRUNTIME_LIB_DIR": "/here"})
    assert setup.ours("float16", buckets="1").environment() == {
        "KOKORO_PROVIDER": "cuda",
        "KOKORO_PRECISION": "float16",
        "KOKORO_CACHE_DIR": "/cache",
        "KOKORO_BUCKETS": "1",
        "ONNXRUNTIME_LIB_DIR": "/here",
    }


def test_without_a_gpu_it_ends_with_status_2_and_one_line() -> None:
    if not lack_of_gpu():
        pytest.skip("shows what is said without a GPU, and there is one: run it elsewhere")
    done = subprocess.run(
        [sys.executable, "-m", "bench.gpu"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"bench: {gpu.NEEDS} (")


def test_what_is_missing_is_told_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine = Machine(driver_library=tmp_path / "libcuda.so.1")
    monkeypatch.setattr(ortffi, "available_providers", lambda: ["CPUExecutionProvider"])
    assert "was built without CUDA" in lack_of_gpu(machine, tmp_path)
    monkeypatch.setattr(ortffi, "available_providers", lambda: ["CUDAExecutionProvider"])
    assert "no NVIDIA driver" in lack_of_gpu(machine, tmp_path)
    machine.driver = dataclasses.replace(machine.driver, gpus=(object(),), problem="")
    monkeypatch.setattr(ortffi, "try_provider", _refuse)
    assert "libcuda.so.1 is not found: install it" in lack_of_gpu(machine, tmp_path)
    monkeypatch.setattr(ortffi, "try_provider", lambda name: None)
    assert "package is not in" in lack_of_gpu(machine, tmp_path)
    (tmp_path / "onnxruntime").mkdir()
    assert lack_of_gpu(machine, tmp_path) == ""


def _refuse(name: str) -> None:
    raise ortffi.ProviderUnavailableError(
        f"{name}: libcuda.so.1: cannot open shared object file: No such file or directory"
    )


def test_gpu_driver_and_libraries_are_named(tmp_path: Path) -> None:
    told = gpu.gpu(Machine(tmp_path, driver_library=tmp_path / "libcuda.so.1", packages=()))
    assert told.startswith("GPU: no NVIDIA driver")
    assert "CUDA unknown, cuDNN unknown; the package is " in told


@pytest.mark.slow
def test_all_of_it_runs_on_a_stand_in(
    library: ortffi.Library, model_file: Path, cache_dir: Path, tmp_path: Path
) -> None:
    """Our side on the stub of a CUDA build, theirs on the package's CPU provider."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: install gcc")
    models = gpu.prepared_models(Settings(cache_dir=cache_dir))
    assert list(models) == ["float32", "float16"]
    setup = Setup(
        settings={"buckets": "40,80", "cache_dir": str(cache_dir)},
        environment=_stub_environment(library.path, tmp_path),
        peers=("processor",),
        package=None,
        tells_memory=False,
    )
    extent = Extent(1, 14, ((8, 12),), 1, 1, "Yes. No.", 14)
    report, _ = gpu.measure(setup, "float32", models["float32"], extent)
    start, *tables = report.split("\n\n")
    assert "Placement: 100 % of the nodes" in start
    assert "90% or more must be on the GPU: they are." in start
    assert [table.count("\n") - 1 for table in tables] == [4, 2, 2]
    assert "| 14 tokens |" in tables[0]
    assert "ours without buckets" in tables[1]
    assert "| HTTP: first request, against a warm one |" in tables[2]


def _stub_environment(real: Path, folder: Path) -> dict[str, str]:
    """Return what makes a process use the stub of the tests of CUDA, compiled into a folder."""
    program = (
        "import sys, json, pathlib, stub; folder = pathlib.Path(sys.argv[1]); "
        "library = stub.compile_library(folder); "
        "made = stub.Stub(library, folder / 'cuda', pathlib.Path(sys.argv[2])); "
        "print(json.dumps(made.environment))"
    )
    tests = Path(__file__).parents[1] / "cuda"
    path = os.pathsep.join([str(tests), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(real)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(done.stdout))
