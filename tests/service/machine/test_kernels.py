import os
import struct
from pathlib import Path

import pytest
from hypothesis import strategies as st

from service.machine import CudaBuild, Kernels, Target, read_kernels
from service.machine.elf import ElfError, ElfFile
from tests.profiles import given
from tests.service.machine.fat_binary import RECORDED, entry, fat_binary


def test_recorded_headers_are_read_as_cuobjdump_does(embed):
    found = {name: str(read_kernels(embed(fat_binary([entry(name)])))) for name in RECORDED}
    assert found == {name: name for name in RECORDED}


def test_all_binaries_of_a_library_are_read_whatever_stands_between_or_in_them(embed):
    first = fat_binary([entry("sm_75"), entry("sm_90a", 0)])
    second = fat_binary([entry("sm_75", 8), entry("compute_75")])
    third = fat_binary([entry("sm_121a", 64)])
    content = first + second + bytes(10_000 - 4) + third + bytes(3)
    assert str(read_kernels(embed(content))) == "compute_75, sm_75, sm_90a, sm_121a"
    other = bytearray(entry("sm_87", 16))
    struct.pack_into("<H", other, 0, 8)
    assert str(read_kernels(embed(fat_binary([bytes(other), entry("sm_75")])))) == "sm_75"


@pytest.mark.parametrize("gap", [1, 4093, 4094, 4095, 4096, 8189])
def test_a_binary_is_found_wherever_it_begins(embed, gap):
    content = fat_binary([entry("sm_75", 0)]) + bytes(gap) + fat_binary([entry("sm_87", 0)])
    assert str(read_kernels(embed(content))) == "sm_75, sm_87"


@pytest.mark.parametrize(("target", "runs", "does_not_run"), [
    ("sm_75", [(7, 5)], [(7, 2), (8, 0), (12, 0)]),
    ("sm_80", [(8, 0), (8, 6), (8, 9)], [(7, 5), (8, 7), (9, 0)]),
    ("sm_86", [(8, 6), (8, 9)], [(8, 0), (8, 7)]), ("sm_87", [(8, 7)], [(8, 6), (8, 9)]),
    ("sm_90a", [(9, 0)], [(10, 0), (8, 9)]), ("sm_100", [(10, 0), (10, 3)], [(10, 1), (11, 0), (12, 0)]),
    ("sm_100f", [(10, 0), (10, 3)], [(10, 1), (11, 0), (12, 0)]),
    ("sm_110", [(11, 0)], [(10, 0), (12, 0)]), ("sm_120", [(12, 0), (12, 1)], [(11, 0)]),
    ("sm_120a", [(12, 0)], [(12, 1), (11, 0)]),
    ("compute_75", [(7, 5), (8, 7), (11, 0), (12, 1)], [(7, 2)]), ("compute_90a", [(9, 0)], [(10, 0)]),
    ("compute_100f", [(10, 0), (10, 3)], [(12, 0), (9, 0)]),
])  # fmt: skip
def test_who_runs_what(target, runs, does_not_run):
    kind, _, number = target.partition("_")
    suffix = number.lstrip("0123456789")
    code = Target(*divmod(int(number.removesuffix(suffix)), 10), kind, suffix)
    assert str(code) == target
    assert all(code.runs_on(capability) for capability in runs)
    assert not any(code.runs_on(capability) for capability in does_not_run)


def test_a_library_supports_what_any_of_its_targets_does():
    kernels = Kernels(frozenset({Target(8, 9, "sm"), Target(9, 0, "sm", "a")}))
    assert kernels.supports((8, 9)) is True
    assert kernels.supports((8, 7)) is False


def test_what_cannot_be_read_is_no_verdict(tmp_path, embed):
    damaged = tmp_path / "damaged.so"
    damaged.write_bytes(embed(fat_binary([entry("sm_87")])).read_bytes()[:-200])
    for path in (tmp_path / "missing.so", Path(__file__), damaged, embed(b"nothing at all")):
        kernels = read_kernels(path)
        assert kernels.supports((8, 7)) is None
        assert kernels.problem
        assert str(kernels).startswith("cannot tell: ")


@pytest.mark.parametrize(("content", "problem"), [
    (fat_binary([entry("sm_87")])[:-8], "beyond the end of its section"),
    (struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 63), "beyond the end of its section"),
    (struct.pack("<IHHQ", 0xBA55ED50, 1, 0, 0), "beyond the end of its section"),
    (fat_binary([entry("sm_87", 0)[:56] + bytes(8), b"\2\0" + bytes(70)]), "longer than"),
    (fat_binary([bytes.fromhex(RECORDED["sm_87"])]), "longer than"),
    (fat_binary([]), "could be read"),
])  # fmt: skip
def test_damaged_fat_binaries_are_told(embed, content, problem):
    assert problem in read_kernels(embed(content)).problem


@pytest.fixture(scope="session")
def sound(embed):
    first, second = fat_binary([entry("sm_75", 40), entry("compute_75")]), fat_binary([entry("sm_121a", 8)])
    return embed(first + bytes(100) + second).read_bytes()


@given(data=st.data())
def test_no_damage_is_a_crash(data, sound, tmp_path):
    damaged = bytearray(sound[: data.draw(st.integers(0, len(sound)) | st.just(len(sound)))])
    # What is read: the header, the table of sections at the end, and the fat binaries.
    (sections,) = struct.unpack_from("<Q", sound, 40)
    binary = sound.index(struct.pack("<I", 0xBA55ED50))
    ranges = ((0, 63), (binary, binary + 300), (sections, len(sound)), (0, len(sound)))
    places = st.one_of(st.integers(*each) for each in ranges)
    for place in data.draw(st.lists(places, max_size=8)):
        if place + 8 <= len(damaged):
            value = data.draw(st.sampled_from([0, 1, 0xFF, 1 << 31, 1 << 63, (1 << 64) - 1]))
            struct.pack_into("<Q", damaged, place, value)
    path = tmp_path / "damaged.so"
    path.write_bytes(damaged)
    kernels = read_kernels(path)
    assert bool(kernels.problem) != bool(kernels.targets)
    build = CudaBuild(tmp_path / "libonnxruntime.so")
    assert isinstance(build.wanted, dict)


def test_a_build_tells_which_libraries_it_wants(embed, compile_library, tmp_path):
    source = Path(__file__).with_name("fake_library.c")
    flags = [f"-L{tmp_path}", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN:/opt/cuda"]
    for name in ("libcudart.so.12", "libcudnn.so.9"):
        compile_library(tmp_path / name, source, "-DVERSION=1", f"-Wl,-soname,{name}")
        flags.append(f"-l:{name}")
    provider = embed(fat_binary([entry("sm_87")]), *flags)
    build = CudaBuild(provider.with_name("libonnxruntime.so.1.31.1"))
    assert build.wanted.items() >= {"libcudart": "12", "libcudnn": "9"}.items()
    assert (str(build.kernels), build.damage) == ("sm_87", "")
    with ElfFile(provider) as file:
        assert file.run_paths() == ["$ORIGIN", "/opt/cuda"]
    provider.write_bytes(provider.read_bytes()[:-1])
    assert "ends within" in CudaBuild(build.library).damage
    provider.unlink()
    assert (CudaBuild(build.library).wanted, CudaBuild(build.library).damage) == ({}, "")


def test_files_are_closed_and_others_refused(embed, tmp_path):
    provider = embed(fat_binary([entry("sm_87")]))
    before = len(os.listdir("/proc/self/fd"))
    for path in (provider, Path(__file__), tmp_path):
        read_kernels(path)
    assert len(os.listdir("/proc/self/fd")) == before
    path = tmp_path / "other"
    path.write_bytes(b"\x7fELF\x01\x01" + bytes(100))
    with pytest.raises(ElfError, match="no 64-bit little-endian ELF file"):
        ElfFile(path)


def test_the_real_library_is_read(repository):
    folder = Path(os.environ.get("ONNXRUNTIME_GPU_DIR", repository / ".venv" / "gpu"))
    found = sorted(folder.rglob("libonnxruntime_providers_cuda.so"))
    if not found:
        pytest.skip(
            "needs a build of ONNX Runtime with CUDA: set ONNXRUNTIME_GPU_DIR to a folder with "
            "libonnxruntime_providers_cuda.so, as in the wheel of onnxruntime-gpu"
        )
    build = CudaBuild(found[0].with_name("libonnxruntime.so"))
    assert build.kernels.problem == ""
    assert {"libcudart", "libcublas"} <= build.wanted.keys()
    published = {
        # What `cuobjdump --list-elf` and `--list-ptx` list of onnxruntime-gpu 1.31.1's wheels.
        "x86_64": "sm_75, sm_80, sm_86, sm_89, sm_90a, sm_120a",
        "aarch64": "sm_89, sm_90a, sm_120a, sm_121a",
    }
    if found[0].with_name("libonnxruntime.so.1.31.1").is_file() and "capi" in found[0].parts:
        assert str(build.kernels) in published.values()
