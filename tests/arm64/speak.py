"""Say a sentence as the service says it, and print what must not depend on the processor.

Run as `python -m tests.arm64.speak published|stock|native|served CACHE` in two places; the outputs are then to be
the same, line by line: how the text is read, and how long each symbol lasts. `served` asks a server of its own for
the times of each phoneme, the others are variants of the model. What may differ goes to standard error.
"""

import json
import platform
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from bench.stock import leave_out_native_operators
from service.loading import load_synthesizer
from service.settings import Settings
from service.speech import Utterance
from service.text import load_vocabulary

TEXT = "It costs $5, says the board."
_STARTUP_S = 1800.0
"""For an emulated processor to load the model and pass the self-test; it only ends the wait."""


def main(kind, cache_dir):
    if kind == "served":
        print_times(cache_dir)
        return
    if kind == "stock":
        leave_out_native_operators()
    print_durations(kind, cache_dir)


def print_durations(kind, cache_dir):
    """Print the durations of a model in this process, in frames of 25 ms."""
    synthesizer = load_synthesizer(Settings(cache_dir=cache_dir, prepare=kind != "published"), note)
    prepared = synthesizer.model.prepared
    if (prepared.variant or "published") != kind:
        sys.exit(f"{kind} was asked for; the model is {prepared.detail}")
    start = time.monotonic()
    for chunk in synthesizer.plan(Utterance(TEXT)).chunks:
        token_ids = load_vocabulary().token_ids(chunk.phonemes)
        style = synthesizer.planner.voices.style(chunk.blend, len(token_ids))
        inference = synthesizer.model.infer(token_ids, style, chunk.speed)
        if inference.durations is None:
            sys.exit(f"{synthesizer.model.name} does not tell durations")
        print("phonemes ", chunk.phonemes)
        print("durations", *inference.durations)
        print("samples  ", inference.samples.size)
    note(f"{kind}: {prepared.detail}; {time.monotonic() - start:.1f} s")
    synthesizer.close()


def print_times(cache_dir):
    """Print when each symbol is said, as a real server on a port tells it."""
    with serving(cache_dir) as address:
        start = time.monotonic()
        body = json.dumps({"text": TEXT, "timestamps": "phoneme"}).encode()
        request = urllib.request.Request(f"{address}/synthesize", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=_STARTUP_S) as response:
            answer = json.load(response)
        print("seconds", answer["duration_s"])
        for word in answer["words"]:
            symbols = (f"{p['symbol']} {p['start_s']} {p['end_s']}" for p in word["phonemes"])
            print(word["text"], "|", ", ".join(symbols))
        note(f"served in {time.monotonic() - start:.1f} s")


@contextmanager
def serving(cache_dir):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "service", "serve", "--log-level", "warning"]
    command += ["--port", str(port), "--cache-dir", str(cache_dir)]
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, stdout=sys.stderr) as server:
        try:
            wait_until_ready(address, server)
            yield address
        finally:
            server.terminate()


def wait_until_ready(address, server):
    give_up = time.monotonic() + _STARTUP_S
    while True:
        try:
            with urllib.request.urlopen(f"{address}/ready", timeout=60):
                return
        except (urllib.error.URLError, TimeoutError) as error:
            if server.poll() is not None or time.monotonic() > give_up:
                sys.exit(f"the server did not become ready: {error}")
            time.sleep(0.2)


def note(line):
    """Say on standard error what may differ."""
    print(f"{platform.machine()}: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
