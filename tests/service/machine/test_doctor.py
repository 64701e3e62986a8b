"""What `doctor` says of the machine."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service import doctor
from service.loading import load_runtime
from service.settings import Settings

HERE = Path(__file__).parent


@pytest.fixture
def nvidia(driver_library, compile_library, tmp_path):
    """Folders of stand-ins for NVIDIA's libraries, as LD_LIBRARY_PATH has them."""
    for name, number in (("libcudart.so.12", 12_060), ("libcudnn.so.9", 90_300), ("libnvinfer.so.10", 100_300)):
        compile_library(tmp_path / "nvidia" / name, HERE / "fake_library.c", f"-DVERSION={number}")
    return f"{driver_library.parent}:{tmp_path / 'nvidia'}"


def findings(nvidia, *flags, **environment):
    """Run the command, which stops after the machine: there is no ONNX Runtime."""
    environment |= {"LD_LIBRARY_PATH": nvidia, "ONNXRUNTIME_LIB_DIR": "/nowhere"}
    done = subprocess.run(
        [sys.executable, "-m", "service", "doctor", "--json", *flags],
        capture_output=True, text=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 1
    return {finding["name"]: finding for finding in json.loads(done.stdout)}


def test_what_is_there_is_told(nvidia):
    found = findings(nvidia, FAKE_GPUS="2")
    details = {name: str(finding["detail"]) for name, finding in found.items()}
    assert details["board"]
    assert "GiB available" in details["memory"]
    assert details["driver"].endswith("supports CUDA 12.6")
    assert details["gpu 0"] == "Orin, sm_87, 8.0 GiB of the system's memory"
    assert details["gpu 1"] == "Another GPU, sm_120, 24.0 GiB of its own memory"
    assert details["cuda"].startswith("12.6, ")
    assert details["cudnn"].startswith("9.3.0, ")
    assert details["tensorrt"].startswith("10.3.0, ")
    assert {name for name, finding in found.items() if finding["ok"] is False} == {"onnxruntime"}


@pytest.mark.parametrize(("provider", "verdict"), [("cpu", None), ("auto", None), ("cuda", False)])
def test_what_is_not_there_is_wrong_only_where_it_is_asked_for(driver_library, provider, verdict):
    found = findings(str(driver_library.parent), "--provider", provider, FAKE_INIT="100")
    assert found["driver"]["ok"] is verdict
    assert found["driver"]["detail"] == "the driver finds no GPU"
    assert "gpu 0" not in found


@pytest.mark.parametrize(
    ("provider", "verdicts"), [("cpu", (None, None)), ("cuda", (False, None)), ("tensorrt", (False, False))]
)
def test_libraries_are_missed_by_the_providers_that_need_them(jetson, monkeypatch, tmp_path, provider, verdicts):
    found = examine(jetson, Settings(voices_dir=tmp_path, provider=provider), monkeypatch)
    assert (found["cudnn"].ok, found["tensorrt"].ok) == verdicts


def test_a_board_is_told_with_its_release_and_power_mode(jetson, monkeypatch, tmp_path):
    found = examine(jetson, Settings(voices_dir=tmp_path), monkeypatch)
    assert found["board"].detail.startswith("NVIDIA Jetson Orin Nano")
    assert found["jetpack"].detail == "6.2.1, L4T 36.4.7"
    assert found["power mode"].detail == "MAXN_SUPER"
    assert found["memory"].detail == "4.7 of 7.4 GiB available, the GPU's too"
    assert (found["cudnn"].ok, found["cudnn"].detail) == (None, "not found")
    assert "kernels" not in found


@pytest.mark.parametrize(("provider", "verdict"), [("cpu", None), ("cuda", False)])
def test_a_library_without_kernels_for_the_gpu_is_told(jetson, cuda_build, monkeypatch, provider, verdict, tmp_path):
    settings = Settings(voices_dir=tmp_path, provider=provider)
    found = examine(jetson, settings, monkeypatch, cuda_build)
    assert found["kernels"].ok is verdict
    assert "no kernels for this GPU (Orin, sm_87), only for sm_90a" in found["kernels"].detail


def test_kernels_are_told_where_there_is_no_gpu_to_compare(jetson, cuda_build, monkeypatch, tmp_path):
    monkeypatch.setenv("FAKE_GPUS", "0")
    found = examine(jetson, Settings(voices_dir=tmp_path), monkeypatch, cuda_build)
    assert (found["kernels"].ok, found["kernels"].detail) == (True, "sm_90a, sm_121a")


def examine(machine, settings, monkeypatch, cuda_build=None):
    """Look at another machine, which has this one's ONNX Runtime or a build with CUDA."""
    runtime = load_runtime(settings)
    if cuda_build is not None:
        runtime = dataclasses.replace(runtime, library=cuda_build, compiled_in=("CUDAExecutionProvider",))
    monkeypatch.setattr(doctor, "Machine", lambda: machine)
    monkeypatch.setattr(doctor, "load_runtime", lambda settings: runtime)
    return {finding.name: finding for finding in doctor.examine(settings, print)}
