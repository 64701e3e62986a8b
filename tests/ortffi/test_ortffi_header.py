"""The table of slots and the enums, held against ONNX Runtime's own header.

Where the machine has `onnxruntime_c_api.h` (see `HEADERS`) and a C compiler, a generated C file
states what ortffi believes, and the compiler checks it: the place of every function in the vtable,
its prototype, and the value of every enum. Everywhere else a fingerprint of the table tells that
it still is the one that was checked so: against the headers of 1.21, 1.26 and 1.29.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ortffi._api import SLOTS, ElementType, ErrorCode, LogLevel, OnnxType

FINGERPRINTS = {
    275: "ac14ecf0992014afc08c028b4d97273129092dfed032e203f6fc5deb77df1d68",
    424: "c58974a3ba148fa438c9becd37daca585c6e61508a4a8291807ba74a8cffe8d9",
}
"""sha256 over the rows up to a slot, as `rows` spells them. 275 ends API version 17."""

VARIABLE = "ONNXRUNTIME_INCLUDE_DIR"
FOLDERS = ("/usr/local/include", "/usr/include")

POINTERS_TO_FUNCTIONS = ("KernelContext_ParallelFor",)
"""Functions with a parameter that the table spells as `void*`; only their place is checked."""

PREFIXES = {
    ElementType: "ONNX_TENSOR_ELEMENT_DATA_TYPE_",
    ErrorCode: "ORT_",
    LogLevel: "ORT_LOGGING_LEVEL_",
    OnnxType: "ONNX_TYPE_",
}


def rows(last):
    for slot in SLOTS.values():
        if slot.index <= last:
            yield f"{slot.index} {slot.returns} {slot.name}({', '.join(slot.parameters)})\n"


def find_header():
    folders = [Path(os.environ[VARIABLE])] if os.environ.get(VARIABLE) else []
    if os.environ.get("ONNXRUNTIME_DIR"):
        folders.append(Path(os.environ["ONNXRUNTIME_DIR"]) / "include")
    folders += map(Path, FOLDERS)
    for folder in folders:
        for inside in ("", "onnxruntime", "onnxruntime/core/session"):
            header = folder / inside / "onnxruntime_c_api.h"
            if header.is_file():
                return header
    return None


@pytest.mark.parametrize("last", FINGERPRINTS)
def test_the_table_is_the_one_that_was_checked(last):
    assert hashlib.sha256("".join(rows(last)).encode()).hexdigest() == FINGERPRINTS[last]


def test_the_table_and_the_enums_are_the_headers(tmp_path):
    header, compiler = find_header(), shutil.which("cc") or shutil.which("gcc")
    if header is None or compiler is None:
        pytest.skip(
            f"needs a C compiler and onnxruntime_c_api.h; name its folder in {VARIABLE} or install "
            "ONNX Runtime's headers"
        )
    # Some of the enums are in files that it includes.
    files = [header, *header.parent.glob("onnxruntime_*.h")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    version = int(re.search(r"#define ORT_API_VERSION (\d+)", text)[1])
    believed = tmp_path / "believed.c"
    believed.write_text("\n".join(statements(text, version)), encoding="utf-8")
    done = subprocess.run(
        [compiler, "-fsyntax-only", "-std=c11", "-Werror", "-Wno-missing-braces",
         f"-I{header.parent}", str(believed)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:4000]


def statements(header, version):
    """Give the lines of a C file that compiles only where the table and the enums are right."""
    yield "#include <stdbool.h>"
    yield "#include <stddef.h>"
    yield '#include "onnxruntime_c_api.h"'
    last = 0
    for slot in SLOTS.values():
        if slot.since > version:
            continue
        last = max(last, slot.index)
        place = f"offsetof(OrtApi, {slot.name}) / sizeof(void*)"
        yield f'_Static_assert({place} == {slot.index}, "{slot.name}");'
        if slot.name in POINTERS_TO_FUNCTIONS:
            continue
        parameters = ", ".join(slot.parameters) or "void"
        yield f"{slot.returns} (*check_{slot.name})({parameters});"
        yield (
            f"void prototype_{slot.name}(const OrtApi* api) "
            f"{{ check_{slot.name} = api->{slot.name}; }}"
        )
    yield f'_Static_assert(sizeof(OrtApi) / sizeof(void*) == {last + 1}, "length");'
    for kind, prefix in PREFIXES.items():
        for member in kind:
            spelling = prefix + member.name
            if re.search(rf"\b{spelling}\b", header):  # an older one has not all of them
                yield f'_Static_assert({spelling} == {int(member)}, "{spelling}");'
