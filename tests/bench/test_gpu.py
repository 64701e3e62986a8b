import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import ortffi
from bench.gpu import chunks, measurements, presence
from bench.gpu.measurements import against, mixed_lengths, share_on_gpu
from bench.gpu.peer import open_package
from bench.gpu.presence import lack_of_gpu
from bench.gpu.setup import Extent, Setup, blocks
from bench.processes import ChildError
from bench.sides import Spoken
from bench.variants import opened, prepared_for_gpus
from service.machine import Machine
from service.model import SplitModel
from service.model.parity import log_spectral_distance
from service.settings import Settings
from service.speech.windows import MOST_FRAMES, WHOLE_FRAMES, windows_of
from tests.cuda.stub import Stub, compile_library
from tests.opened_models import open_folder
from tests.small_kokoro import write_parts, write_small_kokoro


class Talker:
    """Stands in for a process that speaks; each token takes it as long as the last one."""

    def __init__(self, token_s, n_samples=24_000):
        self.token_s, self.n_samples, self.said = token_s, n_samples, []

    def say(self, phonemes):
        self.said.append(len(phonemes))
        seconds = self.token_s * len(phonemes)
        return Spoken(seconds, seconds, self.n_samples, (self.n_samples // 600,), 1.0, 1.0)


FEW = Extent(one_length=3, n_tokens=10, blocks=((8, 20), (12, 30), (16, 24)))


def test_blocks_have_each_length_once_and_take_about_as_long():
    found = blocks()
    lengths = [n for block in found for n in block]
    assert len(found) == 7
    assert len(set(lengths)) == len(lengths) == 56
    assert (min(lengths), max(lengths)) == (8, 228)
    totals = [sum(block) for block in found]
    assert max(totals) < 1.3 * min(totals)
    for block in found:
        assert all(abs(one - other) >= 28 for one, other in pairwise(block))


def test_bounds_are_held_to_one_length_and_to_mixed_ones():
    for their_token_s, met in ((0.001, [False, False]), (0.003, [True, False]), (0.005, [True, True])):
        rows = against(Talker(0.002), Talker(their_token_s), FEW, bounds=True)
        assert [row.met for row in rows] == [met[0], None, met[1], None]
        assert f"{their_token_s / 0.002:.3f} times" in rows[0].compared
        assert rows[2].measurement == "mixed lengths, 2 requests"
        assert "3 pairs" in rows[2].compared
    assert {row.met for row in against(Talker(0.002), Talker(0.001), FEW, bounds=False)} == {None}


def test_both_sides_say_the_same_in_the_same_order():
    ours, theirs = Talker(0.002), Talker(0.001)
    mixed_lengths(ours, theirs, FEW, None)
    assert ours.said == theirs.said == [8, 20, 12, 30, 16, 24] * 2
    for n_samples in (24_600, 23_400):
        against(Talker(0.002), Talker(0.001, n_samples), FEW, bounds=True)
    with pytest.raises(ChildError, match=r"differs: 1\.00 s and 1\.05 s"):
        against(Talker(0.002), Talker(0.001, 25_200), FEW, bounds=True)


def test_nodes_that_are_not_the_processors_are_the_gpus():
    nodes = {"CUDAExecutionProvider": 80, "TensorrtExecutionProvider": 10}
    assert share_on_gpu({**nodes, "CPUExecutionProvider": 10}) == 0.9
    assert share_on_gpu({"CPUExecutionProvider": 10}) == 0.0


def test_without_a_gpu_it_ends_with_status_2_and_one_line():
    if not lack_of_gpu():
        pytest.skip("shows what is said without a GPU, and there is one: run it elsewhere")
    done = subprocess.run([sys.executable, "-m", "bench.gpu"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"bench: {presence.NEEDS} (")


def test_what_is_missing_is_told_in_order(monkeypatch, tmp_path):
    machine = Machine(driver_library=tmp_path / "libcuda.so.1")
    monkeypatch.setattr(ortffi, "available_providers", lambda: ["CPUExecutionProvider"])
    assert "was built without CUDA" in lack_of_gpu(machine, tmp_path)
    monkeypatch.setattr(ortffi, "available_providers", lambda: ["CUDAExecutionProvider"])
    assert "no NVIDIA driver" in lack_of_gpu(machine, tmp_path)
    machine.driver = dataclasses.replace(machine.driver, gpus=(object(),), problem="")
    text = "CUDA: libcuda.so.1: cannot open shared object file: No such file or directory"
    monkeypatch.setattr(ortffi, "try_provider", Mock(side_effect=ortffi.ProviderUnavailableError(text)))
    assert "libcuda.so.1 is not found: install it" in lack_of_gpu(machine, tmp_path)
    monkeypatch.setattr(ortffi, "try_provider", lambda name: None)
    assert "package is not in" in lack_of_gpu(machine, tmp_path)
    (tmp_path / "onnxruntime").mkdir()
    assert lack_of_gpu(machine, tmp_path) == ""


@pytest.mark.parametrize("ids", [[16], [3, 50, 7, 90]])
def test_the_package_says_what_we_say_of_the_same_two_files(tmp_path, ids):
    write_parts(write_small_kokoro(tmp_path / "small.onnx"), tmp_path, "float32")
    style = np.zeros((1, 256), np.float32)
    speak, identity = open_package("processor", str(tmp_path), 1)
    samples, durations = speak({"token_ids": ids, "style": style.tobytes().hex(), "speed": 1.0})
    assert identity.endswith("CPUExecutionProvider, processor")
    with closing(open_folder(tmp_path)) as model:
        said = model.infer(ids, style, 1.0, buckets=[1])
    assert (durations.tolist(), samples.size) == (said.durations.tolist(), 600 * durations.sum())
    assert np.abs(samples).max() > 0.05
    np.testing.assert_allclose(samples, said.samples, atol=1e-5)


@pytest.mark.slow
def test_the_package_makes_the_sound_of_the_whole_in_float32(model_file, cache_dir):
    """What is taken for statistics, and what the mask leaves, is heard in the real model alone."""
    settings = Settings(cache_dir=cache_dir)
    ids, style = chunks.chunk(3)
    speak, _ = open_package("processor", str(prepared_for_gpus(settings)["float32"]), 2)
    samples, _ = speak({"token_ids": ids, "style": style.tobytes().hex(), "speed": 1.0})
    with opened("float32", settings) as model:
        said = model.infer(ids, style, 1.0, buckets=[1])
    assert samples.size == said.samples.size
    assert np.abs(samples).max() > 0.1
    assert log_spectral_distance(said.samples, samples) < 2


@pytest.fixture(scope="module")
def native(model_file, cache_dir):
    """A model that has windows; this one has them on the processor."""
    with opened("native", Settings(cache_dir=cache_dir)) as model:
        yield model


@pytest.fixture
def decoded(native, monkeypatch):
    """How often so many frames were decoded."""
    counts = Counter()
    decode = SplitModel.decode

    def count(model, encoding, first, last, *more, **named):
        counts[last - first] += 1
        return decode(model, encoding, first, last, *more, **named)

    monkeypatch.setattr(SplitModel, "decode", count)
    return counts


def test_first_samples_need_one_window_and_all_need_each(native, decoded):
    chunk = chunks.chunk(4)
    n_frames = native.encode(*chunk, 1.0).n_frames
    windows = list(windows_of(n_frames, soon=True))
    assert n_frames > WHOLE_FRAMES
    found = chunks.measure_chunk(native, *chunk, 1)
    assert found["name"] == f"{n_frames / 40:.1f} s, {len(windows)} windows"
    assert [len(found["first"]), len(found["all"])] == [1, 1]
    # Both measurements run twice, the warm-up counts too.
    expected = Counter({n_frames: 4})
    for number, window in enumerate(windows):
        first, last = window.in_context(n_frames)
        expected[last - first] += 2 if number else 4
    assert decoded == expected


def test_the_window_is_of_usual_length_and_has_its_context(native, decoded):
    assert (len(chunks.measure_window(native, native, *chunks.chunk(5), 1)), decoded) == (1, {104: 6})


def test_a_model_that_is_decoded_whole_has_no_windows_to_measure(model_file, cache_dir):
    done = subprocess.run(
        [sys.executable, "-m", "bench.gpu.chunks", "1", "4"],
        env={**os.environ, "KOKORO_PREPARE": "false", "KOKORO_CACHE_DIR": str(cache_dir)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith("bench.gpu.chunks: the model cannot be decoded")


@pytest.mark.slow
def test_all_of_it_runs_on_a_stand_in(library, model_file, cache_dir, tmp_path):
    """Our side on the stub of a CUDA build, theirs on the package's CPU provider."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: install gcc")
    folders = prepared_for_gpus(Settings(cache_dir=cache_dir))
    assert list(folders) == ["float32", "float16"]
    stub = Stub(compile_library(tmp_path), tmp_path / "cuda", library.path)
    setup = Setup(
        settings={"buckets": "40,104", "cache_dir": str(cache_dir)}, environment=stub.environment,
        peers=("processor",), package=None, measures_memory=False,
    )  # fmt: skip
    extent = Extent(1, 14, ((8, 12),), 1, 1, "Yes. No.", 14, 1, (4.0,))
    report, _ = measurements.measure(setup, "float32", folders["float32"], extent)
    start, *tables = report.split("\n\n")
    assert "Placement: 100 % of the nodes" in start
    assert "90% or more must be on the GPU: they are." in start
    assert "Windows: CUDA graphs of 40, 104 frames." in start
    assert [table.count("\n") - 1 for table in tables] == [4, 2, 2, 1, 2]
    assert "| 14 tokens |" in tables[0]
    assert "ours without buckets" in tables[1]
    assert "windows | whole |" in tables[2]
    assert "| all samples of " in tables[2]
    assert "with CUDA graphs | without CUDA graphs |" in tables[3]
    assert f"| a window of {MOST_FRAMES} frames |" in tables[3]
    assert "| HTTP: first request, against a warm one |" in tables[4]
    assert _graph_runs(Path(stub.environment["STUB_RECORD"])) == ["replay", "none", "none", "replay", "replay", "none"]


def _graph_runs(record):
    """Return what the last six runs were in the process that had two decoders with graphs."""
    calls = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    runs = [call for call in calls if "graph_run" in call and call["graph"] in (-1, 104)]
    decoders = {}
    for run in runs:
        decoders.setdefault(run["process"], set()).add(run["session"])
    (process,) = (process for process, sessions in decoders.items() if len(sessions) == 2)
    return [run["graph_run"] for run in runs if run["process"] == process][-6:]
