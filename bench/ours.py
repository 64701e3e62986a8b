"""What `bench.bare` does, by the service's own model class with the model that it takes itself."""

import sys
import time

import numpy as np

from service.loading import load_model, load_runtime
from service.settings import Settings


def main() -> None:
    _, threads, token_ids, style = sys.argv[1:]
    settings = Settings(threads=int(threads))
    kokoro = load_model(settings, load_runtime(settings), lambda line: None)
    print("ready", flush=True)
    ids = [int(token_id) for token_id in token_ids.split(",")]
    vector = np.frombuffer(bytes.fromhex(style), np.float32).reshape(1, -1)
    for _ in sys.stdin:
        start = time.perf_counter()
        inference = kokoro.infer(ids, vector, 1.0)
        print(time.perf_counter() - start, inference.samples.size, flush=True)


if __name__ == "__main__":
    main()
