"""A corpus that a cluster speaks is the one that this machine would have spoken."""

import os
import signal
import subprocess
import time

import pytest

from tests.cluster.ray_nodes import ADDRESS, processes
from tests.service.cluster.corpora import command, folder_of, kill_during, manifest, n_kept, write_corpus

pytestmark = pytest.mark.cluster

N_UTTERANCES = int(os.environ.get("CORPUS_UTTERANCES", "200"))
ACTOR = "ray::SpeakingActor"


def test_a_corpus_is_spoken_whole_whoever_is_killed(cluster, cache_dir, tmp_path):
    lines = [{"id": i, "text": f"Number {i}."} for i in range(N_UTTERANCES)]
    corpus = write_corpus(tmp_path / "c", *lines, b"not JSON")
    options = ["--cache-dir", str(cache_dir), "--timestamps", "word"]
    on_cluster = command(corpus, tmp_path / "out", *options, "--cluster", ADDRESS)
    kill_during(on_cluster, tmp_path / "out", N_UTTERANCES // 4)
    kept = {path: path.stat().st_ino for path in (tmp_path / "out").glob("audio/*/*.wav")}
    process = subprocess.Popen(on_cluster, stderr=subprocess.PIPE, text=True)
    for kill in range(1, 6):
        enough = len(kept) + kill * N_UTTERANCES // 10
        while n_kept(tmp_path / "out") < enough:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        for pid in list(processes(ACTOR))[:1]:
            os.kill(pid, signal.SIGKILL)
    told = process.communicate()[1]
    assert process.returncode == 1, told  # for the bad line
    assert f"{N_UTTERANCES - len(kept):,} utterances now" in told
    assert told.count("an actor was lost") == 5, told
    assert all(path.stat().st_ino == inode for path, inode in kept.items())
    assert [entry["id"] for entry in manifest(tmp_path / "out")] == [str(line["id"]) for line in lines]
    alone = subprocess.run(command(corpus, tmp_path / "whole", *options), capture_output=True, text=True, check=False)
    assert alone.returncode == 1, alone.stderr
    assert folder_of(tmp_path / "out") == folder_of(tmp_path / "whole")
    assert (tmp_path / "out/errors.jsonl").read_bytes() == (tmp_path / "whole/errors.jsonl").read_bytes()


def test_where_no_cluster_is_one_line_tells_it(tmp_path):
    corpus = write_corpus(tmp_path / "c", {"text": "One."})
    done = subprocess.run(
        command(corpus, tmp_path / "out", "--cluster", "127.0.0.9:1"),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert "there is no Ray cluster at 127.0.0.9:1" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_an_actor_that_cannot_start_ends_the_run_with_its_reason(cluster, tmp_path):
    corpus = write_corpus(tmp_path / "c", {"text": "One."})
    model = tmp_path / "model.onnx"
    model.write_bytes(b"no model")
    done = subprocess.run(
        command(corpus, tmp_path / "out", "--cluster", ADDRESS, "--model", str(model)),
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 1
    assert "kokoro-service: an actor cannot start: " in done.stderr.splitlines()[-1]
