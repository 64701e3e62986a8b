"""Every snippet of ortffi's guide runs, and the reference is what the docstrings say, of every public name."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ortffi
from ortffi import raw
from ortffi.tools import write_reference
from tests.ortffi import tiny_models

GUIDE = Path(ortffi.__file__).with_name("README.md")
TEXT = GUIDE.read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
DOCUMENT = Path(ortffi.__file__).parents[1] / "docs/ortffi-reference.md"
COMMAND = "python ortffi/tools/write_reference.py > docs/ortffi-reference.md"


@pytest.fixture(scope="module")
def names():
    """What the snippets leave behind: each may use what those before it made."""
    return {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guide")
    (folder / "model.onnx").write_bytes(tiny_models.doubling())
    return folder


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_snippet_does_what_it_says(number, names, folder, monkeypatch):
    monkeypatch.chdir(folder)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(SNIPPETS[number], f"{GUIDE.name}, snippet {number}", "exec"), names)
    except ortffi.UnsupportedError as error:
        pytest.skip(str(error))
    promised = re.findall(r"print\(.*\)  # (.*)", SNIPPETS[number])
    assert printed.getvalue().splitlines() == promised


def test_the_guide_has_snippets_and_names_only_what_there_is():
    """A snippet prints what stands behind its `print`."""
    assert len(SNIPPETS) > 8
    names = {*re.findall(r"ortffi\.(\w+)", TEXT), *re.findall(r"`(\w+Error)`", TEXT)} - {"TypeError", "ValueError"}
    assert not [name for name in names if not hasattr(ortffi, name)]


def test_the_document_is_up_to_date(tmp_path):
    done = subprocess.run(
        [sys.executable, write_reference.__file__], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == DOCUMENT.read_text(encoding="utf-8"), f"run: {COMMAND}"


def test_every_public_name_is_in_it_once():
    headings = re.findall(r"^### `(.*)`$", write_reference.reference(), re.MULTILINE)
    wanted = [f"ortffi.{name}" for name in ortffi.__all__] + [f"raw.{name}" for name in raw.__all__]
    assert sorted(headings) == sorted(wanted)


PARTS = (
    "#### `Session.run_async()`\n\n```python\nasync Session.run_async(\n    inputs: Inputs,\n",
    "    options: RunOptions | None = None,\n    *,\n    copy: bool = False,\n) -> list[",
    "- `TypeError`, `ValueError`: ",
    "### `ortffi.Session`\n\nA model, ready to run.",
    "### `ortffi.DTYPES`\n\nThe numpy dtype of each element type.",
    "### `ortffi.TerminatedError`\n\nSubclass of `FailError`.\n",
    "- `DISABLE_ALL` = 0\n- `BASIC` = 1\n",
    "`Memory.cuda()`\n\n```python\nMemory.cuda(device_id: int = 0) -> Memory\n```\n",
)


def test_what_is_written_is_laid_out_for_readers():
    written = write_reference.reference()
    assert not [part for part in PARTS if part not in written]
