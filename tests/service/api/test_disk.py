"""A disk that lacks a file, or room."""

import resource
import subprocess
import sys

import pytest
from tests.service.api.serving_process import running
from tests.service.api.speech_client import speak
from tests.service.small_disk import mounted

pytestmark = pytest.mark.thorough

FAST = {"format": "pcm", "speed": 2.0}


def test_a_model_file_that_vanishes_is_missed_at_the_next_start_only(start_server, model_file, tmp_path):
    path = tmp_path / "model.onnx"
    path.hardlink_to(model_file)
    with running(start_server, "--model", str(path)) as server:
        before = speak(server, text="Hello.", **FAST)
        path.unlink()
        assert speak(server, text="Hello.", **FAST).content == before.content
        assert server.client.get("/ready").status_code == 200
    again = start_server("--model", str(path))
    assert again.process.wait(timeout=120) == 1
    again.wait_for("kokoro-service: ")
    (complaint,) = [line for line in again.log if line.startswith("kokoro-service: ")]
    assert str(path) in complaint
    assert not any("Traceback" in line for line in again.log)


def prepare(folder, prepare_process=None):
    """Have the model assembled, which must fail; return the one line of complaint."""
    done = subprocess.run(
        [sys.executable, "-m", "service", "prepare", "--cache-dir", str(folder)],
        capture_output=True, text=True, timeout=300, preexec_fn=prepare_process,
    )  # fmt: skip
    assert done.returncode == 1
    (complaint,) = [x for x in done.stderr.splitlines() if x.startswith("kokoro-service: ")]
    assert "Traceback" not in done.stderr
    # No half of a model; who comes next begins anew.
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [".lock"]
    return complaint


def test_a_full_disk_stops_the_assembly_with_one_line_and_leaves_nothing(tmp_path):
    with mounted(tmp_path / "disk") as disk:
        complaint = prepare(disk)
    assert "No space left on device" in complaint
    assert "cache_dir" in complaint


def test_a_limit_on_files_stops_the_assembly_with_one_line_and_leaves_nothing(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    assert "File too large" in prepare(tmp_path, limit)
