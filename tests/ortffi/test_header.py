"""The table of slots and the enums, held against ONNX Runtime's own header.

Where the machine has `onnxruntime_c_api.h` (see `HEADERS`) and a C compiler, a generated C file
states what ortffi believes, and the compiler checks it: the place of every function in the vtable,
its prototype, and the value of every enum. Everywhere else a fingerprint of the table tells that
it still is the one that was checked so: against the headers of 1.21, 1.26 and 1.29.

The script that writes the table from the header is tested with a small header in all the header's
notations, and with the machine's own where there is one.
"""

import hashlib
import itertools
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import ortffi
from ortffi._api import SLOTS, ElementType, ErrorCode, LogLevel, OnnxType
from ortffi._table import API_VERSION
from ortffi.tools import write_table
from tests.ortffi.refusals import not_refused

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
    ElementType: "ONNX_TENSOR_ELEMENT_DATA_TYPE_", ErrorCode: "ORT_", LogLevel: "ORT_LOGGING_LEVEL_",
    OnnxType: "ONNX_TYPE_",
}  # fmt: skip


def rows(last):
    return "".join(
        f"{slot.index} {slot.returns} {slot.name}({', '.join(slot.parameters)})\n"
        for slot in SLOTS.values()
        if slot.index <= last
    )


def find_header():
    folders = [Path(os.environ[VARIABLE])] if os.environ.get(VARIABLE) else []
    if os.environ.get("ONNXRUNTIME_DIR"):
        folders.append(Path(os.environ["ONNXRUNTIME_DIR"]) / "include")
    insides = itertools.product([*folders, *map(Path, FOLDERS)], ("", "onnxruntime", "onnxruntime/core/session"))
    headers = (folder / inside / "onnxruntime_c_api.h" for folder, inside in insides)
    return next(filter(Path.is_file, headers), None)


MODULE = Path(ortffi.__file__).with_name("_table.py")
NO_HEADER = f"onnxruntime_c_api.h is not here; name its folder in {VARIABLE} or install its headers"

SMALL_HEADER = r"""
#define ORT_API_VERSION 3

ORT_RUNTIME_CLASS(MemoryInfo);

typedef enum Kind {
  A_KIND,
} Kind;

struct OrtApiBase {
  const OrtApi*(ORT_API_CALL* GetApi)(uint32_t version)NO_EXCEPTION;
};

struct OrtApi {
  /// \name OrtStatus; nothing in a comment is a slot: ORT_CLASS_RELEASE(Nothing);
  OrtStatus*(ORT_API_CALL* CreateStatus)(OrtErrorCode code,
                                         _In_ const char* msg)NO_EXCEPTION ORT_ALL_ARGS_NONNULL;

  /** \brief With a struct, and \since Version 1.2. */
  ORT_API2_STATUS(AllocatorGetInfo, _In_ const OrtAllocator* ort_allocator,
                  _Outptr_ const struct OrtMemoryInfo** out);
  ORT_CLASS_RELEASE(Env);
#if !defined(SOMETHING)
  ORT_API2_STATUS(GetSymbolicDimensions, _In_ const OrtTensorTypeAndShapeInfo* info,
                  _Out_writes_all_(dim_params_length) const char* dim_params[],
                  size_t dim_params_length);
#endif
  ORT_API2_STATUS(KernelContext_ParallelFor, _In_ const OrtKernelContext* context,
                  _In_ void (*fn)(void*, size_t), _In_ size_t total, enum Kind kind,
                  enum Bare bare);
  /* \since Version 1.3. */
  const OrtEpApi*(ORT_API_CALL * GetEpApi)(void);
  ORT_API_T(const ORTCHAR_T *, GetPath, _In_reads_(n) const char* const *keys, size_t n);
};

struct OrtCustomOp {
  uint32_t version;
};
"""

SMALL_ROWS = """\
0    1  OrtStatus* CreateStatus(OrtErrorCode code, const char* msg);
1    2  OrtStatus* AllocatorGetInfo(const OrtAllocator* ort_allocator, const OrtMemoryInfo** out);
2    1  void ReleaseEnv(OrtEnv* input);
3    3  OrtStatus* GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* info,
            const char** dim_params, size_t dim_params_length);
4    3  OrtStatus* KernelContext_ParallelFor(const OrtKernelContext* context, void* fn,
            size_t total, Kind kind, enum Bare bare);
5    3  const OrtEpApi* GetEpApi();
6    3  const ORTCHAR_T* GetPath(const char* const* keys, size_t n);
"""

SMALL_MODULE = """Prose.
API_VERSION = 1

TABLE = \"\"\"
0    1  OrtStatus* CreateStatus(OrtErrorCode code, const char* msg);
1    1  void ReleaseEnv(OrtEnv* input);
\"\"\"
"""


def test_the_writer_reads_every_notation_of_the_header():
    written = write_table.write(SMALL_HEADER, SMALL_MODULE)
    expected = SMALL_MODULE.replace("VERSION = 1", "VERSION = 3")
    before, _, after = re.split(r"(?<=\"\"\"\n)(.*?)(?=\"\"\")", expected, flags=re.DOTALL)
    assert written == before + SMALL_ROWS + after


def test_the_writer_refuses_what_is_no_newer_header():
    assert not not_refused(
        (partial(write_table.write, SMALL_HEADER.replace(found, replaced), SMALL_MODULE), ValueError, message)
        for found, replaced, message in [
            ("struct OrtApi {", "struct OrtApis {", "no struct OrtApi"),
            ("#define ORT_API_VERSION 3", "", "no ORT_API_VERSION"),
            ("ORT_CLASS_RELEASE(Env);", "", "no ReleaseEnv: it is too old"),
            ("ORT_CLASS_RELEASE(Env);", "int version;", "not understood: 'int version'"),
            ("size_t n);\n};", "size_t n)\n};", "not understood: 'ORT_API_T"),
        ]
    )


def test_the_writer_is_a_program(tmp_path):
    header = tmp_path / "onnxruntime_c_api.h"
    header.write_text(SMALL_HEADER)
    for arguments, status, message in (
        ([], 2, "usage: write_table.py HEADER"),
        ([str(header)], 1, f"{header}: the header has no "),
    ):
        command = [sys.executable, write_table.__file__, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (status, "")
        assert done.stderr.startswith(message)


def test_the_writer_wraps_as_the_table_is_wrapped():
    """The rows of the table, as one header: what comes out is the module in place."""
    declarations = "\n".join(
        f"{slot.returns}(ORT_API_CALL* {slot.name})({', '.join(slot.parameters) or 'void'});" for slot in SLOTS.values()
    )
    header = f"#define ORT_API_VERSION {API_VERSION}\nstruct OrtApi {{\n{declarations}\n}};\n"
    module = MODULE.read_text(encoding="utf-8")
    assert write_table.write(header, module) == module


def test_the_writer_makes_the_table_of_the_header():
    header = find_header()
    if header is None:
        pytest.skip(NO_HEADER)
    text = header.read_text(encoding="utf-8")
    version = write_table.api_version(text)
    known = {name: slot.since for name, slot in SLOTS.items() if slot.since <= version}
    module = MODULE.read_text(encoding="utf-8")
    in_place = re.split(r"\n(?=\d)", module.split('TABLE = """\n')[1].split('"""')[0].rstrip())
    assert write_table.rows(text, known) == in_place[: len(known)]


def test_the_table_is_the_one_that_was_checked():
    assert {last: hashlib.sha256(rows(last).encode()).hexdigest() for last in FINGERPRINTS} == FINGERPRINTS


def test_the_table_and_the_enums_are_the_headers(tmp_path):
    header, compiler = find_header(), shutil.which("cc") or shutil.which("gcc")
    if header is None or compiler is None:
        pytest.skip(f"needs a C compiler, and {NO_HEADER}")
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
    yield '#include <stdbool.h>\n#include <stddef.h>\n#include "onnxruntime_c_api.h"'
    slots = [slot for slot in SLOTS.values() if slot.since <= version]
    for slot in slots:
        place = f"offsetof(OrtApi, {slot.name}) / sizeof(void*)"
        yield f'_Static_assert({place} == {slot.index}, "{slot.name}");'
        if slot.name not in POINTERS_TO_FUNCTIONS:
            yield f"{slot.returns} (*check_{slot.name})({', '.join(slot.parameters) or 'void'});"
            yield f"void prototype_{slot.name}(const OrtApi* api) {{ check_{slot.name} = api->{slot.name}; }}"
    length = max(slot.index for slot in slots) + 1
    yield f'_Static_assert(sizeof(OrtApi) / sizeof(void*) == {length}, "length");'
    for kind, prefix in PREFIXES.items():
        for member in kind:
            spelling = prefix + member.name
            if re.search(rf"\b{spelling}\b", header):  # an older one has not all of them
                yield f'_Static_assert({spelling} == {int(member)}, "{spelling}");'
