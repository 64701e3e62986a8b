"""A stand-in for a CUDA build of ONNX Runtime, and what it can be told to do.

The library in `library/` exports what a CUDA build exports, and computes with the CPU build. A process has but one
ONNX Runtime, so what is to see the stub runs in a process of its own, with `Stub.environment`.

Memory of its GPU cannot be touched by the host: SIGSEGV ends the process, as with a real one. CUDA graphs are played
by their rules: a session made with `enable_cuda_graph` captures the first run of each thread with an id
(`gpu_graph_id`) and replays it from then on. A run that a real one would replay on other memory than what is bound,
without a word, is recorded as refused and ends the process with SIGABRT.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path

from ortffi._api import SLOTS, ErrorCode

SOURCES = Path(__file__).with_name("library")
FILE_NAME = "libonnxruntime.so"

FLAGS = ["-std=gnu11", "-O1", "-g", "-fPIC", "-fvisibility=hidden", "-pthread", "-D_GNU_SOURCE", "-shared"]
FLAGS += ["-Wall", "-Wextra", "-Werror"]

SOUNDS = ("silence", "nan", "noise", "quiet", "loud", "short", "durations", "bound")
"""The ways in which a run on the GPU can sound wrong; `library/sound.c` says what each is."""

_SCALARS = ("bool", "char", "const", "double", "float", "int", "void")
_CALLBACKS = re.compile(r"\w+(Fn|FnPtr|Function|Delegate)")


@dataclass(frozen=True)
class Refusal:
    """A function that fails; those of sessions do so only where a session is on the GPU."""

    function: str  # its name in C
    text: str  # of the status
    code: ErrorCode = ErrorCode.FAIL
    call: int = 0  # which of the process's calls fails, counted from 1; 0 for every one


Call = namedtuple("Call", ["function", "arguments", "refused"])
"""One call of a function that the stub replaces: its name in C; the strings and numbers among its
arguments, with a number for each `session_options`, `provider_options` and `session` that the process
made; and the text of the status where the stub let it fail."""


class Stub:
    """A copy of the compiled library in a folder, as a CUDA build comes, which computes by `real`."""

    def __init__(self, library, folder, real):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        # A file of its own: ortffi resolves links, and the folder is looked into.
        self.path = Path(shutil.copy(library, folder / FILE_NAME))
        self._record = folder / "calls.jsonl"
        self._settings = {"STUB_REAL_LIBRARY": str(real), "STUB_RECORD": str(self._record)}

    def build_with(self, *providers):
        """Pretend that no others are compiled in, of `CUDA...` and `TensorrtExecutionProvider`."""
        return self._set("STUB_PROVIDERS", ",".join(providers))

    def refuse(self, *refusals):
        """Have functions fail; the first refusal that fits a call counts."""
        rules = [f"{r.function} {r.call} {int(r.code)} {_escape(r.text)}" for r in refusals]
        return self._set("STUB_FAIL", "\n".join(rules))

    def sound(self, sound):
        """Have every run on the GPU succeed and sound wrong: one of `SOUNDS`."""
        assert sound in SOUNDS, sound
        return self._set("STUB_SOUND", sound)

    def place(self, *, cpu_operators=None, copies=0):
        """Choose what sessions on the GPU say of their nodes in profiles: types left to the CPU, copies of a run.

        `*` is for all types, None for those of Kokoro's that CUDA has no kernel for. CUDA graphs are refused
        where there are copies, or nodes on the CPU but those for shapes (`OF_SHAPES` in `library/graphs.c`).
        """
        if cpu_operators is not None:
            self._set("STUB_CPU_OPERATORS", ",".join(cpu_operators))
        return self._set("STUB_COPIES", str(copies))

    @property
    def environment(self):
        return {**self._settings, "ONNXRUNTIME_DIR": "", "ONNXRUNTIME_LIB_DIR": str(self.folder)}

    @property
    def calls(self):
        if not self._record.exists():
            return []
        entries = list(map(json.loads, self._record.read_text(encoding="utf-8").splitlines()))
        for entry in entries:
            del entry["process"]
        return [Call(entry.pop("function"), entry, entry.pop("refused", None)) for entry in entries]

    def named(self, *functions):
        return [call for call in self.calls if call.function in functions]

    @property
    def graph_runs(self):
        """Of each run of a session that captures CUDA graphs: its graph, and `capture`, `replay` or `none`."""
        runs = [run.arguments for run in self.named("Run", "RunWithBinding")]
        return [(run["graph"], run["graph_run"]) for run in runs if "graph_run" in run]

    def run(self, command, environment=None):
        path = os.pathsep.join(filter(None, sys.path))
        return subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": path, **self.environment, **(environment or {})},
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip

    def python(self, script, *arguments):
        """Run a script with warnings as errors and return what it printed; it must succeed."""
        done = self.run([sys.executable, "-W", "error", "-c", script, *arguments])
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def service(self, *arguments, environment=None):
        return self.run([sys.executable, "-m", "service", *arguments], environment)

    def _set(self, name, value):
        self._settings[name] = value
        return self


def compile_library(folder):
    """Compile the stub into a folder, by `cc`, and return the library."""
    (folder / "ort_table.h").write_text(header(), encoding="utf-8")
    path = folder / FILE_NAME
    command = ["cc", *FLAGS, f"-I{SOURCES}", f"-I{folder}", "-o", path, *sorted(SOURCES.glob("*.c")), "-ldl", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


def header():
    """Return ortffi's table of the C API as a header, by whose types the compiler checks the stub's functions."""
    prototypes = {
        slot.name: (_plain(slot.returns), [_plain(parameter) for parameter in slot.parameters])
        for slot in SLOTS.values()
    }
    spellings = [
        spelling
        for returns, parameters in prototypes.values()
        for spelling in (returns, *(parameter.rsplit(" ", 1)[0] for parameter in parameters))
    ]
    types = {word for spelling in spellings for word in re.findall(r"\w+", spelling)}
    types -= {name for name in types if name in _SCALARS or name.endswith("_t")}
    by_value = {spelling for spelling in spellings if "*" not in spelling}
    lines = ["#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>"]
    for name in sorted(types):
        if name == "ORTCHAR_T":
            lines.append(f"typedef char {name};")
        elif _CALLBACKS.fullmatch(name):
            lines.append(f"typedef void (*{name})(void);")
        elif name in by_value:
            lines.append(f"typedef int {name}; /* an enum */")
        else:
            lines.append(f"typedef struct {name} {name};")
    lines.append("typedef struct OrtApi {")
    for name, (returns, parameters) in prototypes.items():
        lines.append(f"    {returns} (*{name})({', '.join(parameters) or 'void'});")
    lines += ["} OrtApi;", "typedef struct OrtApiBase {"]
    lines += ["    const OrtApi *(*GetApi)(uint32_t version);"]
    lines += ["    const char *(*GetVersionString)(void);", "} OrtApiBase;"]
    lines += ["static inline size_t ort_api_slots(unsigned version) {"]
    lines += ["    size_t slots = 0;"]
    for version in sorted({slot.since for slot in SLOTS.values()}):
        last = max(index for index, _ in SLOTS.places(version))
        lines.append(f"    if (version >= {version}) slots = {last + 1};")
    lines += ["    return slots;", "}", ""]
    return "\n".join(lines)


def _plain(spelling):
    """Return a spelling by the type's name alone; a few say `enum` or `struct` too."""
    return re.sub(r"\b(enum|struct) ", "", spelling)


def _escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n")
