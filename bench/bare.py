"""A program as one writes it with the onnxruntime package alone; a process of its own.

    python -m bench.bare MODEL THREADS TOKEN_IDS STYLE

Prints `ready` once it has a session. Then runs the model for every line of standard input, and
prints the seconds that took and the number of samples. Imports nothing else of this project.
"""

import sys
import time

import numpy as np
import onnxruntime


def main() -> None:
    model, threads, token_ids, style = sys.argv[1:]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    print("ready", flush=True)
    inputs = {
        "tokens": np.array([[0, *map(int, token_ids.split(",")), 0]], np.int64),
        "style": np.frombuffer(bytes.fromhex(style), np.float32).reshape(1, -1),
        "speed": np.ones(1, np.float32),
    }
    for _ in sys.stdin:
        start = time.perf_counter()
        (samples,) = session.run(["audio"], inputs)
        print(time.perf_counter() - start, samples.size, flush=True)


if __name__ == "__main__":
    main()
