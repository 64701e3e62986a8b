"""Compile the library of the `kokoro` operators, `native/build/libkokoro_ops.so`.

Standard library only: the build hook runs it where nothing else is installed yet.

The compiler is the one named, that of the environment's CC, `cc`, or else clang inside zig, which
the package `ziglang` brings. zig also compiles for the other processor family, and for glibc 2.28,
as a wheel needs it.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LIBRARY = FOLDER / "build" / "libkokoro_ops.so"

GLIBC = "2.28"
"""The oldest glibc that zig's libraries run with: that of manylinux_2_28, as of ONNX Runtime."""

FLAGS = ["-std=c11", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-math-errno"]
# A product and a sum are rounded one after the other, as ONNX Runtime does it.
FLAGS += ["-ffp-contract=off"]
SANITIZERS = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
SANITIZERS += ["-fsanitize=address,undefined"]
AVX2 = ["-mavx2", "-mfma"]
AVX512 = ["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vnni"]

# The variants of each processor family with the flags that only their own file gets.
VARIANTS: dict[str, dict[str, list[str]]] = {
    "x86_64": {
        "amxint8": [*AVX2, *AVX512, "-mamx-tile", "-mamx-int8"],
        "avx512vnni": [*AVX2, *AVX512],
        "avxvnni": [*AVX2, "-mavxvnni"],
        "avx2": AVX2,
    },
    "aarch64": {
        "neon_i8mm": ["-march=armv8.2-a+dotprod+i8mm"],
        "neon_dotprod": ["-march=armv8.2-a+dotprod"],
        "neon": [],
    },
}


class CompilerError(Exception):
    """There is no compiler, or it refuses the sources; the message says which and why."""


def compiler(name: str | None = None) -> list[str]:
    """Find the compiler: the one named, that of the environment's CC, `cc`, or zig's.

    Raises CompilerError where it is not on the machine.
    """
    words = shlex.split(name or os.environ.get("CC", ""))
    if not words and needs_zig():
        return zig(platform.machine())
    words = words or ["cc"]
    if shutil.which(words[0]) is None:
        raise CompilerError(f"there is no C compiler {words[0]!r}")
    return words


def needs_zig() -> bool:
    """Tell whether zig is what remains: CC names no compiler, and there is no `cc`."""
    return not os.environ.get("CC") and shutil.which("cc") is None


def zig(family: str) -> list[str]:
    """Return zig's C compiler for a processor family: one of `VARIANTS`.

    Raises CompilerError where the package `ziglang` is not installed, or the family is unknown.
    """
    if family not in VARIANTS:
        raise CompilerError(f"there are no variants for {family}: {' or '.join(VARIANTS)}")
    if importlib.util.find_spec("ziglang") is None:
        raise CompilerError("there is no C compiler: install one, or pip install ziglang")
    # Without a target it would compile for this very processor, and for this glibc.
    target = f"{family}-linux-gnu.{GLIBC}"
    return [sys.executable, "-m", "ziglang", "cc", "-target", target, "-g0", "-Wl,--strip-all"]


def _is_zig(command: Sequence[str]) -> bool:
    return list(command[1:4]) == ["-m", "ziglang", "cc"]


def _flags_for(command: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Spell the flags of a variant as the compiler knows them: zig names no architectures."""
    if not _is_zig(command):
        return list(flags)
    return [flag.replace("-march=armv8.2-a", "-mcpu=generic+v8_2a") for flag in flags]


def machine(cc: Sequence[str]) -> str:
    """Tell the processor family that the compiler makes code for, as in `aarch64-linux-gnu`."""
    answer = subprocess.run([*cc, "-dumpmachine"], capture_output=True, text=True, check=False)
    family = answer.stdout.strip().split("-")[0]
    return family or platform.machine()


def refused(cc: Sequence[str], flags: Sequence[str]) -> str | None:
    """Say why the compiler does not take these flags, None if it does."""
    return _refusal([*cc, *flags, "-Werror", "-c"], "")


def links(cc: Sequence[str], flags: Sequence[str]) -> str | None:
    """Say why a program with these flags cannot be made, None if it can."""
    return _refusal([*cc, *flags], "int main(void) { return 0; }")


def _refusal(command: Sequence[str], source: str) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.c")
        file.write_text(source)
        call = [*command, str(file), "-o", str(Path(folder, "a.out"))]
        answer = subprocess.run(call, capture_output=True, text=True, check=False)
    return _first_line(answer.stderr) if answer.returncode else None


def build(
    library: Path = LIBRARY,
    *,
    cc: str | Sequence[str] | None = None,
    flags: Sequence[str] = (),
    main: Path | None = None,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr),
) -> Path:
    """Compile what is not compiled yet and return the library.

    `cc` is a compiler's name with its arguments, or the words of a command. `flags` come after the
    build's own. With `main`, a C source with the function of that name,
    a program takes the library's place. Raises CompilerError; a library that was there before
    stays as it was. `say` is given a line for each variant that the compiler cannot make, and one
    where zig is the compiler for want of another.
    """
    command = compiler(cc) if cc is None or isinstance(cc, str) else list(cc)
    if cc is None and _is_zig(command):
        say("native: there is no cc, so zig compiles")
    variants = {}
    for name, plain in VARIANTS.get(machine(command), {}).items():
        own = _flags_for(command, plain)
        reason = refused(command, own)
        if reason is None:
            variants[name] = own
        else:
            say(f"native: the variant {name} is left out: {reason}")
    defines = [f"-DHAVE_{name.upper()}" for name in variants]
    common = [*FLAGS, *flags, *defines]
    units = [(path, common) for path in sorted(FOLDER.glob("*.c")) if _is_common(path)]
    units += [(FOLDER / f"variant_{name}.c", [*common, *own]) for name, own in variants.items()]
    if main:
        units.append((main, [*common, f"-I{FOLDER}"]))
    link = [*common, *(["-static"] if main and "-static" in flags else [])]
    if not main:
        link += ["-shared", "-Wl,-z,defs"]

    mark = library.with_suffix(library.suffix + ".sha256")
    digest = _digest(command, units, link)
    if library.exists() and mark.exists() and mark.read_text() == digest:
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        objects = [str(Path(folder, path.stem + ".o")) for path, _ in units]
        calls = [
            [*command, *own, "-c", str(path), "-o", out]
            for (path, own), out in zip(units, objects, strict=True)
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(_run, calls))
        made = Path(folder, library.name)
        _run([*command, *link, *objects, "-o", str(made), "-lm"])
        os.replace(made, library)
    mark.write_text(digest)
    return library


def _is_common(path: Path) -> bool:
    return not path.name.startswith("variant_") or path.stem == "variant_portable"


def _run(command: Sequence[str]) -> None:
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise CompilerError(f"{command[0]} refuses the sources: {_first_line(answer.stderr)}")


def _first_line(text: str) -> str:
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines()
    return lines[0].strip() if lines else "it says nothing"


def _digest(command: list[str], units: list[tuple[Path, list[str]]], link: list[str]) -> str:
    version = subprocess.run([*command, "--version"], capture_output=True, check=False).stdout
    digest = hashlib.sha256(version)
    digest.update(repr((command, [(path.name, own) for path, own in units], link)).encode())
    for path in sorted({*FOLDER.glob("*.[ch]"), *(path for path, _ in units)}):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def main() -> int:
    """Build from the command line; 1 where that is not possible."""
    parser = argparse.ArgumentParser(description="compile the library of the kokoro operators")
    parser.add_argument("--cc", help="the C compiler (default: CC of the environment, or cc)")
    parser.add_argument("--sanitize", action="store_true", help="find faults of memory and of C")
    arguments = parser.parse_args()
    library, flags = LIBRARY, []
    if arguments.sanitize:
        library, flags = LIBRARY.with_name("libkokoro_ops.sanitized.so"), SANITIZERS
    try:
        print(build(library, cc=arguments.cc, flags=flags))
    except CompilerError as error:
        print(f"native: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
