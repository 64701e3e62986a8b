"""Which model the service runs on a GPU, and how it is told; on the stub."""

import json
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from service.model.prepared import REFERENCE
from service.preparation.for_gpus import for_gpu
from service.preparation.store import Store
from tests.cuda.stub import Refusal
from tests.small_kokoro import note, write_parts

from service.model import PREPARE_COMMAND
from service.preparation import Source

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


def say(stub, tmp_path, *flags):
    sound = tmp_path / "hello.wav"
    return stub.service("say", "Hello.", "-o", str(sound), *flags), sound


def test_the_published_model_is_refused_with_the_command_that_makes_one(stub, tmp_path):
    done, sound = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(tmp_path))
    assert done.returncode == 1
    complaint = done.stderr.splitlines()[-1]
    assert complaint.startswith("kokoro-service: provider = cuda: kokoro-v1.0.int8.onnx")
    assert complaint.endswith(f"prepare a model for GPUs with: {PREPARE_COMMAND}")
    assert not sound.exists()
    assert "CreateSession" not in [call.function for call in stub.calls]


def test_auto_says_why_it_goes_without_and_speaks(stub, tmp_path, kokoro):
    model = onnx.load(kokoro)
    model.doc_string = "stands for a graph with ConvInteger"
    onnx.save(model, tmp_path / "quantized.onnx")
    flags = ["--model", str(tmp_path / "quantized.onnx"), "--no-prepare"]
    done, sound = say(stub, tmp_path, "--provider", "auto", "--cache-dir", str(tmp_path), *flags)
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if " WARNING " in line]
    assert "running on the CPU" in warning
    assert PREPARE_COMMAND in warning
    assert sound.stat().st_size > 1000


def test_a_prepared_model_runs_with_the_options_and_a_proof(stub, tmp_path, cache):
    config = tmp_path / "config.toml"
    config.write_text('provider = "cuda"\n[cuda_options]\ngpu_mem_limit = 2147483648\n')
    done, sound = say(stub, tmp_path, "--config", str(config), "--cache-dir", str(cache))
    assert done.returncode == 0, done.stderr
    assert sound.stat().st_size > 1000
    assert "on the GPU: 100 % of the nodes" in done.stderr
    functions = [call.function for call in stub.calls]
    order = [
        "CreateCUDAProviderOptions", "UpdateCUDAProviderOptions",
        "SessionOptionsAppendExecutionProvider_CUDA_V2", "CreateSession", "Run",
        "SessionEndProfiling",
    ]  # fmt: skip
    assert sorted(order, key=functions.index) == order
    encoder, decoder = (call.arguments["options"] for call in stub.named("UpdateCUDAProviderOptions"))
    assert encoder == {
        "device_id": "0",
        "cudnn_conv_algo_search": "HEURISTIC",
        "use_tf32": "0",
        "gpu_mem_limit": "2147483648",
    }
    assert decoder == encoder | {"enable_cuda_graph": "1"}


CAPTURED = [32, 40, 50, 64, 80, 104]


def test_lengths_of_windows_are_captured_and_replayed(stub, tmp_path, cache):
    done, sound = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(cache))
    assert done.returncode == 0, done.stderr
    assert "CUDA graphs of 32, 40, 50, 64, 80, 104 frames" in done.stderr
    runs = stub.graph_runs
    # Each has been run before, is captured once, and its first replay is looked at.
    for length in CAPTURED:
        assert [what for number, what in runs if number == length][:2] == ["capture", "replay"]
        assert runs.index((length, "capture")) > runs.index((-1, "none"))
    assert {number for number, _ in runs} == {-1, *CAPTURED}
    assert sound.stat().st_size > 1000


def test_a_replay_that_sounds_different_is_not_used(stub, tmp_path, cache):
    stub.sound("bound")
    done, sound = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(cache))
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if " WARNING " in line]
    assert "without CUDA graphs, which is slower: a replay of 32 frames sounds different" in warning
    assert "no CUDA graphs: a replay of 32 frames" in done.stderr
    after = stub.graph_runs[stub.graph_runs.index((32, "capture")) :]
    assert {what for _, what in after[1:]} == {"none"}
    assert sound.stat().st_size > 1000


@pytest.mark.parametrize(("function", "call"), [("CreateAllocator", 0), ("RunWithBinding", 1), ("RunWithBinding", 3)])
def test_what_cannot_be_captured_is_run_without(stub, tmp_path, cache, function, call):
    stub.refuse(Refusal(function, "out of pinned memory", call=call))
    done, sound = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(cache))
    assert done.returncode == 0, done.stderr
    assert "no CUDA graphs: " in done.stderr
    assert "out of pinned memory" in done.stderr
    assert sound.stat().st_size > 1000


def test_nodes_on_the_processor_cannot_be_captured(stub, tmp_path, cache):
    stub.place(cpu_operators=["Add"])
    done, sound = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(cache))
    assert done.returncode == 0, done.stderr
    assert "no CUDA graphs: This session cannot use the graph capture feature" in done.stderr
    assert "capture" not in {what for _, what in stub.graph_runs}
    assert sound.stat().st_size > 1000


def test_all_runs_of_the_decoder_are_one_thread_s(stub, tmp_path, cache):
    done, _ = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(cache))
    assert done.returncode == 0, done.stderr
    runs = stub.named("Run", "RunWithBinding")
    assert len({run.arguments["thread"] for run in runs if "graph_run" in run.arguments}) == 1


def test_a_memory_budget_bounds_the_gpu_s_arena_too(stub, tmp_path, cache):
    flags = ["--provider", "cuda", "--cache-dir", str(cache)]
    done, _ = say(stub, tmp_path, *flags, "--memory-budget-bytes", str(2**29))
    assert done.returncode == 0, done.stderr
    updates = stub.named("UpdateCUDAProviderOptions")
    encoder, decoder = (int(each.arguments["options"]["gpu_mem_limit"]) for each in updates)
    assert encoder + decoder == 2**29
    assert encoder > 235 << 20
    assert decoder > 75 << 20
    done, _ = say(stub, tmp_path, *flags, "--memory-budget-bytes", str(2**28))
    assert done.returncode == 1
    assert "memory_budget_bytes = 268435456 is too little" in done.stderr.splitlines()[-1]


def test_tensorrt_comes_before_cuda_and_keeps_what_it_compiles(stub, tmp_path, cache):
    done, _ = say(stub, tmp_path, "--provider", "tensorrt", "--cache-dir", str(cache))
    assert done.returncode == 0, done.stderr
    appended = [call.function for call in stub.calls if "AppendExecutionProvider" in call.function]
    assert appended == 2 * [
        "SessionOptionsAppendExecutionProvider_TensorRT_V2",
        "SessionOptionsAppendExecutionProvider_CUDA_V2",
    ]
    for update in stub.named("UpdateTensorRTProviderOptions"):
        assert update.arguments["options"] == {
            "device_id": "0",
            "trt_engine_cache_enable": "1",
            "trt_engine_cache_path": str(cache / "tensorrt"),
            "trt_timing_cache_enable": "1",
            "trt_timing_cache_path": str(cache / "tensorrt"),
        }
    assert "does not support them with tensorrt" in done.stderr


@pytest.mark.parametrize(
    ("sound", "reason"),
    [
        ("silence", "is silent"),
        ("nan", "not finite"),
        ("noise", "sounds different"),
        ("quiet", "the loudness of the short sentence differs"),
        ("short", "has other durations|samples where its durations promise"),
        ("durations", "has other durations|samples where its durations promise"),
    ],
)
def test_a_wrong_sound_stops_the_start_in_one_line(stub, tmp_path, cache, sound, reason):
    stub.sound(sound)
    done, file = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(cache))
    assert done.returncode == 1
    assert not file.exists()
    complaint = done.stderr.splitlines()[-1]
    assert complaint.startswith("kokoro-service: provider = cuda: the GPU failed the parity check: ")
    assert any(each in complaint for each in reason.split("|")), complaint
    assert "docs/jetson.md" in complaint
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("placing", [{"cpu_operators": ["*"]}, {"cpu_share": 1.0}])
def test_a_model_that_the_processor_computes_is_refused(stub, tmp_path, cache, placing):
    stub.place(**placing)
    done, _ = say(stub, tmp_path, "--provider", "cuda", "--cache-dir", str(cache))
    assert done.returncode == 1
    complaint = done.stderr.splitlines()[-1]
    assert "the model does not run on the GPU: 0 % of the nodes" in complaint


def test_doctor_tells_placement_and_distance(stub, cache):
    stub.place(copies=3)
    done = stub.service("doctor", "--json", "--provider", "cuda", "--cache-dir", str(cache))
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert found["on the gpu"]["ok"] is True
    # Three of each of both sessions.
    assert "6 copies between host and device" in found["on the gpu"]["detail"]
    assert "distance short 0.0 dB, long 0.0 dB" in found["on the gpu"]["detail"]
