"""The real library of a CUDA build where there is no GPU: each refusal names cause and cure."""

import json
import re
import shutil
import subprocess
import sys
from functools import cache

import pytest
import soundfile

pytestmark = pytest.mark.usefixtures("no_gpu")

COMMAND = "kokoro-service prepare --for cuda"
MODEL_MISSING = f"prepare a model for GPUs with: {COMMAND}"


@cache
def first_missing_library(build):
    """Return the first library that the loader, in a process of its own, lacks for the CUDA part, or none."""
    names = [f"{stem}.so.{version}" for stem, version in build.wanted.items() if version]
    return next((name for name in names if not _loads(name)), "")


def _loads(name):
    program = f"import ctypes; ctypes.CDLL({name!r})"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


def cause_and_cure(build):
    """Return a pattern of what is to be said on this machine: the first thing that it lacks."""
    missing = first_missing_library(build)
    if missing.startswith("libcuda.so"):
        return r"the NVIDIA driver is missing, libcuda\.so\.1 is not found: install it"
    if missing:
        return rf"this ONNX Runtime needs .*\({re.escape(missing)}\).*: (install|add|check) .*"
    return "(the driver|NVIDIA's libraries) .*: .*(update|check|restart|use)"


def complaint(done):
    """Return the one line in which a command says why it ends."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "onnxruntime:" not in done.stderr, "ONNX Runtime's own log is no explanation"
    (line,) = (each for each in done.stderr.splitlines() if each.startswith("kokoro-service: "))
    assert done.stderr.endswith(f"{line}\n")
    return line


@pytest.fixture(params=["say", "serve"])
def command(request, tmp_path):
    say = ("say", "Hello.", "-o", str(tmp_path / "hello.wav"))
    return say if request.param == "say" else ("serve", "--port", "0")


def test_what_cuda_lacks_stops_it_with_cause_and_cure(service, build, prepared, tmp_path, command):
    line = complaint(service(*command, "--provider", "cuda", "--cache-dir", str(prepared)))
    assert re.match(f"kokoro-service: provider = cuda: {cause_and_cure(build)}", line), line
    assert list(tmp_path.iterdir()) == []


def test_the_published_model_is_refused_with_the_command_that_makes_one(service, tmp_path, command):
    """Before the provider is loaded: the first thing to do is to make a model."""
    line = complaint(service(*command, "--provider", "cuda", "--cache-dir", str(tmp_path)))
    assert line.startswith("kokoro-service: provider = cuda: kokoro-v1.0.int8.onnx is quantized")
    assert line.endswith(MODEL_MISSING)


def test_a_quantized_file_is_refused_with_the_command_for_that_file(service, model_file, tmp_path):
    given = ("--model", str(model_file), "--cache-dir", str(tmp_path))
    line = complaint(service("say", "A.", "-o", str(tmp_path / "a.wav"), "--provider", "cuda", *given))
    assert line.endswith(f"{MODEL_MISSING} --model {model_file.name}")


def test_wrong_options_are_told_before_anything_else(service, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('provider = "cuda"\n[cuda_options]\ncudnn_conv_algo_serch = "HEURISTIC"\n')
    given = ("--config", str(config), "--cache-dir", str(tmp_path))
    line = complaint(service("say", "A.", "-o", str(tmp_path / "a.wav"), *given))
    assert line.startswith("kokoro-service: cuda_options: ")
    assert "cudnn_conv_algo_search" in line, "the nearest option is named"


def test_auto_speaks_on_the_processor_after_one_warning(service, build, prepared, tmp_path):
    sound = tmp_path / "hello.wav"
    done = service("say", "Hello.", "-o", str(sound), "--provider", "auto", "--cache-dir", str(prepared))
    assert done.returncode == 0, done.stderr
    (warning,) = (line for line in done.stderr.splitlines() if " WARNING " in line)
    expected = f"running on the CPU, because the GPU cannot be used: {cause_and_cure(build)}"
    assert re.search(expected, warning), warning
    assert soundfile.info(sound).duration > 0.5


def test_doctor_tells_the_kernels_and_what_is_missing(service, build, prepared):
    done = service("doctor", "--json", "--provider", "cuda", "--cache-dir", str(prepared))
    assert done.returncode == 1, done.stderr
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert found["provider cpu"]["ok"]
    assert "CUDAExecutionProvider" in found["compiled in"]["detail"]
    assert found["kernels"]["ok"]
    assert set(found["kernels"]["detail"].split(", ")) == set(map(str, build.kernels.targets))
    assert re.search(r"\bsm_\d+", found["kernels"]["detail"])
    assert found["driver"]["ok"] is False
    for name in ("provider cuda", "provider_unavailable"):
        assert found[name]["ok"] is False
        assert re.search(cause_and_cure(build), found[name]["detail"]), found[name]


def test_doctor_does_not_mind_where_cuda_is_not_asked_for(service, prepared):
    done = service("doctor", "--json", "--cache-dir", str(prepared))
    assert done.returncode == 0, done.stdout
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert found["provider cuda"]["ok"] is None
    assert found["self-test"]["ok"]


@pytest.mark.parametrize(("bytes_of_part", "told"), [
    (None, "libonnxruntime_providers_cuda.so is not beside .*: put all libonnxruntime"),
    (1 << 20, "libonnxruntime_providers_cuda.so: ends within .*: the file is damaged; install"),
], ids=["missing", "cut short"])  # fmt: skip
def test_a_build_that_is_not_whole_is_told(service, build, prepared, tmp_path, bytes_of_part, told):
    folder = tmp_path / "build"
    folder.mkdir()
    for file in build.library.parent.glob("libonnxruntime*.so*"):
        if "_providers_" not in file.name or file.name.endswith("_shared.so"):
            shutil.copy(file, folder)
    if bytes_of_part is not None:
        with build.provider.open("rb") as part:
            (folder / build.provider.name).write_bytes(part.read(bytes_of_part))
    done = service(
        "say", "Hello.", "-o", str(tmp_path / "a.wav"), "--provider", "cuda",
        "--cache-dir", str(prepared), ONNXRUNTIME_DIR="", ONNXRUNTIME_LIB_DIR=str(folder),
    )  # fmt: skip
    assert re.search(f"provider = cuda: .*{told}", complaint(done)), complaint(done)
