"""Which tests a change can reach: `python -m tests.changed [COMMIT]`, for `make test-changed`.

A test file is printed if it imports what has changed since the commit, by way of whatever others;
fixtures count for the files that name them. What no import shows, C, data and processes, has rules
by folder.
"""

import ast
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCES = ("service", "ortffi", "bench", "distributions", "examples", "tests")

# What starts with the first is tested by the files and folders after it as well.
RULES = {
    "native/": ("tests/native", "tests/service/model", "tests/service/speech"),
    "service/api/": ("tests/service/api",), "service/jobs/": ("tests/service/api/jobs",),
    "service/books/": ("tests/service/api/jobs",),
    "service/preparation/": ("tests/service/preparation", "tests/service/test_cli.py"),
    "service/machine/": ("tests/service/machine", "tests/service/test_cli.py"),
    "service/cluster/": ("tests/service/cluster",),
    "service/text/": ("tests/service/text", "tests/service/api/synthesize"),
    "service/model/": ("tests/service/model", "tests/service/speech"),
    "service/speech/": ("tests/service/speech", "tests/service/api/synthesize"),
    "service/audio/": ("tests/service/audio", "tests/service/api/synthesize"),
    "service/": ("tests/service/test_cli.py", "tests/service/api/test_http.py", "tests/service/api/test_starts.py"),
    "ortffi/": ("tests/ortffi",), "voices/": ("tests/service/speech", "tests/service/api/test_http.py"),
    "config/": ("tests/service", "tests/test_documents.py"),
    "docs/": ("tests/test_documents.py", "tests/service/api/test_openapi.py"), "share/": ("tests/test_shell.py",),
    "deploy/": ("tests/test_deploy.py",), "distributions/": ("tests/test_distributions.py", "tests/test_release.py"),
    "constraints/": ("tests/test_distributions.py",), "tests/mutation/": ("tests/mutation",),
    "tests/data/reading/": ("tests/service/text",),
    "tests/data/commonmark.json": ("tests/service/text/document",),
    "tests/data/settings/": ("tests/service/test_settings.py",),
}  # fmt: skip
ALWAYS = ("tests/test_architecture.py",)
OF_ALL = ("Makefile", "pyproject.toml", "tests/conftest.py")
"""Files that decide how every test runs."""


def names_of(node, for_types=False):
    """Yield (module, name) for what is imported in a piece of source; "*" is for all of it."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not for_types:
        return
    if isinstance(node, ast.Import):
        yield from ((alias.name, "*") for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from ((node.module, alias.name) for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from names_of(child, for_types)


class Packages:
    """Where the names of packages come from: who imports one needs its module, and not all."""

    def __init__(self, trees):
        self._there = trees.keys()
        self._origins = {
            path.removesuffix("/__init__.py"): {name: module for module, name in names_of(tree, for_types=True)}
            for path, tree in trees.items()
            if path.endswith("/__init__.py")
        }

    def files(self, names):
        """Return the files that imports depend on, whether they are there or not."""
        found = set()
        for module, name in names:
            path = module.replace(".", "/")
            if path.partition("/")[0] not in SOURCES:
                continue
            parents = [str(parent) for parent in Path(path).parents][:-1]
            found |= {f"{path}.py", *(f"{parent}/__init__.py" for parent in [path, *parents])}
            origins = self._origins.get(path, {})
            inside = {f"{path}/{name}.py", f"{path}/{name}/__init__.py"}
            if inside & self._there:
                found |= inside
            elif origins.get(name, module) != module:
                found |= self.files([(origins[name], name)])
            else:  # it is made in the package itself, of anything
                found |= self.files({(other, each) for each, other in origins.items()} - {(module, name)})
        return found


def named_in(tree):
    """Return all that may name a fixture: parameters, and words that are quoted."""
    nodes = list(ast.walk(tree))
    quoted = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return {node.arg for node in nodes if isinstance(node, ast.arg)} | {
        value for value in quoted if isinstance(value, str) and value.isidentifier()
    }


def needs():
    """Return what each source of Python needs: files, and fixtures as `conftest.py::name`."""
    trees = {
        str(file.relative_to(REPOSITORY)): ast.parse(file.read_text(encoding="utf-8"))
        for folder in SOURCES
        for file in (REPOSITORY / folder).rglob("*.py")
    }
    packages = Packages(trees)
    needed = {}
    fixtures = {}
    for path, tree in trees.items():
        if path.endswith("conftest.py"):
            functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            fixtures[path.removesuffix("conftest.py")] = functions
            outside = [node for node in tree.body if node not in functions.values()]
            needed[path] = packages.files(name for node in outside for name in names_of(node))
        elif path.endswith("/__init__.py"):
            needed[path] = set()
        else:
            needed[path] = packages.files(names_of(tree))

    def fixtures_for(path, names):
        return {
            f"{folder}conftest.py::{name}"
            for folder, functions in fixtures.items()
            if path.startswith(folder)
            for name in functions.keys() & set(names)
        }

    for folder, functions in fixtures.items():
        conftest = f"{folder}conftest.py"
        for name, function in functions.items():
            fixture = f"{conftest}::{name}"
            needed[fixture] = {conftest, *packages.files(names_of(function))}
            needed[fixture] |= fixtures_for(conftest, named_in(function)) - {fixture}
    for path, tree in trees.items():
        if path.startswith("tests/") and not path.endswith("conftest.py"):
            needed[path] |= fixtures_for(path, named_in(tree))
            needed[path] |= {f"{folder}conftest.py" for folder in fixtures if path.startswith(folder)}
    return needed


def reached_by(changed):
    """Return the files and folders of tests that a change of these files can reach."""
    changed = set(changed)
    if changed & set(OF_ALL):
        return {"tests"}
    needed = needs()
    for path in list(needed):  # a fixture changes with its file
        if path.partition("::")[0] in changed:
            changed.add(path)
    reached, more = set(), changed
    while more:
        reached |= more
        more = {path for path, others in needed.items() if others & more} - reached
    tests = {path for path in reached if Path(path).name.startswith("test_")}
    for path in changed:
        for beginning, others in RULES.items():
            if path.startswith(beginning):
                tests |= set(others)
        if path.startswith("tests/") and not path.endswith(".py"):
            tests |= naming(Path(path).name) or {str(Path(path).parent)} - {"tests/data"}
        elif "/" not in path:
            tests |= naming(path)
    return {path for path in tests | set(ALWAYS) if (REPOSITORY / path).exists()}


def naming(name):
    """Return the test files that quote the name of a file."""
    return {
        str(file.relative_to(REPOSITORY))
        for file in (REPOSITORY / "tests").rglob("test_*.py")
        if f'{name}"' in file.read_text(encoding="utf-8")
    }


def changed_since(commit):
    """Return the files that differ from a commit's, or that git does not know yet."""
    asked = (["diff", "--name-only", "--no-renames", commit], ["ls-files", "--others", "--exclude-standard"])
    outputs = [
        subprocess.run(["git", *each], cwd=REPOSITORY, capture_output=True, text=True, check=True) for each in asked
    ]
    return {line for output in outputs for line in output.stdout.splitlines()}


if __name__ == "__main__":
    print(*sorted(reached_by(changed_since(*sys.argv[1:] or ["HEAD"]))), sep="\n")
