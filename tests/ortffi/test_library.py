"""Finding the library, in trees made for it, and agreeing with it on an API version."""

import ctypes
import importlib.util
import logging
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import ortffi
from ortffi import ApiVersionError, LibraryNotFoundError, library, load_library
from ortffi._table import API_VERSION
from ortffi.library import SYSTEM_FOLDERS, negotiate

WHEEL = "the onnxruntime package"
LDCONFIG = shutil.which("ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin")


@pytest.fixture(scope="session")
def real(library, tmp_path_factory):
    """A copy of the library on the file system where the trees are, to be linked into them."""
    copy = tmp_path_factory.mktemp("real") / "libonnxruntime.so"
    shutil.copy(library.path, copy)
    return copy


class Tree:
    """Another system's file system, with nothing of ONNX Runtime in it at first."""

    def __init__(self, folder, real, monkeypatch):
        self.folder = folder
        self.root = folder / "root"
        self.environ = {"PATH": str(folder / "bin")}
        self.real = real
        self._monkeypatch = monkeypatch
        self.set_wheel(None)

    def path(self, place, name):
        path = self.folder / place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def put(self, place, name="libonnxruntime.so"):
        path = self.path(place, name)
        os.link(self.real, path)
        return path

    def put_text(self, place, name="libonnxruntime.so", text="none"):
        path = self.path(place, name)
        path.write_text(text)
        return path

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
        script = f'[ "$*" = "--variable=libdir libonnxruntime" ] && echo "{path.parent}"'
        self.put_text("bin", "pkg-config", f"#!/bin/sh\n{script}\n").chmod(0o755)
        return path

    def set_ldconfig(self):
        path = self.put("opt/ort", "libonnxruntime.so.1.99.0")
        # The cache lists a library by its SONAME, which differs from release to release.
        for soname in ("libonnxruntime.so.1", f"libonnxruntime.so.{ortffi.init().library.version}"):
            (path.parent / soname).symlink_to(path.name)
        config = self.put_text("etc", "ld.so.conf", f"{path.parent}\n")
        cache = self.path("root/etc", "ld.so.cache")
        # -X: the links of the real system stay as they are.
        subprocess.run([LDCONFIG, "-X", "-C", cache, "-f", config], check=True, capture_output=True)
        return path

    def load(self):
        return load_library(environ=self.environ, root=self.root)


@pytest.fixture
def tree(tmp_path, real, monkeypatch):
    return Tree(tmp_path, real, monkeypatch)


@pytest.mark.parametrize("place", ["mine", "mine/lib"])
def test_onnxruntime_dir_names_a_folder_or_its_parent(tree, library, monkeypatch, place):
    path = tree.put(place)
    if place == "mine":  # which comes before its `lib`
        tree.put_text("mine/lib")
    tree.environ["ONNXRUNTIME_DIR"] = str(tree.folder / "mine")
    monkeypatch.setenv("ONNXRUNTIME_DIR", str(tree.folder / "mine"))
    for loaded in (tree.load(), load_library()):
        assert (loaded.path, loaded.found_by) == (path, "ONNXRUNTIME_DIR")
        assert (loaded.version, loaded.api_version) == (library.version, library.api_version)
        major, minor, _ = loaded.version.split(".")
        assert (major, int(minor)) == ("1", loaded.api_version)
        assert loaded.api.version == min(loaded.api_version, API_VERSION)


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="install pkg-config")
def test_the_real_pkg_config_is_understood(tree):
    path = tree.put("somewhere")
    text = f"libdir={path.parent}\nName: onnxruntime\nDescription: it\nVersion: 1.0\n"
    description = tree.put_text("pc", "libonnxruntime.pc", text)
    tree.environ |= {"PATH": os.environ["PATH"], "PKG_CONFIG_PATH": str(description.parent)}
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, "pkg-config")


@pytest.mark.parametrize("fault", ["#!/bin/sh\nexit 1", "#!/bin/sh\necho /nowhere", "#!/bin/sh\n", "\x7fELF"])
def test_a_pkg_config_that_does_not_help_is_passed_over(tree, fault):
    tree.put_text("bin", "pkg-config", fault).chmod(0o755)
    path = tree.put("root/usr/lib")
    assert tree.load().path == path


@pytest.mark.skipif(LDCONFIG is None, reason="install ldconfig (libc-bin)")
def test_the_places_come_in_order(tree):
    """From the last to the first, each that is added hides those before it."""
    wheel = tree.put("site-packages/onnxruntime/capi", "libonnxruntime.so.1.20.1")
    tree.put_text("site-packages/onnxruntime", "__init__.py", "raise AssertionError")  # it is not imported
    tree.set_wheel(wheel.parent.parent)
    folders = {str(tree.root / folder): lambda folder=folder: tree.put(f"root/{folder}") for folder in SYSTEM_FOLDERS}
    places = {
        "ONNXRUNTIME_DIR": lambda: tree.set_variable("ONNXRUNTIME_DIR"),
        "ONNXRUNTIME_LIB_DIR": lambda: tree.set_variable("ONNXRUNTIME_LIB_DIR"),
        "pkg-config": tree.set_pkg_config,
        **folders,
        "ldconfig": tree.set_ldconfig,
        WHEEL: lambda: wheel,
    }
    for name, put in reversed(places.items()):
        path = put()
        loaded = tree.load()
        assert (loaded.found_by, loaded.path, loaded.skipped) == (name, path, ())


@pytest.mark.parametrize(
    ("platform", "other", "chosen"),
    [
        ("linux", "libonnxruntime.so.1.9.0", "libonnxruntime.so.1.20.1"),
        ("linux", "libonnxruntime.so.1", "libonnxruntime.so.1.20.1"),
        ("linux", "libonnxruntime.so.1.99.0", "libonnxruntime.so"),
        ("linux", "libonnxruntime.so.1.2.9", "libonnxruntime.so.1.2.10"),
        # Linux's library under other names: what happens on those systems is not tested.
        ("darwin", "libonnxruntime.1.9.0.dylib", "libonnxruntime.1.31.0.dylib"),
        ("darwin", "libonnxruntime.1.31.0.dylib", "libonnxruntime.dylib"),
        ("win32", "libonnxruntime.so", "OnnxRuntime.dll"),
    ],
)
def test_the_plain_name_or_the_highest_version_is_chosen(tree, monkeypatch, platform, other, chosen):
    monkeypatch.setattr("sys.platform", platform)
    tree.environ["ONNXRUNTIME_DIR"] = str(tree.put("somewhere", other).parent)
    tree.put("somewhere", chosen)
    assert tree.load().path.name == chosen


def test_other_files_are_not_taken_for_the_library(tree):
    for name in ("libonnxruntime_providers_shared.so", "libonnxruntime.so.debug", "libonnxruntime.so.1.2~",
                 "libonnxruntime.soup", "xlibonnxruntime.so"):  # fmt: skip
        tree.put_text("root/usr/lib", name)
    path = tree.put("root/usr/local/lib")
    loaded = tree.load()
    assert (loaded.path, loaded.skipped) == (path, ())


def test_on_macos_homebrew_is_searched(tree, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    tree.put("root/usr/local/lib", "libonnxruntime.dylib")
    homebrew = tree.put("root/opt/homebrew/lib", "libonnxruntime.dylib")
    assert tree.load().path == homebrew


def test_a_symbolic_link_is_loaded_by_its_real_path(tree):
    path = tree.put("opt/onnxruntime/lib", "libonnxruntime.so.1.2.3")
    link = tree.path("root/usr/lib", "libonnxruntime.so")
    link.symlink_to(path)
    loaded = tree.load()
    assert (loaded.path, loaded.found_by) == (path, str(link.parent))


@pytest.mark.parametrize("variable", ["ONNXRUNTIME_DIR", "ONNXRUNTIME_LIB_DIR"])
def test_an_explicit_folder_that_does_not_work_is_an_error(tree, variable):
    """Also where every other place would have had one: nothing falls back silently."""
    tree.put("root/usr/lib")
    tree.set_wheel(tree.put("site-packages/onnxruntime/capi").parent.parent)
    (tree.folder / "empty").mkdir()
    for folder in (tree.folder / "missing", tree.folder / "empty", tree.put_text("text").parent, tree.put("a file")):
        tree.environ[variable] = str(folder)
        with pytest.raises(LibraryNotFoundError, match=f"^{variable}.*{re.escape(str(folder))}"):
            tree.load()


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
    foreign = foreign_library()
    with pytest.raises(ApiVersionError, match=f"{re.escape(str(foreign.resolve()))} is not ONNX"):
        load_library(foreign)


def foreign_library():
    """A shared object that loads and is not ONNX Runtime: the C library of this process."""
    maps = Path("/proc/self/maps").read_text()
    return Path(re.search(r"\S*/libc[.-]\S*so\S*", maps)[0])


@pytest.mark.parametrize("kind", ["text", "truncated", "foreign", "dangling"])
def test_a_library_of_the_system_that_cannot_be_used_is_passed_over_aloud(tree, caplog, kind):
    broken = tree.path("root/usr/lib", "libonnxruntime.so")
    match kind:
        case "text":
            broken.write_text("none")
        case "truncated":
            broken.write_bytes(tree.real.read_bytes()[: 10**6])
        case _:
            broken.symlink_to(foreign_library() if kind == "foreign" else "nothing")
    path = tree.put("root/usr/local/lib")
    with caplog.at_level(logging.WARNING, logger="ortffi"):
        loaded = tree.load()
    assert loaded.path == path
    (reason,) = loaded.skipped
    assert reason.startswith(str(broken.parent))
    assert kind != "truncated" or "is truncated: it has 1000000 bytes of" in reason
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
    words = ["does not load", "Install ONNX Runtime", "pip install onnxruntime"]
    assert not [part for part in [*(f"  - {place}: " for place in places), *words] if part not in text]


def test_a_package_without_the_library_or_half_installed_is_no_place(tree, monkeypatch):
    tree.put_text("site-packages/onnxruntime/capi", "onnxruntime_pybind11_state.so")
    tree.set_wheel(tree.folder / "site-packages/onnxruntime")
    with pytest.raises(LibraryNotFoundError, match=rf"{WHEEL}: .*1\.19"):
        tree.load()
    for error in (ImportError, ValueError):
        monkeypatch.setattr(importlib.util, "find_spec", Mock(side_effect=error))
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


def test_a_vtable_with_holes_is_refused(tree, monkeypatch):
    tree.put("root/usr/lib")
    table = (ctypes.c_void_p * 500)()
    monkeypatch.setattr(library, "negotiate", lambda *_: (ctypes.addressof(table), 30, 31))
    with pytest.raises(LibraryNotFoundError, match="CreateStatus"):
        tree.load()


def library_with(*versions):
    """`OrtApiBase::GetApi` of a library with some API versions; its calls are the versions asked for."""
    return Mock(side_effect=lambda version: 1000 + version if version in versions else None)


def asked_of(get_api):
    return [call.args[0] for call in get_api.mock_calls]


@pytest.mark.parametrize(
    ("version", "offered", "asked", "newest"),
    [
        ("1.99.1", range(1, 100), [API_VERSION], 99),
        ("1.17.0", range(1, 18), [17], 17),
        ("1.14.0", range(1, 15), [14], 14),
        ("1.11.1", range(1, 12), [11], 11),
        ("1.20.0-dev", range(1, 21), [20], 20),
        ("1.17.1", range(1, 14), [17, 16, 15, 14, 13], 17),
        ("1.14.0", [11], [14, 13, 12, 11], 14),
    ],
)
def test_an_api_version_is_agreed_on_without_asking_too_much(version, offered, asked, newest):
    get_api = library_with(*offered)
    assert negotiate(version, get_api, "here") == (1000 + asked[-1], asked[-1], newest)
    assert asked_of(get_api) == asked


@pytest.mark.parametrize(("version", "n_asked"), [("1.10.0", 0), ("1.8.1", 0), ("1.17.1", 7)])
def test_a_library_that_is_too_old_is_told_what_was_wanted(version, n_asked):
    get_api = library_with(*range(1, 11))
    with pytest.raises(ApiVersionError) as caught:
        negotiate(version, get_api, "/opt/lib.so")
    assert not [part for part in ("/opt/lib.so", version, "11", str(API_VERSION)) if part not in str(caught.value)]
    assert len(asked_of(get_api)) == n_asked


@pytest.mark.parametrize("version", ["", "nonsense", "2.0.0", "1", "1.x.0", "11.17.0", "v1.17.0"])
def test_a_version_that_is_none_is_refused(version):
    get_api = library_with(*range(1, 40))
    with pytest.raises(ApiVersionError, match=re.escape(repr(version))):
        negotiate(version, get_api, "here")
    assert not asked_of(get_api)
