"""A process that uses ortffi starts and ends as if it did not."""

import pytest

SESSION = """
import numpy as np, ortffi
from tests.ortffi import tiny_models
session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(tiny_models.count_up())
def run(n):
    return session.run({"n": np.array(n), "start": np.zeros(1, np.int64)})[0].tolist()
assert run(3) == [3]
"""

IN_A_THREAD = """
import threading, time
thread = threading.Thread(target=run, args=[10**12], daemon=True)
thread.start()
# Its processor time passes only while it computes.
clock = time.pthread_getcpuclockid(thread.ident)
while time.clock_gettime(clock) < 0.05:
    time.sleep(0.001)
"""


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "value = ortffi.Value.from_numpy(np.ones(5000)); run(2)",
        "session.close(); session.close()",
        "cycle = [session]; cycle.append(cycle); del session",
        "import atexit; atexit.register(session.close)",
        "import atexit; atexit.register(lambda: run(2))",
        IN_A_THREAD,
    ],
    ids=["open", "value", "closed", "cycle", "atexit close", "atexit run", "running thread"],
)
def test_the_interpreter_exits_in_peace(run_python, library, rest):
    if rest is IN_A_THREAD and library.api_version <= 20:
        pytest.skip("up to ONNX Runtime 1.20 a run that is cut off may crash in its own kernels")
    script = f"import ortffi; ortffi.init({str(library.path)!r}){SESSION}{rest}\nprint('end')"
    done = run_python(script)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_the_python_package_is_never_imported(run_python):
    script = SESSION + "import sys; print('onnxruntime' in sys.modules)"
    done = run_python(script)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


def test_importing_loads_nothing(run_python):
    script = "import ortffi; print('onnxruntime' in open('/proc/self/maps').read())"
    done = run_python(script)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
