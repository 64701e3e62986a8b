"""Processes that prepare models: several at once, killed, failing."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.service.preparation.store_bench import StoppedError, stop_at, warnings_of
from tests.small_kokoro import LIFELINE

PROCESS = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import pytest
from tests.service.preparation.store_bench import Bench
with pytest.MonkeyPatch.context() as patch:
    bench = Bench(Path(sys.argv[2]), patch)
    print("started", flush=True)
    sys.stdin.readline()
    print(bench.prepare(sys.argv[3]), flush=True)
"""


def start(folder, name):
    """Start a process that prepares when it is sent a line."""
    root = str(Path(__file__).resolve().parents[3])
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS, root, str(folder), name], stdin=PIPE, stdout=PIPE, text=True
    )
    assert process.stdout.readline() == "started\n"
    return process


def release(process):
    process.stdin.write("\n")
    process.stdin.flush()


def test_processes_that_start_at_once_make_it_once(bench, tmp_path):
    processes = [start(tmp_path, "faithful") for _ in range(2)]
    for process in processes:
        release(process)
    answers = {process.communicate()[0] for process in processes}
    assert ([process.returncode for process in processes], len(answers)) == ([0, 0], 1)
    assert Path(answers.pop().strip()).is_file()
    assert (bench.n_rewritings, len(bench.folders())) == (1, 1)


def test_a_service_that_is_killed_takes_its_preparing_process_along_and_leaves_nothing_whole(
    bench, tmp_path, monkeypatch
):
    fifo = tmp_path / "lifeline"
    os.mkfifo(fifo)
    monkeypatch.setenv(LIFELINE, str(fifo))
    process = start(tmp_path, "hanging")
    release(process)
    with open(fifo, encoding="utf-8") as lifeline:
        assert lifeline.readline() == "rewriting\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert lifeline.read() == ""  # comes when nobody has it open any more
    assert all(name.startswith(".") for name in bench.folders())
    assert bench.folders() != []
    path = bench.prepare("faithful")
    assert bench.folders() == [path.parent.name]


@pytest.mark.parametrize(("rewriting", "reason"), [
    ("failing", "RuntimeError: there is a hole in the graph"), ("dying", "killed by signal 9"),
])  # fmt: skip
def test_a_process_that_fails_is_told_in_one_line_and_leaves_nothing(bench, caplog, rewriting, reason):
    bench.load(rewriting).close()
    (message,) = warnings_of(caplog)
    assert reason in message
    assert "\n" not in message
    assert bench.folders() == []


def test_who_stops_waiting_ends_the_process(bench):
    bench.rewrite_by("faithful")
    with pytest.raises(StoppedError):
        bench.get(stop_at("optimizing"))
    assert bench.folders() == []
