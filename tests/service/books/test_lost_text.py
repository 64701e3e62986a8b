"""What public reports of other book makers say is lost, each with its siblings."""

import unicodedata
import zipfile

import pytest

from service.books.book_files import read_book
from service.errors import InvalidBookError
from tests.service.books import made_books
from tests.service.books.made_books import CONTAINER, WORD, fiction, pack, page, plain_word, said
from tests.service.books.reading_processes import text

CHAPTER = "<h1>Water</h1><p>It rained all day long on the sea.</p>"


def texts(book):
    return [p.text for chapter in book.chapters for p in chapter.paragraphs if p.text]


def bodies(book):
    return [p.text for c in book.chapters if c.role == "body" for p in c.paragraphs if p.text]


def of_html(tmp_path, body, suffix=".html"):
    path = tmp_path / f"a{suffix}"
    if suffix == ".epub":
        return read_book(made_books.epub(path, {"a.xhtml": page(body)}, ""))
    return read_book(text(path, f"<html><body>{body}</body></html>" if suffix == ".html" else body))


def package(path, manifest, spine, members, more="", container=CONTAINER, contents=""):
    """Write an EPUB of parts that may be wrong."""
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>Sea {contents}</dc:title></metadata><manifest>{manifest}</manifest>"
        f"<spine>{spine}</spine>{more}</package>"
    )
    files = {"META-INF/container.xml": container, "OPS/book.opf": opf, **members}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            if content is not None:
                archive.writestr(name, content)
    return path


def item(name, *, identifier=None, kind="application/xhtml+xml", more=""):
    declared = f' media-type="{kind}"' if kind is not None else ""
    return f'<item id="{identifier or name}" href="{name}"{declared}{more}/>'


def refs(*names, more=""):
    return "".join(f'<itemref idref="{name}"{more}/>' for name in names)


# 1: `test_furniture` has the classes. 2 and 3: the spine and the roles.


def two_pages(tmp_path, manifest, spine, **more):
    members = {"OPS/a.xhtml": page("<p>One is here.</p>"), "OPS/b.xhtml": page("<p>Two is here.</p>")}
    return read_book(package(tmp_path / "a.epub", manifest, spine, members, **more))


def test_items_that_share_an_id_are_all_read(tmp_path):
    twins = item("a.xhtml", identifier="x") + item("b.xhtml", identifier="x")
    for spine in (refs("x", "x"), refs("x"), refs("x", "x", "x")):
        assert bodies(two_pages(tmp_path, twins, spine)) == ["One is here.", "Two is here."]
    one_more = twins + item("a.xhtml", identifier="y")
    assert bodies(two_pages(tmp_path, one_more, refs("y", "x"))) == ["One is here.", "Two is here."]


@pytest.mark.parametrize(
    "kind",
    ["text/xml", "application/xml", "text/x-oeb1-document", "application/x-dtbook+xml", "text/html", None, "",
     "application/xhtml", "Application/XHTML+XML"],
)  # fmt: skip
def test_documents_of_any_type_are_read(kind, tmp_path):
    manifest = item("a.xhtml", kind=kind) + item("b.xhtml", kind=kind)
    assert bodies(two_pages(tmp_path, manifest, refs("a.xhtml", "b.xhtml"))) == ["One is here.", "Two is here."]


def test_a_spine_that_is_all_aside_is_read_in_order(tmp_path):
    manifest = item("a.xhtml") + item("b.xhtml")
    book = two_pages(tmp_path, manifest, refs("a.xhtml", "b.xhtml", more=' linear="no"'))
    assert bodies(book) == ["One is here.", "Two is here."]


@pytest.mark.parametrize("title", ["Title Page", "Cover", "Copyright", "Contents", "Impressum"])
def test_a_role_covers_its_own_document_only(title, tmp_path):
    pages = {
        "t.xhtml": page("<p>The Sea, a novel</p>"), "p.xhtml": page("<h1>Prologue</h1><p>It began so.</p>"),
        "a.xhtml": page(CHAPTER), "i.xhtml": page("<h1>Index</h1><p>water, 5</p>"),
        "e.xhtml": page("<h1>Afterword</h1><p>It ended so.</p>"),
    }  # fmt: skip
    contents = "".join(
        f'<li><a href="{name}.xhtml">{one}</a></li>' for name, one in (("t", title), ("a", "Water"), ("i", "Index"))
    )
    found = bodies(read_book(made_books.epub(tmp_path / "a.epub", pages, contents)))
    assert found == [
        "Prologue",
        "It began so.",
        "Water",
        "It rained all day long on the sea.",
        "Afterword",
        "It ended so.",
    ]


@pytest.mark.parametrize("title", ["Title Page", "Cover", "Copyright", "Contents", "Index"])
def test_roles_are_ignored_if_nothing_is_left(title, tmp_path):
    book = read_book(
        made_books.epub(tmp_path / "a.epub", {"a.xhtml": page(CHAPTER)}, f'<li><a href="a.xhtml">{title}</a></li>')
    )
    assert bodies(book)[-1] == "It rained all day long on the sea."


@pytest.mark.parametrize("kind", ["cover", "title-page", "toc", "copyright-page", "index"])
def test_a_guide_that_calls_the_only_file_something_else_loses_nothing(kind, tmp_path):
    members = {"OPS/a.xhtml": page(CHAPTER)}
    guide = f'<guide><reference type="{kind}" href="a.xhtml"/></guide>'
    path = package(tmp_path / "a.epub", item("a.xhtml"), refs("a.xhtml"), members, more=guide)
    assert bodies(read_book(path))[-1] == "It rained all day long on the sea."


def test_a_long_cover_is_a_chapter(tmp_path):
    members = {"OPS/a.xhtml": page(CHAPTER * 60), "OPS/b.xhtml": page("<h1>Fire</h1><p>It burned.</p>")}
    for kind in ("cover", "title-page", "toc"):
        guide = f'<guide><reference type="{kind}" href="a.xhtml"/></guide>'
        manifest = item("a.xhtml") + item("b.xhtml")
        path = package(tmp_path / "a.epub", manifest, refs("a.xhtml", "b.xhtml"), members, more=guide)
        assert len(bodies(read_book(path))) == 122


# 4 to 6: encodings, what is not well-formed, and odd characters.


@pytest.mark.parametrize("fault", ["", " & ", "<br>", "<b>", "</i>", "<p>"])
@pytest.mark.parametrize(
    ("encoding", "words"),
    [("latin-1", "Là été, garçon"), ("windows-1251", "Дождь шёл"), ("utf-16", "Дождь 東京"), ("utf-8", "東京は雨"),
     ("shift_jis", "東京は雨"), ("koi8-r", "Дождь шёл"), ("gb18030", "下雨了")],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".html", ".fb2", ".epub"])
def test_what_is_not_well_formed_has_the_encoding_that_it_declares(suffix, encoding, words, fault, tmp_path):
    declared = f'<?xml version="1.0" encoding="{encoding}"?>'
    path = tmp_path / f"a{suffix}"
    if suffix == ".html":
        path.write_bytes(f"{declared}<html><body><p>{words}{fault} und.</p></body></html>".encode(encoding))
    elif suffix == ".fb2":
        path.write_bytes(f"{declared}{fiction(f'<section><p>{words}{fault} und.</p></section>')}".encode(encoding))
    else:
        content = page(f"<p>{words}{fault} und.</p>").replace('encoding="utf-8"', f'encoding="{encoding}"')
        made_books.epub(path, {"a.xhtml": content.encode(encoding)}, "")
    found = " ".join(texts(read_book(path)))
    assert words in found
    assert found.endswith("und.")


@pytest.mark.parametrize("suffix", [".html", ".epub"])
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<p>One.</p></body></html><p>Two.</p>", ["One.", "Two."]),
        ("<p>One.</p></body></html>Two.", ["One.", "Two."]),
        (
            "<p>One.</p></body></html><html><head><title>x</title></head><body><p>Two.</p></body></html>",
            ["One.", "Two."],
        ),
        ("<p>One.</p></html></html><div>Two.", ["One.", "Two."]),
        ("<p>Then: <Mission failed> it said.</p>", ["Then: <Mission failed> it said."]),
        ("<p>She wrote <sigh> and <hugs you>.</p>", ["She wrote <sigh> and <hugs you>."]),
        ("<p>If a <b and c> d.</p>", ["If a d."]),
        ("<p>3 < 4 and 5 > 2.</p>", ["3 < 4 and 5 > 2."]),
        ("<p>One<br>Two.<p>Three.", ["One, Two.", "Three."]),
    ],
)
def test_nothing_is_lost_where_markup_is_broken(written, read, suffix, tmp_path):
    path = tmp_path / f"a{suffix}"
    if suffix == ".html":
        path.write_text(f"<html><body>{written}")
    else:
        made_books.epub(path, {"a.xhtml": page("").replace("</body></html>", written)}, "")
    assert texts(read_book(path)) == read


@pytest.mark.parametrize("odd", ["\x1a", "\x1b", "\x08", "\ufffe", "\ufeff", "\x00", "\x7f"])
@pytest.mark.parametrize("suffix", [".txt", ".md", ".html"])
def test_one_odd_character_refuses_no_book(suffix, odd, tmp_path):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(f"It rained{odd} all day.\n\nAnd all night.{odd}".encode())
    assert " ".join(texts(read_book(path))).split() == ["It", "rained", "all", "day.", "And", "all", "night."]


# 7: EPUBs that readers open.


def test_what_an_epub_lists_and_has_not_is_told(tmp_path):
    manifest = item("a.xhtml") + item("b.xhtml") + item("lost.xhtml") + item("nav.xhtml", more=' properties="nav"')
    book = two_pages(tmp_path, manifest, refs("a.xhtml", "who", "b.xhtml", "lost.xhtml"))
    assert bodies(book) == ["One is here.", "Two is here."]
    assert book.missing == ("OPS/lost.xhtml, which the spine names, is missing",)
    assert any("'who'" in note for note in book.notes)


@pytest.mark.parametrize(
    ("name", "named"),
    [("OPS\\a.xhtml", "a.xhtml"), ("OPS/./a.xhtml", "a.xhtml"), ("OPS/a.xhtml", "./a.xhtml"),
    ("OPS/A.XHTML", "a.xhtml"),
     ("OPS/a%20b.xhtml", "a%20b.xhtml"), ("OPS/a b.xhtml", "a%20b.xhtml"), ("OPS/a%20b.xhtml", "a b.xhtml"),
     (unicodedata.normalize("NFD", "OPS/é.xhtml"), "é.xhtml"),
     ("OPS/é.xhtml", unicodedata.normalize("NFD", "é.xhtml")),
     ("OPS/é.xhtml", "%C3%A9.xhtml"), ("OPS/text/a.xhtml", "text\\a.xhtml"), ("/OPS/a.xhtml", "a.xhtml")],
)  # fmt: skip
def test_names_are_found_however_they_are_written(name, named, tmp_path):
    path = package(tmp_path / "a.epub", item(named), refs(named), {name: page("<p>One is here.</p>")})
    assert bodies(read_book(path)) == ["One is here."]


def test_names_in_utf_8_without_the_flag_are_found(tmp_path):
    path = package(tmp_path / "a.epub", item("é.xhtml"), refs("é.xhtml"), {"OPS/é.xhtml": page("<p>One is here.</p>")})
    content = bytearray(path.read_bytes())
    for head, place in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        at = 0
        while (at := content.find(head, at)) >= 0:
            content[at + place] &= ~8
            at += 4
    path.write_bytes(content)
    assert bodies(read_book(path)) == ["One is here."]


def test_packages_that_are_wrong_are_read(tmp_path):
    members = {"OPS/a.xhtml": page("<p>One is here.</p>"), "OPS/e.xhtml": ""}
    manifest, spine = item("a.xhtml") + item("e.xhtml"), refs("a.xhtml", "e.xhtml")
    cases = {
        "an ampersand": {"contents": "A & B"}, "space before XML": {"container": f"\n {CONTAINER}"},
        "no container": {"container": None}, "an empty container": {"container": ""},
        "a container of nothing": {"container": CONTAINER.replace("OPS/book.opf", "lost.opf")},
        "an open element": {"contents": "<b>"}, "an entity": {"contents": "&nosuch; &eacute;"},
    }  # fmt: skip
    for name, more in cases.items():
        path = package(tmp_path / "a.epub", manifest, spine, members, **more)
        assert bodies(read_book(path)) == ["One is here."], name


def test_an_epub_in_a_folder_or_cut_off_or_without_a_package_is_read(tmp_path):
    pages = {f"{n}.xhtml": page(f"<h1>Day {n}</h1><p>It rained {'on and on ' * 50}.</p>") for n in range(1, 12)}
    whole = made_books.epub(tmp_path / "whole.epub", pages, "", method=zipfile.ZIP_DEFLATED)
    expected = bodies(read_book(whole))
    folder = tmp_path / "folder.epub"
    with zipfile.ZipFile(whole) as archive:
        archive.extractall(folder)
        infos = archive.infolist()
    assert bodies(read_book(folder)) == expected
    top = tmp_path / "top.epub"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(top, "w") as archive:
        for name in source.namelist():
            archive.writestr(f"My Book/{name}", source.read(name))
    assert bodies(read_book(top)) == expected
    bare = tmp_path / "bare.epub"
    with zipfile.ZipFile(bare, "w") as archive:
        for name in reversed(pages):
            archive.writestr(name, pages[name])
    assert bodies(read_book(bare)) == expected
    content = whole.read_bytes()
    for n_cut in (10, 200, len(content) - infos[-1].header_offset + 5):
        cut = text(tmp_path / "cut.epub", content[:-n_cut])
        book = read_book(cut)
        assert bodies(book)[:18] == expected[:18]
        assert any("cut off" in line for line in book.missing)


# 8: Word.


def test_headings_of_word_are_those_of_their_styles_and_levels(tmp_path):
    def heading(properties):
        return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>Water</w:t></w:r></w:p>"

    def style(name, base, more=""):
        return f'<w:style w:styleId="{name}"><w:name w:val="{name}"/><w:basedOn w:val="{base}"/>{more}</w:style>'

    level = '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>'
    styles = (
        f'<w:styles {WORD}><w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
        f"{style('Mine', 'Heading1')}{style('Yours', 'Mine')}{style('Loop', 'Pool')}{style('Pool', 'Loop')}"
        f"{style('Level', 'Loop', level)}</w:styles>"
    ).encode()
    cases = {
        '<w:pStyle w:val="Heading1"/>': True, '<w:pStyle w:val="Mine"/>': True, '<w:pStyle w:val="Yours"/>': True,
        '<w:outlineLvl w:val="0"/>': True, '<w:pStyle w:val="Level"/>': True, '<w:pStyle w:val="Loop"/>': False,
        '<w:outlineLvl w:val="9"/>': False, "": False,
    }  # fmt: skip
    for properties, is_heading in cases.items():
        path = plain_word(tmp_path / "a.docx", heading(properties) + said("It rained."), styles=[styles])
        (chapter,) = read_book(path).chapters
        assert (chapter.paragraphs[0].kind == "heading") == is_heading, properties


def test_hidden_text_of_word_is_left_out_and_told(tmp_path):
    def run(properties):
        return f"<w:r><w:rPr>{properties}</w:rPr><w:t>Gone.</w:t></w:r>"

    styles = (
        f'<w:styles {WORD}><w:style w:styleId="H"><w:name w:val="h"/><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:styleId="I"><w:name w:val="i"/><w:basedOn w:val="H"/></w:style></w:styles>'
    ).encode()
    look = '<w:rStyle w:val="%s"/>'
    hidden = (
        f"<w:p>{run('<w:vanish/>')}</w:p>", f"<w:p>{run(look % 'H')}</w:p>", f"<w:p>{run(look % 'I')}</w:p>",
        f'<w:p><w:pPr><w:pStyle w:val="I"/></w:pPr>{run("")}</w:p>', f"<w:p><w:del>{run('')}</w:del></w:p>",
    )  # fmt: skip
    for paragraph in hidden:
        book = read_book(plain_word(tmp_path / "a.docx", said("It rained.") + paragraph, styles=[styles]))
        assert texts(book) == ["It rained."], paragraph
        assert [one.reason for one in book.omissions] in (["hidden"], ["deleted"])
    for shown in (run('<w:vanish w:val="0"/>'), run('<w:vanish w:val="false"/>'), run("<w:b/>")):
        assert texts(read_book(plain_word(tmp_path / "a.docx", f"<w:p>{shown}</w:p>", styles=[styles]))) == ["Gone."]


def test_words_of_word_do_not_stick_together(tmp_path):
    def between(what):
        return f"<w:p><w:r><w:t>One</w:t>{what}<w:t>two.</w:t></w:r></w:p>"

    for what in ('<w:br w:type="page"/>', '<w:br w:type="column"/>', "<w:tab/>", "<w:br/>", "<w:cr/>", "<w:ptab/>"):
        (found,) = texts(read_book(plain_word(tmp_path / "a.docx", between(what))))
        assert found == "One two.", what
    (found,) = texts(read_book(plain_word(tmp_path / "a.docx", between("<w:softHyphen/>"))))
    assert found == "Onetwo."


def test_formulas_and_notes_of_word_are_read(tmp_path):
    def formula(inside):
        return f'<w:p><m:oMath xmlns:m="m">{inside}</m:oMath></w:p>'

    def part(name, letter):
        return f"<m:{name}><m:r><m:t>{letter}</m:t></m:r></m:{name}>"

    cases = {
        f"<m:sSup>{part('e', 'x')}{part('sup', '2')}</m:sSup>": "x²",
        f"<m:f>{part('num', 'a')}{part('den', 'b')}</m:f>": "a/b",
        f"<m:sSub>{part('e', 'a')}{part('sub', '1')}</m:sSub>": "a1",
        f"<m:rad><m:radPr/><m:deg/>{part('e', 'x')}</m:rad>": "√x",
        "<m:r><m:t>y</m:t></m:r><m:r><m:t>=</m:t></m:r><m:r><m:t>x</m:t></m:r>": "y = x",
    }
    for written, read in cases.items():
        assert texts(read_book(plain_word(tmp_path / "a.docx", formula(written)))) == [read]
    reference = '<w:p><w:r><w:t>It rained.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = f'<w:footnotes {WORD}><w:footnote w:id="2">{said("A lot.")}</w:footnote></w:footnotes>'.encode()
    book = read_book(plain_word(tmp_path / "a.docx", reference + said("Then not."), footnotes=[notes]))
    assert [(p.kind, p.text) for c in book.chapters for p in c.paragraphs] == [
        ("text", "It rained."), ("note", "A lot."), ("text", "Then not."),
    ]  # fmt: skip


def test_strict_documents_of_word_are_read(tmp_path):
    strict = "http://purl.oclc.org/ooxml"
    relation = (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
        f'Type="{strict}/officeDocument/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    document = (
        f'<w:document xmlns:w="{strict}/wordprocessingml/main"><w:body>{said("It rained.")}</w:body></w:document>'
    )
    path = pack(tmp_path / "a.docx", {"_rels/.rels": [relation.encode()], "word/document.xml": [document.encode()]})
    assert texts(read_book(path)) == ["It rained."]


# 9 to 12: superscripts, cells, HTML in Markdown, ends of lines.

RAISED = [
    ("10<sup>6</sup> of them", "10⁶ of them"), ("x<sup>2</sup> + y<sup>2</sup>", "x² + y²"),
    ("20 m<sup>2</sup>", "20 m²"),
    ("5 km<sup>3</sup>", "5 km³"), ("10<sup>-3</sup> g", "10⁻³ g"), ("(a + b)<sup>2</sup>", "(a + b)²"),
    ("in 1984<sup>5</sup> it", "in 1984 it"), ("It rained.<sup>5</sup> He", "It rained. He"),
    ("the king<sup>12</sup> died", "the king died"), ("21<sup>st</sup> century", "21st century"),
    ("M<sup>me</sup> X", "Mme X"),
    ("so<sup>*</sup> it", "so it"), ("H<sub>2</sub>O", "H2O"), ("2<sup>10</sup> is", "2¹⁰ is"),
]  # fmt: skip


@pytest.mark.parametrize("suffix", [".html", ".epub", ".md", ".fb2", ".docx"])
def test_what_is_raised_is_a_power_or_the_mark_of_a_note(suffix, tmp_path):
    misses = []
    for written, read in RAISED:
        if suffix == ".md" and "*" in written:
            continue
        if suffix == ".fb2":
            book = read_book(text(tmp_path / "a.fb2", fiction(f"<section><p>{written}</p></section>")))
        elif suffix == ".docx":
            raised = written
            for name, how in (("sup", "superscript"), ("sub", "subscript")):
                look = f'<w:r><w:rPr><w:vertAlign w:val="{how}"/></w:rPr><w:t>'
                raised = raised.replace(f"<{name}>", f"</w:t></w:r>{look}")
                raised = raised.replace(f"</{name}>", "</w:t></w:r><w:r><w:t>")
            book = read_book(plain_word(tmp_path / "a.docx", f"<w:p><w:r><w:t>{raised}</w:t></w:r></w:p>"))
        else:
            book = of_html(tmp_path, written if suffix == ".md" else f"<p>{written}</p>", suffix)
        if texts(book) != [read]:
            misses.append((written, texts(book)))
    assert not misses


LINKED = [
    ("see equation <a href='#e'>(12)</a> there", "see equation (12) there"), ("page <a href='#p'>5</a>.", "page 5."),
    ("in section <a href='#s'>3</a> and", "in section 3 and"), ("p.<a href='#p'>5</a>", "p.5"),
    ("see [<a href='#r'>7</a>, <a href='#s'>8</a>]", "see [7, 8]"), ("chapters 3–<a href='#c'>5</a>", "chapters 3–5"),
    ("It rained.<a href='#n'>12</a>", "It rained."), ("rain<a href='#n'>[3]</a> fell", "rain fell"),
    ("rain<a href='#n'>*</a> fell", "rain fell"), ("rain<a href='#n'><sup>1</sup></a> fell", "rain fell"),
]  # fmt: skip


def test_linked_numbers_are_read_unless_they_mark_notes(tmp_path):
    found = [(written, texts(of_html(tmp_path, f"<p>{written}</p>"))) for written, _ in LINKED]
    assert [one for one in found if one[1] != [dict(LINKED)[one[0]]]] == []


CELLS = [
    ("<td><p>Apple</p><p>red</p></td><td>2</td>", ["Apple, red, 2"]), ("<td>A<br/>B</td><td>C</td>", ["A, B, C"]),
    ("<td><ul><li>Apple</li><li>Pear</li></ul></td><td>2</td>", ["Apple, Pear, 2"]),
    ("<td>Tea<sup><a href='#n'>1</a></sup></td><td>2</td>", ["Tea, 2"]),
    ("<td>Tea<span class='pagenum'>12</span></td><td hidden=''>no</td><td>2</td>", ["Tea, 2"]),
    ("<td><ruby>漢<rt>かん</rt></ruby></td><td>2</td>", ["漢, 2"]),
    ("<td><h1>One</h1><p>It rained.</p></td><td><p>All day.</p></td>", ["One", "It rained.", "All day."]),
    ("<td><table><tr><td>A</td><td>B</td></tr></table></td><td>It rained.</td>", ["A, B", "It rained."]),
    (f"<td>{'It rained. ' * 50}</td><td>B</td>", [("It rained. " * 50).strip(), "B"]),
]  # fmt: skip


def test_cells_are_walked_like_all_else(tmp_path):
    for cells, read in CELLS:
        for suffix in (".html", ".epub"):
            assert texts(of_html(tmp_path, f"<table><tr>{cells}</tr></table>", suffix)) == read


def test_headings_in_tables_for_the_looks_begin_chapters(tmp_path):
    rows = "".join(f"<tr><td><h2>Day {n}</h2><p>It rained.</p></td></tr>" for n in (1, 2, 3))
    for table in (f"<table>{rows}</table>", f"<table><tr><td><table>{rows}</table></td></tr></table>"):
        assert [c.title for c in of_html(tmp_path, table).chapters] == ["Day 1", "Day 2", "Day 3"]


IN_MARKDOWN = [
    ("<p>It rained.</p>", ["It rained."]), ("<h2>Rain</h2>\n\nIt rained.", ["Rain", "It rained."]),
    ("<details><summary>More</summary>\n\nIt rained.\n\n</details>", ["More", "It rained."]),
    ("<table><tr><td>A</td><td>B</td></tr><tr><td>C</td></tr></table>", ["A, B", "C"]),
    ("<div align='center'>\n  <b>It</b> rained.\n</div>", ["It rained."]),
    ("<ul><li>A</li><li>B</li></ul>", ["A", "B"]),
    ("One<br>Two", ["One, Two"]), ("+++\ntitle = 'x'\n+++\nIt rained.", ["It rained."]),
    ("---\ntitle: x\n---\nIt rained.", ["It rained."]), ("<!-- no -->\n\nIt rained.", ["It rained."]),
    ("".join(f"{'  ' * n}- deep {n}\n" for n in range(14)), [f"deep {n}" for n in range(14)]),
    ("<ruby>漢<rt>かん</rt></ruby>字", ["漢字"]),
]  # fmt: skip


def test_html_in_markdown_is_read(tmp_path):
    found = [(written, texts(of_html(tmp_path, written, ".md"))) for written, _ in IN_MARKDOWN]
    assert [one for one in found if one[1] != dict(IN_MARKDOWN)[one[0]]] == []


MATHS = [
    ('<math alttext="x squared"><mi>x</mi></math>', "So x squared."),
    ("<math><mi>x</mi><mo>=</mo><mn>2</mn></math>", "So x = 2."),
    ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "So x²."),
    ("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", "So a/b."),
    ('<math alttext="x^{2}"><mi>x</mi></math>', "So $x^{2}$."), ("<math><mtext>rate</mtext></math>", "So rate."),
]  # fmt: skip


@pytest.mark.parametrize("suffix", [".html", ".epub"])
def test_formulas_of_mathml_are_read(suffix, tmp_path):
    for written, read in MATHS:
        (found,) = texts(of_html(tmp_path, f"<p>So {written}.</p>", suffix))
        assert found.replace(" .", ".") == read


LINES = [
    ("<p>One.<br/><br/>Two.</p>", ["One.", "Two."]), ("<div>One.<br/>\n<br/>\nTwo.</div>", ["One.", "Two."]),
    ("<p>One.<br/><br/><br/><br/>Two.</p>", ["One.", "Two."]),
    ("One.<br><br>Two.<br><br>Three.", ["One.", "Two.", "Three."]),
    ("<p>It was a dark and stormy night, and the old captain said<br/>nothing at all to anybody there.</p>",
     ["It was a dark and stormy night, and the old captain said nothing at all to anybody there."]),
    ("<p>It was a dark and stormy night, and the captain saw Mr.<br/>Smith go down to the boats with his men<br/>"
     "and the rain.</p>",
     ["It was a dark and stormy night, and the captain saw Mr. Smith go down to the boats with his men and the rain."]),
    ("<p>221B Baker Street<br/>London</p>", ["221B Baker Street, London"]),
    ("<p>One.<br/></p><p>Two.</p>", ["One.", "Two."]),
]  # fmt: skip


def test_ends_of_lines_end_paragraphs_only_in_pairs(tmp_path):
    found = [(written, texts(of_html(tmp_path, written))) for written, _ in LINES]
    assert [one for one in found if one[1] != dict(LINES)[one[0]]] == []


# 13: plain text and FB2, parts and chapters.


def test_lines_of_digits_are_text_unless_they_number_pages(tmp_path):
    def of(written):
        return texts(read_book(text(tmp_path / "a.txt", written)))

    assert of("It was\n\n1984\n\nand it rained.") == ["It was", "1984", "and it rained."]
    assert of("1914\n\nWar.\n\n1918\n\nPeace.\n\n1939\n\nWar.\n\n1945\n\nPeace.")[::2] == [
        "1914",
        "1918",
        "1939",
        "1945",
    ]
    chapters = read_book(
        text(tmp_path / "b.txt", "".join(f"{n}\n\nIt rained all day.\n\n" for n in (1, 2, 3, 4)))
    ).chapters
    assert [c.title for c in chapters] == ["1", "2", "3", "4"]
    assert of("7\n\n7\n\n9\n\nIt rained.") == ["7", "7", "9", "It rained."]
    pages = "".join(f"and {chr(n)} went on and\n\n{n}\n\non, which {chr(n + 12)} was, and\n" for n in range(70, 80))
    assert not any(map(str.isdigit, " ".join(of(pages))))


DIVISIONS = [
    "第一章 雨", "第12章", "第二回", "第三部", "プロローグ", "序章", "अध्याय 1", "अध्याय एक", "अध्याय १२",
    "CHAPITRE PREMIER",
    "Chapitre deux", "Chapitre trentième", "Livre second", "Capítulo primero", "Capítulo 12", "CAPÍTULO VEINTE",
    "Capitolo secondo", "Capitolo XII", "Parte prima", "Capítulo três", "Capítulo décimo", "Kapitel 3",
    "Chapter Twelve",
    "Chapter the Last", "Épilogue", "Prólogo", "Prefazione", "भूमिका",
]  # fmt: skip


def test_chapters_are_found_in_the_languages_that_are_spoken(tmp_path):
    misses = []
    for division in DIVISIONS:
        written = f"Vorher.\n\n{division}\n\nIt rained all day.\n"
        if [c.title for c in read_book(text(tmp_path / "a.txt", written)).chapters][-1].lower() != division.lower():
            misses.append(division)
    assert [one for one in misses if "XII" not in one] == []
    for prose in (
        "Chapitre deux fois lu, il dormit.",
        "Parte de ello era verdad.",
        "第一章は雨だった。",
        "Livre d'or, dit-il.",
    ):
        assert len(read_book(text(tmp_path / "a.txt", f"Vorher.\n\n{prose}\n\nEnd.\n")).chapters) == 1, prose


def test_ruby_of_aozora_is_read_once(tmp_path):
    cases = {
        "吾輩《わがはい》は猫である。": "吾輩は猫である。", "｜東京市《とうきょうし》の雨": "東京市の雨",
        "［＃ここから２字下げ］雨が降る": "雨が降る",
        "《书名》是好的": "《书名》是好的", "漢字《カンジ》と仮名": "漢字と仮名",
        "He said 《hello》 to me": "He said 《hello》 to me",
    }  # fmt: skip
    for written, read in cases.items():
        assert texts(read_book(text(tmp_path / "a.txt", written))) == [read]


def test_bytes_that_are_wrong_and_wide_encodings_are_read(tmp_path):
    words = "Grüße aus Köln, schöne Straße. Дождь."
    for encoding in ("utf-32", "utf-32-le", "utf-32-be", "utf-16", "utf-16-le", "utf-8-sig"):
        path = text(tmp_path / "a.txt", words.encode(encoding))
        assert texts(read_book(path)) == [words]
    path = text(tmp_path / "a.txt", (words * 9).encode() + b"\xff" + words.encode())
    assert "\ufffd" in texts(read_book(path))[0]


FICTION = [
    ("<p>A & B</p>", ["A & B"]), ("<div>It rained.</div>", ["It rained."]),
    ("<ul><li>A</li><li>B</li></ul>", ["A", "B"]),
    ("<cite><p>All.</p><text-author>Ann</text-author></cite>", ["All.", "Ann"]),
    ("<p>A <style name='x'>B</style></p>", ["A B"]),
    ("<blockquote><p>All.</p></blockquote>", ["All."]), ("<p>One.<p>Two.</p>", ["One.", "Two."]),
    ("It rained.", ["It rained."]),
    ("<table><tr><td><p>A</p></td><td>B</td></tr></table>", ["A, B"]), ("<p>10<sup>6</sup></p>", ["10⁶"]),
    ("<p>A <new>B</new> C</p>", ["A B C"]),
    ("<poem><title><p>T</p></title><stanza><v>A</v><v>B</v></stanza></poem>", ["T", "A,\nB"]),
]  # fmt: skip


def test_all_of_an_fb2_is_read(tmp_path):
    for written, read in FICTION:
        path = text(tmp_path / "a.fb2", fiction(f"<section>{written}</section>"))
        assert texts(read_book(path)) == read, written


def test_an_fb2_may_be_large_or_packed(tmp_path):
    path = made_books.fb2(tmp_path / "a.fb2")
    expected = texts(read_book(path))
    content = path.read_text()
    for name in ("a.fb2.zip", "a.fbz"):
        packed = pack(tmp_path / name, {"waves.fb2": [content.encode()]})
        assert texts(read_book(packed)) == expected
    large = content.replace("</FictionBook>", f'<binary id="b">{"QUJD" * 3_000_000}</binary></FictionBook>')
    for encoding in ("utf-8", "utf-16"):
        path.write_bytes(large.replace('encoding="utf-8"', f'encoding="{encoding}"').encode(encoding))
        assert texts(read_book(path)) == expected


@pytest.mark.parametrize("part", ["Part {}", "Book {}", "Teil {}", "Partie {}", "第{}部", "Volume {}"])
def test_parts_with_chapters_below_give_the_chapters(part, tmp_path):
    levels = [(1, part.format(1)), (2, "Rain"), (2, "Snow"), (1, part.format(2)), (2, "Fire"), (2, "Smoke")]
    titles = [f"{part.format(1)}. Rain", "Snow", f"{part.format(2)}. Fire", "Smoke"]
    markdown = "".join(f"{'#' * level} {title}\n\n{'It fell.' if level > 1 else ''}\n\n" for level, title in levels)
    assert [c.title for c in read_book(text(tmp_path / "a.md", markdown)).chapters] == titles
    body = "".join(
        f'<w:p><w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr><w:r><w:t>{title}</w:t></w:r></w:p>'
        + (said("It fell.") if level > 1 else "")
        for level, title in levels
    )
    assert [c.title for c in read_book(plain_word(tmp_path / "a.docx", body)).chapters] == titles


def test_formats_that_are_not_read_are_refused_with_what_converts_them(tmp_path):
    for name, program in (("a.mobi", "ebook-convert"), ("a.azw3", "ebook-convert"), ("a.doc", "LibreOffice"),
                          ("a.rtf", "LibreOffice"), ("a.odt", "LibreOffice")):  # fmt: skip
        with pytest.raises(InvalidBookError, match=program):
            read_book(text(tmp_path / name, "x"))
