"""Damaged model files, each made again from its number."""

import functools
import random
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from tests.ortffi import tiny_models, typed_models

MOST_BYTES = 3000
"""Of a seed model: in a larger one most changes hit weights."""

OLDEST_OPSET = 7

SMALL = (0, 1, 2, 3, 5, 7)
HUGE = (0, -1, 2**31 - 1, 2**31, 2**32, 2**48, 2**62, 2**63 - 1, -(2**63))


def seeds():
    """Return the models to damage: our own, and small ones of the ONNX package."""
    own = [
        tiny_models.add(), tiny_models.concat_strings(), tiny_models.constant(), tiny_models.count_up(),
        tiny_models.double_and_take_first(), tiny_models.gather(), tiny_models.identity(), tiny_models.mixed(),
        tiny_models.sequence_input(), tiny_models.sequence_output(), typed_models.vectorize(),
        typed_models.zip_maps(["a", "b"]), typed_models.make_optional(full=True),
    ]  # fmt: skip
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data"
    files = sorted(path for path in folder.glob("*/*/model.onnx"))
    small = [path.read_bytes() for path in files if path.stat().st_size < MOST_BYTES]
    # ONNX Runtime has no kernels for older operators.
    usable = [content for content in small if _opset(content) >= OLDEST_OPSET]
    return own + usable


def _opset(content):
    return max(int(opset.version) for opset in onnx.ModelProto.FromString(content).opset_import)


def flip(rng, content):
    for _ in range(rng.randint(1, 8)):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def overwrite(rng, content):
    for _ in range(rng.randint(1, 4)):
        content[rng.randrange(len(content))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))


def cut(rng, content):
    del content[rng.randrange(len(content)) :]


def cut_out(rng, content):
    start = rng.randrange(len(content))
    del content[start : start + rng.randint(1, 40)]


def insert(rng, content):
    place = rng.randrange(len(content))
    content[place:place] = rng.randbytes(rng.randint(1, 40))


def repeat(rng, content):
    start = rng.randrange(len(content))
    chunk = content[start : start + rng.randint(1, 60)]
    content[start:start] = chunk * rng.randint(1, 20)


def swap(rng, content):
    n = rng.randint(1, max(1, len(content) // 4))
    first, second = sorted(rng.sample(range(len(content) - 2 * n + 2), 2))
    second = max(second, first + n)
    one, other = content[first : first + n], content[second : second + n]
    content[first : first + n], content[second : second + n] = other, one


def lie_about_a_length(rng, content):
    """Write a large number over a byte, as protobuf writes its lengths."""
    place = rng.randrange(len(content))
    value, varint = rng.choice((2**7, 2**14, 2**31 - 1, 2**32 - 1, 2**35, 2**63, 2**64 - 1)), b""
    while value >= 0x80:
        varint, value = varint + bytes([value & 0x7F | 0x80]), value >> 7
    content[place : place + 1] = varint + bytes([value])


def of_a_model(damage):
    """Make a mutation of what changes a parsed model."""

    @functools.wraps(damage)
    def mutation(rng, content):
        try:
            model = onnx.ModelProto.FromString(bytes(content))
        except DecodeError:  # damaged before, or in ORT format
            flip(rng, content)
        else:
            damage(rng, model)
            content[:] = model.SerializeToString()

    return mutation


@of_a_model
def claim_huge_dimensions(rng, model):
    graph = model.graph
    for info in (*graph.input, *graph.output, *graph.value_info):
        for dim in info.type.tensor_type.shape.dim:
            if rng.random() < 0.5:
                dim.dim_value = rng.choice(SMALL + HUGE)
    for weight in graph.initializer:
        for index in range(len(weight.dims)):
            if rng.random() < 0.5:
                weight.dims[index] = rng.choice(SMALL + HUGE)


@of_a_model
def change_numbers(rng, model):
    """Change element types, versions, and what is in attributes and weights."""
    for info in (*model.graph.input, *model.graph.output):
        if rng.random() < 0.15:
            info.type.tensor_type.elem_type = rng.randint(0, 30)
    for weight in model.graph.initializer:
        if rng.random() < 0.5:
            weight.data_type = rng.randint(0, 30)
        if rng.random() < 0.3 and weight.raw_data:
            weight.raw_data = rng.randbytes(rng.randint(0, 2 * len(weight.raw_data)))
        for index in range(len(weight.int64_data)):
            weight.int64_data[index] = rng.choice(SMALL + HUGE)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("i"):
                attribute.i = rng.choice(SMALL + HUGE)
            for index in range(len(attribute.ints)):
                if rng.random() < 0.5:
                    attribute.ints[index] = rng.choice(SMALL + HUGE)
            if rng.random() < 0.1:
                attribute.type = rng.randint(0, 14)
    if rng.random() < 0.3:
        model.opset_import[0].version = rng.choice((0, 1, 7, 13, 21, 2**31, -1))
    if rng.random() < 0.1:
        model.ir_version = rng.choice((0, 3, 10, 2**40))


@of_a_model
def rewire(rng, model):
    """Change what nodes compute and what they are connected to."""
    graph = model.graph
    names = ["", "nobody", *(info.name for info in (*graph.input, *graph.output))]
    names += [name for node in graph.node for name in (*node.input, *node.output)]
    operators = ("Add", "Identity", "Conv", "Gather", "Loop", "If", "Reshape", "Scan", "Cast",
                 "SequenceAt", "Optional", "LSTM", "TopK", "Resize", "Split", "")  # fmt: skip
    for node in graph.node:
        for side in (node.input, node.output):
            for index in range(len(side)):
                if rng.random() < 0.3:
                    side[index] = rng.choice(names)
            if rng.random() < 0.1:
                side.append(rng.choice(names))
            if side and rng.random() < 0.1:
                side.pop()
        if rng.random() < 0.3:
            node.op_type = rng.choice(operators)
        if node.attribute and rng.random() < 0.3:
            del node.attribute[rng.randrange(len(node.attribute))]
    for part in (graph.node, graph.input, graph.output, graph.initializer):
        if part and rng.random() < 0.1:
            del part[rng.randrange(len(part))]
        elif part and rng.random() < 0.1:
            part.append(rng.choice(part))


MUTATIONS = (
    *(flip, overwrite, cut, cut_out, insert, repeat, swap, lie_about_a_length),
    # What is still a model gets further into ONNX Runtime.
    *(claim_huge_dimensions, change_numbers, rewire) * 4,
)


def mutant(number, models):
    """Return what was done to a model, and the result."""
    rng = random.Random(number)
    index = rng.randrange(len(models))
    content, done = bytearray(models[index]), []
    for _ in range(rng.choice((1, 1, 1, 2))):
        mutation = rng.choice(MUTATIONS)
        if content:
            mutation(rng, content)
            done.append(mutation.__name__)
    return f"model {index}, {' and '.join(done)}", bytes(content)
