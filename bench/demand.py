"""Memory that a run needs for each second of speech, for each variant of the model.

    python -m bench.demand

For each variant, a fresh process says a short and a long chunk on the CPU, in ONNX Runtime's arena
as the service uses it. A shorter chunk comes first and loads the weights. The result is the rise of
VmHWM between the two chunks, divided by the difference of their lengths in seconds;
`service/model/budget.py` uses it. The variants for GPUs are those of `kokoro-service prepare --for
cuda`. A GPU's arena plans tensors as the CPU's does, but CUDA's libraries need workspaces besides.
On a GPU, encoder and decoder have an arena each, so each is also measured in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np

from bench.processes import REPOSITORY
from bench.procfs import mebibytes
from bench.variants import VARIANTS, opened
from service.model import SplitModel
from service.model.decoder import Encoding
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.model.prepared import GPU_VARIANTS, Variant
from service.settings import Settings

CHUNKS = (25, 75, 150)
"""Numbers of tokens: to load the weights, short, long."""

FRAMES_PER_TOKEN = 2.5
"""About as many as the style of zeros gives, which is used here."""

PARTS = ("whole", "encoder", "decoder")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each variant."""
    parser = argparse.ArgumentParser(prog="bench.demand", description=__doc__)
    parser.add_argument("--run", nargs=2, metavar=("VARIANT", "PART"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.run:
        print(_measure(*options.run))
        return 0
    for variant in VARIANTS:
        with opened(variant, Settings()):
            pass  # prepares the variant, so that the measured process need not
        for part in PARTS if variant in GPU_VARIANTS else PARTS[:1]:
            command = [sys.executable, "-m", "bench.demand", "--run", variant, part]
            subprocess.run(command, cwd=REPOSITORY, check=True)
    return 0


def _measure(variant: Variant, part: str) -> str:
    """Measure a part of a variant, in a fresh process, and return its line."""
    peaks, seconds = [], []
    with opened(variant, Settings()) as model:
        for n_tokens in CHUNKS:
            n_frames = RUNS[part](model, n_tokens)
            peaks.append(mebibytes("VmHWM"))
            seconds.append(n_frames * SAMPLES_PER_FRAME / SAMPLE_RATE_HZ)
    slope = (peaks[2] - peaks[1]) / (seconds[2] - seconds[1])
    lengths = f"{seconds[1]:.1f} and {seconds[2]:.1f} s of speech"
    return f"{variant:8} {part:8} {slope:5.1f} MiB per second, from {lengths}"


def _say(model: SplitModel, n_tokens: int) -> int:
    """Run the whole model, and return the number of frames."""
    return model.infer(_tokens(n_tokens), _STYLE, 1.0, buckets=[1]).samples.size // (
        SAMPLES_PER_FRAME
    )


def _encode(model: SplitModel, n_tokens: int) -> int:
    """Run the encoder, and return the number of frames."""
    return model.encode(_tokens(n_tokens), _STYLE, 1.0, buckets=[1]).n_frames


def _decode(model: SplitModel, n_tokens: int) -> int:
    """Decode zeros, without a run of the encoder, and return the number of frames."""
    n_frames = round(FRAMES_PER_TOKEN * n_tokens)
    features, spectrum = (
        np.zeros((1, columns, channels), np.float32)
        for columns, channels in ((2 * n_frames, 512), (120 * n_frames + 1, 22))
    )
    encoding = Encoding.of(np.array([n_frames]), features, spectrum, _STYLE, None)
    # Not `SplitModel.decode`: it rejects the NaN samples that zeros give.
    model.decoder.decode(encoding, 0, n_frames, lengths=[1])
    return n_frames


RUNS: dict[str, Callable[[SplitModel, int], int]] = dict(
    zip(PARTS, (_say, _encode, _decode), strict=True)
)

_STYLE = np.zeros((1, 256), np.float32)


def _tokens(n_tokens: int) -> list[int]:
    return [43 + i % 20 for i in range(n_tokens)]


if __name__ == "__main__":
    sys.exit(main())
