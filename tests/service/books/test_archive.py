"""Small files that hold enormous ones, archives that are damaged, and the time that reading takes."""

import contextlib
import itertools
import time
import zipfile
from itertools import product

import pytest

from service.books.archive import Archive
from service.books.book_files import read_book
from service.books.document_budget import MAX_ELEMENTS, Budget
from service.errors import InvalidBookError
from tests.service.books import made_books
from tests.service.books.made_books import WORD, cell, fiction, pack, page, plain_word, said
from tests.service.long_runs import repeated, slow_runs

MEGABYTE = b" " * (1 << 20)


def texts(book):
    return [p.text for chapter in book.chapters for p in chapter.paragraphs]


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


# What is refused, before it takes memory or time.


def test_methods_that_unpack_everything_at_once_are_refused(tmp_path):
    for method, name in product((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA), ("a.fb2", "a.epub", "a.docx")):
        members = {"a.fb2": [MEGABYTE], "META-INF/container.xml": [b""], "word/document.xml": [b""]}
        path = pack(tmp_path / name, members, method)
        with pytest.raises(InvalidBookError, match="pack it with deflate"):
            read_book(path)


@pytest.mark.thorough
def test_what_is_unpacked_is_bounded_over_all_documents(tmp_path):
    fb2 = pack(tmp_path / "a.fb2", {"a.fb2": [MEGABYTE] * 129})
    notes = plain_word(tmp_path / "a.docx", said("Hi"), footnotes=[MEGABYTE] * 129)
    pages = {f"{n}.xhtml": b"<p>" + MEGABYTE * 9 + b"x</p>" for n in range(8)}
    prose = made_books.epub(tmp_path / "a.epub", pages, "", method=zipfile.ZIP_DEFLATED)
    for path, bound in ((fb2, "128 MB"), (notes, "128 MB"), (prose, "64 MB")):
        assert path.stat().st_size < 1 << 20
        with pytest.raises(InvalidBookError, match=f"{path.name} has more than {bound}"):
            read_book(path)


def test_what_an_archive_says_of_lengths_is_not_trusted_and_an_encrypted_one_is_refused(tmp_path):
    path = pack(tmp_path / "a.zip", {"a": [MEGABYTE] * 3})
    path.write_bytes(path.read_bytes().replace((3 << 20).to_bytes(8, "little"), bytes(8)))
    with Archive(path, Budget("a", 1 << 20)) as archive, pytest.raises(InvalidBookError):
        archive.read("a")
    path = pack(tmp_path / "a.fb2", {"a.fb2": [b"<FictionBook/>"]})
    content = bytearray(path.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + place] |= 1
    path.write_bytes(content)
    with pytest.raises(InvalidBookError, match="encrypted"):
        read_book(path)


def test_elements_lines_chapters_and_members_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("service.books.archive.MAX_MEMBERS", 50)
    monkeypatch.setattr("service.books.book_files.MAX_CHAPTERS", 100)
    made_books.epub(tmp_path / "a.epub", {"a.xhtml": page("<p/>" * (MAX_ELEMENTS + 1))}, "")
    (tmp_path / "a.html").write_text("<p>x" * (MAX_ELEMENTS + 1))
    (tmp_path / "a.txt").write_text("x\n" * (MAX_ELEMENTS + 1))
    (tmp_path / "a.md").write_text("x\n" * (MAX_ELEMENTS + 1))
    (tmp_path / "b.html").write_text("<h1>One</h1><p>x</p>" * 101)
    with zipfile.ZipFile(tmp_path / "b.epub", "w") as archive:
        for number in range(51):
            archive.writestr(f"{number}", b"")
    for name, bound in (("a.epub", "elements"), ("a.html", "elements"), ("a.txt", "lines"),
                        ("a.md", "lines"), ("b.html", "100 chapters"),
                        ("b.epub", "50 files")):  # fmt: skip
        with pytest.raises(InvalidBookError, match=f"more than .*{bound}"):
            read_book(tmp_path / name)


def attributes(n, value="", between=" "):
    return between.join(f"a{number}{value}" for number in range(n))


ATTRIBUTES = {
    "names": lambda: attributes(500_000), "numbers": lambda: attributes(200_000, "=1"),
    "signs of ends": lambda: attributes(200_000, '=">"'), "quotes": lambda: attributes(200_000, "='\"'", ""),
    "spaces": lambda: attributes(200_000, " = x"), "slashes": lambda: attributes(200_000, between="/"),
    "lone quotes": lambda: "x\" y z ' " + attributes(200_000, "=1"),
    "elements": lambda: f"{attributes(3000)}><p " * 200,
}  # fmt: skip
LONG = "It rained, / and so on. " * 50_000


@pytest.mark.thorough
@pytest.mark.parametrize("tag", ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_attributes_cost_no_text_and_no_time(tag, tmp_path):
    """XML's parser compares each with all before it: half a million in one element would take minutes."""
    html = tmp_path / "a.html"
    html.write_text(f"<p {tag()}>Hello.")
    epub = made_books.epub(tmp_path / "a.epub", {"a.xhtml": f"<html><body><p {tag()}>Hello.</p></body></html>"}, "")
    for path in (html, epub):
        assert texts(read_book(path))[-1] == "Hello."


def test_long_values_and_a_hundred_attributes_are_read(tmp_path):
    path = tmp_path / "a.html"
    values = attributes(99, '="1 2 3"')
    path.write_text(
        f'<img alt=\'A "long > tale"; {LONG}\' src="data:x,{"/" * 99_999}"><script>'
        f"for(i=0;i<n;i++) {{ {'a = b / c; ' * 2000} }}</script>{f'<p {values}>Hello.</p>' * 2000}"
    )
    assert texts(read_book(path)) == ["Hello."] * 2000


@pytest.mark.thorough
def test_nothing_is_lost_however_deep_it_is(tmp_path):
    path = tmp_path / "a.html"
    for depth, start in itertools.product((100, 190, 201, 255, 256, 300, 5_000, 100_000), ("<b>", "<div>")):
        script = "<script>no</script>" if depth < 500 else ""
        path.write_text(f"{start * depth}<p>It rained.</p> And on.{script}")
        assert texts(read_book(path)) == ["It rained.", "And on."]
    fb2 = tmp_path / "a.fb2"
    for depth in (150, 250, 300):
        fb2.write_text(fiction("<section>" * depth + "<p>It rained.</p>" + "</section>" * depth))
        assert texts(read_book(fb2)) == ["It rained."]


# What is read, in time and memory of its own size.


def test_a_cell_over_many_columns_and_rows_is_one_cell(tmp_path):
    span, start, more = ('<w:gridSpan w:val="99999999"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>")
    rows = [cell(span, "Wide"), cell(start, "High") + cell("", "one"), cell(more, "") + cell("", "two")]
    table = "".join(f"<w:tr>{row}</w:tr>" for row in rows)
    path = plain_word(tmp_path / "a.docx", f"<w:tbl>{table}</w:tbl>{said('End.')}")
    assert texts(read_book(path)) == ["Wide", "High, one", "two", "End."]


RUN = "<w:r><w:t>Kept.</w:t></w:r>"
BOX = f"<w:txbxContent><w:p>{RUN}</w:p></w:txbxContent>"
DOCX = {
    "in a control": f"<w:sdt><w:sdtPr/><w:sdtContent><w:p>{RUN}</w:p></w:sdtContent></w:sdt>",
    "in a line's control": f"<w:p><w:sdt><w:sdtContent>{RUN}</w:sdtContent></w:sdt></w:p>",
    "inserted": f"<w:p><w:ins>{RUN}</w:ins></w:p>",
    "beside the deleted": f"<w:p><w:del><w:r><w:delText>No.</w:delText></w:r></w:del>{RUN}</w:p>",
    "moved": f"<w:p><w:moveFrom>{RUN}</w:moveFrom></w:p><w:p><w:moveTo>{RUN}</w:moveTo></w:p>",
    "a field": f"<w:p><w:fldSimple w:instr='DATE'>{RUN}</w:fldSimple></w:p>",
    "a field in parts": f"<w:p><w:r><w:instrText>DATE</w:instrText></w:r>{RUN}</w:p>",
    "a box, for new programs and for old ones": "<w:p><w:r><w:AlternateContent>"
    f"<w:Choice>{BOX}</w:Choice><w:Fallback>{BOX}</w:Fallback></w:AlternateContent></w:r></w:p>",
    "a link": f"<w:p><w:hyperlink>{RUN}</w:hyperlink></w:p>",
    "a tag": f"<w:p><w:smartTag>{RUN}</w:smartTag></w:p>",
    "characters": "<w:p><w:r><w:t>Ke</w:t><w:softHyphen/><w:t>pt.</w:t><w:br w:type='page'/></w:r></w:p>",
    "in a table in a table": "<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>"
    f"<w:p>{RUN}</w:p></w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>",
    "in a cell's box": f"<w:tbl><w:tr><w:tc><w:p><w:r>{BOX}</w:r></w:p></w:tc></w:tr></w:tbl>",
}


@pytest.mark.parametrize("body", DOCX.values(), ids=DOCX)
def test_text_of_a_docx_is_read_once_wherever_it_is(body, tmp_path):
    assert texts(read_book(plain_word(tmp_path / "a.docx", body))) == ["Kept."]


def test_the_parts_of_a_docx_are_where_it_says(tmp_path):
    def related(**parts):
        targets = "".join(f'<Relationship Type="http://x/{kind}" Target="{target}"/>' for kind, target in parts.items())
        return [f"<Relationships>{targets}</Relationships>".encode()]

    style = '<w:p><w:pPr><w:pStyle w:val="T1"/></w:pPr><w:r><w:t>One</w:t></w:r></w:p>'
    document = f"<w:document {WORD}><w:body>{style}{said('It rained.')}</w:body></w:document>"
    styles = f'<w:styles {WORD}><w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style></w:styles>'
    notes = f"<w:footnotes {WORD}><w:footnote>{said('A note.')}</w:footnote></w:footnotes>"
    path = pack(tmp_path / "a.docx", {
        "_rels/.rels": related(officeDocument="/text/main2.xml"), "text/main2.xml": [document.encode()],
        "text/_rels/main2.xml.rels": related(styles="looks.xml", footnotes="../notes.xml"),
        "text/looks.xml": [styles.encode()], "notes.xml": [notes.encode()],
    })  # fmt: skip
    (chapter,) = read_book(path).chapters
    assert [(p.text, p.kind) for p in chapter.paragraphs] == [
        ("One", "heading"), ("It rained.", "text"), ("A note.", "note"),
    ]  # fmt: skip


IN_PROPORTION = {
    "merged rows": lambda n: "<w:tbl>" + f"<w:tr>{cell('<w:vMerge/>', 'High')}</w:tr>" * n + "</w:tbl>",
    "paragraphs": lambda n: said("It rained.") * n,
    "runs": lambda n: "<w:p>" + "<w:r><w:t>It rained. </w:t></w:r>" * n + "</w:p>",
    "headings": lambda n: "<h1>One</h1>" * n + "<p>It rained.</p>",
    "chapters": lambda n: "<h1>One</h1><h2>Two</h2><p>It rained all day.</p>" * (n // 8),
    "text": lambda n: "<b>" * 190 + "It rained. " * n, "marks": lambda n: "<b>" * 190 + "<i>1</i>" * n,
    "capitals": lambda n: "<b class='smcap dropcap pagenum noteref'>" * 190 + "<i>A</i>" * n,
    "navigation": lambda n: "<nav><div class='pg-boilerplate page-header tb'>" * 95 + "<i>a</i>" * n,
    "pictures": lambda n: "<p>a<img src='a.png'></p>" * n, "hidden": lambda n: "<p hidden>It rained.</p>" * n,
}  # fmt: skip


@pytest.mark.parametrize("make", IN_PROPORTION.values(), ids=IN_PROPORTION)
@pytest.mark.alone
@pytest.mark.thorough
def test_docx_and_html_take_time_in_proportion(make, tmp_path):
    if "<w:" in make(8):
        short, long = (plain_word(tmp_path / f"{n}.docx", make(n)) for n in (5_000, 40_000))
    else:
        short, long = tmp_path / "a.html", tmp_path / "b.html"
        short.write_text(make(8_000))
        long.write_text(make(64_000))
    read_book(short)
    assert seconds(lambda: read_book(long)) < 24 * seconds(lambda: read_book(short))


PROSE = "It was the best of times, it was the worst of times; it was an age - of wisdom.\n\n"


@pytest.mark.parametrize(("suffix", "before"), [
    (".txt", "Hello there.\n\n"), (".txt", "Chapter"), (".txt", "[illustration:"),
    (".md", "Hello there.\n\n"), (".md", "---\ntitle: x"), (".html", "<p>Hello there."),
])  # fmt: skip
@pytest.mark.alone
@pytest.mark.thorough
def test_whatever_is_repeated_takes_time_in_proportion(tmp_path, suffix, before):
    path = tmp_path / f"a{suffix}"

    def read(text):
        path.write_text(text, encoding="utf-8", newline="")
        with contextlib.suppress(InvalidBookError):  # no text, or nested too deep
            read_book(path)

    assert not list(slow_runs(read, PROSE, lambda run, length: f"{before}{repeated(run, length)}x\n---\n"))


@pytest.mark.thorough
def test_ten_million_letters_without_a_tag_are_read(tmp_path):
    path = tmp_path / "a.html"
    path.write_text(f"<p>{'It rained. ' * 1_000_000}</p><p>End.</p>")
    first, last = texts(read_book(path))
    assert (len(first), last) == (11 * 1_000_000 - 1, "End.")


@pytest.mark.thorough
def test_large_honest_books_are_read(tmp_path):
    """Many pictures do not count, and two million words are far from the bounds."""
    line = "<p>" + "The sea was calm and the night was long, and nobody slept. " * 5 + "</p>"
    pages = {f"{n}.xhtml": page(f"<h1>{n}</h1><img src='{n}.png'/>" + line * 50) for n in range(40)}
    noise = made_books.png("rgba64be", 400, 400)
    assert len(noise) > 1 << 19
    path = made_books.epub(tmp_path / "a.epub", pages, "", extra={f"OPS/{n}.png": noise * 4 for n in range(40)})
    assert path.stat().st_size > 64 << 20
    book = read_book(path)
    assert len(book.chapters) == 40
    assert sum(p.kind == "picture" for c in book.chapters for p in c.paragraphs) == 40


@pytest.mark.slow
def test_two_million_words_are_read_in_every_kind_of_book(tmp_path):
    line = "The sea was calm and the night was long, and nobody slept in the town below."
    n_lines = 2_000_000 // 16
    marked = "".join(f"<p><span>{line[:20]}</span><i>{line[20:]}</i></p>" for _ in range(250))
    pages = {f"{n}.xhtml": page(f"<h1>{n}</h1>{marked}") for n in range(n_lines // 250)}
    made_books.epub(tmp_path / "a.epub", pages, "")
    (tmp_path / "a.txt").write_text(f"{line}\n\n" * n_lines)
    (tmp_path / "a.md").write_text(f"{line}\n\n" * n_lines)
    (tmp_path / "a.html").write_text(f"<h1>One</h1>{marked}" * (n_lines // 250))
    run = (
        '<w:r w:rsidR="00A77B3E"><w:rPr><w:sz w:val="24"/><w:szCs w:val="24"/></w:rPr>'
        '<w:t xml:space="preserve">{}</w:t></w:r>'
    )
    written = f"<w:p>{''.join(run.format(line[n : n + 13]) for n in range(0, len(line), 13))}</w:p>"
    plain_word(tmp_path / "a.docx", written * n_lines)
    section = f"<section><title><p>One</p></title>{f'<p>{line}</p>' * 250}</section>"
    (tmp_path / "a.fb2").write_text(fiction(section * (n_lines // 250)))
    for name in ("a.epub", "a.txt", "a.md", "a.html", "a.docx", "a.fb2"):
        book = read_book(tmp_path / name)
        assert sum(len(text.split()) for text in texts(book)) >= 2_000_000, name


# How members are found, and what else an archive may be.


def test_members_are_found_by_names_as_bad_programs_write_them(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (("OPS\\A.xhtml", "a"), ("/ops/b.xhtml", "b"), ("c", "1"), ("d", "2")):
            archive.writestr(name, content)
    path.write_bytes(path.read_bytes().replace(b"d", b"c"))  # another c
    with Archive(path, Budget("a")) as archive:
        found = [archive.read(name) for name in ("OPS/A.xhtml", "ops/b.xhtml", "c", "C")]
        assert found == [b"a", b"b", b"2", b"2"]
        assert "d" not in archive
        with pytest.raises(InvalidBookError, match="it has no d"):
            archive.read("d")


def test_a_fault_of_opening_is_no_fault_of_the_book(tmp_path):
    for name in ("a.epub", "a.docx", "a.fb2", "a.txt"):
        with pytest.raises(FileNotFoundError):
            read_book(tmp_path / name)
        (tmp_path / name).mkdir()
        with pytest.raises(IsADirectoryError):
            read_book(tmp_path / name)
