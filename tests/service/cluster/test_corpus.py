"""What is a corpus: good lines, bad lines, and what is told of these."""

import json

import pytest
from service.cluster.corpus import BadLine, CorpusLine, read_corpus
from service.errors import InvalidRequestError

from service.cluster import corpus


def written(path, *lines):
    path.write_bytes(b"\n".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines))
    return path


def test_a_line_has_the_fields_of_a_request(tmp_path):
    path = written(
        tmp_path / "c.jsonl", b"\xef\xbb\xbf" + json.dumps({"text": "One."}).encode(), b"",
        {"id": "two", "text": "<speak>Two.</speak>", "ssml": True, "voice": "bf_emma"},
        {"id": 3, "phonemes": "həlˈO", "text": None, "speed": 2, "metadata": {"page": 7}},
        {"text": "Vier.", "language": "de", "normalize": False},
    )  # fmt: skip
    one, two, three, four = read_corpus(path)
    assert isinstance(one, CorpusLine)
    assert (one.number, one.id, one.utterance.text, one.utterance.kind) == (1, "1", "One.", "text")
    assert isinstance(two, CorpusLine)
    assert (two.number, two.id, two.utterance.kind, two.utterance.voice) == (3, "two", "ssml", "bf_emma")
    assert isinstance(three, CorpusLine)
    assert (three.id, three.utterance.kind, three.utterance.speed) == ("3", "phonemes", 2.0)
    assert three.metadata == {"page": 7}
    assert isinstance(four, CorpusLine)
    assert (four.utterance.language, four.utterance.normalization) == ("de", None)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b"{", "not JSON"), (b"[" * 100_000, "not JSON"), (b'{"text": "caf\xe9"}', "not UTF-8"),
        (b"7", "JSON object"), ({"id": "x"}, "text or phonemes"),
        ({"text": "a", "phonemes": "a"}, "text or phonemes"), ({"phonemes": "a", "ssml": True}, "SSML"),
        ({"text": "a", "voise": "b"}, "did you mean voice?"),
        ({"text": "a", "speaker_height": 7}, "metadata"), ({"text": 7}, "text"),
        ({"text": "a", "speed": "fast"}, "speed"), ({"text": "a", "id": [1]}, "id"),
        ({"text": "b", "id": "first"}, "line 1 too"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_and_the_next_is_read(tmp_path, line, named):
    path = written(tmp_path / "c", {"id": "first", "text": "a"}, line, {"text": "c"})
    first, bad, last = read_corpus(path)
    assert isinstance(first, CorpusLine)
    assert isinstance(bad, BadLine)
    assert (bad.number, bad.code) == (2, "invalid_line")
    assert named in bad.message
    assert isinstance(last, CorpusLine)
    assert last.number == 3


def test_a_line_without_end_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "_MAX_LINE_BYTES", 100)
    path = written(tmp_path / "c", {"text": "x" * 1000}, {"text": "b"}, {"text": "y" * 1000})
    first, second, third = read_corpus(path)
    assert isinstance(first, BadLine)
    assert "100 bytes" in first.message
    assert isinstance(second, CorpusLine)
    assert isinstance(third, BadLine)
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
    assert list(read_corpus(parquet)) == list(read_corpus(written(tmp_path / "c", *rows)))
    parquet.write_bytes(b"PAR0")
    with pytest.raises(InvalidRequestError, match="cannot be read as Parquet"):
        list(read_corpus(parquet))
