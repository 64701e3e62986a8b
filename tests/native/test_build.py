"""native/build.py: what it makes, what it says, and what it leaves alone."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.native import native_library

build = native_library.native_build
SCRIPT = native_library.NATIVE / "build.py"

pytestmark = pytest.mark.usefixtures("library_path")


@pytest.fixture
def refusing(tmp_path):
    """Make a compiler that refuses what `pattern` matches among its arguments."""

    def refusing(pattern):
        path = tmp_path / "refusing-cc"
        real = " ".join(build.compiler())
        path.write_text(
            f'#!/bin/sh\ncase "$*" in {pattern}) echo "error: not with me" >&2; exit 1;; esac\nexec {real} "$@"\n'
        )
        path.chmod(0o755)
        return str(path)

    return refusing


def test_it_compiles_without_warnings_once_and_again_for_other_flags(library_path, tmp_path, refusing):
    before = library_path.stat().st_mtime_ns
    assert (build.build(), library_path.stat().st_mtime_ns) == (library_path, before)
    portable = refusing("*-mavx*|*-march=*")
    library = build.build(tmp_path / "library.so", cc=portable, flags=["-O0"])
    before = library.read_bytes()
    build.build(library, cc=portable, flags=["-O1"])
    assert library.read_bytes() != before
    assert build.build(tmp_path / "library.so", flags=["-Wall", "-Wextra", "-Werror"]).exists()


def test_only_what_is_meant_to_be_seen_is_seen(library_path):
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", library_path], capture_output=True, text=True, check=True
    ).stdout.split()[2::3]
    assert {name for name in symbols if not name.startswith(("kokoro_", "_"))} == {"RegisterCustomOps"}
    assert not [name for name in symbols if name.startswith("kokoro_variant_a")]


def test_a_missing_compiler_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(build.CompilerError, match="there is no C compiler 'no-such-compiler'"):
        build.build(tmp_path / "library.so")


@pytest.fixture
def without_cc(monkeypatch, tmp_path):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_without_cc_zig_compiles_for_any_glibc_since_2_28(monkeypatch, without_cc):
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: name)
    target = f"{build.platform.machine()}-linux-gnu.2.28"
    assert build.compiler()[:6] == [sys.executable, "-m", "ziglang", "cc", "-target", target]
    flags = ["-march=armv8.2-a+dotprod+i8mm"]
    assert build._flags_for(build.zig("aarch64"), flags) == ["-mcpu=generic+v8_2a+dotprod+i8mm"]
    assert build._flags_for(["cc"], flags) == flags
    with pytest.raises(build.CompilerError, match="riscv64: x86_64 or aarch64"):
        build.zig("riscv64")
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(build.CompilerError, match="pip install ziglang"):
        build.compiler()


def test_a_refusing_compiler_is_quoted_and_the_old_library_stays(refusing, tmp_path):
    library = tmp_path / "library.so"
    library.write_text("old")
    with pytest.raises(build.CompilerError, match="error: not with me"):
        build.build(library, cc=refusing("*domain.c*"))
    assert (library.read_text(), list(tmp_path.glob("tmp*"))) == ("old", [])


def test_a_variant_that_the_compiler_cannot_make_is_left_out(refusing, tmp_path):
    said = []
    library = build.build(tmp_path / "library.so", cc=refusing("*-mavx*|*-march=*"), say=said.append)
    family = build.VARIANTS.get(build.machine(build.compiler()), {})
    without_flags = [name for name, flags in family.items() if not flags]
    assert native_library.variants(library) == [*without_flags, "portable"]
    assert len(said) == len(family) - len(without_flags)
    assert all("is left out: error: not with me" in line for line in said)


def test_the_command_line_says_where_the_library_is_or_fails_in_one_line(library_path, tmp_path):
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == library_path
    command = [sys.executable, SCRIPT, "--cc", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "there is no C compiler" in done.stderr


@pytest.fixture
def hook():
    pytest.importorskip("hatchling", reason="needs hatchling: pip install hatchling")
    folder = SCRIPT.parents[1]
    module = native_library.load_script(folder / "hatch_build.py")
    return module.NativeBuildHook(str(folder), {}, None, None, "", "wheel")


def run_hook(hook, version):
    """What a build is told about its files, and what hatchling's app was given to say."""
    data, lines = {"force_include": {}, "pure_python": True}, []
    app = SimpleNamespace(display_info=lines.append, display_warning=lines.append)
    type(hook).app = property(lambda self: app)
    hook.initialize(version, data)
    return data, lines


def test_a_wheel_carries_the_library_and_belongs_to_a_platform(hook, library_path):
    data, _ = run_hook(hook, "standard")
    assert data["force_include"] == {str(library_path): "service/_data/native/libkokoro_ops.so"}
    assert data["tag"].startswith("py3-none-linux_")
    assert data["pure_python"] is False


def test_the_hook_asks_for_zig_where_it_is_needed(hook, monkeypatch, library_path):
    assert hook.dependencies() == []
    monkeypatch.setenv("KOKORO_WHEEL_FOR", "aarch64")
    (needed,) = hook.dependencies()
    assert needed.startswith("ziglang==")
    monkeypatch.delenv("KOKORO_WHEEL_FOR")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert hook.dependencies() == [needed]


def test_a_wheel_to_pass_on_is_never_without_the_library(hook, monkeypatch):
    monkeypatch.setenv("KOKORO_WHEEL_FOR", "x86_64")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Exception, match="pip install ziglang"):
        run_hook(hook, "standard")


def test_an_editable_install_uses_the_library_where_it_is_and_none_without_a_compiler(hook, monkeypatch):
    plain = {"force_include": {}, "pure_python": True}
    assert run_hook(hook, "editable")[0] == plain
    monkeypatch.setenv("CC", "no-such-compiler")
    said = ["native operators are left out: there is no C compiler 'no-such-compiler'"]
    assert run_hook(hook, "standard") == (plain, said)
