"""What `bench.bare` does, done by the service's own model class; same command line and answers."""

import sys
import time
from pathlib import Path

import numpy as np

from service.model import load_kokoro, open_runtime


def main() -> None:
    model, threads, token_ids, style = sys.argv[1:]
    runtime = open_runtime("cpu", int(threads))
    kokoro = load_kokoro(Path(model), runtime, published=True, progress=lambda line: None)
    print("ready", flush=True)
    ids = [int(token_id) for token_id in token_ids.split(",")]
    vector = np.frombuffer(bytes.fromhex(style), np.float32).reshape(1, -1)
    for _ in sys.stdin:
        start = time.perf_counter()
        inference = kokoro.infer(ids, vector, 1.0)
        print(time.perf_counter() - start, inference.samples.size, flush=True)


if __name__ == "__main__":
    main()
