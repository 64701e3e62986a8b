"""Write `ortffi/_table.py` from ONNX Runtime's header `onnxruntime_c_api.h`.

    python ortffi/tools/write_table.py HEADER

Prints the module; the existing table is only read. A slot keeps its API version in that table. A
new slot gets the version of the `\\since` tag in its comment, or else the header's own version. A
header older than the table is refused, because it would remove slots.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_TABLE = Path(__file__).resolve().parents[1] / "_table.py"
_WIDTH = 100
_INDENT = " " * 12

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_SINCE = re.compile(r"\\since Version 1\.(\d+)")
# Annotations of Microsoft's compiler on parameters and results; other compilers ignore them.
_ANNOTATION = re.compile(r"\b_[A-Z]\w*_\b(?:\s*\([^()]*\))?")
# The header's four ways to declare a function; macros may follow each.
_RELEASE = re.compile(r"ORT_CLASS_RELEASE\( ?(?P<name>\w+) ?\)")
_STATUS = re.compile(r"ORT_API2_STATUS\( ?(?P<name>\w+) ?,?(?P<parameters>.*)\)[ A-Z_]*")
_TYPED = re.compile(
    r"ORT_API_T\( ?(?P<returns>[^,]+), ?(?P<name>\w+) ?,?(?P<parameters>.*)\)[ A-Z_]*"
)
_PLAIN = re.compile(
    r"(?P<returns>.+?) ?\( ?ORT_API_CALL ?\* ?(?P<name>\w+) ?\) ?\((?P<parameters>.*)\)[ A-Z_]*"
)
_TO_FUNCTION = re.compile(r"[\w *]+\( ?\* ?(\w+) ?\) ?\(.*\)")
_TYPEDEFS = re.compile(
    r"^\} (\w+);|^typedef (?:enum|struct) \w+ (\w+);|^ORT_RUNTIME_CLASS\((\w+)\)", re.MULTILINE
)
_TAGGED = re.compile(r"\b(?:enum|struct) +(\w+)")
_ARRAY = re.compile(r"(.*\W)(\w+) ?\[ ?\]")
_ROW = re.compile(r"^\d+ +(\d+) +[\w *]+?(\w+)\(", re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A slot as the header declares it.

    Attributes:
        name: in C.
        prototype: such as `void ReleaseEnv(OrtEnv* input);`.
        since: the API version in its comment, None if there is none.
    """

    name: str
    prototype: str
    since: int | None


def api_version(header: str) -> int:
    """Return the API version of a header.

    Raises:
        ValueError: it has none.
    """
    match = re.search(r"^#define ORT_API_VERSION (\d+)", header, re.MULTILINE)
    if match is None:
        raise ValueError("the header has no ORT_API_VERSION")
    return int(match[1])


def functions(header: str) -> Iterator[Function]:
    """Yield the functions of `struct OrtApi` in order.

    Raises:
        ValueError: there is no such struct, or something in it is not understood.
    """
    match = re.search(r"^struct OrtApi \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL)
    if match is None:
        raise ValueError("the header has no struct OrtApi")
    names = {a or b or f"Ort{c}" for a, b, c in _TYPEDEFS.findall(header)}
    since = None
    end = 0
    # C needs `enum` and `struct` only where the header has no typedef.
    text = _TAGGED.sub(lambda tag: tag[1] if tag[1] in names else tag[0], match[1])
    # Comments are read for their tags and dropped; a declaration ends with its semicolon.
    declaration = ""
    for comment in [*_COMMENT.finditer(text), None]:
        code = text[end : comment.start() if comment else len(text)]
        while ";" in code:
            before, code = code.split(";", 1)
            yield _function(declaration + before, since)
            declaration, since = "", None
        declaration += code
        if comment is not None:
            tag = _SINCE.search(comment[0])
            since = int(tag[1]) if tag else since
            end = comment.end()
    if _without_directives(declaration):
        raise ValueError(f"not understood: {_without_directives(declaration)!r}")


def rows(header: str, known: Mapping[str, int]) -> list[str]:
    """Return the table's rows.

    Args:
        header: its text.
        known: the API versions of slots that are in the table already.

    Raises:
        ValueError: as `functions`, or a slot that is known is not in the header.
    """
    newest = api_version(header)
    found = list(functions(header))
    missing = known.keys() - {function.name for function in found}
    if missing:
        raise ValueError(f"the header has no {', '.join(sorted(missing))}: it is too old")
    return [
        _wrapped(f"{index:<4} {known.get(f.name, f.since or newest):<2} {f.prototype}")
        for index, f in enumerate(found)
    ]


def known_slots(module: str) -> dict[str, int]:
    """Return the API version of each slot in the text of `_table.py`."""
    return {name: int(since) for since, name in _ROW.findall(module)}


def write(header: str, module: str) -> str:
    """Return the text of `_table.py` for a header.

    Args:
        header: its text.
        module: the text of the module in place, whose prose stays.
    """
    before, table, after = re.split(r'(?<=TABLE = """\n)(.*?)(?=""")', module, flags=re.DOTALL)
    before = re.sub(
        r"^API_VERSION = \d+", f"API_VERSION = {api_version(header)}", before, flags=re.MULTILINE
    )
    return before + "\n".join(rows(header, known_slots(table))) + "\n" + after


def _function(declaration: str, since: int | None) -> Function:
    code = " ".join(_ANNOTATION.sub("", _without_directives(declaration)).split())
    if match := _RELEASE.fullmatch(code):
        name = match["name"]
        return Function(f"Release{name}", f"void Release{name}(Ort{name}* input);", since)
    if match := _STATUS.fullmatch(code):
        returns = "OrtStatus*"
    elif match := _TYPED.fullmatch(code) or _PLAIN.fullmatch(code):
        returns = _spelled(match["returns"])
    else:
        raise ValueError(f"not understood: {code!r}")
    name = match["name"]
    parameters = ", ".join(map(_parameter, _split(match["parameters"])))
    return Function(name, f"{returns} {name}({parameters});", since)


def _without_directives(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith("#")).strip()


def _split(parameters: str) -> Iterator[str]:
    """Yield the parameters: split at commas outside parentheses."""
    depth = start = 0
    for place, character in enumerate(parameters + ","):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            parameter = parameters[start:place].strip()
            if parameter not in ("", "void"):
                yield parameter
            start = place + 1


def _parameter(parameter: str) -> str:
    if match := _TO_FUNCTION.fullmatch(parameter):
        return f"void* {match[1]}"
    if match := _ARRAY.fullmatch(parameter):
        return _spelled(f"{match[1].strip()}* {match[2]}")
    return _spelled(parameter)


def _spelled(code: str) -> str:
    """Return a type, or a type and a name, with the asterisks next to the type."""
    code = re.sub(r"\s*\*", "*", code)
    return " ".join(re.sub(r"\*(?=\w)", "* ", code).split())


def _wrapped(row: str) -> str:
    """Break a row after commas, never inside a parameter."""
    lines: list[str] = []
    *firsts, last = row.split(", ")
    line = ""
    for part in [*(f"{first}," for first in firsts), last]:
        longer = f"{line} {part}" if line else part
        if line and len(longer) > _WIDTH:
            lines.append(line)
            longer = _INDENT + part
        line = longer
    return "\n".join([*lines, line])


def main(arguments: list[str]) -> int:
    """Print the module for the header named by the arguments."""
    if len(arguments) != 1:
        print("usage: write_table.py HEADER", file=sys.stderr)
        return 2
    header = Path(arguments[0]).read_text(encoding="utf-8")
    try:
        text = write(header, _TABLE.read_text(encoding="utf-8"))
    except ValueError as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
