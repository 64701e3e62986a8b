"""A Kokoro model that runs in a process of its own, on the stub's GPU or on its CPU."""

import json
import sys

import numpy as np

import ortffi

N_TOKENS = 10


def kokoro_inputs():
    return {
        "tokens": np.array([[0, *(10 + 7 * n for n in range(N_TOKENS - 2)), 0]], np.int64),
        "style": np.full((1, 256), 0.05, np.float32),
        "speed": np.ones(1, np.float32),
    }


def run_model(stub, model, cuda=None, *, bound=False):
    """Run a file in a process of the stub, on the CPU unless `with_cuda` is given arguments: error, outputs."""
    program = "from tests.cuda import runs; runs.main()"
    return json.loads(stub.python(program, json.dumps([str(model), cuda, bound])))


def main():
    model, cuda, bound = json.loads(sys.argv[1])
    builder = ortffi.SessionBuilder().with_intra_threads(1)
    if cuda is not None:
        builder = builder.with_cuda(**cuda)
    error, outputs = None, []
    with builder.commit_from_file(model) as session:
        try:
            if bound:
                memories = {info.name: ortffi.Memory.CPU for info in session.outputs}
                with session.bind(kokoro_inputs(), memories) as binding:
                    binding.run()
                    outputs = [value.read() for value in binding.outputs().values()]
            else:
                outputs = session.run(kokoro_inputs(), copy=True)
        except ortffi.OrtError as failure:
            error = failure.message
    print(json.dumps([error, [output.ravel().tolist() for output in outputs]]))
