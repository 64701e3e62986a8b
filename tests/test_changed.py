import subprocess

import pytest

from tests import changed

# What a change reaches, and what it does not.
REACHED = [
    ("service/audio/subtitles.py", "service/audio/test_subtitles.py", "service/text/test_clauses.py"),
    ("service/text/offset_mapping.py", "service/text/test_frontend.py", ""),  # through others
    ("service/preparation/assembly.py", "service/speech/test_synthesizer.py", ""),  # by a fixture
    ("ortffi/value.py", "conformance/test_onnx_suite.py", ""),  # by a lazy name
    ("tests/service/files.py", "service/jobs/test_jobs_folder.py", ""),
    ("tests/service/books/conftest.py", "service/books/test_narration.py", ""),
    ("tests/service/audio/test_subtitles.py", "", "service/test_covers.py"),
    ("tests/data/reading/awkward.tsv", "service/text", ""),
    ("native/matmul.c", "native", ""),
    ("service/api/server.py", "service/api", "service/audio/test_subtitles.py"),
    ("service/text/clauses.py", "", "ortffi/test_value.py"),
    ("README.md", "test_documents.py", ""),
    ("config/default.toml", "service", ""),
]


@pytest.mark.thorough  # it takes as long as some hundred other tests to read all imports
def test_a_change_selects_what_it_can_reach_and_nothing_else(monkeypatch):
    needed = changed.needs()
    monkeypatch.setattr(changed, "needs", lambda: dict(needed))
    misses = []
    for path, reached, spared in REACHED:
        found = changed.reached_by([path])
        if (reached and f"tests/{reached}" not in found) or f"tests/{spared}" in found:
            misses.append((path, found))
    assert not misses
    assert "tests" in changed.reached_by(["pyproject.toml"])


def test_rules_name_what_there_is(repository):
    named = {*changed.RULES, *changed.ALWAYS, *changed.OF_ALL, *sum(changed.RULES.values(), ())}
    assert not {path for path in named if not (repository / path).exists()}


def test_files_that_git_does_not_know_and_files_that_are_gone_have_changed(tmp_path, monkeypatch):
    git = ["git", "-c", "user.name=anne", "-c", "user.email=anne@example.org"]
    for name in ("kept", "gone", "edited"):
        (tmp_path / name).write_text(name)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "three files"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    (tmp_path / "gone").unlink()
    (tmp_path / "edited").write_text("another")
    (tmp_path / "new").touch()
    monkeypatch.setattr(changed, "REPOSITORY", tmp_path)
    assert changed.changed_since("HEAD") == {"gone", "edited", "new"}
