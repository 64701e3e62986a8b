"""The one environment of a process: made once, never in the way at its end."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ortffi
import ortffi.environment


@pytest.fixture
def unused(fake, library, use, monkeypatch):
    """A process that has not called `init` yet; answers how often the library was loaded."""
    loaded = []
    watched = dataclasses.replace(library, api=fake.api())

    def load_library(path):
        loaded.append(path)
        return watched

    monkeypatch.setattr(ortffi.environment, "load_library", load_library)
    use(None)
    return loaded


def test_init_returns_the_same_environment_each_time(unused, library):
    first = ortffi.init()
    assert ortffi.init() is first
    assert ortffi.init(library.path) is first
    assert unused == [None]


def test_init_passes_on_what_was_chosen(unused, fake, library):
    seen = []
    real = fake.real("CreateEnv")

    def create(level, name, out):
        seen.append((level, name))
        return real(level, name, out)

    fake.replace["CreateEnv"] = create
    ortffi.init(library.path, log_level=ortffi.LogLevel.ERROR)
    assert unused == [library.path]
    assert seen == [(ortffi.LogLevel.ERROR, b"ortffi")]


def test_eight_threads_make_one_environment(unused, fake):
    start = threading.Barrier(8)

    def init(_):
        start.wait(60)
        return ortffi.init()

    with ThreadPoolExecutor(8) as pool:
        environments = list(pool.map(init, range(8)))
    assert len(set(map(id, environments))) == 1
    assert len(unused) == 1
    assert fake.calls.count("CreateEnv") == 1


def test_init_may_be_tried_again_after_it_failed(unused, fake):
    fake.fail = lambda name: name == "CreateEnv"
    with pytest.raises(ortffi.FailError):
        ortffi.init()
    fake.fail = lambda _name: False
    assert ortffi.init() is ortffi.init()


def test_another_library_needs_another_process(library, tmp_path):
    other = tmp_path / "libonnxruntime.so"
    with pytest.raises(RuntimeError) as caught:
        ortffi.init(other)
    assert str(other) in str(caught.value)
    assert str(library.path) in str(caught.value)


def test_a_link_to_the_same_library_is_the_same_library(library, tmp_path):
    link = tmp_path / "link.so"
    link.symlink_to(library.path)
    assert ortffi.init(link) is ortffi.init()


@pytest.mark.usefixtures("unused")
@pytest.mark.parametrize("answer", ["nothing", "another message", "another code"])
def test_a_vtable_that_does_something_else_is_refused(fake, library, answer):
    answers = {
        "nothing": lambda _code, _message: None,
        "another message": lambda code, _message: fake.real("CreateStatus")(code, b"else"),
        "another code": lambda _code, message: fake.real("CreateStatus")(1, message),
    }
    fake.replace["CreateStatus"] = answers[answer]
    with pytest.raises(ortffi.ApiVersionError, match="function table") as caught:
        ortffi.init()
    assert str(library.path) in str(caught.value)
    assert "CreateEnv" not in fake.calls
    assert not fake.outstanding


def test_what_belongs_to_the_environment_is_made_once(unused, fake):
    ortffi.init()
    for _ in range(3):
        ortffi.available_providers()
        ortffi.Value.from_numpy(np.ones(2)).close()
    for name in ("CreateEnv", "CreateCpuMemoryInfo", "GetAllocatorWithDefaultOptions"):
        assert fake.calls.count(name) == 1


SESSION = """
import numpy as np, ortffi, tiny_models
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
