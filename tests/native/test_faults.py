"""The kernels over hostile shapes where faults show: under sanitizers, and for arm64."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.native import native_library

build = native_library.native_build
DRIVER = Path(__file__).with_name("variants_driver.c")


def drive(command, rounds):
    """The variants that the driver held against the portable one."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1"}
    done = subprocess.run([*command, str(rounds)], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


@pytest.mark.usefixtures("library_path")
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_no_fault_of_memory_or_of_c(tmp_path, monkeypatch, every):
    """In the variant that this processor takes, or in every one that it runs."""
    refusal = build.links(build.compiler(), build.SANITIZERS)
    if refusal:
        pytest.skip(f"the compiler has no sanitizers: {refusal}")
    held = native_library.runnable()
    if not every:
        taken, family = held[0], build.machine(build.compiler())
        variants = {name: flags for name, flags in build.VARIANTS[family].items() if name == taken}
        monkeypatch.setitem(build.VARIANTS, family, variants)
        held = [*variants, "portable"]
    assert drive([str(build.build(tmp_path / "driver", flags=build.SANITIZERS, main=DRIVER))], 40) == held


@pytest.mark.usefixtures("library_path")
def test_no_variant_reads_beyond_a_tensor(tmp_path):
    assert drive([str(build.build(tmp_path / "driver", main=DRIVER))], 60) == native_library.runnable()


@pytest.mark.slow
def test_the_avxvnni_kernels_agree_where_only_avx512_has_the_instruction(tmp_path, monkeypatch):
    if "avx512vnni" not in native_library.runnable():
        pytest.skip("needs a processor with AVX512-VNNI")
    monkeypatch.setitem(build.VARIANTS, "x86_64", {})
    flags = [*build.AVX2, *build.AVX512, "-DHAVE_AVX512VNNI"]
    program = build.build(tmp_path / "driver", flags=flags, main=DRIVER.with_name("avxvnni_driver.c"))
    assert drive([str(program)], 60) == ["avx512vnni", "portable"]


@pytest.mark.slow
def test_the_neon_variants_agree_with_the_portable_one(tmp_path):
    compiler, emulator = "aarch64-linux-gnu-gcc", "qemu-aarch64-static"
    for tool, package in [(compiler, "gcc-aarch64-linux-gnu"), (emulator, "qemu-user-static")]:
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}: install {package}")
    program = build.build(tmp_path / "driver", cc=compiler, flags=["-static"], main=DRIVER)
    assert drive([emulator, "-cpu", "max", str(program)], 60) == [*build.VARIANTS["aarch64"], "portable"]
    # Without the dot products only these are left.
    assert drive([emulator, "-cpu", "cortex-a72", str(program)], 10) == ["neon", "portable"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang: install clang")
def test_clang_compiles_the_same_kernels(tmp_path):
    program = build.build(tmp_path / "driver", cc="clang", flags=["-Wall", "-Wextra", "-Werror"], main=DRIVER)
    held = drive([str(program)], 60)
    assert held[-1] == "portable"
    assert set(held) <= set(native_library.variants())
