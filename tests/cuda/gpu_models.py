"""Small models for a session on the stub's GPU, in the process that uses the stub.

Two of them: `TWICE` computes `y = x + x`, and `SAME` gives `y = x`, which is how a program brings
something into memory of a GPU that it has allocated, without CUDA's own functions.
"""

import json
import sys

import numpy as np
from onnx import TensorProto, helper

import ortffi
from ortffi import Memory, RunOptions, SessionBuilder


def encode(*nodes):
    """Return a model from `x` to `y`, both of float32 and one dimension of any length."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [name]) for name in "xy")
    graph = helper.make_graph(nodes, "small", [x], [y])
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


TWICE = encode(helper.make_node("Add", ["x", "x"], ["y"], name="add"))
SAME = encode(helper.make_node("Identity", ["x"], ["y"], name="same"))


def open_session(model=TWICE, **cuda):
    return SessionBuilder().with_intra_threads(1).with_cuda(**cuda).commit_from_memory(model)


def open_graphs(model=TWICE):
    return open_session(model, enable_cuda_graph=True)


def graph(number):
    """Return the options of a run with this graph; -1 for none."""
    return RunOptions(config={"gpu_graph_id": str(number)})


def numbers(*values):
    return np.array(values, np.float32)


def allocate(session, n=2):
    return session.allocate([n], memory=Memory.cuda())


def write(target, *values):
    with open_session(SAME) as session, session.bind({"x": numbers(*values)}, {"y": target}) as binding:
        binding.run()


def read(source):
    with open_session(SAME) as session, session.bind({"x": source}, {"y": Memory.CPU}) as binding:
        binding.run()
        return binding.outputs()["y"].read().tolist()


# A Kokoro model that runs in a process of its own, on the stub's GPU or on its CPU.
N_TOKENS = 10


def kokoro_inputs():
    return {
        "tokens": np.array([[0, *(10 + 7 * n for n in range(N_TOKENS - 2)), 0]], np.int64),
        "style": np.full((1, 256), 0.05, np.float32),
        "speed": np.ones(1, np.float32),
    }


def run_model(stub, model, cuda=None, *, bound=False):
    """Run a file in a process of the stub, on the CPU unless `with_cuda` is given arguments: error, outputs."""
    program = "from tests.cuda import gpu_models; gpu_models.main()"
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
