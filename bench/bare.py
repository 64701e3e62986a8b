"""A minimal program that uses the onnxruntime package alone, in a process of its own.

    python -m bench.bare MODEL THREADS TOKEN_IDS STYLE

It prints `ready` once it has a session. For each line of standard input it runs the model, and
prints the time of the run in seconds and the number of samples. It imports nothing of this project.
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
