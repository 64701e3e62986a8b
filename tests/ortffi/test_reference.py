"""The reference documentation is what the docstrings say, of every public name."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from ortffi.tools import write_reference

import ortffi
from ortffi import raw

DOCUMENT = Path(ortffi.__file__).parents[1] / "docs/ortffi-reference.md"
COMMAND = "python ortffi/tools/write_reference.py > docs/ortffi-reference.md"


def test_the_document_is_up_to_date(tmp_path):
    done = subprocess.run(
        [sys.executable, write_reference.__file__], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == DOCUMENT.read_text(encoding="utf-8"), f"run: {COMMAND}"


def test_every_public_name_is_in_it_once():
    headings = re.findall(r"^### `(.*)`$", write_reference.reference(), re.MULTILINE)
    wanted = [f"ortffi.{name}" for name in ortffi.__all__] + [f"raw.{name}" for name in raw.__all__]
    assert sorted(headings) == sorted(wanted)


@pytest.mark.parametrize(
    "part",
    [
        "#### `Session.run_async()`\n\n```python\nasync Session.run_async(\n    inputs: Inputs,\n",
        "    options: RunOptions | None = None,\n    *,\n    copy: bool = False,\n) -> list[",
        "- `TypeError`, `ValueError`: ",
        "### `ortffi.Session`\n\nA model, ready to run.",
        "### `ortffi.DTYPES`\n\nThe numpy dtype of each element type.",
        "### `ortffi.TerminatedError`\n\nSubclass of `FailError`.\n",
        "- `DISABLE_ALL` = 0\n- `BASIC` = 1\n",
        "`Memory.cuda()`\n\n```python\nMemory.cuda(device_id: int = 0) -> Memory\n```\n",
    ],
)
def test_what_is_written_is_laid_out_for_readers(part):
    assert part in write_reference.reference()
