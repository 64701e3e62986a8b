"""A library that is not whole is refused before the system maps it, at every door."""

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ortffi
from ortffi._shared_object import fault_of
from ortffi.plugins import register_provider_library
from tests.ortffi import damaged_tables
from tests.ortffi.raw_session import needs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has ELF files; run this there")
little_64 = pytest.mark.skipif(
    sys.byteorder != "little" or struct.calcsize("P") != 8,
    reason="what is damaged is a 64-bit little-endian file; run this with one",
)

LOAD = """
import os, ortffi
for size in {sizes}:
    os.truncate({path!r}, size)
    try:
        ortffi.load_library({path!r})
    except ortffi.LibraryNotFoundError as error:
        assert {path!r} in str(error), error
        assert size == 0 or size < 5 or f"{{size}} bytes of" in str(error), (size, error)
    else:
        raise AssertionError(f"{{size}} bytes were loaded")
print("end")
"""


@pytest.fixture
def copy(library, tmp_path):
    return Path(shutil.copy(library.path, tmp_path / "libonnxruntime.so"))


def headers(path):
    """Return the offsets and sizes of all segments, and of the table of sections."""
    with open(path, "rb") as file:
        content = file.read(4096)
    segments, sections = struct.unpack_from("<QQ", content, 32)
    size, count, section_size, n_sections = struct.unpack_from("<HHHH", content, 54)
    for at in range(segments, segments + size * count, size):
        _, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", content, at)
        yield offset, length
    yield sections, section_size * n_sections


def test_no_length_of_a_library_ends_the_process(run_python, copy):
    whole = os.path.getsize(copy)
    edges = {at for offset, length in headers(copy) for at in (offset, offset + length)}
    sizes = {0, 1, 4, 5, 63, 64, 65, 4095, 4096, whole - 4096, whole - 1}
    sizes |= {edge + by for edge in edges for by in (-4096, -1, 0, 1) if 0 <= edge + by < whole}
    sizes |= {whole * part // 97 for part in range(97)}
    done = run_python(LOAD.format(path=str(copy), sizes=sorted(sizes, reverse=True)))
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def damaged(path, offset, value):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(value)


@pytest.mark.parametrize(
    ("offset", "value", "words"),
    [
        (0, b"MZ", "no ELF header"),
        (4, b"\1", "32-bit little-endian processes; this one is 64-bit"),
        (4, b"\7", "damaged"),
        (5, b"\2", "64-bit big-endian"),
        (16, b"\2\0", "not a shared library"),
        (18, b"\x08\0", "is for machine 8; this process is for"),
        (54, b"\1\0", "damaged"),
        (40, b"\xff" * 8, "truncated"),
        (32, b"\xff" * 8, "truncated"),
        (60, b"\0\0", "truncated"),
        (64, b"\xff\xff", "damaged: a segment is of the unknown type 0xffff"),
        (120, b"\xff\xff", "damaged: a segment is of the unknown type 0xffff"),
    ],
)
@little_64
def test_another_kind_of_file_is_named(copy, offset, value, words):
    if offset == 60:  # no number of sections, so the first of them has it: more than there are
        with open(copy, "rb") as file:
            (sections,) = struct.unpack_from("<Q", file.read(64), 40)
        damaged(copy, sections + 32, struct.pack("<Q", 60_000))
    damaged(copy, offset, value)
    with pytest.raises(ortffi.LibraryNotFoundError, match=words):
        ortffi.load_library(copy)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("small", 100),
        pytest.param("small", 1000, marks=pytest.mark.slow),
        pytest.param("ONNX Runtime", 300, marks=pytest.mark.thorough),
        pytest.param("small", 8000, marks=pytest.mark.slow),
        pytest.param("ONNX Runtime", 2000, marks=pytest.mark.slow),
    ],
)
@little_64
def test_no_damage_of_its_tables_ends_the_process(library, tmp_path, kind, number, twice):
    original = library.path if kind == "ONNX Runtime" else np.random._common.__file__
    path = shutil.copy(original, tmp_path / "library.so")
    command = [sys.executable, damaged_tables.__file__, path, "1", str(number), str(int(twice))]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    counts = result["counts"]
    assert result["deaths"] == []
    assert sum(counts.values()) == number
    assert counts["found"] > number // 2
    assert counts["opened"]  # not all is refused that differs


def test_libraries_as_they_are_installed_have_no_fault():
    """Linked by several linkers, stripped or not, and rewritten by patchelf."""
    folders = {Path(np.__file__).parent.parent, Path(sys.modules["_ctypes"].__file__).parent}
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        mapped = {Path(line.split(None, 5)[5].strip()) for line in maps if ".so" in line}
    found = mapped.union(*(folder.rglob("*.so*") for folder in folders))
    libraries = {path.resolve() for path in found if is_ours(path)}
    assert len(libraries) > 20
    faults = {str(path): fault_of(str(path)) for path in libraries}
    assert {path: fault for path, fault in faults.items() if fault} == {}


def is_ours(path):
    """Return whether a file is an ELF file for this processor."""
    if not path.is_file():
        return False
    with open(path, "rb") as file, open("/proc/self/exe", "rb") as own:
        head, wanted = file.read(20), own.read(20)
    return head[:6] == wanted[:6] and head[16:20] == b"\3\0" + wanted[18:20]


def test_what_is_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, words in ((".", "not a file"), ("none", "No such file"), ("pipe", "not a file")):
        with pytest.raises(ortffi.LibraryNotFoundError, match=words):
            ortffi.load_library(tmp_path / name)


def test_a_truncated_plug_in_and_truncated_operators_are_refused(copy):
    os.truncate(copy, 10**6)
    with pytest.raises(ortffi.FailError, match="truncated"):
        ortffi.SessionBuilder().with_custom_ops(copy).commit_from_memory(b"")
    needs("RegisterExecutionProviderLibrary")
    with pytest.raises(ortffi.ProviderUnavailableError, match="truncated"):
        register_provider_library("truncated", copy)


@pytest.mark.parametrize("part", ["shared", "own"])
@pytest.mark.parametrize("provider", [ortffi.CUDA(), ortffi.TensorRT(), ortffi.Provider("OpenVINO")])
def test_a_truncated_provider_is_refused(fake, copy, provider, part):
    needs("SessionOptionsAppendExecutionProvider")
    environment = fake.environment()
    name = provider.name.removesuffix("ExecutionProvider").lower() if part == "own" else part
    path = copy.rename(copy.with_name(f"libonnxruntime_providers_{name}.so"))
    fake.fail = lambda _name: True  # whatever reaches it
    object.__setattr__(environment.library, "path", copy)
    with pytest.raises(ortffi.OrtError):
        provider.append(environment, 1)
    assert fake.calls
    os.truncate(path, 10**6)
    fake.calls.clear()
    with pytest.raises(ortffi.ProviderUnavailableError):
        provider.append(environment, 1)
    assert not fake.calls
