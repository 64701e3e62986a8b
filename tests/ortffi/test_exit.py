"""A process that uses ortffi starts and ends as if it did not: with everything open, and in the middle of a run."""

import pytest

from tests.ortffi import tiny_models

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
def in_a_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    clock = time.pthread_getcpuclockid(thread.ident)
    while time.clock_gettime(clock) < 0.05:  # until it works: its processor time passes only while it does
        time.sleep(0.001)
"""

CRASHES = "up to ONNX Runtime 1.20 a run that is cut off may crash in its own kernels"

ENDINGS = {
    "open": "",
    "value": "value = ortffi.Value.from_numpy(np.ones(5000)); run(2)",
    "closed": "session.close(); session.close()",
    "cycle": "cycle = [session]; cycle.append(cycle); del session",
    "atexit close": "import atexit; atexit.register(session.close)",
    "atexit run": "import atexit; atexit.register(lambda: run(2))",
    "running thread": IN_A_THREAD + "in_a_thread(lambda: run(10**12))",
}


@pytest.mark.parametrize(
    "name", ["open", *(pytest.param(name, marks=pytest.mark.thorough) for name in ENDINGS if name != "open")]
)
def test_the_interpreter_ends_in_peace_with_a_session(run_python, library, name):
    if name == "running thread" and library.api_version <= 20:
        pytest.skip(CRASHES)
    script = f"import ortffi; ortffi.init({str(library.path)!r}){SESSION}{ENDINGS[name]}\nprint('end')"
    done = run_python(script)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_importing_loads_nothing_and_using_never_the_python_package(run_python):
    for script in (
        "import ortffi; print('onnxruntime' in open('/proc/self/maps').read())",
        SESSION + "import sys; print('onnxruntime' in sys.modules)",
    ):
        done = run_python(script)
        assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


SETUP = """
import logging, sys, threading, time
from pathlib import Path
import numpy as np, ortffi
from ortffi import Memory, RunOptions, SessionBuilder, Value
folder, library = {folder!r}, {library!r}
logging.basicConfig(level=logging.DEBUG, filename=folder + "/log")
api = ortffi.init(library, log_level=ortffi.LogLevel.VERBOSE, logger=logging.getLogger("ort")).api
large = np.ones(5000, np.float32)

def load(name, builder=None):
    return (builder or SessionBuilder()).with_intra_threads(1).commit_from_file(folder + name)

def endless(*options):
    return load("/count_up.onnx").run(
        {{"n": np.array(10**12), "start": np.zeros(1, np.int64)}}, None, *options)
"""

EVERYTHING_OPEN = """
builder = SessionBuilder().with_profiling(folder + "/profile")
if api.has("SetUserLoggingFunction"):
    builder.with_logger(logging.getLogger("session")).with_assignment()
session = load("/identity.onnx", builder)
options = RunOptions(tag="tag")
results = [session.run([array], options=option, copy=copy) for array in (large, large[:3])
           for option in (None, options) for copy in (True, False) for _ in range(4)]
value = Value.from_numpy(large)
views = [value.numpy(copy=False), session.run_values([large])[0].numpy(copy=False)]
sequence = Value.from_sequence([value, large])
items = sequence.items()
allocated = session.allocate([5000])
binding = session.bind({"x": large}, {"y": Memory.CPU})
binding.run()
outputs = binding.outputs()
weights = ortffi.PrepackedWeights()
shared = load("/product.onnx", SessionBuilder().with_prepacked_weights(weights)
    .with_initializers({"w": np.ones((64, 64), np.float32)}))
mapped = SessionBuilder().with_intra_threads(1).commit_from_mmap(folder + "/identity.onnx")
if api.has("GetEpDevices"):
    devices = ortffi.devices()
future = session.submit([large])
deadline = options.deadline(1000)
deadline.__enter__()
try:
    session.run({"nothing": large})
except ortffi.OrtError as error:
    failure = error
"""

CYCLE = """
class Program:
    def __init__(self):
        self.me, self.everything = self, dict(globals())
        sys.modules["program"] = self
program = Program()
"""

ASYNC = """
session = load("/count_up.onnx")
n = {"n": np.array(3000), "start": np.zeros(1, np.int64)}
futures = [session.submit(n, callback=lambda done: done.result()) for _ in range(20)]
"""

RUNNING = """
options = RunOptions()
in_a_thread(lambda: endless(options))
in_a_thread(endless)
"""

MANY_RUNNING = """
session = load("/identity.onnx")
binding = session.bind({"x": large}, {"y": Memory.CPU})
value = Value.from_numpy(large)
def work():
    held = []
    while True:
        held.append((session.run([large]), session.run_values([value]), value.numpy(copy=False)))
        binding.run()
        held.append(binding.outputs())
        with session.bind({"x": large}), RunOptions() as options, options.deadline(1000):
            session.run([value], options=options)
        del held[:-5]
for _ in range(3):
    in_a_thread(work)
"""

LOADING = """
def work():
    while True:
        load("/identity.onnx").run([large])
for _ in range(2):
    in_a_thread(work)
while "initialized" not in Path(folder, "log").read_text():  # however slow the machine
    time.sleep(0.001)
"""

SCRIPTS = {
    "everything open": EVERYTHING_OPEN, "a cycle of everything": EVERYTHING_OPEN + CYCLE, "submit under way": ASYNC,
    "a run under way": EVERYTHING_OPEN + RUNNING, "many short runs under way": MANY_RUNNING,
    "sessions being made": LOADING,
}  # fmt: skip
CUTS_OFF = ("a run under way", "many short runs under way", "sessions being made")


@pytest.mark.parametrize(
    "times", [pytest.param(3, marks=pytest.mark.thorough), pytest.param(200, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_interpreter_ends_in_peace(run_python, library, tmp_path, skip_cut_off_loading, name, times):
    """It says nothing but what the script says."""
    if name == "sessions being made":
        skip_cut_off_loading()
    if name in CUTS_OFF and library.api_version <= 20:
        pytest.skip(CRASHES)
    for model in (tiny_models.identity, tiny_models.product, tiny_models.count_up):
        (tmp_path / f"{model.__name__}.onnx").write_bytes(model())
    setup = IN_A_THREAD + SETUP.format(folder=str(tmp_path), library=str(library.path))
    for _ in range(times):
        done = run_python(setup + SCRIPTS[name] + "\nprint('end', flush=True)")
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
    assert "initialized" in (tmp_path / "log").read_text()
