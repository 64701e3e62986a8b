"""Whatever is done to a document, it is a book or an invalid one."""

import io
import random
import re
import zipfile

import pytest

from service.books import book_files
from service.books.book import Book
from service.books.book_files import read_book
from service.errors import InvalidBookError
from tests.service.books import made_books
from tests.service.books.made_books import COVER, page, picture
from tests.service.books.reading_processes import text

MARKDOWN = (
    "---\ntitle: Tales\n---\n# One\n\n*He* said [Kokoro](/kˈOkəɹO/).[^1]\n\n> All\n> is water.\n\n"
    "```\nx = 1\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n---\n\n# Two\n\n1. End.\n\n"
    "[^1]: A note.\n"
)
TEXT = (
    "Title: The Sea\n\n*** START OF THE PROJECT GUTENBERG EBOOK\n\nCHAPTER I.\nWater\n\n"
    "It was a dark night and the remem-\nbrance of it.[1]\n\n   The wind blew\n   And grew.\n\n"
    "[1] A note.\n\n* * *\n\n\f12\n\nCHAPTER II\n\nGrüße aus Köln.\n\n*** END OF THE PROJECT "
    "GUTENBERG EBOOK\n"
)
HTML = (
    '<html lang="fr"><head><meta charset="utf-8"><title>Été</title></head><body><h1>Un</h1>'
    '<p class="dropcap">Là. <a epub:type="noteref" href="#n">1</a><i>Ici</i></p><table><tr><td>a'
    "<td>b</table><h1>Deux</h1><pre>x</pre><div class=pagebreak>5</div><nav><a href=b>c</a></nav>"
)


def epub(path):
    return made_books.epub(
        path,
        {
            "a.xhtml": page('<h1 id="a">I. Water</h1><p>It rained.<img src="c.jpg"/></p>'),
            "b.xhtml": page('<h2>Fire</h2><p>It <b class="smcap">BURNED</b>.</p>', kind="chapter"),
        },
        '<li><a href="a.xhtml#a">Water</a><ol><li><a href="b.xhtml">Fire</a></li></ol></li>',
        items=COVER,
        extra={"OPS/c.jpg": picture()},
    )


def zipped(path):
    return made_books.pack(path, {"waves.fb2": [made_books.fb2(path).read_bytes()]})


def printed(path):
    return made_books.pdf(path, [made_books.set_lines(TEXT.split("\n")), made_books.set_lines(MARKDOWN.split("\n"))])


def written(content):
    return lambda path: text(path, content)


MAKERS = {
    "epub": ("a.epub", epub), "docx": ("a.docx", made_books.word), "fb2": ("a.fb2", made_books.fb2),
    "fb2.zip": ("b.fb2", zipped), "html": ("a.html", written(HTML)), "md": ("a.md", written(MARKDOWN)),
    "txt": ("a.txt", written(TEXT)), "pdf": ("a.pdf", printed),
}  # fmt: skip
TOKENS = (
    b"<", b">", b"&", b"\0", b"\xff\xfe", b"\xff", b"</p>", b"<p>", b"]]>", b"<!--", b"<![CDATA[",
    b"&#0;", b"&#xFFFE;", b"&#xD800;", b"\r", b"PK\x03\x04", b"PK\x05\x06", b"\x80", b"'", b'"',
    b"/", b"99999999999", b"-1", b"..", b"%00", b'<?xml version="1.0" encoding="x"?>',
    b"<!DOCTYPE a [", b"\xef\xbb\xbf", b"=", b"[", b"](", b"`", b"|", b"\xed\xa0\x80",
)  # fmt: skip


def damaged(content, chance):
    """Return a file with bytes that are changed, gone, new, doubled or elsewhere."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5, 30))):
        place = chance.randrange(len(changed) + 1)
        end = min(len(changed), place + chance.choice((1, 2, 8, 100, 3000)))
        match chance.randrange(7):
            case 0 | 1 if place < len(changed):
                changed[place] ^= 1 << chance.randrange(8)
            case 2:
                del changed[place:end]
            case 3:
                changed[place:place] = chance.choice(TOKENS)
            case 4:
                changed[place:place] = chance.randbytes(chance.choice((1, 4, 40)))
            case 5:
                to = chance.randrange(len(changed) + 1)
                changed[to:to] = changed[place:end]
            case 6 if chance.random() < 0.2:
                del changed[place:]
    return bytes(changed)


def damaged_inside(content, chance):
    """Return an archive that is whole, with a member that is damaged, gone, renamed or doubled."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(members))
    match chance.randrange(8):
        case 0:
            del members[name]
        case 1:
            other = damaged(name.encode(), chance).decode("latin-1").replace("\0", "")
            members[other or "?"] = members.pop(name)
        case 2:
            members[name] = members[chance.choice(sorted(members))]
        case _:
            members[name] = damaged(members[name], chance)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", chance.choice((0, 8))) as archive:
        for member, changed in members.items():
            archive.writestr(member, changed)
    return target.getvalue()


def book_or_error(path):
    try:
        return read_book(path)
    except InvalidBookError as error:
        return error


def outcomes(kind, folder, seeds):
    """Return how many damaged documents are books, and how many invalid; fail for anything else."""
    name, make = MAKERS[kind]
    path = make(folder / name)
    content = path.read_bytes()
    n_books = n_invalid = 0
    for seed in seeds:
        chance = random.Random(f"{kind} {seed}")
        is_archive = zipfile.is_zipfile(io.BytesIO(content))
        inside = is_archive and chance.random() < 0.6
        path.write_bytes((damaged_inside if inside else damaged)(content, chance))
        try:
            found = book_or_error(path)
        except Exception as error:
            raise AssertionError(f"{kind}, seed {seed}: {error!r}") from error
        if isinstance(found, Book):
            n_books += 1
            "".join(p.text for c in found.chapters for p in c.paragraphs).encode()
        else:
            n_invalid += 1
            assert str(found), seed
    return n_books, n_invalid


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_some_damage(kind, tmp_path):
    n_books, n_invalid = outcomes(kind, tmp_path, range(40))
    assert n_books > 3
    if kind not in ("html", "md", "txt"):
        assert n_invalid > 3


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(40, 240), marks=pytest.mark.thorough), pytest.param(range(240, 4000), marks=pytest.mark.slow)],
    ids=["much", "most"],
)
@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_much_damage(kind, seeds, tmp_path):
    n_books, n_invalid = outcomes(kind, tmp_path, seeds)
    assert n_books > len(seeds) / 15
    assert n_invalid > 0


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_nothing_and_noise_and_other_kinds_are_no_books(kind, tmp_path):
    others = [make(tmp_path / f"other-{name}").read_bytes() for name, make in MAKERS.values()]
    path = tmp_path / MAKERS[kind][0]
    for content in (b"", b"\0", b"\0" * 5000, b"PK\x05\x06" + b"\0" * 18, b"\xff" * 99,
                    random.Random(0).randbytes(5000), *others):  # fmt: skip
        found = book_or_error(text(path, content))
        assert isinstance(found, Book) or path.name in str(found)


def test_what_nobody_foresaw_is_an_invalid_book_and_in_the_log(tmp_path, monkeypatch, caplog):
    path = text(tmp_path / "a.txt", "It rained.")
    errors = (KeyError("x"), RecursionError(), AttributeError(), UnicodeError())
    for error in errors:

        def fail(_, error=error):
            raise error

        monkeypatch.setattr(book_files, "_reader", lambda ending, fail=fail: fail)
        with pytest.raises(InvalidBookError, match=r"a\.txt") as caught:
            read_book(path)
        assert caught.value.__cause__ is error
    for record, error in zip(caplog.records, errors, strict=True):
        name = type(error).__name__
        assert re.match(rf"a document cannot be read: builtins\.{name}\n  File .* in _read\n", record.getMessage())
        assert "It rained" not in record.getMessage()
