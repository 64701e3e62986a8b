"""The work of every pattern of the service grows in proportion to the text, or is bounded.

A pattern may take the square of what is short for a reason that stands in a table here.
"""

import ast
import json
import math
import re
import subprocess
import sys
from collections import defaultdict
from typing import NamedTuple

import pytest

from service.text.backtracking import growth
from tests.service.pattern_census import FUNCTIONS

pytestmark = pytest.mark.thorough

BLOCK = "a block of a thousand characters, or the words that one element of markup holds together"
WORD = "one word or number"
SQUARE = {
    "service/text/normalization/": BLOCK, "service/text/punctuation.py": BLOCK,
    "service/text/lattice/": BLOCK,
    "service/text/languages/english/numerals.py": WORD,
    "service/text/languages/english/subwords.py": WORD, "service/text/espeak/": BLOCK,
    "service/text/languages/": BLOCK,
    "service/machine/": "a message of a library, or a file of the board",
}  # fmt: skip
"""Where a pattern's work may grow with the square of its text, and what that text is."""

LIMITED = {
    "service/text/lattice/grammar.py": "an expression of a few parts, from one token on",
    "service/text/languages/english/grammars/numbers.py": "a unit behind a power of ten",
    "service/text/languages/english/normalization/digit_strings.py": "a number of so many digits",
    "service/text/languages/english/normalization/telephones.py": "seven groups of digits",
    "service/text/languages/italian/respellings.py": "nine parts of a number in one word",
    "service/text/normalization/figures/abbreviations.py": "letters of an abbreviation",
    "service/text/normalization/formulas.py": "a formula of a few terms",
    "service/text/normalization/figures/arithmetic.py": "seven groups of digits",
    "service/text/normalization/figures/telephones.py": "seven groups of digits",
}
"""Where limits of repetitions inside each other are all that keeps work from being exponential."""

UNSEEN = {
    "service/machine/memory.py": "a line of /proc/meminfo",
    "service/text/lexicon_entries.py": "the operator's, which is refused if it is slow",
    "service/text/markup/ipa.py": "plain words",
    "service/text/languages/english/normalization/chat.py": "words after an abbreviation",
    "service/text/languages/english/normalization/enumerations.py": "begins at the start of a line",
    "service/text/languages/english/normalization/ranks.py": "plain words",
    "service/text/normalization/figures/dates.py": "a part of others that are seen",
    "service/text/normalization/figures/interpretation.py": "a part of others that are seen",
    "service/text/languages/japanese/normalization/weekdays.py": "one of seven characters",
    "service/text/reading.py": "one repetition, behind which a match is certain",
    "service/text/wordlist.py": "letters and classes of fixed lengths, against single words",
}
"""Where a pattern is made for some texts only, and why it is harmless."""


class Call(NamedTuple):
    file: str
    line: int
    function: str
    pattern: str
    flags: int


@pytest.fixture(scope="module")
def census(repository):
    command = [sys.executable, "-m", "tests.service.pattern_census"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    return [Call(*call) for call in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def sources(repository):
    files = sorted((repository / "service").rglob("*.py"))
    return {str(file.relative_to(repository)): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def test_no_call_of_re_is_missing(census, sources):
    known = {(call.file, call.line) for call in census}
    missing = []
    n_calls = 0
    for file, node in _calls(sources):
        n_calls += 1
        if (file, node.lineno) not in known and not isinstance(node.args[0], ast.Constant):
            missing.append(file)
    assert n_calls > 700
    assert sorted(missing) == sorted(UNSEEN)


def test_the_work_of_every_pattern_is_bounded(census, sources):
    uses = _uses(sources)
    patterns = defaultdict(set)
    for call in [*census, *_constants(sources)]:
        used = uses[call.file, call.line] if call.function == "compile" else {_use(call.function)}
        patterns[call.pattern, call.flags] |= {(call.file, use) for use in used}
    assert len(patterns) > 800
    slow = []
    squares, limited = set(), set()
    for (pattern, flags), places in patterns.items():
        worst = {}
        for file, use in sorted(places):
            if use not in worst:
                worst[use] = growth(re.compile(pattern, flags), use)
                if "}" in pattern and _is_exponential_without_limits(pattern, flags, use):
                    limited.add(file)
            exponent, pump = worst[use]
            table = next((entry for entry in SQUARE if file.startswith(entry)), None)
            limit = 1 if table is None else 2
            if exponent > limit:
                slow.append(f"{file}, {use}: {pattern[:80]!r} takes n^{exponent} of {pump!r}")
            elif exponent == 2 and table is not None:
                squares.add(table)
    assert not slow, "\n".join(slow)
    # An entry that is of no use any more goes.
    assert squares == set(SQUARE)
    assert limited == set(LIMITED)


def _is_exponential_without_limits(pattern, flags, use):
    return growth(re.compile(pattern, flags), use, bounded=False).exponent == math.inf


def _of_re(function):
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in FUNCTIONS
    )


def _calls(sources):
    for file, module in sources.items():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and _of_re(node.func):
                yield file, node


def _use(function):
    return function if function in ("match", "fullmatch") else "search"


def _constants(sources):
    """Return the calls of `re` with a pattern that is written there."""
    return [
        Call(file, node.lineno, node.func.attr, node.args[0].value, int(re.UNICODE))
        for file, node in _calls(sources)
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
        if node.func.attr != "compile"  # those are in the census, with their flags
    ]


def _uses(sources):
    """Return, for the line of each call of `re.compile`, how the pattern may be used.

    A pattern with a name of its module is used by the methods that are called on this name. If it
    is handed on, or has no name, it may be searched for.
    """
    used = defaultdict(set)
    for file, module in sources.items():
        called = {
            id(node.func.value): node.func.attr
            for node in ast.walk(module)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        for node in ast.walk(module):
            name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)
            if name is None or not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            scope = file if name.startswith("_") else ""
            used[f"{scope}:{name}"].add(_use(called.get(id(node), "")))
    uses = defaultdict(lambda: {"search"})
    for file, module in sources.items():
        for node in module.body:
            if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
                continue
            if _of_re(node.value.func) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                scope = file if name.startswith("_") else ""
                uses[file, node.value.lineno] = used[f"{scope}:{name}"] or {"search"}
    return uses
