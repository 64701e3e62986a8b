"""The tables of tests/data/reading."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "data" / "reading"


def rows(name):
    """Return the cells of each line of a table."""
    lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n").split("\t") for line in lines if line and not line.startswith("#")]
