"""How well English text is written as words, by this service and by NVIDIA's NeMo.

    make bench-normalizers [ARGS="TABLE ..."]

Each table is lines of class, text and what a good reader says, as in tests/data/reading; by default
those of texts as callers send them. Case, punctuation marks and hyphens do not count. "Exact" is
the share of texts whose words are all as expected, "wrong words" the words to insert, delete or
replace, as a share of the expected ones. Our rules were made for these texts, NeMo's were not: only
a table that was written before any rule for it compares the two, and only on its first run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.command import plain_command_line
from bench.report import heading
from service.text import Espeak, FrontEnd, Passage, parse

ROOT = Path(__file__).parents[1]
TABLES = (ROOT / "tests" / "data" / "reading" / "awkward.tsv",)
PYTHON = ROOT / ".venv" / "nemo" / "bin" / "python"
NEMO = ROOT / "tests" / "reference" / "nemo.py"
LANGUAGE = "en-us"


class Score(NamedTuple):
    """How well texts were written as words."""

    exact: int
    n_texts: int
    wrong: int
    n_words: int

    def __str__(self) -> str:
        exact, wrong = self.exact / self.n_texts, self.wrong / self.n_words
        return f"{exact:.1%} ({self.exact} of {self.n_texts}) | {wrong:.1%}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 2 if NeMo or a table is missing or fails."""
    parser = plain_command_line("bench.normalizers", __doc__)
    parser.add_argument("tables", nargs="*", type=Path, default=TABLES, metavar="TABLE")
    parser.add_argument("--classes", action="store_true", help="a row for each class of text")
    parser.add_argument("--misses", action="store_true", help="print what we read otherwise")
    options = parser.parse_args(arguments)
    try:
        cases = [case for table in options.tables for case in read_table(table)]
        texts = [text for _, text, _ in cases]
        theirs = ask_nemo(texts)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    ours = read(texts)
    print(f"{heading()}\n")
    print("| texts | ours, exact | ours, wrong words | NeMo, exact | NeMo, wrong words |")
    print("|---|---|---|---|---|")
    kinds = sorted({kind for kind, _, _ in cases}) if options.classes else []
    for kind in [*kinds, None]:
        rows = [index for index, case in enumerate(cases) if kind in (None, case[0])]
        expected = [cases[index][2] for index in rows]
        both = (score(expected, [said[index] for index in rows]) for said in (ours, theirs))
        print(f"| {kind or 'all'} | {' | '.join(map(str, both))} |")
    if options.misses:
        for (_, text, reading), said in zip(cases, ours, strict=True):
            if words(reading) != words(said):
                print(f"{text!r}\n  expected {reading!r}\n  ours     {said!r}")
    return 0


def read_table(table: Path) -> list[tuple[str, str, str]]:
    """Return the class, the text and the reading in each line; ValueError if there is none."""
    rows = []
    for line in table.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, text, reading = line.replace("\\n", "\n").split("\t")
            rows.append((kind, text, reading))
    if not rows:
        raise ValueError(f"{table} has no texts")
    return rows


def read(texts: Sequence[str]) -> list[str]:
    """Return the texts as this service writes them in words."""
    front_end = FrontEnd(Espeak())
    return [
        " ".join(
            reading.normalized
            for part in parse(text)
            if isinstance(part, Passage)
            for reading in front_end.read(part, LANGUAGE)
        )
        for text in texts
    ]


def ask_nemo(texts: Sequence[str]) -> list[str]:
    """Return the texts as NeMo writes them in words."""
    done = subprocess.run(
        [PYTHON, NEMO], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout.splitlines()[-1])
    if len(said) != len(texts):
        raise ValueError(f"NeMo answered {len(said)} of {len(texts)} texts")
    return [str(text) for text in said]


def words(text: str) -> list[str]:
    """Return the words of a text in small letters, without marks."""
    return re.sub(r"[^\w\s'’]|_", " ", text.lower()).replace("’", "'").split()


def score(
    expected: Sequence[str], said: Sequence[str], words: Callable[[str], list[str]] = words
) -> Score:
    """Compare readings with those that are expected, word by word."""
    exact = wrong = n_words = 0
    for one, other in zip(expected, said, strict=True):
        wanted, found = words(one), words(other)
        exact += wanted == found
        wrong += distance(wanted, found)
        n_words += len(wanted)
    return Score(exact, len(expected), wrong, n_words)


def distance(expected: Sequence[str], said: Sequence[str]) -> int:
    """Return how many words to insert, delete or replace."""
    row = list(range(len(said) + 1))
    for index, wanted in enumerate(expected, 1):
        before, row[0] = row[0], index
        for column, found in enumerate(said, 1):
            cost = before + (wanted != found)
            before, row[column] = row[column], min(cost, row[column] + 1, row[column - 1] + 1)
    return row[-1]


if __name__ == "__main__":
    sys.exit(main())
