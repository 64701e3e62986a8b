"""Finding the library, in trees made for it."""

import ctypes
import importlib.util
import logging
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from ortffi._table import API_VERSION
from ortffi.library import SYSTEM_FOLDERS

import ortffi
from ortffi import ApiVersionError, LibraryNotFoundError, library, load_library

WHEEL = "the onnxruntime package"
LDCONFIG = shutil.which("ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin")


@pytest.fixture(scope="session")
def real(library, tmp_path_factory):
    """A copy of the library on the file system where the trees are, to be linked into them."""
    copy = tmp_path_factory.mktemp("real") / "libonnxruntime.so"
    shutil.copy(library.path, copy)
    return copy


def is_library_copy(loaded, library):
    return (loaded.version, loaded.api_version) == (library.version, library.api_version)


class Tree:
    """Another system's file system, with nothing of ONNX Runtime in it at first."""

    def __init__(self, folder, real, monkeypatch):
        self.folder = folder
        self.root = folder / "root"
        self.environ = {"PATH": str(folder / "bin")}
        self._real = real
        self._monkeypatch = monkeypatch
        self.set_wheel(None)

    def put(self, place, name="libonnxruntime.so"):
        path = self.folder / place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.link(self._real, path)
        return path

    def put_text(self, place, name="libonnxruntime.so", text="none"):
        path = self.folder / place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def put_program(self, name, script):
        self.put_text("bin", name, f"#!/bin/sh\n{script}\n").chmod(0o755)

    def set_wheel(self, package):
        spec = package and SimpleNamespace(submodule_search_locations=[str(package)])

        def find_spec(name):
            assert name == "onnxruntime"
            return spec

        self._monkeypatch.setattr(importlib.util, "find_spec", find_spec)

    def set_variable(self, name):
        path = self.put(name.lower())
        self.environ[name] = str(path.parent)
        return path

    def set_pkg_config(self):
        path = self.put("pkg-config's")
        command = "--variable=libdir libonnxruntime"
        self.put_program("pkg-config", f'[ "$*" = "{command}" ] && echo "{path.parent}"')
        return path

    def set_ldconfig(self):
        path = self.put("opt/ort", "libonnxruntime.so.1.99.0")
        # The cache lists a library by its SONAME, which differs from release to release.
        for soname in ("libonnxruntime.so.1", f"libonnxruntime.so.{real_version()}"):
            (path.parent / soname).symlink_to(path.name)
        config = self.put_text("etc", "ld.so.conf", f"{path.parent}\n")
        cache = self.root / "etc/ld.so.cache"
        cache.parent.mkdir(parents=True, exist_ok=True)
        # -X: the links of the real system stay as they are.
        subprocess.run([LDCONFIG, "-X", "-C", cache, "-f", config], check=True, capture_output=True)
        return path

    def load(self):
        return load_library(environ=self.environ, root=self.root)


def real_version():
    return ortffi.init().library.version


@pytest.fixture
def tree(tmp_path, real, monkeypatch):
    return Tree(tmp_path, real, monkeypatch)


needs_ldconfig = pytest.mark.skipif(LDCONFIG is None, reason="install ldconfig (libc-bin)")


@pytest.mark.parametrize("subfolder", ["", "lib"])
def test_onnxruntime_dir_names_a_folder_or_its_parent(tree, library, subfolder):
    path = tree.put(f"mine/{subfolder}")
    tree.environ["ONNXRUNTIME_DIR"] = str(tree.folder / "mine")
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, "ONNXRUNTIME_DIR")
    assert is_library_copy(loaded, library)


def test_onnxruntime_dir_itself_comes_before_its_lib(tree):
    path = tree.put("mine")
    tree.put_text("mine/lib")
    tree.environ["ONNXRUNTIME_DIR"] = str(path.parent)
    assert tree.load().path == path


def test_onnxruntime_lib_dir_names_the_folder(tree):
    path = tree.set_variable("ONNXRUNTIME_LIB_DIR")
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, "ONNXRUNTIME_LIB_DIR")


def test_this_process_environment_is_read_by_default(tree, monkeypatch):
    path = tree.put("mine")
    monkeypatch.setenv("ONNXRUNTIME_DIR", str(path.parent))
    assert load_library().path == path


def test_pkg_config_is_asked_for_the_folder(tree):
    path = tree.set_pkg_config()
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, "pkg-config")


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="install pkg-config")
def test_the_real_pkg_config_is_understood(tree):
    path = tree.put("somewhere")
    text = f"libdir={path.parent}\nName: onnxruntime\nDescription: it\nVersion: 1.0\n"
    description = tree.put_text("pc", "libonnxruntime.pc", text)
    tree.environ |= {"PATH": os.environ["PATH"], "PKG_CONFIG_PATH": str(description.parent)}
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, "pkg-config")


@pytest.mark.parametrize("script", ["exit 1", "echo /nowhere", "true"])
def test_a_pkg_config_that_does_not_help_is_passed_over(tree, script):
    tree.put_program("pkg-config", script)
    path = tree.put("root/usr/lib")
    assert tree.load().path == path


def test_a_pkg_config_that_does_not_start_is_passed_over(tree):
    tree.put_text("bin", "pkg-config", "\x7fELF but not really").chmod(0o755)
    path = tree.put("root/usr/lib")
    assert tree.load().path == path


@pytest.mark.parametrize("folder", SYSTEM_FOLDERS)
def test_each_folder_of_the_system_is_looked_into(tree, folder):
    path = tree.put(f"root/{folder}")
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, str(path.parent))


@needs_ldconfig
def test_the_cache_of_the_dynamic_linker_is_read(tree):
    path = tree.set_ldconfig()
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, "ldconfig")


def test_the_wheel_is_used_without_being_imported(tree):
    path = tree.put("site-packages/onnxruntime/capi", "libonnxruntime.so.1.20.1")
    tree.put_text("site-packages/onnxruntime", "__init__.py", "raise AssertionError")
    tree.set_wheel(path.parent.parent)
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, WHEEL)


@needs_ldconfig
def test_the_places_come_in_order(tree):
    places = {
        "ONNXRUNTIME_DIR": lambda: tree.set_variable("ONNXRUNTIME_DIR"),
        "ONNXRUNTIME_LIB_DIR": lambda: tree.set_variable("ONNXRUNTIME_LIB_DIR"),
        "pkg-config": tree.set_pkg_config,
    }
    for folder in SYSTEM_FOLDERS:
        name = str(tree.root / folder)
        places[name] = lambda folder=folder: tree.put(f"root/{folder}")
    places["ldconfig"] = tree.set_ldconfig
    wheel = tree.put("site-packages/onnxruntime/capi")
    tree.set_wheel(wheel.parent.parent)
    assert tree.load().found_by == WHEEL
    # From the last to the first: each that is added hides those before it.
    for name, put in reversed(places.items()):
        path = put()
        loaded = tree.load()
        assert (loaded.found_by, loaded.path) == (name, path)
        assert loaded.skipped == ()


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["libonnxruntime.so.1.9.0", "libonnxruntime.so.1.20.1"], "libonnxruntime.so.1.20.1"),
        (["libonnxruntime.so.1.20.1", "libonnxruntime.so.1"], "libonnxruntime.so.1.20.1"),
        (["libonnxruntime.so.1.99.0", "libonnxruntime.so"], "libonnxruntime.so"),
        (["libonnxruntime.so.1.2.10", "libonnxruntime.so.1.2.9"], "libonnxruntime.so.1.2.10"),
    ],
)
def test_the_plain_name_or_the_highest_version_is_chosen(tree, names, chosen):
    for name in names:
        tree.put("root/usr/lib", name)
    assert tree.load().path.name == chosen


def test_other_files_are_not_taken_for_the_library(tree):
    for name in (
        "libonnxruntime_providers_shared.so",
        "libonnxruntime.so.debug",
        "libonnxruntime.so.1.2~",
        "libonnxruntime.soup",
        "xlibonnxruntime.so",
    ):
        tree.put_text("root/usr/lib", name)
    path = tree.put("root/usr/local/lib")
    loaded = tree.load()
    assert (loaded.path, loaded.skipped) == (path, ())


@pytest.mark.parametrize(
    ("platform", "other", "chosen"),
    [
        ("darwin", "libonnxruntime.1.9.0.dylib", "libonnxruntime.1.31.0.dylib"),
        ("darwin", "libonnxruntime.1.31.0.dylib", "libonnxruntime.dylib"),
        ("win32", "libonnxruntime.so", "OnnxRuntime.dll"),
    ],
)
def test_other_systems_have_other_names(tree, monkeypatch, platform, other, chosen):
    """Linux's library under those names: what happens on those systems is not tested."""
    monkeypatch.setattr("sys.platform", platform)
    tree.environ["ONNXRUNTIME_DIR"] = str(tree.put("somewhere", other).parent)
    tree.put("somewhere", chosen)
    assert tree.load().path.name == chosen


def test_on_macos_homebrew_is_searched(tree, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    tree.put("root/usr/local/lib", "libonnxruntime.dylib")
    homebrew = tree.put("root/opt/homebrew/lib", "libonnxruntime.dylib")
    assert tree.load().path == homebrew


def test_a_symbolic_link_is_loaded_by_its_real_path(tree):
    path = tree.put("opt/onnxruntime/lib", "libonnxruntime.so.1.2.3")
    link = tree.root / "usr/lib/libonnxruntime.so"
    link.parent.mkdir(parents=True)
    link.symlink_to(path)
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, str(link.parent))


@pytest.mark.parametrize("variable", ["ONNXRUNTIME_DIR", "ONNXRUNTIME_LIB_DIR"])
@pytest.mark.parametrize("fault", ["missing", "empty", "no library", "a file"])
def test_an_explicit_folder_that_does_not_work_is_an_error(tree, variable, fault):
    """Also where every other place would have had one: nothing falls back silently."""
    tree.put("root/usr/lib")
    wheel = tree.put("site-packages/onnxruntime/capi")
    tree.set_wheel(wheel.parent.parent)
    folder = tree.folder / "mine"
    if fault == "empty":
        folder.mkdir()
    elif fault == "no library":
        tree.put_text("mine")
    elif fault == "a file":
        folder = tree.put("mine")
    tree.environ[variable] = str(folder)
    with pytest.raises(LibraryNotFoundError, match=f"^{variable}") as caught:
        tree.load()
    assert str(folder) in str(caught.value)


def test_an_empty_variable_is_as_good_as_none(tree):
    tree.environ |= {"ONNXRUNTIME_DIR": "", "ONNXRUNTIME_LIB_DIR": ""}
    path = tree.put("root/usr/lib")
    assert tree.load().path == path


def test_an_argument_is_the_only_place(tree, tmp_path):
    tree.put("root/usr/lib")
    path = tree.put("mine", "any-name.so")
    loaded = load_library(path, environ=tree.environ, root=tree.root)
    assert (loaded.path, loaded.found_by) == (path, "argument")
    for wrong in (tmp_path / "missing.so", tmp_path, tree.put_text("mine", "text.so")):
        with pytest.raises(LibraryNotFoundError, match=re.escape(str(wrong))):
            load_library(wrong, environ=tree.environ, root=tree.root)


def foreign_library():
    """A shared object that loads and is not ONNX Runtime: the C library of this process."""
    maps = Path("/proc/self/maps").read_text()
    return Path(re.search(r"\S*/libc[.-]\S*so\S*", maps)[0])


@pytest.mark.parametrize("kind", ["text", "foreign", "dangling"])
def test_a_library_of_the_system_that_cannot_be_used_is_passed_over_aloud(tree, caplog, kind):
    broken = tree.root / "usr/lib/libonnxruntime.so"
    if kind == "text":
        tree.put_text("root/usr/lib")
    else:
        broken.parent.mkdir(parents=True)
        broken.symlink_to(foreign_library() if kind == "foreign" else "nothing")
    path = tree.put("root/usr/local/lib")
    with caplog.at_level(logging.WARNING, logger="ortffi"):
        loaded = tree.load()
    assert loaded.path == path
    (reason,) = loaded.skipped
    assert reason.startswith(str(broken.parent))
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert reason in record.getMessage()


def test_nothing_found_lists_every_place_and_what_to_do(tree):
    tree.put_text("root/usr/local/lib")
    with pytest.raises(LibraryNotFoundError) as caught:
        tree.load()
    text = str(caught.value)
    places = ["ONNXRUNTIME_DIR", "ONNXRUNTIME_LIB_DIR", "pkg-config", "ldconfig", WHEEL]
    places += [str(tree.root / folder) for folder in SYSTEM_FOLDERS]
    for place in places:
        assert f"  - {place}: " in text
    assert "does not load" in text
    assert "Install ONNX Runtime" in text
    assert "pip install onnxruntime" in text


def test_a_package_without_the_library_is_no_place(tree):
    tree.put_text("site-packages/onnxruntime/capi", "onnxruntime_pybind11_state.so")
    tree.set_wheel(tree.folder / "site-packages/onnxruntime")
    with pytest.raises(LibraryNotFoundError, match=rf"{WHEEL}: .*1\.19"):
        tree.load()


@pytest.mark.parametrize("error", [ImportError, ValueError])
def test_a_half_installed_package_is_no_place(tree, monkeypatch, error):
    def find_spec(_name):
        raise error

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    with pytest.raises(LibraryNotFoundError, match=WHEEL):
        tree.load()


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("0", "0")])
def test_telemetry_is_off_unless_someone_decided_otherwise(tree, monkeypatch, before, after):
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    if before is not None:
        monkeypatch.setenv("ORT_DISABLE_TELEMETRY", before)
    tree.put("root/usr/lib")
    tree.load()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == after
    # The library reads it in C, where os.environ cannot be seen.
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    assert getenv(b"ORT_DISABLE_TELEMETRY") == after.encode()


def test_what_is_loaded_describes_itself(tree):
    path = tree.put("root/usr/lib")
    loaded = tree.load()
    major, minor, _ = loaded.version.split(".")
    assert (major, int(minor)) == ("1", loaded.api_version)
    assert loaded.path == path
    assert loaded.api.version == min(loaded.api_version, API_VERSION)


def test_another_library_is_recognized():
    foreign = foreign_library()
    with pytest.raises(ApiVersionError, match=f"{re.escape(str(foreign.resolve()))} is not ONNX"):
        load_library(foreign)


def test_a_vtable_with_holes_is_refused(tree, monkeypatch):
    tree.put("root/usr/lib")
    table = (ctypes.c_void_p * 500)()
    monkeypatch.setattr(library, "negotiate", lambda *_: (ctypes.addressof(table), 30, 31))
    with pytest.raises(LibraryNotFoundError, match="CreateStatus"):
        tree.load()
