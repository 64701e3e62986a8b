"""Chunks decoded in windows and whole on the GPU, as one JSON object; `bench.gpu` starts it.

    python -m bench.gpu.chunks PAIRS SECONDS [SECONDS ...]

The settings come from the KOKORO_* variables of this process. `chunks` has an object for each
length: its `name`, and pairs of times in seconds, in windows and whole. `first` is the time until
the samples of the first window are ready, and `all` until those of the last one are. `window` has
the pairs of one window of the usual length, in the middle of the longest chunk: replayed as a CUDA
graph, and with its kernels started one by one. It is empty if nothing was captured. The model is
loaded twice for that, since graphs cannot be turned on again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

import numpy as np

from bench import speech
from bench.processes import THREADS
from bench.timing import alternate, seconds
from bench.windows.sentences import VOICES, n_tokens
from bench.windows.ways import SPEED
from service.errors import ServiceError
from service.loading import load_model, load_runtime
from service.model import Model, SplitModel, StatisticsPredictor
from service.model.cuda_graphs import CapturedDecoder
from service.model.decoder import LONGEST_WINDOW_FRAMES
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.settings import Settings
from service.speech.windows import WindowedSounds, windows_of

Chunk = tuple[Sequence[int], np.ndarray]
"""Token ids, and style [1, 256]."""


def main() -> int:
    """Load the model, print what was measured, and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench.gpu.chunks")
    parser.add_argument("pairs", type=int)
    parser.add_argument("seconds", type=float, nargs="+")
    options = parser.parse_args()
    try:
        with ExitStack() as opened:
            model = opened.enter_context(closing(_load()))
            if not isinstance(model, SplitModel) or model.statistics is None:
                print("bench.gpu.chunks: the model cannot be decoded in windows", file=sys.stderr)
                return 1
            chunks = [chunk(length_s) for length_s in options.seconds]
            found: dict[str, list[Any]] = {
                "chunks": [measure_chunk(model, *each, options.pairs) for each in chunks],
                "window": [],
            }
            if _is_captured(model):
                plain = opened.enter_context(closing(_load()))
                assert isinstance(plain, SplitModel)
                assert isinstance(plain.decoder, CapturedDecoder)
                plain.decoder.release()
                found["window"] = measure_window(model, plain, *chunks[-1], options.pairs)
    except ServiceError as error:
        print(f"bench.gpu.chunks: {error.message}", file=sys.stderr)
        return 1
    print(json.dumps(found), flush=True)
    return 0


def chunk(length_s: float) -> Chunk:
    """Return what the first voice says in about `length_s` seconds."""
    return speech.inputs(speech.phonemes(n_tokens(length_s, VOICES[0])), VOICES[0])


def measure_chunk(
    model: SplitModel, token_ids: Sequence[int], style: np.ndarray, pairs: int
) -> dict[str, Any]:
    """Return the name and the pairs of a chunk."""
    assert model.statistics is not None
    n_frames = model.encode(token_ids, style, SPEED).n_frames
    n_windows = len(list(windows_of(n_frames, soon=True)))

    def in_windows() -> Iterator[object]:
        statistics: StatisticsPredictor = model.statistics
        sounds = WindowedSounds(token_ids, style, SPEED, None, statistics=statistics, soon=True)
        return sounds.said_by(model)

    whole = partial(seconds, lambda: model.infer(token_ids, style, SPEED))
    first = partial(seconds, lambda: next(in_windows()))
    complete = partial(seconds, lambda: list(in_windows()))
    return {
        "name": f"{n_frames * SAMPLES_PER_FRAME / SAMPLE_RATE_HZ:.1f} s, {n_windows} windows",
        "first": alternate(first, whole, pairs, warm_ups=1),
        "all": alternate(complete, whole, pairs, warm_ups=1),
    }


def measure_window(
    captured: SplitModel, plain: SplitModel, token_ids: Sequence[int], style: np.ndarray, pairs: int
) -> list[tuple[float, float]]:
    """Return the pairs of a window in the middle of a chunk, with its context."""
    assert captured.statistics is not None
    encoding = captured.encode(token_ids, style, SPEED)
    given = captured.statistics.predict(encoding)
    first = max(0, encoding.n_frames - LONGEST_WINDOW_FRAMES) // 2
    last = min(encoding.n_frames, first + LONGEST_WINDOW_FRAMES)
    with_graphs, without = (
        partial(seconds, partial(model.decode, encoding, first, last, given))
        for model in (captured, plain)
    )
    return alternate(with_graphs, without, pairs, warm_ups=2)


def _load() -> Model:
    settings = Settings(threads=THREADS)
    return load_model(settings, load_runtime(settings), lambda line: None)


def _is_captured(model: SplitModel) -> bool:
    """Tell whether windows are replayed; they are not if a replay failed its check at start."""
    return isinstance(model.decoder, CapturedDecoder) and bool(model.decoder.captured)


if __name__ == "__main__":
    sys.exit(main())
