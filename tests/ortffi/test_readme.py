"""Every snippet of ortffi's guide runs, and prints what stands behind its `print`."""

import contextlib
import io
import re
from pathlib import Path

import pytest
from tests.ortffi import tiny_models

import ortffi

GUIDE = Path(ortffi.__file__).with_name("README.md")
TEXT = GUIDE.read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


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
    assert len(SNIPPETS) > 8
    for name in re.findall(r"ortffi\.(\w+)", TEXT):
        assert hasattr(ortffi, name), name
    for name in re.findall(r"`(\w+Error)`", TEXT):
        assert name in ("TypeError", "ValueError") or hasattr(ortffi, name), name
