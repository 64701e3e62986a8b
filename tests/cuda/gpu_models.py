"""Small models for a session on the stub's GPU, in the process that uses the stub.

Two of them: `twice` computes `y = x + x`, and `same` gives `y = x`, which is how a program brings
something into memory of a GPU that it has allocated, without CUDA's own functions.
"""

import ctypes
from typing import Any

import numpy as np
from onnx import TensorProto, helper
from ortffi._api import new
from ortffi.memory import memory_info

import ortffi
from ortffi import ElementType, Memory, RunOptions, SessionBuilder, Value

Array = np.ndarray[Any, Any]


def encode(*nodes, domains=()):
    """Return a model from `x` to `y`, both of float32 and one dimension of any length."""
    info = helper.make_tensor_value_info
    ends = [info(name, TensorProto.FLOAT, [name]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "small", ends[:1], ends[1:])
    opsets = [helper.make_opsetid("", 17), *(helper.make_opsetid(name, 1) for name in domains)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return bytes(model.SerializeToString())


TWICE = encode(helper.make_node("Add", ["x", "x"], ["y"], name="add"))
SINE = encode(helper.make_node("Sin", ["x"], ["y"], name="sine"))
SAME = encode(helper.make_node("Identity", ["x"], ["y"], name="same"))


def open_session(model=TWICE, **cuda):
    """Make a session on the GPU with these options of the CUDA provider."""
    return SessionBuilder().with_intra_threads(1).with_cuda(**cuda).commit_from_memory(model)


def open_graphs(model=TWICE):
    """Make one that captures CUDA graphs."""
    return open_session(model, enable_cuda_graph=True)


def graph(number):
    """Return the options of a run with this graph; -1 for none."""
    return RunOptions(config={"gpu_graph_id": str(number)})


def numbers(*values):
    return np.array(values, np.float32)


def allocate(session, n=2):
    """Make a tensor on the GPU, whose elements are whatever was there."""
    return session.allocate([n], memory=Memory.cuda())


def write(target, *values):
    """Bring numbers into a tensor on the GPU."""
    source = {"x": numbers(*values)}
    with open_session(SAME) as session, session.bind(source, {"y": target}) as binding:
        binding.run()


def read(source):
    """Return what is in a tensor on the GPU."""
    with open_session(SAME) as session, session.bind({"x": source}, {"y": Memory.CPU}) as binding:
        binding.run()
        return list(binding.outputs()["y"].read().tolist())


def first_of(value):
    """Return a tensor of the first number of one on the GPU, where it is."""
    environment = ortffi.init()
    with value.handle.lend() as pointer, memory_info(environment, value.memory) as info:
        address = new(environment.api.GetTensorMutableData, pointer)
        shape = (ctypes.c_int64 * 1)(1)
        create = environment.api.CreateTensorWithDataAsOrtValue
        first = new(create, info, address, 4, shape, 1, ElementType.FLOAT)
        return Value(environment, first, value.handle.share())


def exercise():
    """Use memory of the GPU in every way, and graphs."""
    with open_graphs() as session:
        x, y = allocate(session), allocate(session)
        write(x, 1, 2)
        with session.bind({"x": x}, {"y": y}) as binding:
            for number in (1, 2, 1, -1):
                binding.run(graph(number))
            assert read(y) == [2, 4]
            write(x, 3, 4)
            binding.run(graph(1))
            assert read(y) == [6, 8]
            binding.bind_output("y", Memory.cuda())
            binding.run(graph(-1))
            kept = binding.outputs()["y"]
            binding.clear_inputs()
            binding.clear_outputs()
            binding.bind_output("y", Memory.cuda())
        assert session.run({"x": x}, options=graph(-1))[0].tolist() == [6, 8]
        session.run_into({"x": x}, {"y": y}, options=graph(-1))
    assert read(kept) == read(y) == [6, 8]
    pinned = Memory("CudaPinned")
    with open_session() as session:
        with session.allocate([2], memory=pinned) as host:
            host.copy_from(numbers(5, 6))
            assert host.memory == pinned
            assert session.run({"x": host})[0].tolist() == [10, 12]
            with session.bind({"x": host.mapped(Memory.cuda())}, {"y": y}) as binding:
                binding.run()
            assert read(y) == [10, 12]
        with session.bind({"x": numbers(1)}, {"y": y}) as binding:
            refused = []
            for _ in range(2):
                try:
                    binding.run()
                except ortffi.InvalidArgumentError as error:
                    refused.append(error.message)
            assert ["'y'" in message for message in refused] == [True, True]
            binding.bind_input("x", numbers(7, 8))
            binding.run()
    assert read(y) == [14, 16]
    for value in (x, y, kept):
        value.close()
