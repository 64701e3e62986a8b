"""Corpora to speak, and what was spoken."""

import json
import signal
import subprocess
import sys
import time

from tests.service import commands


def write_corpus(path, *lines):
    """Write JSON lines; bytes are written as they are."""
    content = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
    path.write_bytes(b"".join(line + b"\n" for line in content))
    return path


def command(corpus, output, *options):
    """Return the command that speaks a corpus."""
    return [sys.executable, "-m", "service", "corpus", str(corpus), "-o", str(output), *options]


def manifest(output):
    """Return the entries of a manifest."""
    lines = (output / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def folder_of(output):
    """Return the contents of a folder: its manifest and its audio, by name."""
    files = [output / "manifest.jsonl", *output.glob("audio/*/*")]
    return {str(path.relative_to(output)): path.read_bytes() for path in files}


def n_kept(output):
    """Return how many utterances are kept."""
    return sum(1 for _ in output.glob("audio/*/[!.]*"))


def kill_during(program, output, n_more, by=signal.SIGKILL):
    """Run a command, and end it when it has kept so many more utterances; return its status."""
    enough = n_kept(output) + n_more
    process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True, preexec_fn=commands.heed_interrupts)
    while n_kept(output) < enough:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(by)
    process.communicate()
    return process.returncode
