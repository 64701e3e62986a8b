"""The state of a book that is being spoken."""

import pytest
from service.books.journal import Journal
from service.errors import InvalidRequestError
from tests.service.files import open_files


def test_a_damaged_state_is_told_and_no_file_stays_open(tmp_path):
    with Journal(tmp_path):
        assert open_files(tmp_path)
    assert not open_files(tmp_path)
    (tmp_path / "speech.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(InvalidRequestError, match="is damaged"):
        Journal(tmp_path)
    assert not open_files(tmp_path)
