"""What is a corpus: good lines, bad lines, and what is told of these."""

import hashlib
import io
import json

import pytest

from service.cluster import corpus
from service.cluster.corpus import BadLine, CorpusLine, read_corpus
from service.cluster.corpus_progress import CorpusProgress, duration
from service.cluster.speaker import Speech
from service.cluster.speech_folder import SpeechFolder
from service.errors import InvalidRequestError, StartupError
from tests.service.cluster.corpora import write_corpus


def test_a_line_has_the_fields_of_a_request(tmp_path):
    path = write_corpus(
        tmp_path / "c.jsonl", b"\xef\xbb\xbf" + json.dumps({"text": "One."}).encode(), b"",
        {"id": "two", "text": "<speak>Two.</speak>", "ssml": True, "voice": "bf_emma"},
        {"id": 3, "phonemes": "həlˈO", "text": None, "speed": 2, "metadata": {"page": 7}},
        {"text": "Vier.", "language": "de", "normalize": False},
    )  # fmt: skip
    one, two, three, four = read_corpus(path)
    assert (one.number, one.id, one.utterance.text, one.utterance.kind) == (1, "1", "One.", "text")
    assert (two.number, two.id, two.utterance.kind, two.utterance.voice) == (3, "two", "ssml", "bf_emma")
    assert (three.id, three.utterance.kind, three.utterance.speed) == ("3", "phonemes", 2.0)
    assert three.metadata == {"page": 7}
    assert (four.utterance.language, four.utterance.normalization) == ("de", None)


@pytest.mark.parametrize(("line", "named"), [
    (b"{", "not JSON"), (b"[" * 100_000, "not JSON"), (b'{"text": "caf\xe9"}', "not UTF-8"),
    (b"7", "JSON object"), ({"id": "x"}, "text or phonemes"),
    ({"text": "a", "phonemes": "a"}, "text or phonemes"), ({"phonemes": "a", "ssml": True}, "SSML"),
    ({"text": "a", "voise": "b"}, "did you mean voice?"),
    ({"text": "a", "speaker_height": 7}, "metadata"), ({"text": 7}, "text"),
    ({"text": "a", "speed": "fast"}, "speed"), ({"text": "a", "id": [1]}, "id"),
    ({"text": "b", "id": "first"}, "line 1 too"),
])  # fmt: skip
def test_a_bad_line_is_told_and_the_next_is_read(tmp_path, line, named):
    path = write_corpus(tmp_path / "c", {"id": "first", "text": "a"}, line, {"text": "c"})
    first, bad, last = read_corpus(path)
    assert [type(each) for each in (first, bad, last)] == [CorpusLine, BadLine, CorpusLine]
    assert (bad.number, bad.code, last.number) == (2, "invalid_line", 3)
    assert named in bad.message


def test_a_line_without_end_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "_MAX_LINE_BYTES", 100)
    path = write_corpus(tmp_path / "c", {"text": "x" * 1000}, {"text": "b"}, {"text": "y" * 1000})
    first, second, third = read_corpus(path)
    assert [type(each) for each in (first, second, third)] == [BadLine, CorpusLine, BadLine]
    assert "100 bytes" in first.message
    assert third.number == 3


def test_a_parquet_file_is_the_same_corpus(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    parquet_files = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": "a", "text": "One.", "voice": None, "speed": 1.5},
        {"id": "b", "text": None, "voice": "bf_emma", "speed": 1.0},
        {"id": "c", "text": "Three.", "voice": "bf_emma", "speed": None},
    ]
    parquet = tmp_path / "c.parquet"
    parquet_files.write_table(pyarrow.Table.from_pylist(rows), parquet)
    assert list(read_corpus(parquet)) == list(read_corpus(write_corpus(tmp_path / "c", *rows)))
    parquet.write_bytes(b"PAR0")
    with pytest.raises(InvalidRequestError, match="cannot be read as Parquet"):
        list(read_corpus(parquet))


# What is kept stays, whatever ends the process that keeps it.


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


def test_two_runs_do_not_write_into_one_folder_nor_keep_what_cannot_be_written(tmp_path):
    with SpeechFolder(tmp_path, "wav"), pytest.raises(StartupError, match="another corpus"):
        SpeechFolder(tmp_path, "wav")
    SpeechFolder(tmp_path, "wav").close()
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


# How far a corpus is, told in lines.


class Terminal(io.StringIO):
    def isatty(self):
        return True


def told(out):
    now_s = 0.0
    progress = CorpusProgress(1_000, 10_000, 7, out, lambda: now_s)
    with progress:
        for _ in range(3):
            now_s += 20
            progress.advance(1_000, 29.0)
    return out.getvalue()


def test_lines_tell_how_far_it_is_and_how_much_time_is_left():
    assert told(io.StringIO()) == (
        "1,000 utterances to speak, 7 are there already\n"
        "2 of 1,000 utterances, 20%, 58 s of speech, 3 min left\n"
        "3 of 1,000 utterances, 30%, 87 s of speech, 2 min left\n"
    )
    shown = told(Terminal())  # where each line takes the place of the one before
    assert (shown.count("\r\033[K"), shown.count("\n")) == (4, 2)
    assert shown.endswith("left\n")
    written = {4.4: "4 s", 89: "89 s", 600: "10 min", 5400: "1.5 h", 180_000: "2.1 days"}
    assert {seconds: duration(seconds) for seconds in written} == written
