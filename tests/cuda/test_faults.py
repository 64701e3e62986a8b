"""What goes wrong where CUDA does not work reaches the user, with the reason."""

import json
import re

import pytest
from tests.cuda import runs
from tests.cuda.cuda_faults import FAULTS

EARLY = {name: fault for name, fault in FAULTS.items() if not fault.shows_in_run}
LATE = {name: fault for name, fault in FAULTS.items() if fault.shows_in_run}
TRY = """
import ortffi
try:
    ortffi.try_provider("cuda")
except ortffi.ProviderUnavailableError as error:
    print(error)
else:
    print("usable")
print(*ortffi.usable_providers(), sep=",")
"""


def faults(some):
    return pytest.mark.parametrize("fault", some.values(), ids=some)


def service_on_cuda(stub, kokoro, tmp_path, *arguments):
    chosen = ("--provider", "cuda", "--model", str(kokoro), "--cache-dir", str(tmp_path / "cache"))
    return stub.service(*arguments, *chosen)


@faults(EARLY)
def test_trying_the_provider_gives_the_reason_in_one_line(stub, fault):
    stub.build_with("CUDAExecutionProvider").refuse(*fault.refusals)
    reason, usable = stub.python(TRY).splitlines()
    assert reason.startswith("CUDAExecutionProvider cannot be used here: ")
    assert fault.reason in reason
    assert "CUDAExecutionProvider" not in usable.split(",")
    assert "CPUExecutionProvider" in usable.split(",")
    # Both times; and nothing is left behind.
    assert len([call for call in stub.calls if call.refused]) == 2
    for verb in ("Create", "Release"):
        assert len(stub.named(f"{verb}CUDAProviderOptions")) == 2


@faults(LATE)
def test_what_only_a_run_meets_is_the_runs_error(stub, kokoro, tmp_path, fault):
    stub.refuse(*fault.refusals)
    reason, usable = stub.python(TRY).splitlines()
    assert reason == "usable"
    assert "CUDAExecutionProvider" in usable
    for bound in (False, True):
        answer = runs.run_model(stub.python, tmp_path, kokoro, runs.kokoro_inputs(), cuda={}, bound=bound)
        assert fault.reason in answer["error"]
        assert answer["outputs"] == []


@faults(FAULTS)
def test_on_the_cpu_all_of_it_does_not_matter(stub, kokoro, tmp_path, fault):
    stub.refuse(*fault.refusals)
    answer = runs.run_model(stub.python, tmp_path, kokoro, runs.kokoro_inputs())
    assert answer["error"] is None
    samples, durations = answer["outputs"]
    assert durations.size == 10
    assert samples.size == 600 * durations.sum() > 0


@faults(EARLY)
def test_doctor_gives_cause_and_cure_in_one_line(stub, kokoro, tmp_path, fault):
    stub.refuse(*fault.refusals)
    done = service_on_cuda(stub, kokoro, tmp_path, "doctor")
    assert done.returncode == 1, done.stdout + done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line[5:].startswith("provider cuda "))
    assert line.startswith("FAIL")
    assert re.search(fault.explained, line), line
    assert "Traceback" not in done.stderr


@faults(LATE)
def test_doctor_gives_cause_and_cure_as_json(stub, kokoro, tmp_path, fault):
    stub.refuse(*fault.refusals)
    done = service_on_cuda(stub, kokoro, tmp_path, "doctor", "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    failed = [finding["detail"] for finding in json.loads(done.stdout) if finding["ok"] is False]
    assert [detail for detail in failed if re.search(fault.explained, detail)], failed


def refuses_to_start(done, fault):
    complaint = done.stderr.splitlines()[-1]
    return (
        done.returncode == 1
        and complaint.startswith("kokoro-service: provider = cuda: ")
        and re.search(fault.explained, complaint) is not None
        and "Traceback" not in done.stderr
    )


FEW = {name: FAULTS[name] for name in ("no cuDNN", "no kernels for this GPU")}
"""One of each kind; `doctor` is asked about all."""


@faults(FEW)
def test_nothing_is_spoken_where_cuda_was_asked_for_in_vain(stub, kokoro, tmp_path, fault):
    stub.refuse(*fault.refusals)
    sound = tmp_path / "hello.wav"
    done = service_on_cuda(stub, kokoro, tmp_path, "say", "Hello.", "-o", str(sound))
    assert refuses_to_start(done, fault), done.stderr
    assert not sound.exists()


@faults(FEW)
def test_nothing_is_served_where_cuda_was_asked_for_in_vain(stub, kokoro, tmp_path, fault):
    stub.refuse(*fault.refusals)
    done = service_on_cuda(stub, kokoro, tmp_path, "serve", "--port", "0")
    assert refuses_to_start(done, fault), done.stderr
