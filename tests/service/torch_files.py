"""Files as PyTorch saves them, written without it: instructions of pickles, tensors, checkpoints."""

import io
import struct
import zipfile
from collections import OrderedDict

import numpy as np

NUMBERS = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
"""What a file has that is told no other storages."""


class Global:
    """What a pickle names: the text `module name`, as pickle's protocol 2 writes it."""

    def __init__(self, module, name):
        self.text = f"c{module}\n{name}\n".encode()


class Call:
    def __init__(self, called, *arguments):
        self.called, self.arguments = called, arguments


class Storage:
    def __init__(self, kind, key, n):
        self.kind, self.key, self.n = kind, key, n


def pickled(value):
    """Return the instructions that make a value, as PyTorch's pickler writes them."""
    if isinstance(value, Global):
        return value.text
    if isinstance(value, Storage):
        parts = ("storage", Global("torch", value.kind), value.key, "cpu", value.n)
        return pickled(parts) + b"Q"
    if isinstance(value, Call):
        return pickled(value.called) + pickled(value.arguments) + b"R"
    if isinstance(value, bool) or value is None:
        return {True: b"\x88", False: b"\x89", None: b"N"}[value]
    if isinstance(value, int):
        return b"J" + struct.pack("<i", value)
    if isinstance(value, str):
        return b"X" + struct.pack("<I", len(value.encode())) + value.encode()
    if isinstance(value, tuple):
        return b"(" + b"".join(map(pickled, value)) + b"t"
    if isinstance(value, OrderedDict):  # with the versions of modules, as a state has them
        items = b"".join(pickled(key) + pickled(part) for key, part in value.items())
        empty = Global("collections", "OrderedDict").text
        return empty + b")R(" + items + b"u}X\x09\x00\x00\x00_metadata" + empty + b")Rsb"
    if isinstance(value, dict):
        return b"}(" + b"".join(pickled(key) + pickled(part) for key, part in value.items()) + b"u"
    return b"](" + b"".join(map(pickled, value)) + b"e"


def tensor(kind, key, n, offset, shape, strides):
    called = Global("torch._utils", "_rebuild_tensor_v2")
    hooks = Call(Global("collections", "OrderedDict"))
    return Call(called, Storage(kind, key, n), offset, shape, strides, False, hooks)


def torch_file(value, compression=zipfile.ZIP_STORED, byteorder=b"little", **storages):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        program = value if isinstance(value, bytes) else b"\x80\x02" + pickled(value) + b"."
        archive.writestr("archive/data.pkl", program)
        archive.writestr("archive/byteorder", byteorder)
        for key, content in (storages or {"k0": NUMBERS.tobytes()}).items():
            archive.writestr(f"archive/data/{key[1:]}", content)
        archive.writestr("archive/version", b"3\n")
    return file.getvalue()


def checkpoint_file(layers, dtype=np.float32, compression=zipfile.ZIP_STORED):
    """Return a file of a dictionary of dictionaries of arrays, as `torch.save` writes a model's state."""
    kind = {np.float32: "FloatStorage", np.float16: "HalfStorage"}[dtype]
    storages, state = {}, {}
    for part, arrays in layers.items():
        state[part] = OrderedDict()
        for name, array in arrays.items():
            key = str(len(storages))
            storages[f"k{key}"] = np.ascontiguousarray(array, dtype).tobytes()
            strides = tuple(int(np.prod(array.shape[axis + 1 :])) for axis in range(array.ndim))
            state[part][name] = tensor(kind, key, array.size, 0, array.shape, strides)
    return torch_file(state, compression, **storages)


def layers_of(weights, within="module."):
    """Return weights by PyTorch's names in the parts of a model, whose names begin anew."""
    layers = {}
    for name, array in weights.items():
        part, _, rest = name.partition(".")
        layers.setdefault(part, {})[within + rest] = array
    return layers
