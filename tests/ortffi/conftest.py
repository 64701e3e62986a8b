"""Tiny models, and a fake vtable in front of the real library."""

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ortffi
import ortffi.environment
from ortffi._api import Api
from ortffi.errors import check
from tests.ortffi.fake_vtable import FakeVtable, environment_of


@pytest.fixture(scope="module", autouse=True)
def _what_was_there_before():
    """Take what other modules made out of the garbage collector's sight.

    The tests collect all the time, and with all tests imported each time took a third of a second.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def fake(library):
    return FakeVtable(library.api)


@pytest.fixture
def use(monkeypatch):
    """Make everything in ortffi use an environment until the test ends."""

    def use(environment):
        monkeypatch.setattr(ortffi.environment, "_environment", environment)

    return use


@pytest.fixture
def watched(fake, use):
    """Keep the accounts of a test: what it takes from ONNX Runtime must be given back."""
    use(fake.environment())
    yield fake
    gc.collect()
    fake.check()


@pytest.fixture(params=["newest API", "old API"])
def _api(request, library, use):
    """Run a test twice: as it is, and with nothing beyond API version 17.

    Outputs are read in another way where the library is older than 1.25. The vtable is the real
    one: the accounts that a fake keeps of every call would pass for a leak.
    """
    if request.param == "old API":
        use(environment_of(library, Api(library.api._pointer, min(library.api_version, 17), check)))


@pytest.fixture
def load():
    """Load a model with one thread; the session is closed when the test ends."""
    sessions = []

    def load(model):
        sessions.append(ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model))
        return sessions[-1]

    yield load
    for session in sessions:
        session.close()


@pytest.fixture
def threads():
    """Start threads, and join them all when the test ends."""
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def run_python():
    """Run a script in an interpreter of its own, with warnings as errors."""

    def run_python(script, **environ):
        path = os.pathsep.join(filter(None, sys.path))
        command, environ = [sys.executable, "-W", "error", "-c", script], {**os.environ, "PYTHONPATH": path, **environ}
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)

    return run_python


@pytest.fixture
def skip_cut_off_loading():
    """Skip what ends a process while sessions are being made, where that is emulated.

    ONNX Runtime itself crashes then if a thread is in the wrong place, without ortffi and Python
    too: a C program with three such threads did 121 times of 200 on x86-64, 47 of 60 on emulated
    arm64. Under the GIL a thread is hardly ever there, but every hundredth time when emulated.
    """

    def skip_cut_off_loading():
        if "ORTFFI_TEST_EMULATED" in os.environ:
            pytest.skip(
                "emulated: ONNX Runtime may crash when a process ends while it makes sessions, "
                "and is slow enough here; run this on the processor itself"
            )

    return skip_cut_off_loading


@pytest.fixture
def numbers():
    return np.arange(6, dtype=np.float32)
