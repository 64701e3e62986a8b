import subprocess
import sys

import pytest

_DIES = """
import os, sys
from pathlib import Path
from service.jobs import JobsFolder
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            store = JobsFolder(Path(sys.argv[1]), max_jobs=3, max_bytes=1000, max_age_s=86400)
            with store.reading(store.jobs()[0]):
                os._exit(99)
        finally:
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Has a process of its own read, and die, for each line; tells its status."""


@pytest.fixture
def read_and_die(tmp_path):
    program = [sys.executable, "-c", _DIES, str(tmp_path)]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as reader:
        asked, told = reader.stdin, reader.stdout

        def read_and_die():
            print(file=asked, flush=True)
            return int(told.readline())

        yield read_and_die
