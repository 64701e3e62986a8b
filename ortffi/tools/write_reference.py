"""Write `docs/ortffi-reference.md` from ortffi's docstrings.

python ortffi/tools/write_reference.py > docs/ortffi-reference.md
"""

from __future__ import annotations

import ast
import enum
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

# The package of this tree, even if another one is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import itertools

import ortffi
import ortffi.raw

_HEAD = """\
# ortffi: reference

Every public name, generated from the docstrings by `ortffi/tools/write_reference.py`.
[ortffi/README.md](../ortffi/README.md) is the guide.
"""

_CHAPTERS = [
    ("Loading the library", ["library", "environment"]),
    ("Sessions", ["builder", "options", "session", "run_options", "inference", "binding"]),
    ("Values", ["value", "memory", "elements", "batch", "type_info"]),
    ("Execution providers", ["providers", "trial", "plugins"]),
    ("Looking into models and sessions", ["metadata", "assignment", "profile", "model_file"]),
    ("Sharing weights", ["prepacked"]),
    ("Enumerations", ["_api"]),
    ("Errors", ["errors"]),
]
_SECTIONS = ("Args", "Attributes", "Raises", "Returns")
_NOT_CONSTRUCTED = "Made by "
"""The docstring of a class contains this if users do not construct its objects."""


def reference() -> str:
    """Return the text of the document."""
    parts = [_HEAD]
    for title, modules in _CHAPTERS:
        parts.append(f"## {title}\n")
        for module in modules:
            names = [name for name in ortffi.__all__ if _home(name) == f"ortffi.{module}"]
            for name in names:
                parts += _item("ortffi", name, getattr(ortffi, name))
    parts.append("## The C API itself: `ortffi.raw`\n")
    parts.append(_rendered(ortffi.raw.__doc__))
    for name in ortffi.raw.__all__:
        parts += _item("raw", name, getattr(ortffi.raw, name))
    return "\n".join(parts)


def _home(name: str) -> str:
    """Return the module that defines a public name."""
    found = getattr(getattr(ortffi, name), "__module__", None)
    return found if isinstance(found, str) else _constants()[name][0]


@cache
def _constants() -> dict[str, tuple[str, str]]:
    """Return the module and the docstring of each documented constant of the package."""
    found = {}
    for file in sorted(Path(ortffi.__file__).parent.glob("*.py")):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        for before, after in itertools.pairwise(body):
            if not isinstance(after, ast.Expr) or not isinstance(after.value, ast.Constant):
                continue
            if isinstance(before, ast.Assign):
                target = before.targets[0]
            elif isinstance(before, ast.AnnAssign):
                target = before.target
            else:
                continue
            if isinstance(target, ast.Name) and isinstance(after.value.value, str):
                found[target.id] = (f"ortffi.{file.stem}", after.value.value)
    return found


def _item(prefix: str, name: str, thing: Any) -> Iterator[str]:
    """Yield the parts about one public name."""
    if inspect.isclass(thing):
        yield from _class(prefix, name, thing)
    elif callable(thing):
        yield f"### `{prefix}.{name}`\n"
        yield _code(f"{name}{_signature(thing)}")
        yield _rendered(thing.__doc__)
    else:
        yield f"### `{prefix}.{name}`\n"
        yield _rendered(_constants()[name][1])


def _class(prefix: str, name: str, kind: type[Any]) -> Iterator[str]:
    yield f"### `{prefix}.{name}`\n"
    document = inspect.cleandoc(kind.__doc__ or "")
    if issubclass(kind, BaseException):
        yield f"Subclass of `{kind.__mro__[1].__name__}`.\n"
        yield _rendered(document)
        return
    if issubclass(kind, enum.Enum):
        yield _rendered(document)
        yield "".join(f"- `{member.name}` = {member.value}\n" for member in kind)
        return
    if _NOT_CONSTRUCTED not in document:
        yield _code(f"{name}{_signature(kind)}")
    yield _rendered(document)
    for attribute, defined in _members(kind):
        if isinstance(defined, property):
            yield f"#### `{name}.{attribute}`\n"
            yield _rendered(defined.__doc__)
            continue
        function = getattr(kind, attribute)
        yield f"#### `{name}.{attribute}()`\n"
        is_async = "async " if inspect.iscoroutinefunction(function) else ""
        bound = isinstance(defined, classmethod | staticmethod)
        yield _code(f"{is_async}{name}.{attribute}{_signature(function, skip_self=not bound)}")
        yield _rendered(function.__doc__)


def _members(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the documented methods and properties: first a class's own, then those of its bases."""
    seen = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("ortffi"):
            continue
        for attribute, defined in vars(base).items():
            is_member = isinstance(defined, property | classmethod | staticmethod)
            is_member = is_member or inspect.isfunction(defined)
            if attribute.startswith("_") or attribute in seen or not is_member:
                continue
            seen.add(attribute)
            yield attribute, defined


def _signature(function: Any, *, skip_self: bool = False) -> str:
    """Return the signature as it is written in the source."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1 if skip_self else 0 :]
    written: list[str] = []
    starred = False
    for parameter in parameters:
        text = parameter.name
        if parameter.kind is parameter.VAR_POSITIONAL:
            text, starred = f"*{text}", True
        elif parameter.kind is parameter.VAR_KEYWORD:
            text = f"**{text}"
        elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
            written.append("*")
            starred = True
        if parameter.annotation is not parameter.empty:
            text += f": {_annotation(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        written.append(text)
    returns = signature.return_annotation
    is_class = inspect.isclass(function) or returns is signature.empty
    arrow = "" if is_class else f" -> {_annotation(returns)}"
    one_line = f"({', '.join(written)}){arrow}"
    if len(one_line) <= 80:
        return one_line
    lines = "".join(f"    {parameter},\n" for parameter in written)
    return f"(\n{lines}){arrow}"


def _annotation(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    return "..." if repr(value).startswith("<") else repr(value)


def _code(text: str) -> str:
    return f"```python\n{text}\n```\n"


def _rendered(document: str | None) -> str:
    """Return a docstring as Markdown: its sections become lists."""
    lines = inspect.cleandoc(document or "").splitlines()
    rendered: list[str] = []
    section = None
    for line in lines:
        if line.rstrip(":") in _SECTIONS and line.endswith(":"):
            section = line.rstrip(":")
            rendered += [f"**{section}**", ""]
        elif section is None or not line.startswith("    "):
            section = section if not line else None
            rendered.append(line)
        elif section == "Returns":
            rendered.append(line.removeprefix("    "))
        elif line[4] == " ":
            rendered.append("  " + line.strip())
        else:
            name, colon, text = line.strip().partition(": ")
            names = ", ".join(f"`{each}`" for each in name.split(", "))
            rendered.append(f"- {names}: {text}" if colon else f"- {line.strip()}")
    return "\n".join(rendered).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
