"""Checkpoints and voices that somebody made to do harm: refused in a line, and nothing of them is executed."""

import io
import os
import random
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from service.errors import ServiceError
from service.preparation import checkpoints
from service.speech import read_styles, voices
from tests.service.torch_files import Call, Global, Storage, checkpoint_file, layers_of, pickled, tensor, torch_file

MOST_BYTES = 1 << 16
"""Of a file and its tensors, in the place of a gigabyte."""

MOST_MEMORY = 8 << 20
"""Of what is made of one: a byte of a pickle may leave a list of 56 bytes."""

EVENTS = frozenset((
    "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect", "pickle.find_class",
    "ctypes.dlopen",
))  # fmt: skip
"""That Python tells of, and no file may cause."""

NAMES = (
    ("os", "system"), ("posix", "system"), ("builtins", "eval"), ("builtins", "exec"), ("__builtin__", "getattr"),
    ("subprocess", "Popen"), ("torch", "load"), ("torch.hub", "load"), ("numpy", "load"), ("_io", "open"),
    ("collections", "defaultdict"), ("functools", "partial"), ("torch._utils", "_rebuild_tensor_v2.__globals__"),
    ("torch", "FloatStorage.__init__"), ("torch._utils", "_rebuild_parameter"), ("collections", "OrderedDict"),
)  # fmt: skip
SIZES = (0, 1, 2, 3, 24, 255, 1 << 16, 1 << 31, 1 << 40, (1 << 63) - 1, -1)
KINDS = [f"{kind}Storage" for kind in ("Float", "Half", "BFloat16", "Double", "Long", "Bool", "QInt8")]


def long(number):
    content = number.to_bytes(9, "little", signed=True)
    return b"\x8a" + bytes([len(content)]) + content


def calls(drawn):
    """A pickle that calls something, in each of the ways that pickles have."""
    module, name = drawn.choice(NAMES)
    named = drawn.choice((f"c{module}\n{name}\n".encode(), pickled(module) + pickled(name) + b"\x93"))
    arguments = pickled(("touch was-here",))
    called = drawn.choice((
        named + arguments + b"R", named + arguments + b"\x81", named + arguments + b"}\x92",
        b"(" + f"i{module}\n{name}\n".encode(), b"(" + named + arguments + b"o", named + b"}b",
        b"\x82" + bytes([drawn.randrange(256)]), b"P" + name.encode() + b"\n", arguments + b"Q", named + b")R" + b"}b",
    ))  # fmt: skip
    within, end = drawn.choice(((b"", b"."), (b"}(", b"u."), (b"](", b"e."), (b"", b"0.")))
    return torch_file(b"\x80\x02" + within + called + end)


def shapes(drawn):
    """A tensor that is not where it says."""

    def some():
        return tuple(drawn.choice(SIZES) for _ in range(drawn.randrange(10)))

    def numbers(values):
        return b"(" + b"".join(map(long, values)) + b"t"

    n_storage = drawn.choice(SIZES)
    told = some()
    strides = some() if drawn.random() < 0.5 else tuple(drawn.choice((0, 1, 3)) for _ in told)
    program = (
        Global("torch._utils", "_rebuild_tensor_v2").text + b"("
        + pickled(Storage(drawn.choice(KINDS), drawn.choice("01"), 24)) + long(drawn.choice(SIZES))
        + numbers(told) + numbers(strides) + b"\x89" + pickled(Call(Global("collections", "OrderedDict"))) + b"tR."
    )  # fmt: skip
    return torch_file(b"\x80\x02" + program, k0=bytes(min(max(n_storage, 0), 4000)))


def bombs(drawn):
    """A short file that would be a long one, or many of them."""
    n = drawn.choice((MOST_BYTES // 2, MOST_BYTES, 4 * MOST_BYTES))
    kind = drawn.randrange(5)
    if kind == 0:
        return torch_file(tensor("FloatStorage", "0", n // 4, 0, (n // 4,), (1,)), zipfile.ZIP_DEFLATED, k0=bytes(n))
    if kind == 1:
        made = drawn.choice((b"]", b"}", b"(", b")", b"](", b"}q\x00h\x00"))
        return torch_file(b"\x80\x02" + made * (n // len(made)) + b".", zipfile.ZIP_DEFLATED)
    if kind == 2:
        many = [tensor("FloatStorage", "0", 500, 0, (500,), (1,))] * drawn.choice((10, 100, 300))
        return torch_file(many, zipfile.ZIP_DEFLATED, k0=bytes(2000))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in range(drawn.choice((1, 200))):
            archive.writestr(f"{name}.npy", bytes(n // 100) if kind == 3 else claims(drawn))
    return file.getvalue()


def claims(drawn):
    """A header that tells of more than there is."""
    size = drawn.choice(SIZES)
    if drawn.random() < 0.4:
        header = drawn.choice((b"{}", b'{"a":{"dtype":"F32","shape":[%d,2],"data_offsets":[0,%d]}}' % (size, size)))
        return struct.pack("<Q", drawn.choice((len(header), size % (1 << 64)))) + header + bytes(64)
    if drawn.random() < 0.5:
        code, form = drawn.choice(((b"X", "<I"), (b"\x8d", "<Q"), (b"\x8b", "<I"), (b"r", "<I")))
        told = code + struct.pack(form, size % (1 << 31))
        return torch_file(b"\x80\x02]" + told + b"abc.")
    shape = drawn.choice((f"({size},)", f"({size}, {size})", "(" * 300, f"{'9' * 5000},", f"(10**{size},)", "(True,)"))
    kind = drawn.choice(("<f4", "|O", "<f8", "<U9999999", "|V1000000000"))
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}"
    content = header.encode()[:9000] + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(content)) + content + bytes(64)


def numbers(drawn):
    """A whole checkpoint, or a voice, whose numbers are none, or of another form."""
    dtype = drawn.choice((np.float32, np.float16))
    bad = drawn.choice((np.nan, np.inf, -np.inf, 0.0, np.finfo(dtype).max))
    v = np.full((4, 3, 5), bad, np.float32)
    weights = {
        "bert_encoder.weight": np.ones((2, 3), np.float32), "decoder.x.weight_v": v,
        "decoder.x.weight_g": np.ones(drawn.choice(((4, 1, 1), (4,), (3, 1, 1), ())), np.float32),
        "decoder.n.norm.weight": np.full(2, bad, np.float32), "decoder.n.norm.bias": np.ones(2, np.float32),
        "decoder.n.fc.weight": np.ones(drawn.choice(((4, 2), (3, 2), (4,))), np.float32),
        "decoder.n.fc.bias": np.ones(drawn.choice((4, 2)), np.float32),
    }  # fmt: skip
    for name in drawn.sample(sorted(weights), drawn.randrange(3)):
        del weights[name]
    return checkpoint_file(layers_of(weights, drawn.choice(("", "module."))), dtype)


MAKERS = (calls, shapes, bombs, claims, numbers)


def outcome(read, path):
    """Return the reason of a refusal, without what it names."""
    message = ""
    try:
        read(path)
    except ServiceError as error:
        message = error.message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 300
    return message.removeprefix(f"{path}: ")[:20]


def read_all(folder, n, seed):
    """Read so many files in a process of its own: a hook for events stays as long as the process."""
    checkpoints.MOST_BYTES = voices.MOST_FILE_BYTES = MOST_BYTES
    seen = []
    sys.addaudithook(lambda event, arguments: seen.append((event, arguments)) if event in EVENTS else None)
    drawn, path = random.Random(seed), Path(folder, "x.pt")
    outcomes = {maker: set() for maker in MAKERS}
    for _ in range(n):
        maker = drawn.choice(MAKERS)
        content = bytearray(maker(drawn))
        if drawn.random() < 0.3:
            for _ in range(drawn.choice((1, 3, 10))):
                content[drawn.randrange(len(content))] = drawn.randrange(256)
        if drawn.random() < 0.1:
            del content[drawn.randrange(len(content)) :]
        path.write_bytes(content)
        for read in (checkpoints.read_weights, read_styles):
            tracemalloc.start()
            try:
                outcomes[maker].add(outcome(read, path))
                assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
            finally:
                tracemalloc.stop()
    assert seen == []
    assert [file.name for file in path.parent.iterdir()] == ["x.pt"]
    assert all(len(found) > 3 for found in outcomes.values())
    assert "" not in outcomes[calls]


@pytest.mark.parametrize(
    ("n", "seed"), [(150, 0), *(pytest.param(2000, seed, marks=pytest.mark.slow) for seed in range(1, 11))]
)
def test_hostile_files_are_refused_and_execute_nothing(repository, tmp_path, n, seed):
    script = f"from {Path(__file__).stem} import read_all; read_all('.', {n}, {seed})"
    paths = {"PYTHONPATH": f"{repository}:{Path(__file__).parent}"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
