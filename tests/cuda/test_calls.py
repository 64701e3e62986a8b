"""What a CUDA build is told by ortffi, word for word and in order."""

from tests.cuda.gpu_models import run_model


def test_options_reach_cuda_in_one_update_before_the_session_is_made(stub, kokoro):
    cuda = {
        "device_id": 1, "gpu_mem_limit": 2**31, "arena_extend_strategy": "kSameAsRequested",
        "cudnn_conv_algo_search": "HEURISTIC", "cudnn_conv1d_pad_to_nc1d": True, "prefer_nhwc": True,
        "use_tf32": False,
    }  # fmt: skip
    assert run_model(stub, kokoro, cuda)[0] is None
    create, update, append, release = (
        "CreateCUDAProviderOptions", "UpdateCUDAProviderOptions",
        "SessionOptionsAppendExecutionProvider_CUDA_V2", "ReleaseCUDAProviderOptions",
    )  # fmt: skip
    order = [create, update, append, release, "CreateSession", "Run", "ReleaseSession"]
    calls = stub.named(*order)
    assert [call.function for call in calls] == order
    told = {call.function: call.arguments for call in calls}
    words = {True: "1", False: "0"}
    assert told[update]["options"] == {
        key: words[value] if isinstance(value, bool) else str(value) for key, value in cuda.items()
    }
    assert told[append]["provider_options"] == told[create]["provider_options"]
    assert told[append]["session_options"] == told["CreateSession"]["session_options"]
    assert told["CreateSession"]["path"] == str(kokoro)
    assert told["CreateSession"]["providers"] == ["CUDAExecutionProvider"]
    assert told["Run"]["session"] == told["CreateSession"]["session"]
    assert told["Run"]["outputs"] == ["audio", "durations"]


def test_on_the_cpu_nothing_is_said_about_cuda(stub, kokoro):
    run_model(stub, kokoro)
    assert [call.function for call in stub.calls if "CUDA" in call.function] == []
    assert [call.arguments["providers"] for call in stub.named("CreateSession", "Run")] == [[], []]


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


def test_arenas_of_a_gpu_can_be_shrunk(stub, kokoro):
    arenas = ["gpu:0", "cpu:0;gpu:0", "gpu:0;cpu:0"]
    stub.python(f"""
import ortffi
from tests.cuda.gpu_models import kokoro_inputs
with ortffi.SessionBuilder().with_cuda().commit_from_file({str(kokoro)!r}) as session:
    for arenas in {arenas}:
        session.run(kokoro_inputs(), options=ortffi.RunOptions(shrink_arenas=arenas))
""")
    key = "memory.enable_memory_arena_shrinkage"
    assert [call.arguments for call in stub.named("AddRunConfigEntry")] == [
        {"key": key, "value": value} for value in arenas
    ]
