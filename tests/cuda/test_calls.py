"""What a CUDA build is told, word for word and in order, by ortffi and by the service."""

import pytest
from tests.cuda import runs

NVIDIA = (
    "Create{}ProviderOptions",
    "Update{}ProviderOptions",
    "SessionOptionsAppendExecutionProvider_{}_V2",
    "Release{}ProviderOptions",
)


def told(stub, kind):
    return [call.arguments["options"] for call in stub.named(f"Update{kind}ProviderOptions")]


def test_options_reach_cuda_in_one_update_before_the_session_is_made(stub, kokoro, tmp_path):
    cuda = {
        "device_id": 1,
        "gpu_mem_limit": 2**31,
        "arena_extend_strategy": "kSameAsRequested",
        "cudnn_conv_algo_search": "HEURISTIC",
        "cudnn_conv1d_pad_to_nc1d": True,
        "prefer_nhwc": True,
        "use_tf32": False,
    }
    runs.run_model(stub.python, tmp_path, kokoro, runs.kokoro_inputs(), cuda=cuda)
    create, update, append, release = (name.format("CUDA") for name in NVIDIA)
    calls = stub.named(create, update, append, release, "CreateSession", "Run", "ReleaseSession")
    order = [create, update, append, release, "CreateSession", "Run", "ReleaseSession"]
    assert [call.function for call in calls] == order
    assert told(stub, "CUDA") == [
        {
            "device_id": "1",
            "gpu_mem_limit": "2147483648",
            "arena_extend_strategy": "kSameAsRequested",
            "cudnn_conv_algo_search": "HEURISTIC",
            "cudnn_conv1d_pad_to_nc1d": "1",
            "prefer_nhwc": "1",
            "use_tf32": "0",
        }
    ]
    by_name = {call.function: call.arguments for call in calls}
    assert by_name[append]["provider_options"] == by_name[create]["provider_options"]
    assert by_name[append]["session_options"] == by_name["CreateSession"]["session_options"]
    assert by_name["CreateSession"]["path"] == str(kokoro)
    assert by_name["CreateSession"]["providers"] == ["CUDAExecutionProvider"]
    assert by_name["Run"]["session"] == by_name["CreateSession"]["session"]
    assert by_name["Run"]["outputs"] == ["audio", "durations"]


def test_on_the_cpu_nothing_is_said_about_cuda(stub, kokoro, tmp_path):
    runs.run_model(stub.python, tmp_path, kokoro, runs.kokoro_inputs())
    assert [call.function for call in stub.calls if "CUDA" in call.function] == []
    assert [call.arguments["providers"] for call in stub.named("CreateSession", "Run")] == [[], []]


def test_tensorrt_comes_before_cuda_where_it_is_asked_for_first(stub):
    stub.python("""
import ortffi
from ortffi._api import new
environment = ortffi.init()
options = new(environment.api.CreateSessionOptions)
for provider in (ortffi.TensorRT(0, {"trt_timing_cache_enable": True}), ortffi.CUDA()):
    provider.append(environment, options)
environment.api.ReleaseSessionOptions(options)
""")
    appended = [call.function for call in stub.calls if "Append" in call.function]
    assert appended == [NVIDIA[2].format("TensorRT"), NVIDIA[2].format("CUDA")]
    assert told(stub, "TensorRT") == [{"device_id": "0", "trt_timing_cache_enable": "1"}]


def test_an_option_that_the_library_lacks_is_refused_by_name(stub):
    answer = stub.python("""
import ortffi
try:
    ortffi.try_provider(ortffi.CUDA(unchecked_options={"use_magic": 1}))
except ortffi.ProviderUnavailableError as error:
    print(error)
""")
    assert 'Unknown provider option: "use_magic".' in answer
    assert len(answer.splitlines()) == 1
    assert stub.named("CreateSessionFromArray") == []
    assert len(stub.named("ReleaseCUDAProviderOptions")) == 1


def test_the_librarys_defaults_are_overridden_one_by_one(stub):
    answer = stub.python("""
import ortffi, ctypes
from ortffi._api import new
environment = ortffi.init()
api = environment.api
own = new(api.CreateCUDAProviderOptions)
def show():
    text = new(api.GetCUDAProviderOptionsAsString, own, environment.allocator)
    print(environment.take_string(text))
def update(**options):
    strings = ctypes.c_char_p * len(options)
    keys = strings(*(key.encode() for key in options))
    values = strings(*(value.encode() for value in options.values()))
    api.UpdateCUDAProviderOptions(own, keys, values, len(options))
show()
update(use_tf32="0")
update(gpu_mem_limit="7")
show()
api.ReleaseCUDAProviderOptions(own)
""")
    before, after = (dict(p.split("=") for p in line.split(";")) for line in answer.splitlines())
    assert before["gpu_mem_limit"] == str(2**64 - 1)
    # Each update begins with the defaults again.
    assert after == {**before, "gpu_mem_limit": "7"}


@pytest.mark.parametrize("arenas", ["gpu:0", "cpu:0;gpu:0", "gpu:0;cpu:0"])
def test_arenas_of_a_gpu_can_be_shrunk(stub, kokoro, arenas):
    stub.python(f"""
import ortffi
from tests.cuda import runs
with ortffi.SessionBuilder().with_cuda().commit_from_file({str(kokoro)!r}) as session:
    session.run(runs.kokoro_inputs(), options=ortffi.RunOptions(shrink_arenas={arenas!r}))
""")
    (call,) = stub.named("AddRunConfigEntry")
    assert call.arguments == {"key": "memory.enable_memory_arena_shrinkage", "value": arenas}


def test_the_service_gives_cuda_the_options_of_its_settings(stub, kokoro, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text("""
provider = "cuda"
cuda_device = 2
[cuda_options]
gpu_mem_limit = 1073741824
cudnn_conv1d_pad_to_nc1d = true
""")
    stub.service("doctor", "--config", str(config), "--model", str(kokoro))
    wanted = {"device_id": "2", "gpu_mem_limit": "1073741824", "cudnn_conv1d_pad_to_nc1d": "1"}
    options = told(stub, "CUDA")
    assert options
    for given in options:
        assert {key: given.get(key) for key in wanted} == wanted
