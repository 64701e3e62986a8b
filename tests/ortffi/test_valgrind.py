"""Nothing reads, writes or frees memory that is gone: valgrind watches every use of ortffi."""

import os
import re
import shutil
import subprocess
import sys

import pytest

SCRIPT = """
import gc, sys
from pathlib import Path
import ortffi
ortffi.init({library!r}, log_level=ortffi.LogLevel.FATAL)
from tests.ortffi import balanced_work, lifetimes, test_lifetimes, tiny_models
for work in balanced_work.EVERYTHING:
    work(Path({folder!r}))
for make in lifetimes.MAKERS.values():
    session = lifetimes.load(tiny_models.identity())
    view = make(session)[1:]
    session.close()
    del session
    gc.collect()
    assert (view == 1).all()
{more}
print("end")
"""

OF_THE_OUTPUTS = """
test_lifetimes.test_an_output_that_is_an_input_shows_the_memory_that_was_really_given()
test_lifetimes.test_a_memory_takes_every_run_s_output_anew()
"""

FREED = """
import ctypes
import numpy as np
array = np.ones(100_000, np.float32)
address = array.ctypes.data
del array
ctypes.string_at(address, 100)
"""


@pytest.fixture
def watch(library, tmp_path):
    """Run a script below valgrind; returns the stack of each access to memory that is gone."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("valgrind is not installed (apt-get install valgrind)")

    def watch(more):
        log = tmp_path / "log"
        script = SCRIPT.format(library=str(library.path), folder=str(tmp_path), more=more)
        command = [valgrind, "--num-callers=40", "--error-limit=no", f"--log-file={log}", sys.executable, "-B", "-c"]
        # Python's own allocator would hide what is freed from valgrind.
        environ = {**os.environ, "PYTHONMALLOC": "malloc", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run([*command, script], env=environ, capture_output=True, text=True, timeout=1200)
        assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr
        blocks = re.split(r"==\d+== *\n", log.read_text())
        wrong = [block for block in blocks if re.match(r"==\d+== (Invalid|Process terminating)", block)]
        # The dynamic loader reads names by the word, beyond their ends.
        return [block for block in wrong if "dl-load.c" not in block]

    return watch


@pytest.mark.slow
def test_no_memory_is_used_that_is_gone(watch):
    assert watch(OF_THE_OUTPUTS) == []


@pytest.mark.slow
def test_the_watcher_sees_what_it_is_to_see(watch):
    assert any("Invalid read" in block for block in watch(FREED))
