"""Which model the service runs on a GPU, and how it is told; on the stub."""

import json
import re
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from service.model import PREPARE_COMMAND
from service.model.prepared import REFERENCE
from service.preparation import Source
from service.preparation.for_gpus import for_gpu
from service.preparation.store import Store
from tests.cuda.stub import Refusal
from tests.small_kokoro import note, write_parts

REPOSITORY = Path(__file__).resolve().parents[2]

RECORD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from service.model.reference import Reference
from tests.opened_models import open_folder

folder, file = map(Path, sys.argv[2:])
Reference.record(open_folder(folder)).write(file)
"""


@pytest.fixture
def cache(kokoro, tmp_path):
    """A cache in which the small model stands for the published one in float32."""
    folder = tmp_path / "cache"
    model = for_gpu(Source(folder / "published.onnx", True), "float32", Store(folder))
    made = model.folder
    made.mkdir(parents=True)
    write_parts(kokoro, made, "float32")
    # In a process of its own: this one's ONNX Runtime belongs to ortffi's tests as well.
    command = [sys.executable, "-c", RECORD, str(REPOSITORY), str(made), str(made / REFERENCE)]
    subprocess.run(command, check=True)
    note(model)
    return folder


@pytest.fixture
def spoken(say, cache):
    """Say a word by the prepared model on CUDA; what standard error has, or the complaint where it must not work."""

    def spoken(*flags, refused=False):
        done, sound = say("--provider", "cuda", "--cache-dir", cache, *flags)
        assert done.returncode == refused, done.stderr
        assert "Traceback" not in done.stderr
        if refused:
            assert not sound.exists()
            return done.stderr.splitlines()[-1]
        assert sound.stat().st_size > 1000
        return done.stderr

    return spoken


def test_the_published_model_is_refused_with_the_command_that_makes_one(stub, say, tmp_path):
    done, sound = say("--provider", "cuda", "--cache-dir", tmp_path)
    assert done.returncode == 1
    complaint = done.stderr.splitlines()[-1]
    assert complaint.startswith("kokoro-service: provider = cuda: kokoro-v1.0.int8.onnx")
    assert complaint.endswith(f"prepare a model for GPUs with: {PREPARE_COMMAND}")
    assert not sound.exists()
    assert "CreateSession" not in [call.function for call in stub.calls]


def test_auto_says_why_it_goes_without_and_speaks(say, tmp_path, kokoro):
    model = onnx.load(kokoro)
    model.doc_string = "stands for a graph with ConvInteger"
    onnx.save(model, tmp_path / "quantized.onnx")
    flags = ["--model", tmp_path / "quantized.onnx", "--no-prepare"]
    done, sound = say("--provider", "auto", "--cache-dir", tmp_path, *flags)
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if " WARNING " in line]
    assert "running on the CPU" in warning
    assert PREPARE_COMMAND in warning
    assert sound.stat().st_size > 1000


def test_auto_speaks_on_the_cpu_where_a_whole_model_sounds_wrong_on_the_gpu(stub, say, kokoro, tmp_path):
    flags = ["--model", kokoro, "--cache-dir", tmp_path / "cache"]
    stub.sound("noise")
    done, _ = say("--provider", "cuda", *flags)
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith("kokoro-service: provider = cuda: ")
    done, sound = say("--provider", "auto", "--no-prepare", *flags)
    assert done.returncode == 0, done.stderr
    assert sound.stat().st_size > 1000
    assert stub.named("Run")[-1].arguments["providers"] == []


def test_a_prepared_model_runs_with_the_options_and_a_proof(stub, spoken, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('provider = "cuda"\ncuda_device = 2\n[cuda_options]\ngpu_mem_limit = 2147483648\n')
    assert "on the GPU: 100 % of the nodes" in spoken("--config", config)
    functions = [call.function for call in stub.calls]
    order = [
        "CreateCUDAProviderOptions", "UpdateCUDAProviderOptions",
        "SessionOptionsAppendExecutionProvider_CUDA_V2", "CreateSession", "Run", "SessionEndProfiling",
    ]  # fmt: skip
    assert sorted(order, key=functions.index) == order
    encoder, decoder = (call.arguments["options"] for call in stub.named("UpdateCUDAProviderOptions"))
    assert encoder == {
        "device_id": "2", "cudnn_conv_algo_search": "HEURISTIC", "use_tf32": "0", "gpu_mem_limit": "2147483648",
    }  # fmt: skip
    assert decoder == encoder | {"enable_cuda_graph": "1"}


CAPTURED = [32, 40, 50, 64, 80, 104]


def test_lengths_of_windows_are_captured_and_replayed_in_one_thread(stub, spoken):
    assert "CUDA graphs of 32, 40, 50, 64, 80, 104 frames" in spoken()
    runs = stub.graph_runs
    # Each has been run before, is captured once, and its first replay is looked at.
    for length in CAPTURED:
        assert [what for number, what in runs if number == length][:2] == ["capture", "replay"]
        assert runs.index((length, "capture")) > runs.index((-1, "none"))
    assert {number for number, _ in runs} == {-1, *CAPTURED}
    calls = stub.named("Run", "RunWithBinding")
    assert len({call.arguments["thread"] for call in calls if "graph_run" in call.arguments}) == 1


def test_a_replay_that_sounds_different_is_not_used(stub, spoken):
    stub.sound("bound")
    told = spoken()
    (warning,) = [line for line in told.splitlines() if " WARNING " in line]
    assert "without CUDA graphs, which is slower: a replay of 32 frames sounds different" in warning
    assert "no CUDA graphs: a replay of 32 frames" in told
    after = stub.graph_runs[stub.graph_runs.index((32, "capture")) :]
    assert {what for _, what in after[1:]} == {"none"}


@pytest.mark.parametrize(("function", "call"), [("CreateAllocator", 0), ("RunWithBinding", 1), ("RunWithBinding", 3)])
def test_what_cannot_be_captured_is_run_without(stub, spoken, function, call):
    stub.refuse(Refusal(function, "out of pinned memory", call=call))
    told = spoken()
    assert "no CUDA graphs: " in told
    assert "out of pinned memory" in told


def test_nodes_on_the_processor_cannot_be_captured(stub, spoken):
    stub.place(cpu_operators=["Add"])
    assert "no CUDA graphs: This session cannot use the graph capture feature" in spoken()
    assert "capture" not in {what for _, what in stub.graph_runs}


def test_a_memory_budget_bounds_the_gpu_s_arena_too(stub, spoken):
    told = spoken("--memory-budget-bytes", 2**28, refused=True)
    assert "memory_budget_bytes = 268435456 is too little" in told
    spoken("--memory-budget-bytes", 2**29)
    updates = stub.named("UpdateCUDAProviderOptions")[-2:]
    encoder, decoder = (int(each.arguments["options"]["gpu_mem_limit"]) for each in updates)
    assert encoder + decoder == 2**29
    assert encoder > 235 << 20
    assert decoder > 75 << 20


def test_tensorrt_comes_before_cuda_and_keeps_what_it_compiles(stub, spoken, cache):
    told = spoken("--provider", "tensorrt")
    appended = [call.function for call in stub.calls if "AppendExecutionProvider" in call.function]
    assert appended == [f"SessionOptionsAppendExecutionProvider_{kind}_V2" for kind in ("TensorRT", "CUDA") * 2]
    for update in stub.named("UpdateTensorRTProviderOptions"):
        assert update.arguments["options"] == {
            "device_id": "0",
            "trt_engine_cache_enable": "1", "trt_engine_cache_path": str(cache / "tensorrt"),
            "trt_timing_cache_enable": "1", "trt_timing_cache_path": str(cache / "tensorrt"),
        }  # fmt: skip
    assert "does not support them with tensorrt" in told


OTHER_DURATIONS = "has other durations|samples where its durations promise"


@pytest.mark.parametrize(("sound", "reason"), [
    ("silence", "is silent"), ("nan", "not finite"), ("noise", "sounds different"),
    ("quiet", "the loudness of the short sentence differs"), ("loud", "the loudness of the short sentence differs"),
    ("short", OTHER_DURATIONS), ("durations", OTHER_DURATIONS),
])  # fmt: skip
def test_a_wrong_sound_stops_the_start_in_one_line(stub, spoken, sound, reason):
    stub.sound(sound)
    line = spoken(refused=True)
    assert line.startswith("kokoro-service: provider = cuda: the GPU failed the parity check: ")
    assert re.search(reason, line), line
    assert "docs/jetson.md" in line


def test_a_model_that_the_processor_computes_is_refused(stub, spoken):
    stub.place(cpu_operators=["*"])
    assert "the model does not run on the GPU: 0 % of the nodes" in spoken(refused=True)


def test_doctor_tells_placement_and_distance(stub, cache):
    stub.place(copies=3)
    done = stub.service("doctor", "--json", "--provider", "cuda", "--cache-dir", str(cache))
    (found,) = (finding for finding in json.loads(done.stdout) if finding["name"] == "on the gpu")
    assert found["ok"] is True
    # Three of each of both sessions.
    assert "6 copies between host and device" in found["detail"]
    assert "distance short 0.0 dB, long 0.0 dB" in found["detail"]
