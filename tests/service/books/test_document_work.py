"""Reading a document takes time in proportion to its length, whatever is in it."""

import contextlib

import pytest
from service.books.book_files import read_book
from service.errors import InvalidBookError
from tests.service.long_runs import repeated, slow_runs

pytestmark = [pytest.mark.thorough, pytest.mark.alone]

_PROSE = "It was the best of times, it was the worst of times; it was an age - of wisdom.\n\n"


@pytest.mark.parametrize(("suffix", "before"), [
    (".txt", "Hello there.\n\n"), (".txt", "Chapter"), (".txt", "[illustration:"),
    (".md", "Hello there.\n\n"), (".md", "---\ntitle: x"), (".html", "<p>Hello there."),
])  # fmt: skip
def test_work_grows_in_proportion(tmp_path, suffix, before):
    path = tmp_path / f"a{suffix}"

    def read(text):
        path.write_text(text, encoding="utf-8", newline="")
        with contextlib.suppress(InvalidBookError):  # no text, or nested too deep
            read_book(path)

    def text(run, length):
        return f"{before}{repeated(run, length)}x\n---\n"

    assert not list(slow_runs(read, _PROSE, text))
