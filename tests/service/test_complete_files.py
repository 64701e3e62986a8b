"""No file is ever in part under its name."""

import os
import stat
from pathlib import Path

import pytest

from service.complete_files import write_whole


def test_a_file_has_the_permissions_that_a_shell_would_give_it(tmp_path):
    plain, output = tmp_path / "plain", tmp_path / "a.wav"
    plain.touch()
    write_whole(output, b"sound")
    assert output.read_bytes() == b"sound"
    assert output.stat().st_mode == plain.stat().st_mode
    output.chmod(0o640)
    write_whole(output, b"other")
    assert stat.S_IMODE(output.stat().st_mode) == 0o640


def test_a_file_that_cannot_be_completed_stays_as_it_was(tmp_path, monkeypatch):
    output = tmp_path / "a.wav"
    output.write_bytes(b"before")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(output, b"after")
    assert output.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [output]


def test_a_symbolic_link_stays_one_and_a_device_is_written(tmp_path):
    target, link = tmp_path / "target.wav", tmp_path / "link.wav"
    link.symlink_to(target)
    write_whole(link, b"sound")
    assert link.is_symlink()
    assert target.read_bytes() == b"sound"
    write_whole(Path("/dev/null"), b"sound")
    assert not Path("/dev/null").is_file()
