"""What is in the cache, and what is left when it is cleared."""

import os

import pytest
from service.__main__ import main

from service.preparation import cached, remove


@pytest.fixture
def cache(tmp_path):
    """A cache with a prepared model, a published one, and what is not anybody's to remove."""
    model = tmp_path / "prepared/6e742170d309016e-native-5-1.30.0-2"
    model.mkdir(parents=True)
    (model / "decoder.bin").write_bytes(b"x" * 2_000_000)
    os.utime(model, (0, 86_400))
    (tmp_path / "kokoro.onnx").write_bytes(b"x" * 1_000)
    (tmp_path / "prepared/.lock").touch()
    (tmp_path / "prepared/.partial-abc").mkdir()
    return tmp_path


def test_the_cache_is_listed_last_used_first(cache):
    found = cached(cache)
    assert [(one.name, one.size_bytes) for one in found] == [
        ("kokoro.onnx", 1_000), ("6e742170d309016e-native-5-1.30.0-2", 2_000_000),
    ]  # fmt: skip
    assert found[1].used_s == 86_400


def test_a_cache_that_is_not_there_is_empty(tmp_path):
    assert cached(tmp_path / "none") == []


def test_what_is_removed_is_gone_and_the_rest_stays(cache):
    remove(cached(cache)[1].path)
    assert [one.name for one in cached(cache)] == ["kokoro.onnx"]
    assert sorted(path.name for path in (cache / "prepared").iterdir()) == [".lock", ".partial-abc"]


def test_the_command_lists_and_clears(cache, capsys):
    assert main(["cache", "--cache-dir", str(cache)]) == 0
    assert "2.0 MB  1970-01-02" in capsys.readouterr().out
    assert main(["cache", "kokoro.onnx", "--clear", "--cache-dir", str(cache)]) == 0
    assert [line.split("/")[-1] for line in capsys.readouterr().out.splitlines()] == ["kokoro.onnx"]
    assert main(["cache", "--clear", "--cache-dir", str(cache)]) == 0
    assert cached(cache) == []
