"""Whatever ends or disturbs the process, at whichever step, no job is lost and none comes back."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import get_args

import pytest
from tests.service.jobs import interrupted_life


@pytest.fixture
def place():
    """A folder in memory if there is one: a disk takes most of the time for what only a loss of
    power would undo."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("fault", "stride"),
    [("kill", 5), *(pytest.param(fault, 1, marks=pytest.mark.thorough) for fault in get_args(interrupted_life.Fault))],
)
def test_a_fault_at_any_step_leaves_each_job_whole_or_gone(fault, stride, place, repository):
    done = subprocess.run(
        [sys.executable, "-m", interrupted_life.__name__, fault, str(place), str(stride)],
        cwd=repository, capture_output=True, text=True, check=True,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert not result["faults"], done.stderr
    assert {
        *("os.mkdir", "os.rename", "os.remove", "os.rmdir", "fsync", "open", "schema"),
        *("begin exclusive", "insert into", "insert or", "update job", "delete from", "commit"),
        *("create table", "update room", "drop table"),
    } == {*result["steps"]}
