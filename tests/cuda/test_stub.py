"""The stub itself: it computes as the library behind it, and takes no wrong word in silence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ortffi._api import SLOTS
from service.model.parity import SENTENCES
from tests.cuda import runs
from tests.cuda import stub as stub_module
from tests.cuda.stub import Refusal

import ortffi

LIBRARY = stub_module.SOURCES


def same(these, those):
    return len(these) == len(those) and all(map(np.array_equal, these, those))


@pytest.mark.parametrize("cuda", [None, {}], ids=["on the CPU", "on the GPU"])
def test_what_is_not_told_anything_computes_as_the_library_does(stub, kokoro, tmp_path, cuda):
    inputs = runs.kokoro_inputs()
    answer = runs.run_model(stub.python, tmp_path, kokoro, inputs, cuda=cuda)
    with ortffi.SessionBuilder().with_intra_threads(1).commit_from_file(kokoro) as session:
        assert same(answer["outputs"], session.run(inputs))
    assert answer["error"] is None


def test_a_real_sentence_has_the_same_bits(stub, model_file, tmp_path):
    token_ids = SENTENCES["short"]
    inputs = {**runs.kokoro_inputs(), "tokens": np.array([[0, *token_ids, 0]], np.int64)}
    answer = runs.run_model(stub.python, tmp_path, model_file, inputs, cuda={})
    with ortffi.SessionBuilder().with_intra_threads(1).commit_from_file(model_file) as session:
        (samples,) = session.run(inputs)
    assert samples.size > 24_000 / 2
    assert same(answer["outputs"], [samples])


def test_the_stub_is_found_and_called_as_the_library_is(stub):
    script = """
import ortffi
library = ortffi.init().library
print(library.path, library.found_by, library.version, library.api_version, sep="\\n")
print(*ortffi.available_providers(), sep=",")
"""
    path, found_by, version, api_version, providers = stub.python(script).splitlines()
    library = ortffi.init().library
    assert Path(path) == stub.path.resolve()
    assert found_by == "ONNXRUNTIME_LIB_DIR"
    assert (version, int(api_version)) == (library.version, library.api_version)
    pretended = ["TensorrtExecutionProvider", "CUDAExecutionProvider"]
    own = [name for name in ortffi.available_providers() if name not in pretended]
    assert providers.split(",") == [*pretended, *own]


def test_a_build_has_the_providers_that_it_is_told_to_have(stub):
    stub.build_with("CUDAExecutionProvider")
    script = """
import ortffi
print(*ortffi.available_providers(), sep=",")
try:
    ortffi.SessionBuilder().with_tensorrt()
except ortffi.ProviderUnavailableError as error:
    print(error)
"""
    providers, refused = stub.python(script).splitlines()
    assert "CUDAExecutionProvider" in providers.split(",")
    assert "TensorrtExecutionProvider" not in providers.split(",")
    assert "was built without TensorRT" in refused


def test_everything_that_is_replaced_is_in_ortffis_table():
    """The compiler says so too; here for who reads the list."""
    text = (LIBRARY / "stub.h").read_text()
    replaced = re.findall(r"\bDO\((\w+)\)", text.replace("#define REPLACED(DO)", ""))
    replaced = [name for name in replaced if name != "DO"]
    assert len(replaced) > 30
    assert [name for name in replaced if name not in SLOTS] == []


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"STUB_REAL_LIBRARY": "/nowhere/libonnxruntime.so"}, "/nowhere/libonnxruntime.so"),
        ({"STUB_FAIL": "CreateSession 0 1 text\nNoSuchFunction 0 1 text"}, "NoSuchFunction"),
        ({"STUB_FAIL": "ReleaseSession 0 1 text"}, "ReleaseSession is none of the functions"),
        ({"STUB_FAIL": "CreateSession 0 1 "}, "is not FUNCTION CALL CODE TEXT"),
        ({"STUB_FAIL": "CreateSession first 1 text"}, "is not FUNCTION CALL CODE TEXT"),
        ({"STUB_SOUND": "lovely"}, "there is no sound 'lovely'"),
        ({"STUB_SOUND": "noise", "STUB_SOUND_ELEMENTS": "few"}, "must be a whole number"),
        ({"STUB_CPU_SHARE": "1.5"}, "must be a number from 0 to 1, not '1.5'"),
        ({"STUB_COPIES": "-1"}, "must be a whole number, not '-1'"),
        ({"STUB_RECORD": "/nowhere/calls.jsonl"}, "/nowhere/calls.jsonl cannot be written"),
    ],
)
def test_what_it_does_not_understand_ends_the_process(stub, kokoro, tmp_path, settings, complaint):
    """Else a test with a slip of the pen would test nothing."""

    def python(script, *arguments):
        done = stub.run([sys.executable, "-c", script, *arguments], settings)
        assert done.returncode == -6, done.stdout + done.stderr
        complaints.append(done.stderr.splitlines()[0])
        raise EndedError

    class EndedError(Exception):
        pass

    complaints: list[str] = []
    with pytest.raises(EndedError):
        runs.run_model(python, tmp_path, kokoro, runs.kokoro_inputs(), cuda={}, profile=True)
    assert complaints[0].startswith("stub of ONNX Runtime: ")
    assert complaint in complaints[0]


def test_calls_of_many_threads_are_all_recorded_and_counted(stub, kokoro):
    stub.refuse(*(Refusal("Run", f"refused {call}", call=call) for call in (7, 31)))
    stub.sound("noise")
    script = f"""
import sys
from concurrent.futures import ThreadPoolExecutor
import ortffi
from tests.cuda import runs
inputs = runs.kokoro_inputs()
builder = ortffi.SessionBuilder().with_intra_threads(1).with_cuda()
sessions = [builder.commit_from_file({str(kokoro)!r}) for _ in range(2)]

def run(index):
    try:
        return sessions[index % 2].run(inputs)[0].tobytes()
    except ortffi.OrtError as error:
        return error.message

with ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(run, range(80)))
print(*sorted(answer for answer in answers if isinstance(answer, str)), sep=",")
print(len({{answer for answer in answers if isinstance(answer, bytes)}}))
for session in sessions:
    session.close()
"""
    refused, n_sounds = stub.python(script).splitlines()
    assert refused == "refused 31,refused 7"
    assert n_sounds == "1"
    calls = stub.named("Run")
    assert len(calls) == 80
    assert {call.arguments["session"] for call in calls} == {1, 2}
    assert sorted(call.refused for call in calls if call.refused) == ["refused 31", "refused 7"]


@pytest.mark.parametrize("unwinding", ["fast", pytest.param("whole", marks=pytest.mark.slow)])
def test_no_fault_of_memory_or_of_c(library, kokoro, tmp_path, stub_library, unwinding):
    """Everything that it can do, under sanitizers.

    Whole stacks tell also what the library allocated for the stub and the stub lost.
    """
    del stub_library  # there is a compiler
    # The second is for the library's exceptions: what throws them must be there when the first is.
    runtimes = [
        subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libstdc++.so.6")
    ]
    if not all(map(os.path.isabs, runtimes)):
        pytest.skip("the compiler has no sanitizers: install libasan")
    folder = tmp_path / "sanitized"
    folder.mkdir()
    compiled = stub_module.compile_library(folder, *stub_module.SANITIZERS)
    stub = stub_module.Stub(compiled, tmp_path / "cuda", library.path)
    stub.place(cpu_operators=["Sin"], cpu_share=0.5, copies=3)
    refusals = [Refusal("CreateCUDAProviderOptions", 'a "text"\n\\', call=1)]
    stub.refuse(*refusals, Refusal("Run", "no more", call=len(stub_module.SOUNDS) + 1))
    script = f"""
import ctypes, os, sys
import ortffi
from tests.cuda import gpu_models, runs
from ortffi._api import new
inputs = runs.kokoro_inputs()
try:
    ortffi.try_provider("cuda")
except ortffi.ProviderUnavailableError as error:
    assert 'a "text"' in str(error), error
else:
    raise AssertionError("not refused")
ortffi.try_provider(ortffi.TensorRT(1, {{"trt_fp16_enable": True}}))
environment = ortffi.init()
for kind in ("CUDA", "TensorRT"):
    own = new(getattr(environment.api, f"Create{{kind}}ProviderOptions"))
    text = new(
        getattr(environment.api, f"Get{{kind}}ProviderOptionsAsString"), own, environment.allocator
    )
    assert "device_id=0" in environment.take_string(text)
    getattr(environment.api, f"Release{{kind}}ProviderOptions")(own)
# Lost on purpose, to see that it is found.
names, count = ctypes.c_void_p(), ctypes.c_int()
environment.api.GetAvailableProviders(ctypes.byref(names), ctypes.byref(count))
names.value = None
cuda = {{"gpu_mem_limit": 2**30}}
for sound in {stub_module.SOUNDS!r}:
    # As C sees it: Python's own copy of the environment would do for a child only.
    os.environ["STUB_SOUND"] = sound
    runs.run({str(kokoro)!r}, inputs, cuda, False, {str(tmp_path / "profile")!r})
    runs.run({str(kokoro)!r}, inputs, cuda, True, None)
    runs.run({str(kokoro)!r}, inputs, None, False, None)
print(runs.run({str(kokoro)!r}, inputs, cuda, False, None)[1]["error"])
for name in ("STUB_COPIES", "STUB_CPU_SHARE", "STUB_CPU_OPERATORS"):
    try:
        gpu_models.open_graphs(gpu_models.SINE)
    except ortffi.FailError as error:
        assert "graph capture" in error.message, error
    else:
        raise AssertionError("captured with nodes on the CPU")
    del os.environ[name]
del os.environ["STUB_SOUND"]
gpu_models.exercise()
os.environ["STUB_COPY_TENSORS"] = "1"
with gpu_models.open_session() as session, gpu_models.allocate(session) as value:
    value.copy_from(gpu_models.numbers(1, 2))
    assert value.numpy().tolist() == [1, 2]
"""
    fast = int(unwinding == "fast")
    sanitized = {
        "LD_PRELOAD": " ".join(runtimes),
        "ASAN_OPTIONS": f"detect_leaks=1:fast_unwind_on_malloc={fast}:exitcode=0",
        "PYTHONMALLOC": "malloc",
    }
    done = stub.run([sys.executable, "-c", script], sanitized)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "no more"
    assert "ERROR: AddressSanitizer" not in done.stderr, done.stderr
    assert "runtime error" not in done.stderr, done.stderr
    # Python and ONNX Runtime leave something behind too; what the stub made names its function.
    sources = "|".join(re.escape(path.name) for path in LIBRARY.glob("*.c"))
    made_by = re.findall(rf" in (\w+) \S*/({sources}):\d+", done.stderr)
    assert set(made_by) == {("stub_GetAvailableProviders", "providers.c")}, done.stderr
