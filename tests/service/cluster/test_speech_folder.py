"""What is kept stays, whatever ends the process that keeps it."""

import hashlib
import json

import pytest
from service.cluster.speaker import Speech
from service.cluster.speech_folder import SpeechFolder
from service.errors import StartupError

KEY, OTHER = "ab" * 16, "cd" * 16


def test_what_is_kept_is_there_for_the_next_run(tmp_path):
    words = [{"text": "one", "start_s": 0.1}]
    with SpeechFolder(tmp_path / "out", "wav") as folder:
        assert not folder.has(KEY)
        folder.keep(KEY, Speech(b"sound", 1.5, words))
        first = folder.record(KEY)
    with SpeechFolder(tmp_path / "out", "wav") as folder:
        assert folder.record(KEY) == first
    assert first == {
        "file": f"audio/ab/{KEY}.wav", "sha256": hashlib.sha256(b"sound").hexdigest(), "size_bytes": 5,
        "duration_s": 1.5, "words": words,
    }  # fmt: skip
    assert (tmp_path / "out" / str(first["file"])).read_bytes() == b"sound"


def test_a_process_that_is_killed_leaves_whole_files_only(tmp_path):
    with SpeechFolder(tmp_path, "wav") as folder:
        for key in (KEY, OTHER):
            folder.keep(key, Speech(b"sound", 1.5))
    # One died before the file had its name, one while it wrote the journal.
    (tmp_path / f"audio/cd/{OTHER}.wav").rename(tmp_path / "audio/cd/.partial")
    with open(tmp_path / "journal.jsonl", "ab") as journal:
        journal.write(b'{"key": "ef')
    with SpeechFolder(tmp_path, "wav") as folder:
        assert folder.has(KEY)
        assert not folder.has(OTHER)
        folder.keep(OTHER, Speech(b"sound", 1.5))
    assert not list(tmp_path.glob("audio/*/.*"))
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == [KEY, OTHER, OTHER]


@pytest.mark.parametrize("content", [b"", b"soun", b"sounds"])
def test_a_file_of_another_length_is_not_kept(tmp_path, content):
    with SpeechFolder(tmp_path, "wav") as folder:
        folder.keep(KEY, Speech(b"sound", 1.5))
    (tmp_path / f"audio/ab/{KEY}.wav").write_bytes(content)
    with SpeechFolder(tmp_path, "wav") as folder:
        assert not folder.has(KEY)


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    with SpeechFolder(tmp_path, "wav"), pytest.raises(StartupError, match="another corpus"):
        SpeechFolder(tmp_path, "wav")
    SpeechFolder(tmp_path, "wav").close()


def test_a_file_that_cannot_be_written_is_not_kept(tmp_path):
    with SpeechFolder(tmp_path, "wav") as folder:
        (tmp_path / "audio/ab").write_bytes(b"in the way")
        with pytest.raises(OSError, match="ab"):
            folder.keep(KEY, Speech(b"sound", 1.5))
        assert not folder.has(KEY)


def test_without_bad_lines_there_is_no_file_of_them(tmp_path):
    with SpeechFolder(tmp_path, "wav") as folder:
        path = folder.write_errors([{"line": 1, "message": "\ud800 é"}])
        assert json.loads(path.read_text())["line"] == 1
        folder.write_errors([])
        assert not path.exists()
