"""Windows against whole pieces on the GPU, as one JSON object; `bench.gpu` starts it.

    python -m bench.gpu.chunks PAIRS SECONDS [SECONDS ...]

The settings are those of this process's KOKORO_* variables. `pieces` has an object for each length:
its `name`, and pairs of seconds, in windows and whole: `first` until the samples of the first
window are there, `all` until those of the last. `window` has those of one window of usual length in
the middle of the longest piece, replayed as a CUDA graph and with its kernels started one by one;
it is empty where nothing was captured. The model is loaded twice for that: graphs cannot be turned
on again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any

import numpy as np

from bench import speech
from bench.processes import THREADS, alternate
from bench.windows.sound import SPEED, VOICES, n_tokens
from service.errors import ServiceError
from service.loading import load_model, load_runtime, load_voices
from service.model import Model, SplitModel, StatisticsPredictor
from service.model.cuda_graphs import CapturedDecoder
from service.model.decoder import STRETCH_FRAMES
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.settings import Settings
from service.speech.windows import say_in_windows, windows_of
from service.text import load_vocabulary

Piece = tuple[Sequence[int], np.ndarray]
"""Token ids and style."""


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
                print("bench.gpu.chunks: this model has no windows here", file=sys.stderr)
                return 1
            pieces = [piece(seconds) for seconds in options.seconds]
            told = {
                "pieces": [measure_piece(model, *each, options.pairs) for each in pieces],
                "window": [],
            }
            if _is_captured(model):
                plain = opened.enter_context(closing(_load()))
                assert isinstance(plain, SplitModel)
                assert isinstance(plain.decoder, CapturedDecoder)
                plain.decoder.release()
                told["window"] = measure_window(model, plain, *pieces[-1], options.pairs)
    except ServiceError as error:
        print(f"bench.gpu.chunks: {error.message}", file=sys.stderr)
        return 1
    print(json.dumps(told), flush=True)
    return 0


def piece(seconds: float) -> Piece:
    """Return what the usual voice says in about so many seconds."""
    voices = load_voices(Settings())
    token_ids = load_vocabulary().token_ids(speech.phonemes(n_tokens(seconds, VOICES[0])))
    return token_ids, voices.style(voices.resolve(VOICES[0]), len(token_ids))


def measure_piece(
    model: SplitModel, token_ids: Sequence[int], style: np.ndarray, pairs: int
) -> dict[str, Any]:
    """Return name and pairs of a piece."""
    assert model.statistics is not None
    n_frames = model.encode(token_ids, style, SPEED).n_frames
    n_windows = len(list(windows_of(n_frames, soon=True)))

    def in_windows() -> Iterator[object]:
        statistics: StatisticsPredictor = model.statistics
        return say_in_windows(
            model, token_ids, style, SPEED, None, statistics=statistics, soon=True
        )

    whole = _timed(lambda: model.infer(token_ids, style, SPEED))
    first = _timed(lambda: next(in_windows()))
    complete = _timed(lambda: list(in_windows()))
    return {
        "name": f"{n_frames * SAMPLES_PER_FRAME / SAMPLE_RATE_HZ:.1f} s, {n_windows} windows",
        "first": alternate(first, whole, pairs, warm_ups=1),
        "all": alternate(complete, whole, pairs, warm_ups=1),
    }


def measure_window(
    captured: SplitModel, plain: SplitModel, token_ids: Sequence[int], style: np.ndarray, pairs: int
) -> list[tuple[float, float]]:
    """Return pairs of a stretch in the middle of a piece, with its context."""
    assert captured.statistics is not None
    encoding = captured.encode(token_ids, style, SPEED)
    given = captured.statistics.predict(encoding)
    first = max(0, encoding.n_frames - STRETCH_FRAMES) // 2
    last = min(encoding.n_frames, first + STRETCH_FRAMES)
    with_graphs, without = (
        _timed(lambda model=model: model.decode(encoding, first, last, given))
        for model in (captured, plain)
    )
    return alternate(with_graphs, without, pairs, warm_ups=2)


def _load() -> Model:
    settings = Settings(threads=THREADS)
    return load_model(settings, load_runtime(settings), lambda line: None)


def _is_captured(model: SplitModel) -> bool:
    """Tell whether windows are replayed. Where a replay was wrong at start, they are not."""
    return isinstance(model.decoder, CapturedDecoder) and bool(model.decoder.captured)


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return run


if __name__ == "__main__":
    sys.exit(main())
