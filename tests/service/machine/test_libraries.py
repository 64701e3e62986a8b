import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.machine import SharedLibraries
from service.machine.libraries import split_name
from service.machine.loader import LoaderPath

SOURCE = Path(__file__).with_name("fake_library.c")
LDCONFIG = shutil.which("ldconfig", path="/sbin:/usr/sbin")

needs_ldconfig = pytest.mark.skipif(
    LDCONFIG is None, reason="needs ldconfig: install glibc's binaries (Debian: libc-bin)"
)


def found_in(folder):
    return SharedLibraries(LoaderPath(folder / "root", [folder]), folder / "root", [])


@pytest.mark.parametrize(("name", "number", "version"), [
    ("libcudart.so.11.0", 11_040, "11.4"), ("libcudart.so.12", 12_060, "12.6"),
    ("libcudart.so.13", 13_000, "13.0"), ("libcudnn.so.8", 8_907, "8.9.7"),
    ("libcudnn.so.9", 90_300, "9.3.0"), ("libcudnn.so.9", 91_301, "9.13.1"),
    ("libnvinfer.so.8", 8_601, "8.6.1"), ("libnvinfer.so.10", 101_303, "10.13.3"),
])  # fmt: skip
def test_libraries_tell_their_versions(tmp_path, compile_library, name, number, version):
    path = compile_library(tmp_path / name, SOURCE, f"-DVERSION={number}")
    stem = name.partition(".")[0]
    (library,) = found_in(tmp_path).versions(stem)
    assert (library.path, library.version, library.problem) == (path, version, "")
    assert library.reachable
    assert str(library) == f"{version}, {path}"
    assert str(path) not in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize(("flags", "problem"), [
    (["-DVERSION=0"], "cudaRuntimeGetVersion returned 35"),
    (["-DVERSION=1", "-DCRASH"], "crashed with signal 6"),
    (["-DVERSION=1", "-DcudaRuntimeGetVersion=other"], "undefined symbol"),
])  # fmt: skip
def test_a_library_that_does_not_answer_says_why(tmp_path, compile_library, flags, problem):
    compile_library(tmp_path / "libcudart.so.12", SOURCE, *flags)
    (library,) = found_in(tmp_path).versions("libcudart")
    assert library.version == "12"
    assert problem in library.problem
    assert problem in str(library)


def test_a_file_that_is_no_library_says_so(tmp_path):
    (tmp_path / "libcudnn.so.9").write_text("nothing")
    (library,) = found_in(tmp_path).versions("libcudnn")
    assert "file too short" in library.problem


def test_a_file_counts_once_by_the_name_that_programs_want(tmp_path):
    (tmp_path / "libcudnn.so.9.3.0").touch()
    (tmp_path / "libcudnn.so.9").symlink_to("libcudnn.so.9.3.0")
    (tmp_path / "libcudnn_ops.so.9").touch()
    (library,) = found_in(tmp_path).files("libcudnn")
    assert (library.path.name, library.major, library.version) == ("libcudnn.so.9", "9", "9.3.0")


def test_places_that_the_loader_does_not_know_are_told(grow):
    names = ("packages/nvidia/cudnn/lib/libcudnn.so.9", "usr/local/cuda-12.6/lib64/libcudnn.so.8")
    root = grow(dict.fromkeys(names, ""))
    found = SharedLibraries(LoaderPath(root, []), root, [root / "packages"]).files("libcudnn")
    assert {library.path for library in found} == {root / name for name in names}
    assert not any(library.reachable for library in found)
    assert "where the loader does not look" in str(found[0])


def test_the_loaders_order_is_kept(grow):
    root = grow({f"{folder}/libcudart.so.12": "" for folder in ("first", "second", "usr/lib")})
    found = LoaderPath(root, [root / "second", root / "missing", root / "first"]).find("libcudart")
    assert found == [root / f"{folder}/libcudart.so.12" for folder in ("second", "first", "usr/lib")]


@needs_ldconfig
@pytest.mark.parametrize("layout", ["new", "compat"])
def test_the_loaders_cache_is_read(tmp_path, grow, compile_library, layout):
    name = "libcudart.so.12"
    folder = tmp_path / "opt/cuda"
    path = compile_library(folder / name, SOURCE, "-DVERSION=12060", f"-Wl,-soname,{name}")
    grow({"etc/ld.so.conf": "/opt/cuda\n"}, ".")
    assert LoaderPath(tmp_path, []).find("libcudart") == []
    subprocess.run([LDCONFIG, "-r", tmp_path, "-c", layout], check=True)
    assert LoaderPath(tmp_path, []).find("libcudart") == [path]
    path.unlink()
    assert LoaderPath(tmp_path, []).find("libcudart") == []


@needs_ldconfig
def test_the_cache_of_this_machine_is_read_as_ldconfig_does():
    listed = subprocess.run([LDCONFIG, "-p"], capture_output=True, text=True, check=True).stdout
    expected = set(re.findall(r"=> (/\S*/libc\.so\.[\w.]+)$", listed, re.MULTILINE))
    assert expected
    assert set(map(str, LoaderPath(folders=[]).find("libc"))) >= expected


@needs_ldconfig
def test_a_damaged_cache_is_no_crash(tmp_path):
    cache = Path("/etc/ld.so.cache").read_bytes()
    (tmp_path / "etc").mkdir()
    for size in (0, 10, 30, 60, 1000, len(cache) // 2, len(cache) - 1):
        (tmp_path / "etc/ld.so.cache").write_bytes(cache[:size])
        assert LoaderPath(tmp_path, []).find("libcudart") == []


@pytest.mark.parametrize(("name", "parts"), [
    ("libcublasLt.so.12", ("libcublasLt", "12")), ("libcudart.so.11.0", ("libcudart", "11.0")),
    ("libonnxruntime_providers_cuda.so", ("libonnxruntime_providers_cuda", "")),
    ("ld-linux-x86-64.so.2", ("ld-linux-x86-64", "2")), ("something", ("something", "")),
])  # fmt: skip
def test_names_are_split(name, parts):
    assert split_name(name) == parts
