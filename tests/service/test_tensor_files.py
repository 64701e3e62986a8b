import io
import pickle
import random
import zipfile
from collections import OrderedDict

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save as save_safetensors

from service import tensor_files
from service.tensor_files import TensorFileError, UnknownFormatError
from tests.service.torch_files import NUMBERS, Call, Global, pickled, tensor, torch_file

MOST = 1 << 20


def read(tmp_path, content, name="x.pt", most=MOST):
    path = tmp_path / name
    path.write_bytes(content)
    return tensor_files.read(path, most)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(compressed=False, **arrays):
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def whole(kind="FloatStorage", key="0"):
    return tensor(kind, key, 24, 0, (2, 3, 4), (12, 4, 1))


def test_a_tensor_of_pytorch_is_read_in_every_type(tmp_path):
    kinds = {
        "DoubleStorage": np.float64, "FloatStorage": np.float32, "HalfStorage": np.float16,
        "BFloat16Storage": ml_dtypes.bfloat16, "LongStorage": np.int64, "IntStorage": np.int32,
        "ShortStorage": np.int16, "CharStorage": np.int8, "ByteStorage": np.uint8,
    }  # fmt: skip
    for kind, dtype in kinds.items():
        found = read(tmp_path, torch_file(whole(kind), k0=NUMBERS.astype(dtype).tobytes()))
        assert list(found) == [""]
        is_short = dtype in (np.float16, ml_dtypes.bfloat16)
        assert found[""].dtype == (np.float32 if is_short else dtype)
        np.testing.assert_array_equal(found[""], NUMBERS.astype(dtype))


def test_views_parameters_and_dictionaries_within_each_other_are_read(tmp_path):
    turned = tensor("FloatStorage", "0", 24, 12, (4, 3), (1, 4))
    parameter = Call(
        Global("torch._utils", "_rebuild_parameter"), whole(), True, Call(Global("collections", "OrderedDict"))
    )
    value = {
        "net": OrderedDict({"module.weight": parameter, "module.bias": turned}),
        "config": {"n": 3, "layers": [1, 2], "name": "é", "none": None, "on": True, 7: turned},
    }  # fmt: skip
    found = read(tmp_path, torch_file(value))
    assert list(found) == ["net.module.weight", "net.module.bias", "config.7"]
    np.testing.assert_array_equal(found["net.module.weight"], NUMBERS)
    np.testing.assert_array_equal(found["net.module.bias"], NUMBERS[1].T)


def test_what_is_written_for_pytorch_is_read_again(tmp_path):
    np.testing.assert_array_equal(read(tmp_path, tensor_files.pytorch_file(NUMBERS))[""], NUMBERS)


def test_files_of_numpy_and_safetensors_are_read(tmp_path):
    half = NUMBERS.astype(np.float16)
    for array in (NUMBERS, np.asfortranarray(NUMBERS), NUMBERS.astype(">f4"), half):
        np.testing.assert_array_equal(read(tmp_path, npy(array))[""], NUMBERS)
    for compressed in (False, True):
        found = read(tmp_path, npz(compressed, a=NUMBERS, b=half), "voices-v1.0.bin")
        assert list(found) == ["a", "b"]
        np.testing.assert_array_equal(found["b"], NUMBERS)
    content = save_safetensors({"a": NUMBERS, "b": NUMBERS.astype(ml_dtypes.bfloat16), "c": half})
    found = read(tmp_path, content)
    for name in "abc":
        np.testing.assert_array_equal(found[name], NUMBERS)
        assert found[name].dtype == np.float32


class Evil:
    def __reduce__(self):
        return open, ("/tmp/kokoro-was-here", "w")


CLAIMS = (
    b"\x93NUMPY\x01\x00v\x00"
    + b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,), }".ljust(117)
    + b"\n"
)
REFUSED = {
    "calls": (torch_file(pickle.dumps(Evil(), 2)), "asks for '_?io open'"),
    "calls by stack": (torch_file(pickle.dumps(Evil(), 4)), "asks for '_?io open'"),
    "calls of builtins": (torch_file(b"\x80\x02c__builtin__\neval\n."), "__builtin__ eval"),
    "makes objects": (torch_file(b"\x80\x02(ios\nsystem\n."), "instruction INST"),
    "calls what it read": (torch_file(Call(Global("torch", "FloatStorage"))), "damaged"),
    "no storage": (torch_file(whole(key="1")), "lacks its part"),
    "beyond the storage": (torch_file(tensor("FloatStorage", "0", 24, 20, (2, 3), (3, 1))), "damaged"),
    "strides beyond": (torch_file(tensor("FloatStorage", "0", 24, 0, (2, 2), (99, 1))), "damaged"),
    "negative strides": (torch_file(tensor("FloatStorage", "0", 24, 0, (2, 2), (-1, 1))), "damaged"),
    "10 GB": (torch_file(tensor("FloatStorage", "0", 24, 0, (50_000, 50_000), (0, 0))), "is not in it"),
    "many of one": (
        torch_file([tensor("FloatStorage", "0", 1000, 0, (1000,), (1,))] * 300, k0=bytes(4000)),
        "larger than it",
    ),
    "byte order": (torch_file(whole(), byteorder=b"big"), "other byte order"),
    "many lists": (torch_file(b"\x80\x02" + b"]" * 600_000 + b".", zipfile.ZIP_DEFLATED), "too long"),
    "cut pickle": (torch_file(b"\x80\x02" + pickled(whole())), "damaged|too early"),
    "old": (pickle.dumps(0x1950A86A20F9469CFC6C, 2), "before 1.6"),
    "text": (b"hello", "no file of"),
    "empty": (b"", "no file of"),
    "zip": (npz(a=NUMBERS)[:-30], "damaged"),
    "bomb": (npz(True, a=np.zeros(1 << 20, np.float32)), "unpacked it has more"),
    "objects": (npy(np.array([{}, None], object)), "in place of numbers"),
    "complex": (npy(np.zeros(3, complex)), "in place of numbers"),
    "claims": (CLAIMS, "is not in it"),
    "safetensors": (save_safetensors({"a": NUMBERS})[:-4], "damaged safetensors"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_everything_else_is_refused_in_a_line_and_executed_never(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content, told = REFUSED[name]
    with pytest.raises(TensorFileError, match=told) as caught:
        read(tmp_path, content)
    assert "\n" not in caught.value.message
    assert [path.name for path in tmp_path.iterdir()] == ["x.pt"]


def test_dictionaries_that_contain_themselves_or_multiply_end(tmp_path):
    itself = b"\x80\x02}q\x00X\x01\x00\x00\x00ah\x00s."
    doubled = b"\x80\x02}q\x00"
    for n in range(60):
        key = bytes([n])
        doubled += b"}q" + bytes([n + 1]) + b"(X\x01\x00\x00\x00ah" + key + b"X\x01\x00\x00\x00bh" + key + b"u"
    for program in (itself, doubled + b"."):
        with pytest.raises(TensorFileError, match="too many tensors, or too deep"):
            read(tmp_path, torch_file(program))


def test_too_large_a_file_is_not_read(tmp_path):
    with pytest.raises(TensorFileError, match="at most 100 are read"):
        read(tmp_path, npy(NUMBERS), most=100)
    with pytest.raises(TensorFileError, match="cannot be read"):
        tensor_files.read(tmp_path / "none.pt", MOST)
    with pytest.raises(UnknownFormatError):
        read(tmp_path, b"\0" * 1000)


@pytest.mark.parametrize("n", [1000, pytest.param(20_000, marks=pytest.mark.thorough)])
def test_damaged_files_are_read_or_refused_and_nothing_else(tmp_path, n):
    drawn = random.Random(n)
    whole_files = [
        torch_file({"a": whole(), "b": OrderedDict({"c": whole()})}), torch_file(whole(), zipfile.ZIP_DEFLATED),
        npz(True, a=NUMBERS, b=NUMBERS), npy(NUMBERS), save_safetensors({"a": NUMBERS, "b": NUMBERS}),
    ]  # fmt: skip
    outcomes = set()
    for _ in range(n):
        content = bytearray(drawn.choice(whole_files))
        for _ in range(drawn.choice((1, 1, 2, 5, 20))):
            content[drawn.randrange(len(content))] = drawn.choice((0, 255, drawn.randrange(256)))
        if drawn.random() < 0.2:
            del content[drawn.randrange(len(content)) :]
        try:
            found = read(tmp_path, bytes(content))
            assert sum(array.nbytes for array in found.values()) <= 2 * MOST
            outcomes.add("read")
        except TensorFileError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}
