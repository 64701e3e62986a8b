import subprocess

import pytest
from tests import changed


@pytest.fixture(scope="module", autouse=True)
def _imports_read_once():
    with pytest.MonkeyPatch.context() as patch:
        needed = changed.needs()
        patch.setattr(changed, "needs", lambda: dict(needed))
        yield


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("service/audio/subtitles.py", "tests/service/audio/test_subtitles.py"),
        ("service/text/offset_mapping.py", "tests/service/text/test_frontend.py"),  # through others
        ("service/preparation/assembly.py", "tests/service/speech/test_synthesizer.py"),  # fixture
        ("ortffi/value.py", "tests/conformance/test_onnx_suite.py"),  # by a lazy name
        ("tests/service/files.py", "tests/service/jobs/test_jobs_folder.py"),
        ("tests/service/books/conftest.py", "tests/service/books/test_narration.py"),
        ("tests/data/reading/awkward.tsv", "tests/service/text"),
        ("native/matmul.c", "tests/native"),
        ("service/api/server.py", "tests/service/api"),
        ("README.md", "tests/test_documents.py"),
        ("config/default.toml", "tests/service"),
        ("pyproject.toml", "tests"),
    ],
)
def test_a_change_selects_what_it_can_reach(path, tests):
    assert tests in changed.reached_by([path])


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("service/audio/subtitles.py", "tests/service/text/test_clauses.py"),
        ("service/text/clauses.py", "tests/ortffi/test_value.py"),
        ("service/api/server.py", "tests/service/audio/test_subtitles.py"),
        ("tests/service/audio/test_subtitles.py", "tests/service/audio/test_covers.py"),
    ],
)
def test_a_change_selects_nothing_else(path, tests):
    assert tests not in changed.reached_by([path])


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
