"""Memory that a run takes for each second of speech, by how the model was prepared.

    python -m bench.demand

A fresh process for each variant says a short and a long piece on the processor, in ONNX Runtime's
arena as the service uses it, after a shorter one that brings the weights in. What VmHWM then rises
by, over the seconds that the long piece is longer, is what `service/model/budget.py` reckons with.
The variants for GPUs are those that `kokoro-service prepare --for cuda` makes; a GPU's arena plans
tensors as the processor's does, but its libraries have workspaces beside it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.processes import REPOSITORY
from bench.procfs import mebibytes
from service.model import Preparation, open_runtime
from service.model.manifest import Variant
from service.model.native import find_native_operators
from service.model.opening import open_prepared

PREPARED_BY = {
    "native": ("service", "prepare", "--for", "cpu"),
    "stock": ("bench.stock", "prepare", "--for", "cpu"),
    "float32": ("service", "prepare", "--for", "cuda"),
}
"""The variants, and what makes each; float16 cannot be measured on a processor."""

PIECES = (25, 75, 150)
"""Token ids: to bring in the weights, short, long."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each variant."""
    parser = argparse.ArgumentParser(prog="bench.demand", description=__doc__)
    parser.add_argument("--run", nargs=2, metavar=("VARIANT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.run:
        variant: Any = options.run[0]
        print(_measure(variant, Path(options.run[1])))
        return 0
    for variant, command in PREPARED_BY.items():
        with tempfile.TemporaryDirectory() as cache:
            made = _python(*command, "--cache-dir", cache).splitlines()
            (folder,) = (line for line in made if f"-{variant}-" in Path(line).name)
            print(_python("bench.demand", "--run", variant, folder), end="", flush=True)
    return 0


def _python(*module_and_arguments: str) -> str:
    """Return what a fresh process prints."""
    command = [sys.executable, "-m", *module_and_arguments]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _measure(variant: Variant, folder: Path) -> str:
    """Return the line of a variant; in a process that has measured nothing else."""
    runtime = open_runtime()
    operators = find_native_operators().path if variant == "native" else None
    model = open_prepared(
        folder, variant, operators, runtime,
        name=folder.name, sha256="", preparation=Preparation(None, None, "measured"),
    )  # fmt: skip
    peaks, seconds = [], []
    for n_tokens in PIECES:
        token_ids = [43 + i % 20 for i in range(n_tokens)]
        style = np.zeros((1, 256), np.float32)
        inference = model.infer(token_ids, style, 1.0, buckets=[1])
        peaks.append(mebibytes("VmHWM"))
        seconds.append(inference.samples.size / 24_000)
    slope = (peaks[2] - peaks[1]) / (seconds[2] - seconds[1])
    pieces = f"{seconds[1]:.1f} and {seconds[2]:.1f} s of speech"
    return f"{variant:8} {slope:5.1f} MiB a second, from {pieces}"


if __name__ == "__main__":
    sys.exit(main())
