"""Imports go one way."""

import ast
import re
import subprocess
import sys
from collections import deque
from functools import cache
from graphlib import TopologicalSorter

# Who in `service` may import whom; everyone may import the leaves.
LEAVES = {"errors", "extras", "settings", "resources"}
ALLOWED = {
    **dict.fromkeys(("errors", "extras", "resources", "logs", "heap", "complete_files", "covers"), frozenset()),
    **dict.fromkeys(("folder_lock", "machine", "progress"), frozenset()),
    "settings": {"errors"},
    "tensor_files": {"errors", "extras"},
    "text": LEAVES,
    "audio": LEAVES | {"covers", "text"},
    "model": LEAVES | {"heap", "machine"},
    "preparation": LEAVES | {"model", "tensor_files"},
    "speech": LEAVES | {"complete_files", "tensor_files", "text", "audio", "model"},
    "books": LEAVES | {"complete_files", "covers", "folder_lock", "logs", "text", "audio", "speech"},
    "loading": LEAVES | {"text", "model", "preparation", "speech"},
    "adding": LEAVES | {"model", "preparation", "speech", "tensor_files", "text"},
    "doctor": LEAVES | {"machine", "loading", "text"},
    "jobs": LEAVES | {"audio", "books", "folder_lock", "speech"},
    "api": LEAVES | {"tensor_files", "books", "jobs", "logs", "machine", "loading", "text", "audio", "model", "speech"},
    "hosting": LEAVES | {"logs", "heap", "api"},
    "cluster": LEAVES
    | {"api", "audio", "complete_files", "folder_lock", "heap", "hosting", "loading", "logs", "speech"},
    "playback": LEAVES,
    "screen_readers": LEAVES,
    "assistants": LEAVES | {"api", "complete_files", "playback"},
    "saying": LEAVES | {"audio", "complete_files", "playback", "progress", "speech", "text"},
    "narrating": LEAVES | {"books", "loading", "text"},
    "arguments": LEAVES,
    "__main__": LEAVES
    | {"logs", "heap", "loading", "doctor", "model", "playback", "preparation", "saying"}
    | {"adding", "arguments", "assistants", "books", "narrating", "screen_readers"}
    | {"speech", "text", "api", "cluster"},
}
OUTSIDE = {
    "ortffi": {"model", "preparation", "speech"}, "fastapi": {"api", "hosting", "cluster"},
    "starlette": {"api", "hosting", "cluster"}, "uvicorn": {"api"}, "prometheus_client": {"api", "cluster"},
    "soundfile": {"audio", "screen_readers"}, "soxr": {"audio"}, "av": {"audio", "covers"}, "lxml": {"books"},
    "docx": set(), "mcp": {"api", "assistants"}, "mcp_types": {"api"},
    "chardet": {"books"}, "turbohtml": {"books"}, "pypdfium2": {"books"}, "rich": {"books"}, "opentelemetry": {"api"},
    "pyromark": {"text"}, "wyoming": {"api"}, "zeroconf": {"api"}, "ray": {"cluster"}, "pyarrow": {"cluster"},
    "onnx": {"preparation"}, "onnx_ir": {"preparation"}, "onnxscript": {"preparation"},
}  # fmt: skip

# Modules or packages of service/api, each for one kind of caller; only the application knows all.
DOORS = {
    "synthesize",
    "dialogue",
    "openai",
    "elevenlabs",
    "piper",
    "websocket",
    "wyoming",
    "admin",
    "mcp",
    "page",
    "jobs",
}

MOST_SHORT_MODULES = 87
"""Modules of the service with fewer than 60 lines, from a time with other rules; none is added."""

# Every room of service/text imports only from lines above its own. `a language` is what a folder of
# service/text/languages holds beside its record, which loads it when the language is first read.
TEXT_LAYERS = [
    {"backtracking", "languages", "offset_mapping", "scripts", "stress", "turn", "vocabulary", "wordlist"},
    {"characters", "reading", "spans"},
    {"document", "lattice", "markup", "punctuation", "reader"},
    {"clauses", "espeak", "lexicon_entries", "mixed", "normalization", "omissions"},
    {"a language", "text_blocks", "user_lexicon"},
    {"readers"}, {"frontend"}, {"__init__"},
]  # fmt: skip

# Every module of ortffi imports only those before it.
LAYERS = [
    "_table", "_api", "errors", "_handle", "_gate", "logs", "_elf", "_dynamic_section",
    "_shared_object", "library",
    "environment",
    "elements", "tensors", "type_info", "memory", "_protobuf", "_empty", "exchange",
    "_readable", "value", "_extents",
    "run_options", "prepacked", "_provider_options", "providers", "plugins", "trial", "options",
    "_plan", "_lending", "_run", "_calls", "binding", "batch", "profile", "_quantization",
    "_ort_format", "model_file", "_weights", "metadata", "assignment", "_waiting", "_loaded",
    "_workers", "session", "builder", "inference", "raw", "__init__",
]  # fmt: skip


@cache
def imports(file, at_first=False):
    """Return what a file imports, but for types; `at_first` without what functions import."""
    names = set()
    nodes = deque([ast.parse(file.read_text(encoding="utf-8"))])
    while nodes:
        node = nodes.popleft()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if not (at_first and isinstance(node, ast.FunctionDef)):
            nodes.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def service_files(repository):
    root = repository / "service"
    files = [(file.relative_to(root).parts[0].removesuffix(".py"), file) for file in sorted(root.rglob("*.py"))]
    return [(room, file) for room, file in files if room != "__init__"]


def test_rooms_of_the_service_import_in_one_direction(repository):
    seen = set()
    for room, file in service_files(repository):
        seen.add(room)
        for name in imports(file):
            parts = name.split(".")
            if parts[0] == "service" and len(parts) > 1 and parts[1] in ALLOWED:
                assert parts[1] in ALLOWED[room] | {room}, f"{file} imports {name}"
            if parts[0] in OUTSIDE:
                assert room in OUTSIDE[parts[0]], f"{file} imports {name}"
    assert seen == set(ALLOWED)


def test_doors_are_known_to_the_application_alone(repository):
    root = repository / "service" / "api"
    rooms = {path.relative_to(root).parts[0].removesuffix(".py") for path in root.rglob("*.py")}
    assert {path.parent.name for path in root.glob("*/__init__.py")} <= DOORS | {"middleware"}
    assert rooms >= DOORS
    for file in sorted(root.rglob("*.py")):
        room = file.relative_to(root).parts[0].removesuffix(".py")
        known = {name.split(".")[2] for name in imports(file) if name.startswith("service.api.")}
        if room == "app":
            assert known >= DOORS
        else:
            assert not known & DOORS - {room}, f"{file} imports another door"


def test_sources_are_full_and_not_too_long(repository):
    generated = {repository / "ortffi/_table.py"}
    n_lines = {
        file: len(file.read_text(encoding="utf-8").splitlines())
        for folder in ("service", "ortffi", "native", "bench", "tests")
        for file in (repository / folder).rglob("*.*")
        if file.suffix in {".py", ".c", ".h", ".sh"} and file not in generated
    }
    long = [file for file, number in n_lines.items() if number > 700]
    assert not long, "a reader keeps a noun of this size in mind no more: divide it"
    service = {file for file in n_lines if file.is_relative_to(repository / "service") and file.stem != "__init__"}
    short = [file for file in service if n_lines[file] < 60]
    assert len(short) <= MOST_SHORT_MODULES, "join it with what it belongs to, or say why not here"


def test_the_picture_of_the_imports_is_true_and_has_no_cycle(repository):
    text = (repository / "docs/architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^  (\w+) --> (\w+)$", text, re.MULTILINE))
    rooms = {room for pair in drawn for room in pair}
    there_are = set()
    for room, file in service_files(repository):
        for name in imports(file):
            parts = name.split(".")
            other = parts[1] if parts[0] == "service" and len(parts) > 1 else parts[0]
            if room in rooms and other in rooms - {room}:
                there_are.add((room, other))
    assert drawn == there_are
    TopologicalSorter({room: {below for above, below in drawn if above == room} for room in rooms}).prepare()


def test_who_serves_imports_nothing_that_only_preparing_or_measuring_needs():
    code = "import service.api, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert {"service", "ortffi", "fastapi"} <= imported
    assert not imported & {"onnx", "onnx_ir", "onnxscript", "sympy", "onnxruntime", "scipy", "spacy"}


def test_rooms_of_the_text_front_end_import_only_from_layers_below(repository):
    root = repository / "service" / "text"
    layers = {room: number for number, rooms in enumerate(TEXT_LAYERS) for room in rooms}
    seen = set()

    def room_of(path):
        """Return the room of a file, or of a name in it."""
        parts = path.relative_to(root).with_suffix("").parts
        is_file = path.exists() or path.with_suffix(".py").exists()
        is_inside = is_file and (len(parts) > 3 or (len(parts) == 3 and parts[-1] != "__init__"))
        return "a language" if parts[0] == "languages" and is_inside else parts[0]

    for file in sorted(root.rglob("*.py")):
        room = room_of(file)
        seen.add(room)
        for name in imports(file, at_first=room == "languages"):
            if not name.startswith("service.text."):
                continue
            other = room_of(root.joinpath(*name.split(".")[2:]))
            if other in layers and other != room:
                assert layers[other] < layers[room], f"{file} imports {name}"
    assert seen == set(layers)


def test_modules_of_ortffi_import_only_those_before_them(repository):
    files = {file.stem: file for file in (repository / "ortffi").glob("*.py")}
    assert set(files) == set(LAYERS)
    for name, file in files.items():
        for imported in imports(file):
            package, _, rest = imported.partition(".")
            module = rest.partition(".")[0]
            if package == "ortffi" and module in LAYERS:
                assert LAYERS.index(module) < LAYERS.index(name), f"{file} imports {imported}"


def test_ortffi_needs_only_numpy_and_nothing_imports_the_onnxruntime_package(repository):
    files = list((repository / "ortffi").glob("*.py"))
    assert files
    needed = {name.split(".")[0] for file in files for name in imports(file)}
    assert needed <= sys.stdlib_module_names | {"numpy", "ortffi"}
    for package in ("ortffi", "service"):
        for file in (repository / package).rglob("*.py"):
            assert "onnxruntime" not in {name.split(".")[0] for name in imports(file)}, file
